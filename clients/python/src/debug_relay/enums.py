"""The API's enums as strings: ``State.STOPPED == "stopped"``."""

from __future__ import annotations

import re
from enum import Enum
from typing import Any, Iterable, TypeVar

from . import proto as pb


class Name(str, Enum):
    """A string of a fixed set. What a newer server says beyond the set is ``UNKNOWN``."""

    def __str__(self) -> str:
        return str(self.value)


class State(Name):
    """What a session is doing."""

    UNKNOWN = "unknown"
    CREATED = "created"
    STARTING = "starting"
    RUNNING = "running"
    STOPPED = "stopped"
    EXITED = "exited"
    TERMINATED = "terminated"
    DETACHED = "detached"
    FAILED = "failed"
    LOST = "lost"


class StopReason(Name):
    """Why a program stopped."""

    UNKNOWN = "unknown"
    BREAKPOINT = "breakpoint"
    STEP = "step"
    PAUSE = "pause"
    ENTRY = "entry"
    EXCEPTION = "exception"
    FUNCTION_BREAKPOINT = "function_breakpoint"
    DATA_BREAKPOINT = "data_breakpoint"
    INSTRUCTION_BREAKPOINT = "instruction_breakpoint"
    GOTO = "goto"
    OTHER = "other"
    RUN_TO_LINE = "run_to_line"


class ChangeKind(Name):
    """How a variable changed between two stops."""

    UNKNOWN = "unknown"
    CHANGED = "changed"
    NEW = "new"
    GONE = "gone"


class UnhitReason(Name):
    """Why a breakpoint never stopped the program."""

    UNKNOWN = "unknown"
    NEVER_BOUND = "never_bound"
    FILE_NEVER_LOADED = "file_never_loaded"
    LINE_NEVER_REACHED = "line_never_reached"
    CONDITION_NEVER_TRUE = "condition_never_true"
    DISABLED = "disabled"


class EventType(Name):
    """The kinds of events."""

    UNKNOWN = "unknown"
    STATE_CHANGED = "state_changed"
    STOPPED = "stopped"
    CONTINUED = "continued"
    OUTPUT = "output"
    BREAKPOINT_CHANGED = "breakpoint_changed"
    THREAD = "thread"
    PROCESS = "process"
    MODULE = "module"
    EXITED = "exited"
    TERMINATED = "terminated"
    ADAPTER_MESSAGE = "adapter_message"
    GAP = "gap"


class OutputCategory(Name):
    """Where output comes from."""

    UNKNOWN = "unknown"
    STDOUT = "stdout"
    STDERR = "stderr"
    CONSOLE = "console"
    ADAPTER = "adapter"


class Restored(Name):
    """What became of a breakpoint since the session that it comes from."""

    UNKNOWN = "unknown"
    UNMOVED = "unmoved"
    MOVED = "moved"
    LOST = "lost"


E = TypeVar("E", bound=Name)

# The enum of the messages that each of these stands for.
WIRE: dict[type[Name], Any] = {
    State: pb.SessionState,
    StopReason: pb.StopReason,
    ChangeKind: pb.ChangeKind,
    UnhitReason: pb.UnhitReason,
    EventType: pb.EventType,
    OutputCategory: pb.OutputCategory,
    Restored: pb.Restored,
}


def name_of(kind: type[E], number: int) -> E:
    """The name for a number of a message."""
    wire = WIRE[kind]
    try:
        return kind(wire.Name(number)[len(prefix(wire)) :].lower())
    except ValueError:
        return kind("unknown")


def wire_name(wire: Any, name: str) -> str:
    """The name in a message for one of ours, such as ``"stopped"`` or ``State.STOPPED``."""
    whole = prefix(wire) + str(name).upper()
    names = wire.keys()[1:]
    if whole not in names:
        known = ", ".join(name[len(prefix(wire)) :].lower() for name in names)
        raise ValueError(f"{name!r} is none of {known}")
    return whole


def wire_names(wire: Any, names: Iterable[str]) -> list[str]:
    return [wire_name(wire, name) for name in names]


def prefix(wire: Any) -> str:
    words = re.findall("[A-Z][a-z]*", wire.DESCRIPTOR.name)
    return "_".join(words).upper() + "_"
