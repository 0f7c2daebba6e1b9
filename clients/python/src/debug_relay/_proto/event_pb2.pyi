from debug_relay._proto import breakpoint_pb2 as _breakpoint_pb2
from debug_relay._proto import common_pb2 as _common_pb2
from debug_relay._proto import output_pb2 as _output_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EventType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_TYPE_UNSPECIFIED: _ClassVar[EventType]
    EVENT_TYPE_STATE_CHANGED: _ClassVar[EventType]
    EVENT_TYPE_STOPPED: _ClassVar[EventType]
    EVENT_TYPE_CONTINUED: _ClassVar[EventType]
    EVENT_TYPE_OUTPUT: _ClassVar[EventType]
    EVENT_TYPE_BREAKPOINT_CHANGED: _ClassVar[EventType]
    EVENT_TYPE_THREAD: _ClassVar[EventType]
    EVENT_TYPE_PROCESS: _ClassVar[EventType]
    EVENT_TYPE_MODULE: _ClassVar[EventType]
    EVENT_TYPE_EXITED: _ClassVar[EventType]
    EVENT_TYPE_TERMINATED: _ClassVar[EventType]
    EVENT_TYPE_ADAPTER_MESSAGE: _ClassVar[EventType]
    EVENT_TYPE_GAP: _ClassVar[EventType]

class BreakpointChangeKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BREAKPOINT_CHANGE_KIND_UNSPECIFIED: _ClassVar[BreakpointChangeKind]
    BREAKPOINT_CHANGE_KIND_SET: _ClassVar[BreakpointChangeKind]
    BREAKPOINT_CHANGE_KIND_BOUND: _ClassVar[BreakpointChangeKind]
    BREAKPOINT_CHANGE_KIND_REMOVED: _ClassVar[BreakpointChangeKind]
EVENT_TYPE_UNSPECIFIED: EventType
EVENT_TYPE_STATE_CHANGED: EventType
EVENT_TYPE_STOPPED: EventType
EVENT_TYPE_CONTINUED: EventType
EVENT_TYPE_OUTPUT: EventType
EVENT_TYPE_BREAKPOINT_CHANGED: EventType
EVENT_TYPE_THREAD: EventType
EVENT_TYPE_PROCESS: EventType
EVENT_TYPE_MODULE: EventType
EVENT_TYPE_EXITED: EventType
EVENT_TYPE_TERMINATED: EventType
EVENT_TYPE_ADAPTER_MESSAGE: EventType
EVENT_TYPE_GAP: EventType
BREAKPOINT_CHANGE_KIND_UNSPECIFIED: BreakpointChangeKind
BREAKPOINT_CHANGE_KIND_SET: BreakpointChangeKind
BREAKPOINT_CHANGE_KIND_BOUND: BreakpointChangeKind
BREAKPOINT_CHANGE_KIND_REMOVED: BreakpointChangeKind

class Event(_message.Message):
    __slots__ = ("sequence", "time", "state_changed", "stopped", "continued", "output", "breakpoint_changed", "thread", "process", "module", "exited", "terminated", "adapter_message", "gap")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    STATE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    STOPPED_FIELD_NUMBER: _ClassVar[int]
    CONTINUED_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    BREAKPOINT_CHANGED_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    PROCESS_FIELD_NUMBER: _ClassVar[int]
    MODULE_FIELD_NUMBER: _ClassVar[int]
    EXITED_FIELD_NUMBER: _ClassVar[int]
    TERMINATED_FIELD_NUMBER: _ClassVar[int]
    ADAPTER_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    GAP_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    time: _timestamp_pb2.Timestamp
    state_changed: StateChanged
    stopped: _common_pb2.StopInfo
    continued: Continued
    output: OutputWritten
    breakpoint_changed: BreakpointChanged
    thread: ThreadChanged
    process: ProcessChanged
    module: ModuleLoaded
    exited: Exited
    terminated: Terminated
    adapter_message: AdapterMessage
    gap: EventGap
    def __init__(self, sequence: _Optional[int] = ..., time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., state_changed: _Optional[_Union[StateChanged, _Mapping]] = ..., stopped: _Optional[_Union[_common_pb2.StopInfo, _Mapping]] = ..., continued: _Optional[_Union[Continued, _Mapping]] = ..., output: _Optional[_Union[OutputWritten, _Mapping]] = ..., breakpoint_changed: _Optional[_Union[BreakpointChanged, _Mapping]] = ..., thread: _Optional[_Union[ThreadChanged, _Mapping]] = ..., process: _Optional[_Union[ProcessChanged, _Mapping]] = ..., module: _Optional[_Union[ModuleLoaded, _Mapping]] = ..., exited: _Optional[_Union[Exited, _Mapping]] = ..., terminated: _Optional[_Union[Terminated, _Mapping]] = ..., adapter_message: _Optional[_Union[AdapterMessage, _Mapping]] = ..., gap: _Optional[_Union[EventGap, _Mapping]] = ...) -> None: ...

class StateChanged(_message.Message):
    __slots__ = ("to",)
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    to: _common_pb2.SessionState
    def __init__(self, to: _Optional[_Union[_common_pb2.SessionState, str]] = ..., **kwargs) -> None: ...

