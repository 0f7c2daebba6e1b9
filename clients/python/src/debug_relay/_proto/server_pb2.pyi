from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetInfoResponse(_message.Message):
    __slots__ = ("version", "start_time", "uptime", "address", "limits", "sessions", "adapters", "platform", "spares", "commit", "build", "caller", "draining")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    UPTIME_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    ADAPTERS_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    SPARES_FIELD_NUMBER: _ClassVar[int]
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    BUILD_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    version: str
    start_time: _timestamp_pb2.Timestamp
    uptime: _duration_pb2.Duration
    address: str
    limits: Limits
    sessions: SessionCounts
    adapters: _containers.RepeatedCompositeFieldContainer[AdapterInfo]
    platform: str
    spares: Spares
    commit: str
    build: str
    caller: Caller
    draining: bool
    def __init__(self, version: _Optional[str] = ..., start_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., uptime: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., address: _Optional[str] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., sessions: _Optional[_Union[SessionCounts, _Mapping]] = ..., adapters: _Optional[_Iterable[_Union[AdapterInfo, _Mapping]]] = ..., platform: _Optional[str] = ..., spares: _Optional[_Union[Spares, _Mapping]] = ..., commit: _Optional[str] = ..., build: _Optional[str] = ..., caller: _Optional[_Union[Caller, _Mapping]] = ..., draining: bool = ...) -> None: ...

class Caller(_message.Message):
    __slots__ = ("owner", "admin", "read_only", "session_id", "expire_time")
    OWNER_FIELD_NUMBER: _ClassVar[int]
    ADMIN_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    owner: str
    admin: bool
    read_only: bool
    session_id: str
    expire_time: _timestamp_pb2.Timestamp
    def __init__(self, owner: _Optional[str] = ..., admin: bool = ..., read_only: bool = ..., session_id: _Optional[str] = ..., expire_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Spares(_message.Message):
    __slots__ = ("size", "ready", "python", "taken", "missed", "idle")
    SIZE_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    PYTHON_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    MISSED_FIELD_NUMBER: _ClassVar[int]
    IDLE_FIELD_NUMBER: _ClassVar[int]
    size: int
    ready: int
    python: str
    taken: int
    missed: int
    idle: _duration_pb2.Duration
    def __init__(self, size: _Optional[int] = ..., ready: _Optional[int] = ..., python: _Optional[str] = ..., taken: _Optional[int] = ..., missed: _Optional[int] = ..., idle: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("max_request_bytes", "events_per_session", "output_bytes_per_session", "idle_timeout", "max_wait", "sessions", "sessions_per_owner", "breakpoints_per_session", "max_evaluate", "max_idle_timeout", "retention", "archive_bytes", "processes_per_session", "memory_bytes_per_process")
    MAX_REQUEST_BYTES_FIELD_NUMBER: _ClassVar[int]
    EVENTS_PER_SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_BYTES_PER_SESSION_FIELD_NUMBER: _ClassVar[int]
    IDLE_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    MAX_WAIT_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_PER_OWNER_FIELD_NUMBER: _ClassVar[int]
    BREAKPOINTS_PER_SESSION_FIELD_NUMBER: _ClassVar[int]
    MAX_EVALUATE_FIELD_NUMBER: _ClassVar[int]
    MAX_IDLE_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    RETENTION_FIELD_NUMBER: _ClassVar[int]
    ARCHIVE_BYTES_FIELD_NUMBER: _ClassVar[int]
    PROCESSES_PER_SESSION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_PER_PROCESS_FIELD_NUMBER: _ClassVar[int]
    max_request_bytes: int
    events_per_session: int
    output_bytes_per_session: int
    idle_timeout: _duration_pb2.Duration
    max_wait: _duration_pb2.Duration
    sessions: int
    sessions_per_owner: int
    breakpoints_per_session: int
    max_evaluate: _duration_pb2.Duration
    max_idle_timeout: _duration_pb2.Duration
    retention: _duration_pb2.Duration
    archive_bytes: int
    processes_per_session: int
    memory_bytes_per_process: int
    def __init__(self, max_request_bytes: _Optional[int] = ..., events_per_session: _Optional[int] = ..., output_bytes_per_session: _Optional[int] = ..., idle_timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., max_wait: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., sessions: _Optional[int] = ..., sessions_per_owner: _Optional[int] = ..., breakpoints_per_session: _Optional[int] = ..., max_evaluate: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., max_idle_timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., retention: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., archive_bytes: _Optional[int] = ..., processes_per_session: _Optional[int] = ..., memory_bytes_per_process: _Optional[int] = ...) -> None: ...

class SessionCounts(_message.Message):
    __slots__ = ("total", "alive", "lost", "over")
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    ALIVE_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    total: int
    alive: int
    lost: int
    over: int
    def __init__(self, total: _Optional[int] = ..., alive: _Optional[int] = ..., lost: _Optional[int] = ..., over: _Optional[int] = ...) -> None: ...

class AdapterInfo(_message.Message):
    __slots__ = ("name", "languages", "found", "version", "path", "install_hint", "message")
    NAME_FIELD_NUMBER: _ClassVar[int]
    LANGUAGES_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    INSTALL_HINT_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    name: str
    languages: _containers.RepeatedScalarFieldContainer[str]
    found: bool
    version: str
    path: str
    install_hint: str
    message: str
    def __init__(self, name: _Optional[str] = ..., languages: _Optional[_Iterable[str]] = ..., found: bool = ..., version: _Optional[str] = ..., path: _Optional[str] = ..., install_hint: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class ListAdaptersRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListAdaptersResponse(_message.Message):
    __slots__ = ("adapters",)
    ADAPTERS_FIELD_NUMBER: _ClassVar[int]
    adapters: _containers.RepeatedCompositeFieldContainer[AdapterInfo]
    def __init__(self, adapters: _Optional[_Iterable[_Union[AdapterInfo, _Mapping]]] = ...) -> None: ...

class SetLogFilterRequest(_message.Message):
    __slots__ = ("filter",)
    FILTER_FIELD_NUMBER: _ClassVar[int]
    filter: str
    def __init__(self, filter: _Optional[str] = ...) -> None: ...

class SetLogFilterResponse(_message.Message):
    __slots__ = ("previous",)
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    previous: str
    def __init__(self, previous: _Optional[str] = ...) -> None: ...
