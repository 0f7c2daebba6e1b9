"""What comes in streams: events, output, steps of a trace and rows of a collection."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from . import proto as pb
from .breakpoints import Breakpoint
from .enums import EventType, OutputCategory, State, name_of
from .outcome import Stop, time_of
from .values import Change, Frame, Location, Value, changes_of, frames_of, values_of


@dataclass(frozen=True)
class Event:
    """One event of a session. A gap stands for events that are no longer kept."""

    session_id: str
    #: Its number in the session, from 1; of a gap, that of the last event it stands for.
    sequence: int
    type: EventType
    time: datetime
    message: pb.Event = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.Event, session_id: str) -> Event:
        kind = message.WhichOneof("payload")
        known = kind in EventType._value2member_map_
        return cls(
            session_id=session_id,
            sequence=message.sequence,
            type=EventType(kind) if known else EventType.UNKNOWN,
            time=time_of(message.time),
            message=message,
        )

    @property
    def payload(self) -> Any:
        """The message that belongs to the type, such as ``proto.Exited``."""
        kind = self.message.WhichOneof("payload")
        return getattr(self.message, kind) if kind else None

    @property
    def stop(self) -> Stop | None:
        """The stop, when the program stopped."""
        return Stop.of(self.message.stopped) if self.type is EventType.STOPPED else None

    @property
    def text(self) -> str:
        """What the program wrote, at most 200 bytes of it, or what the debugger had to say."""
        return self.message.output.text or self.message.adapter_message.text

    def __str__(self) -> str:
        return f"{self.sequence} {describe(self)}"


def describe(event: Event) -> str:
    message = event.message
    if event.type is EventType.STATE_CHANGED:
        # "from" is no name that Python code can say.
        before = name_of(State, getattr(message.state_changed, "from"))
        return f"the session is {name_of(State, message.state_changed.to)}, it was {before}"
    if event.type is EventType.BREAKPOINT_CHANGED:
        return f"breakpoint {Breakpoint.of(message.breakpoint_changed.breakpoint)}"
    if event.type is EventType.EXITED:
        exited = message.exited
        how = f"code {exited.exit_code}" if exited.HasField("exit_code") else "no code"
        return f"exited with {how}"
    if event.type is EventType.GAP:
        gap = message.gap
        return f"events {gap.from_sequence} to {gap.to_sequence} are no longer kept"
    return str(event.stop or (f"{event.type}: {event.text.rstrip()}" if event.text else event.type))


@dataclass(frozen=True)
class EventPage:
    """Events of one poll."""

    events: list[Event]
    #: Where the next poll goes on; it counts events that were filtered out, too.
    next_sequence: int


@dataclass(frozen=True)
class Output:
    """A piece of what the program wrote; or, ``missing``, one that is no longer kept."""

    #: The offset of its first byte in all of the session's output.
    offset: int
    next_offset: int
    category: OutputCategory
    #: The text; bytes that are not UTF-8 are replaced.
    text: str
    #: The bytes themselves.
    data: bytes
    missing: bool
    message: Any = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.OutputChunk) -> Output:
        data = message.data or message.text.encode()
        return cls(
            offset=message.offset,
            next_offset=message.offset + len(data),
            category=name_of(OutputCategory, message.category),
            text=message.text,
            data=data,
            missing=False,
            message=message,
        )

    @classmethod
    def gap(cls, message: pb.OutputGap) -> Output:
        start, end = message.from_offset, message.to_offset
        return cls(start, end, OutputCategory.UNKNOWN, "", b"", True, message)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class OutputPage:
    """Output of one read."""

    pieces: list[Output]
    #: Where the next read goes on.
    next_offset: int
    #: The program has ended and this is all of its output.
    end: bool

    @classmethod
    def of(cls, message: pb.GetOutputResponse) -> OutputPage:
        gap = [Output.gap(message.gap)] if message.HasField("gap") else []
        pieces = gap + [Output.of(chunk) for chunk in message.chunks]
        return cls(pieces, message.next_offset, message.end)

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Step:
    """One step of a trace."""

    #: Counts the steps from 1.
    number: int
    location: Location
    #: How deep the stack is.
    depth: int
    changes: list[Change]
    expressions: list[Value]
    message: pb.TraceRecord = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.TraceRecord) -> Step:
        return cls(
            number=message.number,
            location=Location.of(message.location),
            depth=message.depth,
            changes=changes_of(message.changes),
            expressions=values_of(message.expressions),
            message=message,
        )

    def __str__(self) -> str:
        return "  ".join([str(self.location), *map(str, self.changes)])


@dataclass(frozen=True)
class Row:
    """What was seen at one hit of a collected place."""

    #: Counts the rows from 1.
    number: int
    time: datetime
    location: Location
    expressions: list[Value]
    changes: list[Change]
    #: The stack, without handles: the program runs on.
    frames: list[Frame]
    thread_id: int
    process_id: int
    message: pb.CollectRow = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.CollectRow) -> Row:
        return cls(
            number=message.number,
            time=time_of(message.time),
            location=Location.of(message.location),
            expressions=values_of(message.expressions),
            changes=changes_of(message.changes),
            frames=frames_of(message.frames),
            thread_id=message.thread_id,
            process_id=message.process_id,
            message=message,
        )

    def __str__(self) -> str:
        values = (f"{value.expression} → {value}" for value in self.expressions)
        return "  ".join([str(self.location), *values, *map(str, self.changes)])
