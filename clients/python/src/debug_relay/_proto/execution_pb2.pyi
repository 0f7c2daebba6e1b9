from debug_relay._proto import breakpoint_pb2 as _breakpoint_pb2
from debug_relay._proto import common_pb2 as _common_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SteppingGranularity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STEPPING_GRANULARITY_UNSPECIFIED: _ClassVar[SteppingGranularity]
    STEPPING_GRANULARITY_LINE: _ClassVar[SteppingGranularity]
    STEPPING_GRANULARITY_STATEMENT: _ClassVar[SteppingGranularity]
    STEPPING_GRANULARITY_INSTRUCTION: _ClassVar[SteppingGranularity]

class StepKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STEP_KIND_UNSPECIFIED: _ClassVar[StepKind]
    STEP_KIND_OVER: _ClassVar[StepKind]
    STEP_KIND_INTO: _ClassVar[StepKind]
    STEP_KIND_OUT: _ClassVar[StepKind]
STEPPING_GRANULARITY_UNSPECIFIED: SteppingGranularity
STEPPING_GRANULARITY_LINE: SteppingGranularity
STEPPING_GRANULARITY_STATEMENT: SteppingGranularity
STEPPING_GRANULARITY_INSTRUCTION: SteppingGranularity
STEP_KIND_UNSPECIFIED: StepKind
STEP_KIND_OVER: StepKind
STEP_KIND_INTO: StepKind
STEP_KIND_OUT: StepKind

class ContinueRequest(_message.Message):
    __slots__ = ("session_id", "thread_id", "wait")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    thread_id: int
    wait: _common_pb2.WaitOptions
    def __init__(self, session_id: _Optional[str] = ..., thread_id: _Optional[int] = ..., wait: _Optional[_Union[_common_pb2.WaitOptions, _Mapping]] = ...) -> None: ...

class ContinueResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: _common_pb2.Outcome
    def __init__(self, outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class PauseRequest(_message.Message):
    __slots__ = ("session_id", "thread_id", "wait")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    thread_id: int
    wait: _common_pb2.WaitOptions
    def __init__(self, session_id: _Optional[str] = ..., thread_id: _Optional[int] = ..., wait: _Optional[_Union[_common_pb2.WaitOptions, _Mapping]] = ...) -> None: ...

class PauseResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: _common_pb2.Outcome
    def __init__(self, outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class StepOverRequest(_message.Message):
    __slots__ = ("session_id", "thread_id", "wait", "granularity", "count")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    GRANULARITY_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    thread_id: int
    wait: _common_pb2.WaitOptions
    granularity: SteppingGranularity
    count: int
    def __init__(self, session_id: _Optional[str] = ..., thread_id: _Optional[int] = ..., wait: _Optional[_Union[_common_pb2.WaitOptions, _Mapping]] = ..., granularity: _Optional[_Union[SteppingGranularity, str]] = ..., count: _Optional[int] = ...) -> None: ...

class StepOverResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: _common_pb2.Outcome
    def __init__(self, outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class StepIntoRequest(_message.Message):
    __slots__ = ("session_id", "thread_id", "wait", "granularity", "count", "target_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    GRANULARITY_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    thread_id: int
    wait: _common_pb2.WaitOptions
    granularity: SteppingGranularity
    count: int
    target_id: int
    def __init__(self, session_id: _Optional[str] = ..., thread_id: _Optional[int] = ..., wait: _Optional[_Union[_common_pb2.WaitOptions, _Mapping]] = ..., granularity: _Optional[_Union[SteppingGranularity, str]] = ..., count: _Optional[int] = ..., target_id: _Optional[int] = ...) -> None: ...

class StepIntoResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: _common_pb2.Outcome
    def __init__(self, outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class StepOutRequest(_message.Message):
    __slots__ = ("session_id", "thread_id", "wait")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    thread_id: int
    wait: _common_pb2.WaitOptions
    def __init__(self, session_id: _Optional[str] = ..., thread_id: _Optional[int] = ..., wait: _Optional[_Union[_common_pb2.WaitOptions, _Mapping]] = ...) -> None: ...

class StepOutResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: _common_pb2.Outcome
    def __init__(self, outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class RunToLineRequest(_message.Message):
    __slots__ = ("session_id", "thread_id", "wait", "file", "line")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    thread_id: int
    wait: _common_pb2.WaitOptions
    file: str
    line: int
    def __init__(self, session_id: _Optional[str] = ..., thread_id: _Optional[int] = ..., wait: _Optional[_Union[_common_pb2.WaitOptions, _Mapping]] = ..., file: _Optional[str] = ..., line: _Optional[int] = ...) -> None: ...

class RunToLineResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: _common_pb2.Outcome
    def __init__(self, outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class GotoRequest(_message.Message):
    __slots__ = ("session_id", "thread_id", "wait", "line")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    thread_id: int
    wait: _common_pb2.WaitOptions
    line: int
    def __init__(self, session_id: _Optional[str] = ..., thread_id: _Optional[int] = ..., wait: _Optional[_Union[_common_pb2.WaitOptions, _Mapping]] = ..., line: _Optional[int] = ...) -> None: ...

class GotoResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: _common_pb2.Outcome
    def __init__(self, outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class RestartFrameRequest(_message.Message):
    __slots__ = ("session_id", "frame_id", "wait")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FRAME_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    frame_id: int
    wait: _common_pb2.WaitOptions
    def __init__(self, session_id: _Optional[str] = ..., frame_id: _Optional[int] = ..., wait: _Optional[_Union[_common_pb2.WaitOptions, _Mapping]] = ...) -> None: ...

class RestartFrameResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: _common_pb2.Outcome
    def __init__(self, outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class WaitForStopRequest(_message.Message):
    __slots__ = ("session_id", "after_stop", "wait")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_STOP_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    after_stop: int
    wait: _common_pb2.WaitOptions
    def __init__(self, session_id: _Optional[str] = ..., after_stop: _Optional[int] = ..., wait: _Optional[_Union[_common_pb2.WaitOptions, _Mapping]] = ...) -> None: ...

class WaitForStopResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: _common_pb2.Outcome
    def __init__(self, outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class CollectRequest(_message.Message):
    __slots__ = ("session_id", "locations", "expressions", "changes", "max_frames", "max_hits", "timeout")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    LOCATIONS_FIELD_NUMBER: _ClassVar[int]
    EXPRESSIONS_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    MAX_FRAMES_FIELD_NUMBER: _ClassVar[int]
    MAX_HITS_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    locations: _containers.RepeatedCompositeFieldContainer[_breakpoint_pb2.BreakpointSpec]
    expressions: _containers.RepeatedScalarFieldContainer[str]
    changes: bool
    max_frames: int
    max_hits: int
    timeout: _duration_pb2.Duration
    def __init__(self, session_id: _Optional[str] = ..., locations: _Optional[_Iterable[_Union[_breakpoint_pb2.BreakpointSpec, _Mapping]]] = ..., expressions: _Optional[_Iterable[str]] = ..., changes: bool = ..., max_frames: _Optional[int] = ..., max_hits: _Optional[int] = ..., timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class CollectResponse(_message.Message):
    __slots__ = ("row", "outcome")
    ROW_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    row: CollectRow
    outcome: _common_pb2.Outcome
    def __init__(self, row: _Optional[_Union[CollectRow, _Mapping]] = ..., outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class CollectRow(_message.Message):
    __slots__ = ("number", "time", "location", "thread_id", "expressions", "changes", "frames", "process_id")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    EXPRESSIONS_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    number: int
    time: _timestamp_pb2.Timestamp
    location: _common_pb2.Location
    thread_id: int
    expressions: _containers.RepeatedCompositeFieldContainer[_common_pb2.ExpressionResult]
    changes: _containers.RepeatedCompositeFieldContainer[_common_pb2.VariableChange]
    frames: _containers.RepeatedCompositeFieldContainer[_common_pb2.StackFrame]
    process_id: int
    def __init__(self, number: _Optional[int] = ..., time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., location: _Optional[_Union[_common_pb2.Location, _Mapping]] = ..., thread_id: _Optional[int] = ..., expressions: _Optional[_Iterable[_Union[_common_pb2.ExpressionResult, _Mapping]]] = ..., changes: _Optional[_Iterable[_Union[_common_pb2.VariableChange, _Mapping]]] = ..., frames: _Optional[_Iterable[_Union[_common_pb2.StackFrame, _Mapping]]] = ..., process_id: _Optional[int] = ...) -> None: ...

class TraceRequest(_message.Message):
    __slots__ = ("session_id", "thread_id", "step", "max_steps", "until", "until_condition", "expressions", "timeout")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    MAX_STEPS_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    UNTIL_CONDITION_FIELD_NUMBER: _ClassVar[int]
    EXPRESSIONS_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    thread_id: int
    step: StepKind
    max_steps: int
    until: _breakpoint_pb2.LineLocation
    until_condition: str
    expressions: _containers.RepeatedScalarFieldContainer[str]
    timeout: _duration_pb2.Duration
    def __init__(self, session_id: _Optional[str] = ..., thread_id: _Optional[int] = ..., step: _Optional[_Union[StepKind, str]] = ..., max_steps: _Optional[int] = ..., until: _Optional[_Union[_breakpoint_pb2.LineLocation, _Mapping]] = ..., until_condition: _Optional[str] = ..., expressions: _Optional[_Iterable[str]] = ..., timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class TraceResponse(_message.Message):
    __slots__ = ("record", "outcome")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    record: TraceRecord
    outcome: _common_pb2.Outcome
    def __init__(self, record: _Optional[_Union[TraceRecord, _Mapping]] = ..., outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class TraceRecord(_message.Message):
    __slots__ = ("number", "location", "depth", "changes", "expressions")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    EXPRESSIONS_FIELD_NUMBER: _ClassVar[int]
    number: int
    location: _common_pb2.Location
    depth: int
    changes: _containers.RepeatedCompositeFieldContainer[_common_pb2.VariableChange]
    expressions: _containers.RepeatedCompositeFieldContainer[_common_pb2.ExpressionResult]
    def __init__(self, number: _Optional[int] = ..., location: _Optional[_Union[_common_pb2.Location, _Mapping]] = ..., depth: _Optional[int] = ..., changes: _Optional[_Iterable[_Union[_common_pb2.VariableChange, _Mapping]]] = ..., expressions: _Optional[_Iterable[_Union[_common_pb2.ExpressionResult, _Mapping]]] = ...) -> None: ...
