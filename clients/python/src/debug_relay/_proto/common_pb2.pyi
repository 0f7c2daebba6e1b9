from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SessionState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SESSION_STATE_UNSPECIFIED: _ClassVar[SessionState]
    SESSION_STATE_CREATED: _ClassVar[SessionState]
    SESSION_STATE_STARTING: _ClassVar[SessionState]
    SESSION_STATE_RUNNING: _ClassVar[SessionState]
    SESSION_STATE_STOPPED: _ClassVar[SessionState]
    SESSION_STATE_EXITED: _ClassVar[SessionState]
    SESSION_STATE_TERMINATED: _ClassVar[SessionState]
    SESSION_STATE_DETACHED: _ClassVar[SessionState]
    SESSION_STATE_FAILED: _ClassVar[SessionState]
    SESSION_STATE_LOST: _ClassVar[SessionState]

class UnhitReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    UNHIT_REASON_UNSPECIFIED: _ClassVar[UnhitReason]
    UNHIT_REASON_NEVER_BOUND: _ClassVar[UnhitReason]
    UNHIT_REASON_FILE_NEVER_LOADED: _ClassVar[UnhitReason]
    UNHIT_REASON_LINE_NEVER_REACHED: _ClassVar[UnhitReason]
    UNHIT_REASON_CONDITION_NEVER_TRUE: _ClassVar[UnhitReason]
    UNHIT_REASON_DISABLED: _ClassVar[UnhitReason]

class StopReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STOP_REASON_UNSPECIFIED: _ClassVar[StopReason]
    STOP_REASON_BREAKPOINT: _ClassVar[StopReason]
    STOP_REASON_STEP: _ClassVar[StopReason]
    STOP_REASON_PAUSE: _ClassVar[StopReason]
    STOP_REASON_ENTRY: _ClassVar[StopReason]
    STOP_REASON_EXCEPTION: _ClassVar[StopReason]
    STOP_REASON_FUNCTION_BREAKPOINT: _ClassVar[StopReason]
    STOP_REASON_DATA_BREAKPOINT: _ClassVar[StopReason]
    STOP_REASON_INSTRUCTION_BREAKPOINT: _ClassVar[StopReason]
    STOP_REASON_GOTO: _ClassVar[StopReason]
    STOP_REASON_OTHER: _ClassVar[StopReason]
    STOP_REASON_RUN_TO_LINE: _ClassVar[StopReason]

class ChangeKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHANGE_KIND_UNSPECIFIED: _ClassVar[ChangeKind]
    CHANGE_KIND_CHANGED: _ClassVar[ChangeKind]
    CHANGE_KIND_NEW: _ClassVar[ChangeKind]
    CHANGE_KIND_GONE: _ClassVar[ChangeKind]
SESSION_STATE_UNSPECIFIED: SessionState
SESSION_STATE_CREATED: SessionState
SESSION_STATE_STARTING: SessionState
SESSION_STATE_RUNNING: SessionState
SESSION_STATE_STOPPED: SessionState
SESSION_STATE_EXITED: SessionState
SESSION_STATE_TERMINATED: SessionState
SESSION_STATE_DETACHED: SessionState
SESSION_STATE_FAILED: SessionState
SESSION_STATE_LOST: SessionState
UNHIT_REASON_UNSPECIFIED: UnhitReason
UNHIT_REASON_NEVER_BOUND: UnhitReason
UNHIT_REASON_FILE_NEVER_LOADED: UnhitReason
UNHIT_REASON_LINE_NEVER_REACHED: UnhitReason
UNHIT_REASON_CONDITION_NEVER_TRUE: UnhitReason
UNHIT_REASON_DISABLED: UnhitReason
STOP_REASON_UNSPECIFIED: StopReason
STOP_REASON_BREAKPOINT: StopReason
STOP_REASON_STEP: StopReason
STOP_REASON_PAUSE: StopReason
STOP_REASON_ENTRY: StopReason
STOP_REASON_EXCEPTION: StopReason
STOP_REASON_FUNCTION_BREAKPOINT: StopReason
STOP_REASON_DATA_BREAKPOINT: StopReason
STOP_REASON_INSTRUCTION_BREAKPOINT: StopReason
STOP_REASON_GOTO: StopReason
STOP_REASON_OTHER: StopReason
STOP_REASON_RUN_TO_LINE: StopReason
CHANGE_KIND_UNSPECIFIED: ChangeKind
CHANGE_KIND_CHANGED: ChangeKind
CHANGE_KIND_NEW: ChangeKind
CHANGE_KIND_GONE: ChangeKind

class Location(_message.Message):
    __slots__ = ("file", "line", "function")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    function: str
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., function: _Optional[str] = ...) -> None: ...

class WaitOptions(_message.Message):
    __slots__ = ("timeout", "snapshot")
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    timeout: _duration_pb2.Duration
    snapshot: SnapshotOptions
    def __init__(self, timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., snapshot: _Optional[_Union[SnapshotOptions, _Mapping]] = ...) -> None: ...