class Continued(_message.Message):
    __slots__ = ("thread_id", "by", "process_id")
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    thread_id: int
    by: str
    process_id: int
    def __init__(self, thread_id: _Optional[int] = ..., by: _Optional[str] = ..., process_id: _Optional[int] = ...) -> None: ...

class OutputWritten(_message.Message):
    __slots__ = ("category", "offset", "next_offset", "text")
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    NEXT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    category: _output_pb2.OutputCategory
    offset: int
    next_offset: int
    text: str
    def __init__(self, category: _Optional[_Union[_output_pb2.OutputCategory, str]] = ..., offset: _Optional[int] = ..., next_offset: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class BreakpointChanged(_message.Message):
    __slots__ = ("breakpoint", "kind")
    BREAKPOINT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    breakpoint: _breakpoint_pb2.Breakpoint
    kind: BreakpointChangeKind
    def __init__(self, breakpoint: _Optional[_Union[_breakpoint_pb2.Breakpoint, _Mapping]] = ..., kind: _Optional[_Union[BreakpointChangeKind, str]] = ...) -> None: ...

class ThreadChanged(_message.Message):
    __slots__ = ("thread_id", "process_id", "started")
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    thread_id: int
    process_id: int
    started: bool
    def __init__(self, thread_id: _Optional[int] = ..., process_id: _Optional[int] = ..., started: bool = ...) -> None: ...

class ProcessChanged(_message.Message):
    __slots__ = ("process_id", "name", "parent_process_id", "started")
    PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PARENT_PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    process_id: int
    name: str
    parent_process_id: int
    started: bool
    def __init__(self, process_id: _Optional[int] = ..., name: _Optional[str] = ..., parent_process_id: _Optional[int] = ..., started: bool = ...) -> None: ...

class ModuleLoaded(_message.Message):
    __slots__ = ("name", "file")
    NAME_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    name: str
    file: str
    def __init__(self, name: _Optional[str] = ..., file: _Optional[str] = ...) -> None: ...

class Exited(_message.Message):
    __slots__ = ("exit_code", "exit_signal")
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    EXIT_SIGNAL_FIELD_NUMBER: _ClassVar[int]
    exit_code: int
    exit_signal: int
    def __init__(self, exit_code: _Optional[int] = ..., exit_signal: _Optional[int] = ...) -> None: ...

class Terminated(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: _common_pb2.SessionState
    def __init__(self, state: _Optional[_Union[_common_pb2.SessionState, str]] = ...) -> None: ...

class AdapterMessage(_message.Message):
    __slots__ = ("text", "category")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    text: str
    category: str
    def __init__(self, text: _Optional[str] = ..., category: _Optional[str] = ...) -> None: ...

class EventGap(_message.Message):
    __slots__ = ("from_sequence", "to_sequence")
    FROM_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TO_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    from_sequence: int
    to_sequence: int
    def __init__(self, from_sequence: _Optional[int] = ..., to_sequence: _Optional[int] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ("session_id", "after_sequence", "types", "limit", "wait")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    after_sequence: int
    types: _containers.RepeatedScalarFieldContainer[EventType]
    limit: int
    wait: _duration_pb2.Duration
    def __init__(self, session_id: _Optional[str] = ..., after_sequence: _Optional[int] = ..., types: _Optional[_Iterable[_Union[EventType, str]]] = ..., limit: _Optional[int] = ..., wait: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ListEventsResponse(_message.Message):
    __slots__ = ("events", "next_sequence")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[Event]
    next_sequence: int
    def __init__(self, events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., next_sequence: _Optional[int] = ...) -> None: ...

class StreamEventsRequest(_message.Message):
    __slots__ = ("session_id", "after_sequence", "types", "limit")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    after_sequence: int
    types: _containers.RepeatedScalarFieldContainer[EventType]
    limit: int
    def __init__(self, session_id: _Optional[str] = ..., after_sequence: _Optional[int] = ..., types: _Optional[_Iterable[_Union[EventType, str]]] = ..., limit: _Optional[int] = ...) -> None: ...

class StreamEventsResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: Event
    def __init__(self, event: _Optional[_Union[Event, _Mapping]] = ...) -> None: ...

class StreamAllEventsRequest(_message.Message):
    __slots__ = ("labels", "types", "after_sequences")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class AfterSequencesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    LABELS_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    AFTER_SEQUENCES_FIELD_NUMBER: _ClassVar[int]
    labels: _containers.ScalarMap[str, str]
    types: _containers.RepeatedScalarFieldContainer[EventType]
    after_sequences: _containers.ScalarMap[str, int]
    def __init__(self, labels: _Optional[_Mapping[str, str]] = ..., types: _Optional[_Iterable[_Union[EventType, str]]] = ..., after_sequences: _Optional[_Mapping[str, int]] = ...) -> None: ...

class StreamAllEventsResponse(_message.Message):
    __slots__ = ("session_id", "event")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    event: Event
    def __init__(self, session_id: _Optional[str] = ..., event: _Optional[_Union[Event, _Mapping]] = ...) -> None: ...
