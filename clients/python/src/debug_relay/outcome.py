"""How a call that moves the program, or waits for it, came out."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from types import MappingProxyType
from typing import Any, Mapping

from . import proto as pb
from .enums import State, StopReason, UnhitReason, name_of
from .errors import NotStopped
from .values import (
    Change,
    Frame,
    Location,
    ProgramException,
    Scope,
    Value,
    Variable,
    changes_of,
    frames_of,
    values_of,
)

ENDED = {State.EXITED, State.TERMINATED, State.DETACHED, State.FAILED, State.LOST}
HEADLINES = {
    State.RUNNING: "the program runs",
    State.EXITED: "the program has exited",
    State.TERMINATED: "the program was ended",
    State.DETACHED: "the program runs on without the debugger",
    State.FAILED: "the program could not be run",
}


@dataclass(frozen=True)
class Stop:
    """One stop of the program: where and why."""

    #: Counts the stops of the session from 1.
    number: int
    reason: StopReason
    description: str
    location: Location
    #: The exception, when that is the reason.
    exception: ProgramException | None
    thread_id: int
    process_id: int
    breakpoint_ids: list[int]
    time: datetime
    message: pb.StopInfo = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.StopInfo) -> Stop:
        raised = ProgramException.of(message.exception) if message.HasField("exception") else None
        return cls(
            number=message.stop_number,
            reason=name_of(StopReason, message.reason),
            description=message.description,
            location=Location.of(message.location),
            exception=raised,
            thread_id=message.thread_id,
            process_id=message.process_id,
            breakpoint_ids=list(message.breakpoint_ids),
            time=time_of(message.time),
            message=message,
        )

    @property
    def file(self) -> str:
        return self.location.file

    @property
    def line(self) -> int:
        return self.location.line

    @property
    def function(self) -> str:
        return self.location.function

    def __str__(self) -> str:
        why = str(self.exception or self.description or str(self.reason).replace("_", " "))
        return f"stopped at {self.location} ({why})"


@dataclass(frozen=True)
class Unhit:
    """A breakpoint at which the program never stopped, and why."""

    id: int
    reason: UnhitReason
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Outcome:
    """The whole story of a call that moves the program. ``str()`` tells it to a person."""

    state: State
    #: The wait was over before the program stopped or ended; ``wait_for_stop()`` waits on.
    timed_out: bool
    #: The exit code, when the program ended by exiting.
    exit_code: int | None
    #: The signal that ended the program; 0 when none did.
    exit_signal: int
    #: What the program wrote since it was last resumed; of more than 2 KiB, the end.
    output: str
    #: What changed since the previous stop in the same function.
    changes: list[Change]
    #: The variables of the top frame, by name.
    locals: Mapping[str, Variable]
    #: The stack, innermost frame first.
    frames: list[Frame]
    #: The lines around the current one, which begins with ">".
    source: str
    #: What came of the expressions that were asked for, in order.
    expressions: list[Value]
    #: What was left out of the above: a sentence each, with how to get it.
    omitted: list[str]
    unhit_breakpoints: list[Unhit]
    hint: str
    #: Why the program could not be run, when the state is FAILED.
    failure: str
    #: The last event that this includes: ``session.events(after=sequence)`` misses nothing.
    sequence: int
    message: pb.Outcome = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.Outcome) -> Outcome:
        snapshot = message.snapshot
        return cls(
            state=name_of(State, message.state),
            timed_out=message.timed_out,
            exit_code=message.exit_code if message.HasField("exit_code") else None,
            exit_signal=message.exit_signal,
            output=message.output.text,
            changes=changes_of(snapshot.changes),
            locals=locals_of(snapshot),
            frames=frames_of(snapshot.frames),
            source=snapshot.source.text,
            expressions=values_of(snapshot.expressions),
            omitted=list(snapshot.omitted),
            unhit_breakpoints=[
                Unhit(unhit.id, name_of(UnhitReason, unhit.reason), unhit.message)
                for unhit in message.unhit_breakpoints
            ],
            hint=message.hint,
            failure=message.failure,
            sequence=message.sequence,
            message=message,
        )

    @property
    def stopped(self) -> bool:
        return self.message.HasField("stop")

    @property
    def ended(self) -> bool:
        """The program is over, or the debugger has left it."""
        return self.state in ENDED

    @property
    def stop(self) -> Stop:
        """Where and why it stopped. Raises NotStopped when it did not."""
        if not self.stopped:
            raise NotStopped(f"there is no stop to look at: {self.headline}", hint=self.hint)
        return Stop.of(self.message.stop)

    @property
    def exception(self) -> ProgramException | None:
        """The exception that the program stopped at."""
        return self.stop.exception if self.stopped else None

    @property
    def headline(self) -> str:
        """What happened, in one line."""
        if self.stopped:
            return str(self.stop)
        text = HEADLINES.get(self.state, f"the session is {self.state}")
        if self.exit_code is not None:
            text += f" with code {self.exit_code}"
        if self.exit_signal:
            text += f" by signal {self.exit_signal}"
        if self.timed_out:
            text += ", and the wait is over"
        return f"{text}: {self.failure}" if self.failure else text

    def __str__(self) -> str:
        lines = [self.headline, *self.source.splitlines()]
        if self.changes:
            lines += ["changed:", *indented(map(str, self.changes))]
        elif self.locals:
            lines += ["locals:", *indented(f"{name} = {v}" for name, v in self.locals.items())]
        if self.expressions:
            lines += indented(f"{value.expression} → {value}" for value in self.expressions)
        if self.output:
            lines += ["output:", *indented(self.output.splitlines())]
        lines += [f"not hit: {unhit}" for unhit in self.unhit_breakpoints]
        lines += [f"left out: {sentence}" for sentence in self.omitted]
        return "\n".join([*lines, *([f"hint: {self.hint}"] if self.hint else [])])


@dataclass(frozen=True)
class Snapshot:
    """What there is to see at the present stop."""

    stop: Stop
    frames: list[Frame]
    source: str
    scopes: list[Scope]
    locals: Mapping[str, Variable]
    changes: list[Change]
    expressions: list[Value]
    omitted: list[str]
    message: pb.Snapshot = field(repr=False, compare=False)

    @classmethod
    def of(cls, answer: pb.GetSnapshotResponse) -> Snapshot:
        message = answer.snapshot
        return cls(
            stop=Stop.of(answer.stop),
            frames=frames_of(message.frames),
            source=message.source.text,
            scopes=[Scope.of(scope) for scope in message.scopes],
            locals=locals_of(message),
            changes=changes_of(message.changes),
            expressions=values_of(message.expressions),
            omitted=list(message.omitted),
            message=message,
        )


def locals_of(snapshot: pb.Snapshot) -> Mapping[str, Variable]:
    variables = snapshot.scopes[0].variables if snapshot.scopes else ()
    return MappingProxyType({variable.name: Variable.of(variable) for variable in variables})


def time_of(message: Any) -> datetime:
    moment: datetime = message.ToDatetime(tzinfo=timezone.utc)
    return moment


def indented(lines: Any) -> list[str]:
    return [f"    {line}" for line in lines]