class SnapshotOptions(_message.Message):
    __slots__ = ("max_frames", "context_lines", "max_variables", "max_depth", "max_value_length", "expressions", "changes_only", "names", "max_bytes", "skip", "reveal")
    MAX_FRAMES_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_LINES_FIELD_NUMBER: _ClassVar[int]
    MAX_VARIABLES_FIELD_NUMBER: _ClassVar[int]
    MAX_DEPTH_FIELD_NUMBER: _ClassVar[int]
    MAX_VALUE_LENGTH_FIELD_NUMBER: _ClassVar[int]
    EXPRESSIONS_FIELD_NUMBER: _ClassVar[int]
    CHANGES_ONLY_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    SKIP_FIELD_NUMBER: _ClassVar[int]
    REVEAL_FIELD_NUMBER: _ClassVar[int]
    max_frames: int
    context_lines: int
    max_variables: int
    max_depth: int
    max_value_length: int
    expressions: _containers.RepeatedScalarFieldContainer[str]
    changes_only: bool
    names: _containers.RepeatedScalarFieldContainer[str]
    max_bytes: int
    skip: bool
    reveal: bool
    def __init__(self, max_frames: _Optional[int] = ..., context_lines: _Optional[int] = ..., max_variables: _Optional[int] = ..., max_depth: _Optional[int] = ..., max_value_length: _Optional[int] = ..., expressions: _Optional[_Iterable[str]] = ..., changes_only: bool = ..., names: _Optional[_Iterable[str]] = ..., max_bytes: _Optional[int] = ..., skip: bool = ..., reveal: bool = ...) -> None: ...

class Outcome(_message.Message):
    __slots__ = ("state", "stop", "snapshot", "exit_code", "exit_signal", "timed_out", "output", "sequence", "unhit_breakpoints", "hint", "failure")
    STATE_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    EXIT_SIGNAL_FIELD_NUMBER: _ClassVar[int]
    TIMED_OUT_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    UNHIT_BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    HINT_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    state: SessionState
    stop: StopInfo
    snapshot: Snapshot
    exit_code: int
    exit_signal: int
    timed_out: bool
    output: OutputExcerpt
    sequence: int
    unhit_breakpoints: _containers.RepeatedCompositeFieldContainer[UnhitBreakpoint]
    hint: str
    failure: str
    def __init__(self, state: _Optional[_Union[SessionState, str]] = ..., stop: _Optional[_Union[StopInfo, _Mapping]] = ..., snapshot: _Optional[_Union[Snapshot, _Mapping]] = ..., exit_code: _Optional[int] = ..., exit_signal: _Optional[int] = ..., timed_out: bool = ..., output: _Optional[_Union[OutputExcerpt, _Mapping]] = ..., sequence: _Optional[int] = ..., unhit_breakpoints: _Optional[_Iterable[_Union[UnhitBreakpoint, _Mapping]]] = ..., hint: _Optional[str] = ..., failure: _Optional[str] = ...) -> None: ...

class OutputExcerpt(_message.Message):
    __slots__ = ("text", "next_offset", "truncated", "omitted_bytes")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    NEXT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    OMITTED_BYTES_FIELD_NUMBER: _ClassVar[int]
    text: str
    next_offset: int
    truncated: bool
    omitted_bytes: int
    def __init__(self, text: _Optional[str] = ..., next_offset: _Optional[int] = ..., truncated: bool = ..., omitted_bytes: _Optional[int] = ...) -> None: ...

class UnhitBreakpoint(_message.Message):
    __slots__ = ("id", "reason", "message")
    ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    id: int
    reason: UnhitReason
    message: str
    def __init__(self, id: _Optional[int] = ..., reason: _Optional[_Union[UnhitReason, str]] = ..., message: _Optional[str] = ...) -> None: ...

