"""What can go wrong with a call: one exception for each thing that a caller can do about it.

``error.reason`` has the server's own word, one of ``debugrelay.v1.ErrorReason`` without its prefix.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import grpc
from google.rpc import error_details_pb2, status_pb2


class FieldViolation(NamedTuple):
    """A field of a request that was refused, and why."""

    field: str
    description: str


class DebugRelayError(Exception):
    """A call that failed. Its text says what happened and ends with what to do."""

    def __init__(
        self,
        message: str,
        *,
        code: grpc.StatusCode | None = None,
        reason: str = "",
        facts: dict[str, str] | None = None,
        hint: str = "",
        field_violations: list[FieldViolation] | None = None,
    ) -> None:
        super().__init__(message if message.endswith(hint) else f"{message.rstrip('. ')}. {hint}")
        #: The gRPC code; None when no call was made.
        self.code = code
        #: The server's reason, such as "SESSION_NOT_FOUND"; empty when the server did not answer.
        self.reason = reason
        #: The facts of the message, by name.
        self.facts = facts or {}
        #: What to do.
        self.hint = hint
        #: The fields that were refused.
        self.field_violations = field_violations or []


class ServerUnavailable(DebugRelayError):
    """Nobody answers, or the connection broke. What was asked for may have been done."""


class Unauthenticated(DebugRelayError):
    """The token is missing or wrong, has expired, or was taken back."""


class PermissionDenied(DebugRelayError):
    """The caller is known and may not do this, or the server's settings let nobody do it."""


class InvalidArgument(DebugRelayError):
    """The request is wrong, whatever the session does; ``field_violations`` name the fields."""


class LimitExceeded(DebugRelayError):
    """A limit of the server is reached; its settings can raise it."""


class NotSupported(DebugRelayError):
    """The server or its debugger cannot do this."""


class InternalError(DebugRelayError):
    """A defect of the server; its log tells more."""


class SessionNotFound(DebugRelayError):
    """There is no such session, or no longer."""


class SessionExists(DebugRelayError):
    """The chosen session id is taken."""


class SessionLost(DebugRelayError):
    """The session's process died. Its events and output can still be read."""


class WrongState(DebugRelayError):
    """The session cannot do this in its state."""


class NotStopped(WrongState):
    """The program must be stopped for this: pause it, or wait for a stop."""


class NotStarted(WrongState):
    """The session has no program yet: launch one."""


class AlreadyStarted(WrongState):
    """The session has a program already."""


class StartFailed(DebugRelayError):
    """The program could not be started or attached to."""


class BreakpointNotFound(DebugRelayError):
    """There is no such breakpoint."""


class ThreadNotFound(DebugRelayError):
    """There is no such thread."""


class StaleHandle(DebugRelayError):
    """The frame or value belongs to an earlier stop: read it again."""


class TookTooLong(DebugRelayError):
    """The program, the debugger or the server did not answer in time."""


class DebuggerRefused(DebugRelayError):
    """The debugger would not do it, or the program ended meanwhile."""


class ProgramRaised(DebugRelayError):
    """An expression raised, and its caller wanted to be told so (``check=True``)."""


