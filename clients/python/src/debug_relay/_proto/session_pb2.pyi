from debug_relay._proto import breakpoint_pb2 as _breakpoint_pb2
from debug_relay._proto import common_pb2 as _common_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ChildPolicy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHILD_POLICY_UNSPECIFIED: _ClassVar[ChildPolicy]
    CHILD_POLICY_FOLLOW: _ClassVar[ChildPolicy]
    CHILD_POLICY_RUN_FREE: _ClassVar[ChildPolicy]
    CHILD_POLICY_STOP_AT_START: _ClassVar[ChildPolicy]

class Console(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONSOLE_UNSPECIFIED: _ClassVar[Console]
    CONSOLE_PIPES: _ClassVar[Console]
    CONSOLE_PTY: _ClassVar[Console]
    CONSOLE_ADAPTER: _ClassVar[Console]

class OwnerLossPolicy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OWNER_LOSS_POLICY_UNSPECIFIED: _ClassVar[OwnerLossPolicy]
    OWNER_LOSS_POLICY_KEEP: _ClassVar[OwnerLossPolicy]
    OWNER_LOSS_POLICY_RESUME: _ClassVar[OwnerLossPolicy]
    OWNER_LOSS_POLICY_TERMINATE: _ClassVar[OwnerLossPolicy]
CHILD_POLICY_UNSPECIFIED: ChildPolicy
CHILD_POLICY_FOLLOW: ChildPolicy
CHILD_POLICY_RUN_FREE: ChildPolicy
CHILD_POLICY_STOP_AT_START: ChildPolicy
CONSOLE_UNSPECIFIED: Console
CONSOLE_PIPES: Console
CONSOLE_PTY: Console
CONSOLE_ADAPTER: Console
OWNER_LOSS_POLICY_UNSPECIFIED: OwnerLossPolicy
OWNER_LOSS_POLICY_KEEP: OwnerLossPolicy
OWNER_LOSS_POLICY_RESUME: OwnerLossPolicy
OWNER_LOSS_POLICY_TERMINATE: OwnerLossPolicy

class Session(_message.Message):
    __slots__ = ("id", "name", "project_root", "adapter", "state", "stop", "exit_code", "exit_signal", "failure", "processes", "created_time", "last_active_time", "labels", "capabilities", "counters", "last_sequence", "python", "owner")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ROOT_FIELD_NUMBER: _ClassVar[int]
    ADAPTER_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    EXIT_SIGNAL_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    PROCESSES_FIELD_NUMBER: _ClassVar[int]
    CREATED_TIME_FIELD_NUMBER: _ClassVar[int]
    LAST_ACTIVE_TIME_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    COUNTERS_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    PYTHON_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    project_root: str
    adapter: str
    state: _common_pb2.SessionState
    stop: _common_pb2.StopInfo
    exit_code: int
    exit_signal: int
    failure: str
    processes: _containers.RepeatedCompositeFieldContainer[Process]
    created_time: _timestamp_pb2.Timestamp
    last_active_time: _timestamp_pb2.Timestamp
    labels: _containers.ScalarMap[str, str]
    capabilities: Capabilities
    counters: SessionCounters
    last_sequence: int
    python: str
    owner: str
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., project_root: _Optional[str] = ..., adapter: _Optional[str] = ..., state: _Optional[_Union[_common_pb2.SessionState, str]] = ..., stop: _Optional[_Union[_common_pb2.StopInfo, _Mapping]] = ..., exit_code: _Optional[int] = ..., exit_signal: _Optional[int] = ..., failure: _Optional[str] = ..., processes: _Optional[_Iterable[_Union[Process, _Mapping]]] = ..., created_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., last_active_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., labels: _Optional[_Mapping[str, str]] = ..., capabilities: _Optional[_Union[Capabilities, _Mapping]] = ..., counters: _Optional[_Union[SessionCounters, _Mapping]] = ..., last_sequence: _Optional[int] = ..., python: _Optional[str] = ..., owner: _Optional[str] = ...) -> None: ...

class Process(_message.Message):
    __slots__ = ("process_id", "name", "parent_process_id", "state")
    PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PARENT_PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    process_id: int
    name: str
    parent_process_id: int
    state: _common_pb2.SessionState
    def __init__(self, process_id: _Optional[int] = ..., name: _Optional[str] = ..., parent_process_id: _Optional[int] = ..., state: _Optional[_Union[_common_pb2.SessionState, str]] = ...) -> None: ...

