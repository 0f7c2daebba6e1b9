from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DataAccess(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DATA_ACCESS_UNSPECIFIED: _ClassVar[DataAccess]
    DATA_ACCESS_WRITE: _ClassVar[DataAccess]
    DATA_ACCESS_READ: _ClassVar[DataAccess]
    DATA_ACCESS_READ_WRITE: _ClassVar[DataAccess]

class Restored(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESTORED_UNSPECIFIED: _ClassVar[Restored]
    RESTORED_UNMOVED: _ClassVar[Restored]
    RESTORED_MOVED: _ClassVar[Restored]
    RESTORED_LOST: _ClassVar[Restored]
DATA_ACCESS_UNSPECIFIED: DataAccess
DATA_ACCESS_WRITE: DataAccess
DATA_ACCESS_READ: DataAccess
DATA_ACCESS_READ_WRITE: DataAccess
RESTORED_UNSPECIFIED: Restored
RESTORED_UNMOVED: Restored
RESTORED_MOVED: Restored
RESTORED_LOST: Restored

class BreakpointSpec(_message.Message):
    __slots__ = ("line", "function", "data", "instruction", "condition", "hit_condition", "log_message", "enabled", "temporary")
    LINE_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTION_FIELD_NUMBER: _ClassVar[int]
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    HIT_CONDITION_FIELD_NUMBER: _ClassVar[int]
    LOG_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    TEMPORARY_FIELD_NUMBER: _ClassVar[int]
    line: LineLocation
    function: FunctionLocation
    data: DataLocation
    instruction: InstructionLocation
    condition: str
    hit_condition: str
    log_message: str
    enabled: bool
    temporary: bool
    def __init__(self, line: _Optional[_Union[LineLocation, _Mapping]] = ..., function: _Optional[_Union[FunctionLocation, _Mapping]] = ..., data: _Optional[_Union[DataLocation, _Mapping]] = ..., instruction: _Optional[_Union[InstructionLocation, _Mapping]] = ..., condition: _Optional[str] = ..., hit_condition: _Optional[str] = ..., log_message: _Optional[str] = ..., enabled: bool = ..., temporary: bool = ...) -> None: ...

class LineLocation(_message.Message):
    __slots__ = ("file", "line", "column")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    column: int
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., column: _Optional[int] = ...) -> None: ...

class FunctionLocation(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class DataLocation(_message.Message):
    __slots__ = ("expression", "variables_reference", "name", "access")
    EXPRESSION_FIELD_NUMBER: _ClassVar[int]
    VARIABLES_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ACCESS_FIELD_NUMBER: _ClassVar[int]
    expression: str
    variables_reference: int
    name: str
    access: DataAccess
    def __init__(self, expression: _Optional[str] = ..., variables_reference: _Optional[int] = ..., name: _Optional[str] = ..., access: _Optional[_Union[DataAccess, str]] = ...) -> None: ...

class InstructionLocation(_message.Message):
    __slots__ = ("reference", "offset")
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    reference: str
    offset: int
    def __init__(self, reference: _Optional[str] = ..., offset: _Optional[int] = ...) -> None: ...

class Breakpoint(_message.Message):
    __slots__ = ("id", "spec", "verified", "message", "actual_line", "hit_count", "restored")
    ID_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    ACTUAL_LINE_FIELD_NUMBER: _ClassVar[int]
    HIT_COUNT_FIELD_NUMBER: _ClassVar[int]
    RESTORED_FIELD_NUMBER: _ClassVar[int]
    id: int
    spec: BreakpointSpec
    verified: bool
    message: str
    actual_line: int
    hit_count: int
    restored: Restored
    def __init__(self, id: _Optional[int] = ..., spec: _Optional[_Union[BreakpointSpec, _Mapping]] = ..., verified: bool = ..., message: _Optional[str] = ..., actual_line: _Optional[int] = ..., hit_count: _Optional[int] = ..., restored: _Optional[_Union[Restored, str]] = ...) -> None: ...

class ExceptionBreakpoints(_message.Message):
    __slots__ = ("filters",)
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    filters: _containers.RepeatedCompositeFieldContainer[ExceptionFilter]
    def __init__(self, filters: _Optional[_Iterable[_Union[ExceptionFilter, _Mapping]]] = ...) -> None: ...

class ExceptionFilter(_message.Message):
    __slots__ = ("filter", "condition")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    filter: str
    condition: str
    def __init__(self, filter: _Optional[str] = ..., condition: _Optional[str] = ...) -> None: ...

class ExceptionFilterOffer(_message.Message):
    __slots__ = ("filter", "label", "description", "is_default")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    IS_DEFAULT_FIELD_NUMBER: _ClassVar[int]
    filter: str
    label: str
    description: str
    is_default: bool
    def __init__(self, filter: _Optional[str] = ..., label: _Optional[str] = ..., description: _Optional[str] = ..., is_default: bool = ...) -> None: ...

class SetBreakpointsRequest(_message.Message):
    __slots__ = ("session_id", "breakpoints", "replace_file")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    REPLACE_FILE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    breakpoints: _containers.RepeatedCompositeFieldContainer[BreakpointSpec]
    replace_file: bool
    def __init__(self, session_id: _Optional[str] = ..., breakpoints: _Optional[_Iterable[_Union[BreakpointSpec, _Mapping]]] = ..., replace_file: bool = ...) -> None: ...

class SetBreakpointsResponse(_message.Message):
    __slots__ = ("breakpoints",)
    BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    breakpoints: _containers.RepeatedCompositeFieldContainer[Breakpoint]
    def __init__(self, breakpoints: _Optional[_Iterable[_Union[Breakpoint, _Mapping]]] = ...) -> None: ...

class ListBreakpointsRequest(_message.Message):
    __slots__ = ("session_id", "file")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    file: str
    def __init__(self, session_id: _Optional[str] = ..., file: _Optional[str] = ...) -> None: ...

class ListBreakpointsResponse(_message.Message):
    __slots__ = ("breakpoints",)
    BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    breakpoints: _containers.RepeatedCompositeFieldContainer[Breakpoint]
    def __init__(self, breakpoints: _Optional[_Iterable[_Union[Breakpoint, _Mapping]]] = ...) -> None: ...

class UpdateBreakpointRequest(_message.Message):
    __slots__ = ("session_id", "id", "enabled", "condition", "hit_condition", "log_message")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    HIT_CONDITION_FIELD_NUMBER: _ClassVar[int]
    LOG_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    id: int
    enabled: bool
    condition: str
    hit_condition: str
    log_message: str
    def __init__(self, session_id: _Optional[str] = ..., id: _Optional[int] = ..., enabled: bool = ..., condition: _Optional[str] = ..., hit_condition: _Optional[str] = ..., log_message: _Optional[str] = ...) -> None: ...

class UpdateBreakpointResponse(_message.Message):
    __slots__ = ("breakpoint",)
    BREAKPOINT_FIELD_NUMBER: _ClassVar[int]
    breakpoint: Breakpoint
    def __init__(self, breakpoint: _Optional[_Union[Breakpoint, _Mapping]] = ...) -> None: ...

class RemoveBreakpointsRequest(_message.Message):
    __slots__ = ("session_id", "ids", "file", "all")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    IDS_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    ALL_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    ids: _containers.RepeatedScalarFieldContainer[int]
    file: str
    all: bool
    def __init__(self, session_id: _Optional[str] = ..., ids: _Optional[_Iterable[int]] = ..., file: _Optional[str] = ..., all: bool = ...) -> None: ...

class RemoveBreakpointsResponse(_message.Message):
    __slots__ = ("breakpoints",)
    BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    breakpoints: _containers.RepeatedCompositeFieldContainer[Breakpoint]
    def __init__(self, breakpoints: _Optional[_Iterable[_Union[Breakpoint, _Mapping]]] = ...) -> None: ...

class SetExceptionBreakpointsRequest(_message.Message):
    __slots__ = ("session_id", "exception_breakpoints")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    EXCEPTION_BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    exception_breakpoints: ExceptionBreakpoints
    def __init__(self, session_id: _Optional[str] = ..., exception_breakpoints: _Optional[_Union[ExceptionBreakpoints, _Mapping]] = ...) -> None: ...

class SetExceptionBreakpointsResponse(_message.Message):
    __slots__ = ("exception_breakpoints",)
    EXCEPTION_BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    exception_breakpoints: ExceptionBreakpoints
    def __init__(self, exception_breakpoints: _Optional[_Union[ExceptionBreakpoints, _Mapping]] = ...) -> None: ...

class GetExceptionBreakpointsRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class GetExceptionBreakpointsResponse(_message.Message):
    __slots__ = ("exception_breakpoints", "offers")
    EXCEPTION_BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    OFFERS_FIELD_NUMBER: _ClassVar[int]
    exception_breakpoints: ExceptionBreakpoints
    offers: _containers.RepeatedCompositeFieldContainer[ExceptionFilterOffer]
    def __init__(self, exception_breakpoints: _Optional[_Union[ExceptionBreakpoints, _Mapping]] = ..., offers: _Optional[_Iterable[_Union[ExceptionFilterOffer, _Mapping]]] = ...) -> None: ...
