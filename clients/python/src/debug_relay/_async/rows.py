"""Rows of a stream that ends with an outcome."""

from __future__ import annotations

from typing import Any, AsyncGenerator, AsyncIterator, Callable, Generic, TypeVar

from .. import proto as pb
from ..outcome import Outcome

T = TypeVar("T")


class AsyncRows(Generic[T]):
    """Iterate over it once. When that has ended, ``outcome`` tells how."""

    def __init__(
        self,
        answers: AsyncGenerator[Any, None],
        row_of: Callable[[Any], T],
        saw: Callable[[pb.Outcome], Outcome],
    ) -> None:
        self._answers = answers
        self._row_of = row_of
        self._saw = saw
        #: How it ended; None before the end, and when the iteration was left early.
        self.outcome: Outcome | None = None

    async def __aiter__(self) -> AsyncIterator[T]:
        try:
            async for answer in self._answers:
                if answer.HasField("outcome"):
                    self.outcome = self._saw(answer.outcome)
                else:
                    yield self._row_of(answer)
        finally:
            await self._answers.aclose()