class Capabilities(_message.Message):
    __slots__ = ("conditional_breakpoints", "hit_conditions", "log_points", "function_breakpoints", "data_breakpoints", "instruction_breakpoints", "set_variable", "set_expression", "goto", "restart_frame", "step_in_targets", "completions", "modules", "loaded_sources", "read_memory", "write_memory", "disassemble", "exception_filters")
    CONDITIONAL_BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    HIT_CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    LOG_POINTS_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    DATA_BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTION_BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    SET_VARIABLE_FIELD_NUMBER: _ClassVar[int]
    SET_EXPRESSION_FIELD_NUMBER: _ClassVar[int]
    GOTO_FIELD_NUMBER: _ClassVar[int]
    RESTART_FRAME_FIELD_NUMBER: _ClassVar[int]
    STEP_IN_TARGETS_FIELD_NUMBER: _ClassVar[int]
    COMPLETIONS_FIELD_NUMBER: _ClassVar[int]
    MODULES_FIELD_NUMBER: _ClassVar[int]
    LOADED_SOURCES_FIELD_NUMBER: _ClassVar[int]
    READ_MEMORY_FIELD_NUMBER: _ClassVar[int]
    WRITE_MEMORY_FIELD_NUMBER: _ClassVar[int]
    DISASSEMBLE_FIELD_NUMBER: _ClassVar[int]
    EXCEPTION_FILTERS_FIELD_NUMBER: _ClassVar[int]
    conditional_breakpoints: bool
    hit_conditions: bool
    log_points: bool
    function_breakpoints: bool
    data_breakpoints: bool
    instruction_breakpoints: bool
    set_variable: bool
    set_expression: bool
    goto: bool
    restart_frame: bool
    step_in_targets: bool
    completions: bool
    modules: bool
    loaded_sources: bool
    read_memory: bool
    write_memory: bool
    disassemble: bool
    exception_filters: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, conditional_breakpoints: bool = ..., hit_conditions: bool = ..., log_points: bool = ..., function_breakpoints: bool = ..., data_breakpoints: bool = ..., instruction_breakpoints: bool = ..., set_variable: bool = ..., set_expression: bool = ..., goto: bool = ..., restart_frame: bool = ..., step_in_targets: bool = ..., completions: bool = ..., modules: bool = ..., loaded_sources: bool = ..., read_memory: bool = ..., write_memory: bool = ..., disassemble: bool = ..., exception_filters: _Optional[_Iterable[str]] = ...) -> None: ...

class SessionCounters(_message.Message):
    __slots__ = ("stops", "events", "output_bytes", "breakpoints", "dropped_events", "dropped_output_bytes", "gaps")
    STOPS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_BYTES_FIELD_NUMBER: _ClassVar[int]
    BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    DROPPED_EVENTS_FIELD_NUMBER: _ClassVar[int]
    DROPPED_OUTPUT_BYTES_FIELD_NUMBER: _ClassVar[int]
    GAPS_FIELD_NUMBER: _ClassVar[int]
    stops: int
    events: int
    output_bytes: int
    breakpoints: int
    dropped_events: int
    dropped_output_bytes: int
    gaps: int
    def __init__(self, stops: _Optional[int] = ..., events: _Optional[int] = ..., output_bytes: _Optional[int] = ..., breakpoints: _Optional[int] = ..., dropped_events: _Optional[int] = ..., dropped_output_bytes: _Optional[int] = ..., gaps: _Optional[int] = ...) -> None: ...

