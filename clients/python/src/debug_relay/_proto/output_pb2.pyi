from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OutputCategory(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTPUT_CATEGORY_UNSPECIFIED: _ClassVar[OutputCategory]
    OUTPUT_CATEGORY_STDOUT: _ClassVar[OutputCategory]
    OUTPUT_CATEGORY_STDERR: _ClassVar[OutputCategory]
    OUTPUT_CATEGORY_CONSOLE: _ClassVar[OutputCategory]
    OUTPUT_CATEGORY_ADAPTER: _ClassVar[OutputCategory]
OUTPUT_CATEGORY_UNSPECIFIED: OutputCategory
OUTPUT_CATEGORY_STDOUT: OutputCategory
OUTPUT_CATEGORY_STDERR: OutputCategory
OUTPUT_CATEGORY_CONSOLE: OutputCategory
OUTPUT_CATEGORY_ADAPTER: OutputCategory

class OutputChunk(_message.Message):
    __slots__ = ("offset", "category", "data", "text", "time", "process_id")
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    offset: int
    category: OutputCategory
    data: bytes
    text: str
    time: _timestamp_pb2.Timestamp
    process_id: int
    def __init__(self, offset: _Optional[int] = ..., category: _Optional[_Union[OutputCategory, str]] = ..., data: _Optional[bytes] = ..., text: _Optional[str] = ..., time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., process_id: _Optional[int] = ...) -> None: ...

class OutputGap(_message.Message):
    __slots__ = ("from_offset", "to_offset")
    FROM_OFFSET_FIELD_NUMBER: _ClassVar[int]
    TO_OFFSET_FIELD_NUMBER: _ClassVar[int]
    from_offset: int
    to_offset: int
    def __init__(self, from_offset: _Optional[int] = ..., to_offset: _Optional[int] = ...) -> None: ...

class GetOutputRequest(_message.Message):
    __slots__ = ("session_id", "after_offset", "categories", "max_bytes", "wait", "include_data", "data_only")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_OFFSET_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_DATA_FIELD_NUMBER: _ClassVar[int]
    DATA_ONLY_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    after_offset: int
    categories: _containers.RepeatedScalarFieldContainer[OutputCategory]
    max_bytes: int
    wait: _duration_pb2.Duration
    include_data: bool
    data_only: bool
    def __init__(self, session_id: _Optional[str] = ..., after_offset: _Optional[int] = ..., categories: _Optional[_Iterable[_Union[OutputCategory, str]]] = ..., max_bytes: _Optional[int] = ..., wait: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., include_data: bool = ..., data_only: bool = ...) -> None: ...

class GetOutputResponse(_message.Message):
    __slots__ = ("chunks", "next_offset", "gap", "end")
    CHUNKS_FIELD_NUMBER: _ClassVar[int]
    NEXT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    GAP_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    chunks: _containers.RepeatedCompositeFieldContainer[OutputChunk]
    next_offset: int
    gap: OutputGap
    end: bool
    def __init__(self, chunks: _Optional[_Iterable[_Union[OutputChunk, _Mapping]]] = ..., next_offset: _Optional[int] = ..., gap: _Optional[_Union[OutputGap, _Mapping]] = ..., end: bool = ...) -> None: ...

class StreamOutputRequest(_message.Message):
    __slots__ = ("session_id", "after_offset", "categories", "max_bytes", "include_data", "data_only")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_OFFSET_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_DATA_FIELD_NUMBER: _ClassVar[int]
    DATA_ONLY_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    after_offset: int
    categories: _containers.RepeatedScalarFieldContainer[OutputCategory]
    max_bytes: int
    include_data: bool
    data_only: bool
    def __init__(self, session_id: _Optional[str] = ..., after_offset: _Optional[int] = ..., categories: _Optional[_Iterable[_Union[OutputCategory, str]]] = ..., max_bytes: _Optional[int] = ..., include_data: bool = ..., data_only: bool = ...) -> None: ...

class StreamOutputResponse(_message.Message):
    __slots__ = ("chunk", "gap")
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    GAP_FIELD_NUMBER: _ClassVar[int]
    chunk: OutputChunk
    gap: OutputGap
    def __init__(self, chunk: _Optional[_Union[OutputChunk, _Mapping]] = ..., gap: _Optional[_Union[OutputGap, _Mapping]] = ...) -> None: ...

class WriteInputRequest(_message.Message):
    __slots__ = ("session_id", "data", "close")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    CLOSE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    data: bytes
    close: bool
    def __init__(self, session_id: _Optional[str] = ..., data: _Optional[bytes] = ..., close: bool = ...) -> None: ...

class WriteInputResponse(_message.Message):
    __slots__ = ("bytes_written",)
    BYTES_WRITTEN_FIELD_NUMBER: _ClassVar[int]
    bytes_written: int
    def __init__(self, bytes_written: _Optional[int] = ...) -> None: ...
