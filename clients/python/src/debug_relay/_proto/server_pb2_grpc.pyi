import grpc
import grpc.aio
from debug_relay._proto import server_pb2 as _pb2

class ServerServiceStub:
    def __init__(self, channel: grpc.Channel) -> None: ...
    GetInfo: grpc.UnaryUnaryMultiCallable[_pb2.GetInfoRequest, _pb2.GetInfoResponse]
    ListAdapters: grpc.UnaryUnaryMultiCallable[_pb2.ListAdaptersRequest, _pb2.ListAdaptersResponse]
    SetLogFilter: grpc.UnaryUnaryMultiCallable[_pb2.SetLogFilterRequest, _pb2.SetLogFilterResponse]

class ServerServiceAsyncStub:
    def __init__(self, channel: grpc.aio.Channel) -> None: ...
    GetInfo: grpc.aio.UnaryUnaryMultiCallable[_pb2.GetInfoRequest, _pb2.GetInfoResponse]
    ListAdapters: grpc.aio.UnaryUnaryMultiCallable[_pb2.ListAdaptersRequest, _pb2.ListAdaptersResponse]
    SetLogFilter: grpc.aio.UnaryUnaryMultiCallable[_pb2.SetLogFilterRequest, _pb2.SetLogFilterResponse]