class LaunchConfig(_message.Message):
    __slots__ = ("program", "module", "code", "args", "cwd", "env", "python", "python_args", "stop_on_entry", "just_my_code", "children", "console", "stdin", "adapter_options")
    class EnvEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    PROGRAM_FIELD_NUMBER: _ClassVar[int]
    MODULE_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    ARGS_FIELD_NUMBER: _ClassVar[int]
    CWD_FIELD_NUMBER: _ClassVar[int]
    ENV_FIELD_NUMBER: _ClassVar[int]
    PYTHON_FIELD_NUMBER: _ClassVar[int]
    PYTHON_ARGS_FIELD_NUMBER: _ClassVar[int]
    STOP_ON_ENTRY_FIELD_NUMBER: _ClassVar[int]
    JUST_MY_CODE_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    CONSOLE_FIELD_NUMBER: _ClassVar[int]
    STDIN_FIELD_NUMBER: _ClassVar[int]
    ADAPTER_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    program: str
    module: str
    code: str
    args: _containers.RepeatedScalarFieldContainer[str]
    cwd: str
    env: _containers.ScalarMap[str, str]
    python: str
    python_args: _containers.RepeatedScalarFieldContainer[str]
    stop_on_entry: bool
    just_my_code: bool
    children: ChildPolicy
    console: Console
    stdin: bytes
    adapter_options: _struct_pb2.Struct
    def __init__(self, program: _Optional[str] = ..., module: _Optional[str] = ..., code: _Optional[str] = ..., args: _Optional[_Iterable[str]] = ..., cwd: _Optional[str] = ..., env: _Optional[_Mapping[str, str]] = ..., python: _Optional[str] = ..., python_args: _Optional[_Iterable[str]] = ..., stop_on_entry: bool = ..., just_my_code: bool = ..., children: _Optional[_Union[ChildPolicy, str]] = ..., console: _Optional[_Union[Console, str]] = ..., stdin: _Optional[bytes] = ..., adapter_options: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class AttachConfig(_message.Message):
    __slots__ = ("process_id", "connect", "listen", "path_mappings", "just_my_code", "adapter_options")
    PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    CONNECT_FIELD_NUMBER: _ClassVar[int]
    LISTEN_FIELD_NUMBER: _ClassVar[int]
    PATH_MAPPINGS_FIELD_NUMBER: _ClassVar[int]
    JUST_MY_CODE_FIELD_NUMBER: _ClassVar[int]
    ADAPTER_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    process_id: int
    connect: Endpoint
    listen: Endpoint
    path_mappings: _containers.RepeatedCompositeFieldContainer[PathMapping]
    just_my_code: bool
    adapter_options: _struct_pb2.Struct
    def __init__(self, process_id: _Optional[int] = ..., connect: _Optional[_Union[Endpoint, _Mapping]] = ..., listen: _Optional[_Union[Endpoint, _Mapping]] = ..., path_mappings: _Optional[_Iterable[_Union[PathMapping, _Mapping]]] = ..., just_my_code: bool = ..., adapter_options: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class Endpoint(_message.Message):
    __slots__ = ("host", "port")
    HOST_FIELD_NUMBER: _ClassVar[int]
    PORT_FIELD_NUMBER: _ClassVar[int]
    host: str
    port: int
    def __init__(self, host: _Optional[str] = ..., port: _Optional[int] = ...) -> None: ...

class PathMapping(_message.Message):
    __slots__ = ("local_root", "remote_root")
    LOCAL_ROOT_FIELD_NUMBER: _ClassVar[int]
    REMOTE_ROOT_FIELD_NUMBER: _ClassVar[int]
    local_root: str
    remote_root: str
    def __init__(self, local_root: _Optional[str] = ..., remote_root: _Optional[str] = ...) -> None: ...

class CreateSessionRequest(_message.Message):
    __slots__ = ("session_id", "project_root", "name", "adapter", "labels", "breakpoints", "exception_breakpoints", "launch", "attach", "wait", "restore_breakpoints", "idle_timeout", "on_owner_loss", "lease", "request_id")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ROOT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ADAPTER_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    EXCEPTION_BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    LAUNCH_FIELD_NUMBER: _ClassVar[int]
    ATTACH_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    RESTORE_BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    IDLE_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    ON_OWNER_LOSS_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    project_root: str
    name: str
    adapter: str
    labels: _containers.ScalarMap[str, str]
    breakpoints: _containers.RepeatedCompositeFieldContainer[_breakpoint_pb2.BreakpointSpec]
    exception_breakpoints: _breakpoint_pb2.ExceptionBreakpoints
    launch: LaunchConfig
    attach: AttachConfig
    wait: _common_pb2.WaitOptions
    restore_breakpoints: bool
    idle_timeout: _duration_pb2.Duration
    on_owner_loss: OwnerLossPolicy
    lease: _duration_pb2.Duration
    request_id: str
    def __init__(self, session_id: _Optional[str] = ..., project_root: _Optional[str] = ..., name: _Optional[str] = ..., adapter: _Optional[str] = ..., labels: _Optional[_Mapping[str, str]] = ..., breakpoints: _Optional[_Iterable[_Union[_breakpoint_pb2.BreakpointSpec, _Mapping]]] = ..., exception_breakpoints: _Optional[_Union[_breakpoint_pb2.ExceptionBreakpoints, _Mapping]] = ..., launch: _Optional[_Union[LaunchConfig, _Mapping]] = ..., attach: _Optional[_Union[AttachConfig, _Mapping]] = ..., wait: _Optional[_Union[_common_pb2.WaitOptions, _Mapping]] = ..., restore_breakpoints: bool = ..., idle_timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., on_owner_loss: _Optional[_Union[OwnerLossPolicy, str]] = ..., lease: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class CreateSessionResponse(_message.Message):
    __slots__ = ("session", "session_token", "breakpoints", "outcome", "warnings")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    SESSION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    BREAKPOINTS_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    session: Session
    session_token: str
    breakpoints: _containers.RepeatedCompositeFieldContainer[_breakpoint_pb2.Breakpoint]
    outcome: _common_pb2.Outcome
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ..., session_token: _Optional[str] = ..., breakpoints: _Optional[_Iterable[_Union[_breakpoint_pb2.Breakpoint, _Mapping]]] = ..., outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class LaunchRequest(_message.Message):
    __slots__ = ("session_id", "launch", "wait")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    LAUNCH_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    launch: LaunchConfig
    wait: _common_pb2.WaitOptions
    def __init__(self, session_id: _Optional[str] = ..., launch: _Optional[_Union[LaunchConfig, _Mapping]] = ..., wait: _Optional[_Union[_common_pb2.WaitOptions, _Mapping]] = ...) -> None: ...

class LaunchResponse(_message.Message):
    __slots__ = ("session", "outcome")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    session: Session
    outcome: _common_pb2.Outcome
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ..., outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class AttachRequest(_message.Message):
    __slots__ = ("session_id", "attach", "wait")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ATTACH_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    attach: AttachConfig
    wait: _common_pb2.WaitOptions
    def __init__(self, session_id: _Optional[str] = ..., attach: _Optional[_Union[AttachConfig, _Mapping]] = ..., wait: _Optional[_Union[_common_pb2.WaitOptions, _Mapping]] = ...) -> None: ...

class AttachResponse(_message.Message):
    __slots__ = ("session", "outcome")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    session: Session
    outcome: _common_pb2.Outcome
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ..., outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class RestartRequest(_message.Message):
    __slots__ = ("session_id", "wait")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    wait: _common_pb2.WaitOptions
    def __init__(self, session_id: _Optional[str] = ..., wait: _Optional[_Union[_common_pb2.WaitOptions, _Mapping]] = ...) -> None: ...

class RestartResponse(_message.Message):
    __slots__ = ("session", "outcome")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    session: Session
    outcome: _common_pb2.Outcome
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ..., outcome: _Optional[_Union[_common_pb2.Outcome, _Mapping]] = ...) -> None: ...

class GetSessionRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class GetSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ...) -> None: ...

class ListSessionsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "states", "labels", "project_root")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ROOT_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    states: _containers.RepeatedScalarFieldContainer[_common_pb2.SessionState]
    labels: _containers.ScalarMap[str, str]
    project_root: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., states: _Optional[_Iterable[_Union[_common_pb2.SessionState, str]]] = ..., labels: _Optional[_Mapping[str, str]] = ..., project_root: _Optional[str] = ...) -> None: ...

