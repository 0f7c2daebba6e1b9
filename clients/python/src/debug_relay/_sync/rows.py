# Made from _async/rows.py by ./generate. Change that file, not this one.
"""Rows of a stream that ends with an outcome."""

from __future__ import annotations

from typing import Any, Callable, Generator, Generic, Iterator, TypeVar

from .. import proto as pb
from ..outcome import Outcome

T = TypeVar("T")


class Rows(Generic[T]):
    """Iterate over it once. When that has ended, ``outcome`` tells how."""

    def __init__(
        self,
        answers: Generator[Any, None, None],
        row_of: Callable[[Any], T],
        saw: Callable[[pb.Outcome], Outcome],
    ) -> None:
        self._answers = answers
        self._row_of = row_of
        self._saw = saw
        #: How it ended; None before the end, and when the iteration was left early.
        self.outcome: Outcome | None = None

    def __iter__(self) -> Iterator[T]:
        try:
            for answer in self._answers:
                if answer.HasField("outcome"):
                    self.outcome = self._saw(answer.outcome)
                else:
                    yield self._row_of(answer)
        finally:
            self._answers.close()
