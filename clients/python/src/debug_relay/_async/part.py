"""What the parts of a session share."""

from __future__ import annotations

from typing import TypeVar

import grpc

from .. import proto as pb
from ..options import Seconds, seconds
from ..outcome import Outcome
from ..values import Frame
from .channel import GRACE, AsyncChannel
from .stubs import AsyncStubs

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class AsyncPart:
    """A session, as far as its parts know it."""

    def __init__(self, channel: AsyncChannel, session_id: str) -> None:
        self.id = session_id
        self._channel = channel
        self._outcome: Outcome | None = None

    @property
    def _stubs(self) -> AsyncStubs:
        return self._channel.stubs

    async def _call(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Asked, Answer],
        request: Asked,
        wait: Seconds | None = 0,
        grace: float = GRACE,
    ) -> Answer:
        return await self._channel.call(method, request, seconds(wait), grace)

    def _saw(self, message: pb.Outcome) -> Outcome:
        """Remembers how the last move came out."""
        self._outcome = Outcome.of(message)
        return self._outcome


def frame_id(frame: Frame | int | None) -> int:
    return frame.id if isinstance(frame, Frame) else frame or 0