class StopInfo(_message.Message):
    __slots__ = ("stop_number", "reason", "description", "thread_id", "all_threads_stopped", "breakpoint_ids", "location", "exception", "process_id", "time")
    STOP_NUMBER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    ALL_THREADS_STOPPED_FIELD_NUMBER: _ClassVar[int]
    BREAKPOINT_IDS_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    EXCEPTION_FIELD_NUMBER: _ClassVar[int]
    PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    stop_number: int
    reason: StopReason
    description: str
    thread_id: int
    all_threads_stopped: bool
    breakpoint_ids: _containers.RepeatedScalarFieldContainer[int]
    location: Location
    exception: ExceptionDetails
    process_id: int
    time: _timestamp_pb2.Timestamp
    def __init__(self, stop_number: _Optional[int] = ..., reason: _Optional[_Union[StopReason, str]] = ..., description: _Optional[str] = ..., thread_id: _Optional[int] = ..., all_threads_stopped: bool = ..., breakpoint_ids: _Optional[_Iterable[int]] = ..., location: _Optional[_Union[Location, _Mapping]] = ..., exception: _Optional[_Union[ExceptionDetails, _Mapping]] = ..., process_id: _Optional[int] = ..., time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ExceptionDetails(_message.Message):
    __slots__ = ("type", "message", "is_user_unhandled", "traceback")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    IS_USER_UNHANDLED_FIELD_NUMBER: _ClassVar[int]
    TRACEBACK_FIELD_NUMBER: _ClassVar[int]
    type: str
    message: str
    is_user_unhandled: bool
    traceback: str
    def __init__(self, type: _Optional[str] = ..., message: _Optional[str] = ..., is_user_unhandled: bool = ..., traceback: _Optional[str] = ...) -> None: ...

class Snapshot(_message.Message):
    __slots__ = ("stop_number", "thread_id", "frames", "total_frames", "source", "scopes", "changes", "expressions", "exception", "omitted")
    STOP_NUMBER_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FRAMES_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    EXPRESSIONS_FIELD_NUMBER: _ClassVar[int]
    EXCEPTION_FIELD_NUMBER: _ClassVar[int]
    OMITTED_FIELD_NUMBER: _ClassVar[int]
    stop_number: int
    thread_id: int
    frames: _containers.RepeatedCompositeFieldContainer[StackFrame]
    total_frames: int
    source: SourceExcerpt
    scopes: _containers.RepeatedCompositeFieldContainer[Scope]
    changes: _containers.RepeatedCompositeFieldContainer[VariableChange]
    expressions: _containers.RepeatedCompositeFieldContainer[ExpressionResult]
    exception: ExceptionDetails
    omitted: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, stop_number: _Optional[int] = ..., thread_id: _Optional[int] = ..., frames: _Optional[_Iterable[_Union[StackFrame, _Mapping]]] = ..., total_frames: _Optional[int] = ..., source: _Optional[_Union[SourceExcerpt, _Mapping]] = ..., scopes: _Optional[_Iterable[_Union[Scope, _Mapping]]] = ..., changes: _Optional[_Iterable[_Union[VariableChange, _Mapping]]] = ..., expressions: _Optional[_Iterable[_Union[ExpressionResult, _Mapping]]] = ..., exception: _Optional[_Union[ExceptionDetails, _Mapping]] = ..., omitted: _Optional[_Iterable[str]] = ...) -> None: ...

class StackFrame(_message.Message):
    __slots__ = ("frame_id", "name", "file", "line", "presentation_hint")
    FRAME_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    PRESENTATION_HINT_FIELD_NUMBER: _ClassVar[int]
    frame_id: int
    name: str
    file: str
    line: int
    presentation_hint: str
    def __init__(self, frame_id: _Optional[int] = ..., name: _Optional[str] = ..., file: _Optional[str] = ..., line: _Optional[int] = ..., presentation_hint: _Optional[str] = ...) -> None: ...

class SourceExcerpt(_message.Message):
    __slots__ = ("file", "current_line", "text")
    FILE_FIELD_NUMBER: _ClassVar[int]
    CURRENT_LINE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    file: str
    current_line: int
    text: str
    def __init__(self, file: _Optional[str] = ..., current_line: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class Scope(_message.Message):
    __slots__ = ("name", "variables_reference", "expensive", "variables", "total_variables")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VARIABLES_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    EXPENSIVE_FIELD_NUMBER: _ClassVar[int]
    VARIABLES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_VARIABLES_FIELD_NUMBER: _ClassVar[int]
    name: str
    variables_reference: int
    expensive: bool
    variables: _containers.RepeatedCompositeFieldContainer[Variable]
    total_variables: int
    def __init__(self, name: _Optional[str] = ..., variables_reference: _Optional[int] = ..., expensive: bool = ..., variables: _Optional[_Iterable[_Union[Variable, _Mapping]]] = ..., total_variables: _Optional[int] = ...) -> None: ...

class Variable(_message.Message):
    __slots__ = ("name", "value", "type", "variables_reference", "value_length", "children", "evaluate_name", "masked", "member_count")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    VARIABLES_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    VALUE_LENGTH_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    EVALUATE_NAME_FIELD_NUMBER: _ClassVar[int]
    MASKED_FIELD_NUMBER: _ClassVar[int]
    MEMBER_COUNT_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    type: str
    variables_reference: int
    value_length: int
    children: _containers.RepeatedCompositeFieldContainer[Variable]
    evaluate_name: str
    masked: bool
    member_count: int
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ..., type: _Optional[str] = ..., variables_reference: _Optional[int] = ..., value_length: _Optional[int] = ..., children: _Optional[_Iterable[_Union[Variable, _Mapping]]] = ..., evaluate_name: _Optional[str] = ..., masked: bool = ..., member_count: _Optional[int] = ...) -> None: ...

class VariableChange(_message.Message):
    __slots__ = ("name", "before", "after", "kind")
    NAME_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    name: str
    before: str
    after: str
    kind: ChangeKind
    def __init__(self, name: _Optional[str] = ..., before: _Optional[str] = ..., after: _Optional[str] = ..., kind: _Optional[_Union[ChangeKind, str]] = ...) -> None: ...

class ExpressionResult(_message.Message):
    __slots__ = ("expression", "value", "type", "variables_reference", "error")
    EXPRESSION_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    VARIABLES_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    expression: str
    value: str
    type: str
    variables_reference: int
    error: str
    def __init__(self, expression: _Optional[str] = ..., value: _Optional[str] = ..., type: _Optional[str] = ..., variables_reference: _Optional[int] = ..., error: _Optional[str] = ...) -> None: ...
