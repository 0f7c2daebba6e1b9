from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BridgeTransport(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BRIDGE_TRANSPORT_UNSPECIFIED: _ClassVar[BridgeTransport]
    BRIDGE_TRANSPORT_UNIX: _ClassVar[BridgeTransport]
    BRIDGE_TRANSPORT_TCP: _ClassVar[BridgeTransport]
BRIDGE_TRANSPORT_UNSPECIFIED: BridgeTransport
BRIDGE_TRANSPORT_UNIX: BridgeTransport
BRIDGE_TRANSPORT_TCP: BridgeTransport

class Bridge(_message.Message):
    __slots__ = ("id", "transport", "address", "expire_time", "read_only", "connections")
    ID_FIELD_NUMBER: _ClassVar[int]
    TRANSPORT_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    id: str
    transport: BridgeTransport
    address: str
    expire_time: _timestamp_pb2.Timestamp
    read_only: bool
    connections: int
    def __init__(self, id: _Optional[str] = ..., transport: _Optional[_Union[BridgeTransport, str]] = ..., address: _Optional[str] = ..., expire_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., read_only: bool = ..., connections: _Optional[int] = ...) -> None: ...

class OpenBridgeRequest(_message.Message):
    __slots__ = ("session_id", "transport", "ttl", "read_only")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TRANSPORT_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    transport: BridgeTransport
    ttl: _duration_pb2.Duration
    read_only: bool
    def __init__(self, session_id: _Optional[str] = ..., transport: _Optional[_Union[BridgeTransport, str]] = ..., ttl: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., read_only: bool = ...) -> None: ...

class OpenBridgeResponse(_message.Message):
    __slots__ = ("address", "token", "expire_time", "bridge_id")
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    BRIDGE_ID_FIELD_NUMBER: _ClassVar[int]
    address: str
    token: str
    expire_time: _timestamp_pb2.Timestamp
    bridge_id: str
    def __init__(self, address: _Optional[str] = ..., token: _Optional[str] = ..., expire_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., bridge_id: _Optional[str] = ...) -> None: ...

class ListBridgesRequest(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class ListBridgesResponse(_message.Message):
    __slots__ = ("bridges",)
    BRIDGES_FIELD_NUMBER: _ClassVar[int]
    bridges: _containers.RepeatedCompositeFieldContainer[Bridge]
    def __init__(self, bridges: _Optional[_Iterable[_Union[Bridge, _Mapping]]] = ...) -> None: ...

class CloseBridgeRequest(_message.Message):
    __slots__ = ("session_id", "bridge_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    BRIDGE_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    bridge_id: str
    def __init__(self, session_id: _Optional[str] = ..., bridge_id: _Optional[str] = ...) -> None: ...

class CloseBridgeResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