BY_REASON: dict[str, type[DebugRelayError]] = {
    "SESSION_NOT_FOUND": SessionNotFound,
    "SESSION_EXISTS": SessionExists,
    "SESSION_LOST": SessionLost,
    "WRONG_STATE": WrongState,
    "NOT_STOPPED": NotStopped,
    "NOT_STARTED": NotStarted,
    "ALREADY_STARTED": AlreadyStarted,
    "INVALID_ARGUMENT": InvalidArgument,
    "MISSING_FIELD": InvalidArgument,
    "UNKNOWN_ADAPTER": InvalidArgument,
    "REQUEST_TOO_LARGE": InvalidArgument,
    "PROGRAM_NOT_FOUND": StartFailed,
    "INTERPRETER_NOT_FOUND": StartFailed,
    "INTERPRETER_UNSUPPORTED": StartFailed,
    "WORKING_DIRECTORY_NOT_FOUND": StartFailed,
    "PROJECT_ROOT_NOT_FOUND": StartFailed,
    "LAUNCH_FAILED": StartFailed,
    "ATTACH_FAILED": StartFailed,
    "DEBUGGER_UNAVAILABLE": StartFailed,
    "BREAKPOINT_NOT_FOUND": BreakpointNotFound,
    "THREAD_NOT_FOUND": ThreadNotFound,
    "STALE_HANDLE": StaleHandle,
    "UNKNOWN_HANDLE": StaleHandle,
    "NOT_SUPPORTED_BY_ADAPTER": NotSupported,
    "NOT_IMPLEMENTED": NotSupported,
    "UNKNOWN_METHOD": NotSupported,
    "COMPRESSION_NOT_SUPPORTED": NotSupported,
    "ADAPTER_TIMEOUT": TookTooLong,
    "EVALUATION_INTERRUPTED": TookTooLong,
    "BUSY": TookTooLong,
    "ADAPTER_ERROR": DebuggerRefused,
    "ADAPTER_GONE": DebuggerRefused,
    "INPUT_CLOSED": DebuggerRefused,
    "NO_EXCEPTION": DebuggerRefused,
    "THREAD_IN_CALL": DebuggerRefused,
    "UNAUTHENTICATED": Unauthenticated,
    "PERMISSION_DENIED": PermissionDenied,
    "PATH_NOT_ALLOWED": PermissionDenied,
    "INTERPRETER_NOT_ALLOWED": PermissionDenied,
    "HOST_UNAVAILABLE": ServerUnavailable,
    "SHUTTING_DOWN": ServerUnavailable,
    "HOST_START_FAILED": InternalError,
    "INTERNAL": InternalError,
    "LIMIT_EXCEEDED": LimitExceeded,
    "TOO_MANY_TOKENS": LimitExceeded,
    "STORAGE_FAILED": InternalError,
}

# For a reason that this version does not know, and for failures that are not the server's own.
BY_CODE: dict[grpc.StatusCode, type[DebugRelayError]] = {
    grpc.StatusCode.UNAVAILABLE: ServerUnavailable,
    grpc.StatusCode.UNAUTHENTICATED: Unauthenticated,
    grpc.StatusCode.PERMISSION_DENIED: PermissionDenied,
    grpc.StatusCode.INVALID_ARGUMENT: InvalidArgument,
    grpc.StatusCode.RESOURCE_EXHAUSTED: LimitExceeded,
    grpc.StatusCode.UNIMPLEMENTED: NotSupported,
    grpc.StatusCode.DEADLINE_EXCEEDED: TookTooLong,
    grpc.StatusCode.INTERNAL: InternalError,
}

# What gRPC calls a connection that was cut in the middle of an answer, besides UNAVAILABLE.
BROKEN = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.CANCELLED}


def from_rpc_error(failure: Any, who: str, when_gone: str) -> DebugRelayError:
    """The exception for a failed call.

    ``who`` is the server, and ``when_gone`` is what to do when it does not answer.
    """
    code: grpc.StatusCode = failure.code()
    message: str = failure.details() or f"the call failed with {code.name}"
    info, violations = details_of(failure)
    reason, facts = info.reason, dict(info.metadata)
    hint = facts.pop("hint", "")
    if not reason and (code is grpc.StatusCode.UNAVAILABLE or code in BROKEN):
        code, hint = grpc.StatusCode.UNAVAILABLE, when_gone
        message = f"{who} does not answer ({message})"
    kind = BY_REASON.get(reason) or BY_CODE.get(code, DebugRelayError)
    return kind(
        message, code=code, reason=reason, facts=facts, hint=hint, field_violations=violations
    )


def details_of(failure: Any) -> tuple[error_details_pb2.ErrorInfo, list[FieldViolation]]:
    status = status_pb2.Status()
    for key, value in failure.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            status.ParseFromString(value)
    info, bad_request = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for detail in status.details:
        detail.Unpack(info) or detail.Unpack(bad_request)
    violations = [FieldViolation(v.field, v.description) for v in bad_request.field_violations]
    return info, violations