class ListSessionsResponse(_message.Message):
    __slots__ = ("sessions", "next_page_token")
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[Session]
    next_page_token: str
    def __init__(self, sessions: _Optional[_Iterable[_Union[Session, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DetachRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class DetachResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ...) -> None: ...

class TerminateSessionRequest(_message.Message):
    __slots__ = ("session_id", "force", "grace")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    GRACE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    force: bool
    grace: _duration_pb2.Duration
    def __init__(self, session_id: _Optional[str] = ..., force: bool = ..., grace: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class TerminateSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ...) -> None: ...

class DeleteSessionRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class DeleteSessionResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CreateSessionTokenRequest(_message.Message):
    __slots__ = ("session_id", "name", "read_only", "ttl")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    name: str
    read_only: bool
    ttl: _duration_pb2.Duration
    def __init__(self, session_id: _Optional[str] = ..., name: _Optional[str] = ..., read_only: bool = ..., ttl: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class CreateSessionTokenResponse(_message.Message):
    __slots__ = ("token", "info")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    INFO_FIELD_NUMBER: _ClassVar[int]
    token: str
    info: SessionToken
    def __init__(self, token: _Optional[str] = ..., info: _Optional[_Union[SessionToken, _Mapping]] = ...) -> None: ...

class SessionToken(_message.Message):
    __slots__ = ("id", "name", "read_only", "create_time", "expire_time")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    read_only: bool
    create_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., read_only: bool = ..., create_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., expire_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListSessionTokensRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class ListSessionTokensResponse(_message.Message):
    __slots__ = ("tokens",)
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    tokens: _containers.RepeatedCompositeFieldContainer[SessionToken]
    def __init__(self, tokens: _Optional[_Iterable[_Union[SessionToken, _Mapping]]] = ...) -> None: ...

class RevokeSessionTokenRequest(_message.Message):
    __slots__ = ("session_id", "token_id", "all")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    ALL_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    token_id: str
    all: bool
    def __init__(self, session_id: _Optional[str] = ..., token_id: _Optional[str] = ..., all: bool = ...) -> None: ...

class RevokeSessionTokenResponse(_message.Message):
    __slots__ = ("revoked",)
    REVOKED_FIELD_NUMBER: _ClassVar[int]
    revoked: int
    def __init__(self, revoked: _Optional[int] = ...) -> None: ...
