"""Tokens that are good for one session alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from . import proto as pb
from .outcome import time_of


@dataclass(frozen=True)
class Share:
    """A token of a session. The token itself is told once, to whoever makes it."""

    id: str
    name: str
    #: It may look and stream, and nothing else.
    read_only: bool
    created: datetime
    #: Until when it holds; None means until the session is forgotten.
    expires: datetime | None
    #: Empty for those that are listed.
    token: str = field(repr=False, compare=False)
    message: pb.SessionToken = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.SessionToken, token: str = "") -> Share:
        return cls(
            id=message.id,
            name=message.name,
            read_only=message.read_only,
            created=time_of(message.create_time),
            expires=time_of(message.expire_time) if message.HasField("expire_time") else None,
            token=token,
            message=message,
        )
