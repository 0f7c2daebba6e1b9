from debug_relay._proto import common_pb2 as _common_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class VariableFilter(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VARIABLE_FILTER_UNSPECIFIED: _ClassVar[VariableFilter]
    VARIABLE_FILTER_ALL: _ClassVar[VariableFilter]
    VARIABLE_FILTER_INDEXED: _ClassVar[VariableFilter]
    VARIABLE_FILTER_NAMED: _ClassVar[VariableFilter]

class EvaluateContext(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVALUATE_CONTEXT_UNSPECIFIED: _ClassVar[EvaluateContext]
    EVALUATE_CONTEXT_EXPRESSION: _ClassVar[EvaluateContext]
    EVALUATE_CONTEXT_STATEMENT: _ClassVar[EvaluateContext]
VARIABLE_FILTER_UNSPECIFIED: VariableFilter
VARIABLE_FILTER_ALL: VariableFilter
VARIABLE_FILTER_INDEXED: VariableFilter
VARIABLE_FILTER_NAMED: VariableFilter
EVALUATE_CONTEXT_UNSPECIFIED: EvaluateContext
EVALUATE_CONTEXT_EXPRESSION: EvaluateContext
EVALUATE_CONTEXT_STATEMENT: EvaluateContext

class GetSnapshotRequest(_message.Message):
    __slots__ = ("session_id", "thread_id", "options")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    thread_id: int
    options: _common_pb2.SnapshotOptions
    def __init__(self, session_id: _Optional[str] = ..., thread_id: _Optional[int] = ..., options: _Optional[_Union[_common_pb2.SnapshotOptions, _Mapping]] = ...) -> None: ...

class GetSnapshotResponse(_message.Message):
    __slots__ = ("snapshot", "stop")
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    snapshot: _common_pb2.Snapshot
    stop: _common_pb2.StopInfo
    def __init__(self, snapshot: _Optional[_Union[_common_pb2.Snapshot, _Mapping]] = ..., stop: _Optional[_Union[_common_pb2.StopInfo, _Mapping]] = ...) -> None: ...

class FindValueRequest(_message.Message):
    __slots__ = ("session_id", "frame_id", "query", "max_depth", "max_results", "timeout")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FRAME_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    MAX_DEPTH_FIELD_NUMBER: _ClassVar[int]
    MAX_RESULTS_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    frame_id: int
    query: str
    max_depth: int
    max_results: int
    timeout: _duration_pb2.Duration
    def __init__(self, session_id: _Optional[str] = ..., frame_id: _Optional[int] = ..., query: _Optional[str] = ..., max_depth: _Optional[int] = ..., max_results: _Optional[int] = ..., timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class FindValueResponse(_message.Message):
    __slots__ = ("found", "incomplete")
    FOUND_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    found: _containers.RepeatedCompositeFieldContainer[FoundValue]
    incomplete: bool
    def __init__(self, found: _Optional[_Iterable[_Union[FoundValue, _Mapping]]] = ..., incomplete: bool = ...) -> None: ...

class FoundValue(_message.Message):
    __slots__ = ("path", "variable")
    PATH_FIELD_NUMBER: _ClassVar[int]
    VARIABLE_FIELD_NUMBER: _ClassVar[int]
    path: str
    variable: _common_pb2.Variable
    def __init__(self, path: _Optional[str] = ..., variable: _Optional[_Union[_common_pb2.Variable, _Mapping]] = ...) -> None: ...

class ListThreadsRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class ListThreadsResponse(_message.Message):
    __slots__ = ("threads",)
    THREADS_FIELD_NUMBER: _ClassVar[int]
    threads: _containers.RepeatedCompositeFieldContainer[Thread]
    def __init__(self, threads: _Optional[_Iterable[_Union[Thread, _Mapping]]] = ...) -> None: ...

class Thread(_message.Message):
    __slots__ = ("thread_id", "name", "process_id", "stopped", "is_current")
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    STOPPED_FIELD_NUMBER: _ClassVar[int]
    IS_CURRENT_FIELD_NUMBER: _ClassVar[int]
    thread_id: int
    name: str
    process_id: int
    stopped: bool
    is_current: bool
    def __init__(self, thread_id: _Optional[int] = ..., name: _Optional[str] = ..., process_id: _Optional[int] = ..., stopped: bool = ..., is_current: bool = ...) -> None: ...

class GetStackTraceRequest(_message.Message):
    __slots__ = ("session_id", "thread_id", "start", "count")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    thread_id: int
    start: int
    count: int
    def __init__(self, session_id: _Optional[str] = ..., thread_id: _Optional[int] = ..., start: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class GetStackTraceResponse(_message.Message):
    __slots__ = ("frames", "total_frames", "stop_number")
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FRAMES_FIELD_NUMBER: _ClassVar[int]
    STOP_NUMBER_FIELD_NUMBER: _ClassVar[int]
    frames: _containers.RepeatedCompositeFieldContainer[_common_pb2.StackFrame]
    total_frames: int
    stop_number: int
    def __init__(self, frames: _Optional[_Iterable[_Union[_common_pb2.StackFrame, _Mapping]]] = ..., total_frames: _Optional[int] = ..., stop_number: _Optional[int] = ...) -> None: ...

class GetScopesRequest(_message.Message):
    __slots__ = ("session_id", "frame_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FRAME_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    frame_id: int
    def __init__(self, session_id: _Optional[str] = ..., frame_id: _Optional[int] = ...) -> None: ...

class GetScopesResponse(_message.Message):
    __slots__ = ("scopes", "stop_number")
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    STOP_NUMBER_FIELD_NUMBER: _ClassVar[int]
    scopes: _containers.RepeatedCompositeFieldContainer[_common_pb2.Scope]
    stop_number: int
    def __init__(self, scopes: _Optional[_Iterable[_Union[_common_pb2.Scope, _Mapping]]] = ..., stop_number: _Optional[int] = ...) -> None: ...

class GetVariablesRequest(_message.Message):
    __slots__ = ("session_id", "variables_reference", "start", "count", "filter", "max_depth", "max_value_length", "reveal")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    VARIABLES_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    MAX_DEPTH_FIELD_NUMBER: _ClassVar[int]
    MAX_VALUE_LENGTH_FIELD_NUMBER: _ClassVar[int]
    REVEAL_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    variables_reference: int
    start: int
    count: int
    filter: VariableFilter
    max_depth: int
    max_value_length: int
    reveal: bool
    def __init__(self, session_id: _Optional[str] = ..., variables_reference: _Optional[int] = ..., start: _Optional[int] = ..., count: _Optional[int] = ..., filter: _Optional[_Union[VariableFilter, str]] = ..., max_depth: _Optional[int] = ..., max_value_length: _Optional[int] = ..., reveal: bool = ...) -> None: ...

class GetVariablesResponse(_message.Message):
    __slots__ = ("variables", "total_variables", "stop_number")
    VARIABLES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_VARIABLES_FIELD_NUMBER: _ClassVar[int]
    STOP_NUMBER_FIELD_NUMBER: _ClassVar[int]
    variables: _containers.RepeatedCompositeFieldContainer[_common_pb2.Variable]
    total_variables: int
    stop_number: int
    def __init__(self, variables: _Optional[_Iterable[_Union[_common_pb2.Variable, _Mapping]]] = ..., total_variables: _Optional[int] = ..., stop_number: _Optional[int] = ...) -> None: ...

class EvaluateRequest(_message.Message):
    __slots__ = ("session_id", "expression", "frame_id", "context", "timeout", "max_value_length")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    EXPRESSION_FIELD_NUMBER: _ClassVar[int]
    FRAME_ID_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    MAX_VALUE_LENGTH_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    expression: str
    frame_id: int
    context: EvaluateContext
    timeout: _duration_pb2.Duration
    max_value_length: int
    def __init__(self, session_id: _Optional[str] = ..., expression: _Optional[str] = ..., frame_id: _Optional[int] = ..., context: _Optional[_Union[EvaluateContext, str]] = ..., timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., max_value_length: _Optional[int] = ...) -> None: ...

class EvaluateResponse(_message.Message):
    __slots__ = ("value", "type", "variables_reference", "error", "value_length", "stop_number")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    VARIABLES_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    VALUE_LENGTH_FIELD_NUMBER: _ClassVar[int]
    STOP_NUMBER_FIELD_NUMBER: _ClassVar[int]
    value: str
    type: str
    variables_reference: int
    error: str
    value_length: int
    stop_number: int
    def __init__(self, value: _Optional[str] = ..., type: _Optional[str] = ..., variables_reference: _Optional[int] = ..., error: _Optional[str] = ..., value_length: _Optional[int] = ..., stop_number: _Optional[int] = ...) -> None: ...

class SetVariableRequest(_message.Message):
    __slots__ = ("session_id", "variables_reference", "name", "value")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    VARIABLES_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    variables_reference: int
    name: str
    value: str
    def __init__(self, session_id: _Optional[str] = ..., variables_reference: _Optional[int] = ..., name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class SetVariableResponse(_message.Message):
    __slots__ = ("variable",)
    VARIABLE_FIELD_NUMBER: _ClassVar[int]
    variable: _common_pb2.Variable
    def __init__(self, variable: _Optional[_Union[_common_pb2.Variable, _Mapping]] = ...) -> None: ...

class SetExpressionRequest(_message.Message):
    __slots__ = ("session_id", "expression", "value", "frame_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    EXPRESSION_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    FRAME_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    expression: str
    value: str
    frame_id: int
    def __init__(self, session_id: _Optional[str] = ..., expression: _Optional[str] = ..., value: _Optional[str] = ..., frame_id: _Optional[int] = ...) -> None: ...

class SetExpressionResponse(_message.Message):
    __slots__ = ("variable",)
    VARIABLE_FIELD_NUMBER: _ClassVar[int]
    variable: _common_pb2.Variable
    def __init__(self, variable: _Optional[_Union[_common_pb2.Variable, _Mapping]] = ...) -> None: ...

class GetExceptionInfoRequest(_message.Message):
    __slots__ = ("session_id", "thread_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    thread_id: int
    def __init__(self, session_id: _Optional[str] = ..., thread_id: _Optional[int] = ...) -> None: ...

class GetExceptionInfoResponse(_message.Message):
    __slots__ = ("exception", "causes")
    EXCEPTION_FIELD_NUMBER: _ClassVar[int]
    CAUSES_FIELD_NUMBER: _ClassVar[int]
    exception: _common_pb2.ExceptionDetails
    causes: _containers.RepeatedCompositeFieldContainer[_common_pb2.ExceptionDetails]
    def __init__(self, exception: _Optional[_Union[_common_pb2.ExceptionDetails, _Mapping]] = ..., causes: _Optional[_Iterable[_Union[_common_pb2.ExceptionDetails, _Mapping]]] = ...) -> None: ...

class GetSourceRequest(_message.Message):
    __slots__ = ("session_id", "file", "start_line", "end_line")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    START_LINE_FIELD_NUMBER: _ClassVar[int]
    END_LINE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    file: str
    start_line: int
    end_line: int
    def __init__(self, session_id: _Optional[str] = ..., file: _Optional[str] = ..., start_line: _Optional[int] = ..., end_line: _Optional[int] = ...) -> None: ...

class GetSourceResponse(_message.Message):
    __slots__ = ("file", "text", "start_line", "total_lines")
    FILE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    START_LINE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_LINES_FIELD_NUMBER: _ClassVar[int]
    file: str
    text: str
    start_line: int
    total_lines: int
    def __init__(self, file: _Optional[str] = ..., text: _Optional[str] = ..., start_line: _Optional[int] = ..., total_lines: _Optional[int] = ...) -> None: ...

class ListModulesRequest(_message.Message):
    __slots__ = ("session_id", "start", "count")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    start: int
    count: int
    def __init__(self, session_id: _Optional[str] = ..., start: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class ListModulesResponse(_message.Message):
    __slots__ = ("modules", "total_modules")
    MODULES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MODULES_FIELD_NUMBER: _ClassVar[int]
    modules: _containers.RepeatedCompositeFieldContainer[Module]
    total_modules: int
    def __init__(self, modules: _Optional[_Iterable[_Union[Module, _Mapping]]] = ..., total_modules: _Optional[int] = ...) -> None: ...

class Module(_message.Message):
    __slots__ = ("name", "file", "process_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    file: str
    process_id: int
    def __init__(self, name: _Optional[str] = ..., file: _Optional[str] = ..., process_id: _Optional[int] = ...) -> None: ...

class ListLoadedSourcesRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class ListLoadedSourcesResponse(_message.Message):
    __slots__ = ("files",)
    FILES_FIELD_NUMBER: _ClassVar[int]
    files: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, files: _Optional[_Iterable[str]] = ...) -> None: ...

class GetCompletionsRequest(_message.Message):
    __slots__ = ("session_id", "text", "column", "frame_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    FRAME_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    text: str
    column: int
    frame_id: int
    def __init__(self, session_id: _Optional[str] = ..., text: _Optional[str] = ..., column: _Optional[int] = ..., frame_id: _Optional[int] = ...) -> None: ...

class GetCompletionsResponse(_message.Message):
    __slots__ = ("completions",)
    COMPLETIONS_FIELD_NUMBER: _ClassVar[int]
    completions: _containers.RepeatedCompositeFieldContainer[Completion]
    def __init__(self, completions: _Optional[_Iterable[_Union[Completion, _Mapping]]] = ...) -> None: ...

class Completion(_message.Message):
    __slots__ = ("text", "kind")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    text: str
    kind: str
    def __init__(self, text: _Optional[str] = ..., kind: _Optional[str] = ...) -> None: ...

class GetStepInTargetsRequest(_message.Message):
    __slots__ = ("session_id", "frame_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FRAME_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    frame_id: int
    def __init__(self, session_id: _Optional[str] = ..., frame_id: _Optional[int] = ...) -> None: ...

class GetStepInTargetsResponse(_message.Message):
    __slots__ = ("targets",)
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    targets: _containers.RepeatedCompositeFieldContainer[StepInTarget]
    def __init__(self, targets: _Optional[_Iterable[_Union[StepInTarget, _Mapping]]] = ...) -> None: ...

class StepInTarget(_message.Message):
    __slots__ = ("target_id", "label")
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    target_id: int
    label: str
    def __init__(self, target_id: _Optional[int] = ..., label: _Optional[str] = ...) -> None: ...

class ReadMemoryRequest(_message.Message):
    __slots__ = ("session_id", "reference", "offset", "count")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    reference: str
    offset: int
    count: int
    def __init__(self, session_id: _Optional[str] = ..., reference: _Optional[str] = ..., offset: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class ReadMemoryResponse(_message.Message):
    __slots__ = ("address", "data", "unreadable_bytes")
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    UNREADABLE_BYTES_FIELD_NUMBER: _ClassVar[int]
    address: str
    data: bytes
    unreadable_bytes: int
    def __init__(self, address: _Optional[str] = ..., data: _Optional[bytes] = ..., unreadable_bytes: _Optional[int] = ...) -> None: ...

class WriteMemoryRequest(_message.Message):
    __slots__ = ("session_id", "reference", "offset", "data")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    reference: str
    offset: int
    data: bytes
    def __init__(self, session_id: _Optional[str] = ..., reference: _Optional[str] = ..., offset: _Optional[int] = ..., data: _Optional[bytes] = ...) -> None: ...

class WriteMemoryResponse(_message.Message):
    __slots__ = ("bytes_written",)
    BYTES_WRITTEN_FIELD_NUMBER: _ClassVar[int]
    bytes_written: int
    def __init__(self, bytes_written: _Optional[int] = ...) -> None: ...

class DisassembleRequest(_message.Message):
    __slots__ = ("session_id", "reference", "instruction_offset", "count")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTION_OFFSET_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    reference: str
    instruction_offset: int
    count: int
    def __init__(self, session_id: _Optional[str] = ..., reference: _Optional[str] = ..., instruction_offset: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class DisassembleResponse(_message.Message):
    __slots__ = ("instructions",)
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    instructions: _containers.RepeatedCompositeFieldContainer[Instruction]
    def __init__(self, instructions: _Optional[_Iterable[_Union[Instruction, _Mapping]]] = ...) -> None: ...

class Instruction(_message.Message):
    __slots__ = ("address", "text", "bytes_hex", "location")
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    BYTES_HEX_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    address: str
    text: str
    bytes_hex: str
    location: _common_pb2.Location
    def __init__(self, address: _Optional[str] = ..., text: _Optional[str] = ..., bytes_hex: _Optional[str] = ..., location: _Optional[_Union[_common_pb2.Location, _Mapping]] = ...) -> None: ...
