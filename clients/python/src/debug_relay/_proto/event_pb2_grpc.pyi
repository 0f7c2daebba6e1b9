import grpc
import grpc.aio
from debug_relay._proto import event_pb2 as _pb2

class EventServiceStub:
    def __init__(self, channel: grpc.Channel) -> None: ...
    ListEvents: grpc.UnaryUnaryMultiCallable[_pb2.ListEventsRequest, _pb2.ListEventsResponse]
    StreamEvents: grpc.UnaryStreamMultiCallable[_pb2.StreamEventsRequest, _pb2.StreamEventsResponse]
    StreamAllEvents: grpc.UnaryStreamMultiCallable[_pb2.StreamAllEventsRequest, _pb2.StreamAllEventsResponse]

class EventServiceAsyncStub:
    def __init__(self, channel: grpc.aio.Channel) -> None: ...
    ListEvents: grpc.aio.UnaryUnaryMultiCallable[_pb2.ListEventsRequest, _pb2.ListEventsResponse]
    StreamEvents: grpc.aio.UnaryStreamMultiCallable[_pb2.StreamEventsRequest, _pb2.StreamEventsResponse]
    StreamAllEvents: grpc.aio.UnaryStreamMultiCallable[_pb2.StreamAllEventsRequest, _pb2.StreamAllEventsResponse]
