"""Debug Python programs from Python: a client of debug-relay.

    from debug_relay import DebugRelay

    with DebugRelay.connect() as relay:
        with relay.debug("app.py", breakpoints=["app.py:12"]) as session:
            print(session.stop.line, session.locals["x"])

``AsyncDebugRelay`` has the same names for asyncio.
"""

from . import errors, proto
from ._async.relay import AsyncDebugRelay
from ._async.rows import AsyncRows
from ._async.session import AsyncSession
from ._sync.relay import DebugRelay
from ._sync.rows import Rows
from ._sync.session import Session
from .breakpoints import Breakpoint, ExceptionSettings, at, watch
from .discovery import Server, find_server
from .enums import (
    ChangeKind,
    EventType,
    OutputCategory,
    Restored,
    State,
    StopReason,
    UnhitReason,
)
from .errors import DebugRelayError
from .events import Event, EventPage, Output, OutputPage, Row, Step
from .outcome import Outcome, Snapshot, Stop, Unhit
from .shares import Share
from .values import (
    Change,
    Frame,
    Location,
    ProgramException,
    Scope,
    Thread,
    Value,
    Variable,
)

__version__ = "0.1.0"

__all__ = [
    "AsyncDebugRelay",
    "AsyncRows",
    "AsyncSession",
    "Breakpoint",
    "Change",
    "ChangeKind",
    "DebugRelay",
    "DebugRelayError",
    "Event",
    "EventPage",
    "EventType",
    "ExceptionSettings",
    "Frame",
    "Location",
    "Outcome",
    "Output",
    "OutputCategory",
    "OutputPage",
    "ProgramException",
    "Restored",
    "Row",
    "Rows",
    "Scope",
    "Server",
    "Session",
    "Share",
    "Snapshot",
    "State",
    "Step",
    "Stop",
    "StopReason",
    "Thread",
    "Unhit",
    "UnhitReason",
    "Value",
    "Variable",
    "at",
    "errors",
    "find_server",
    "proto",
    "watch",
]
