import grpc
import grpc.aio
from debug_relay._proto import bridge_pb2 as _pb2

class BridgeServiceStub:
    def __init__(self, channel: grpc.Channel) -> None: ...
    OpenBridge: grpc.UnaryUnaryMultiCallable[_pb2.OpenBridgeRequest, _pb2.OpenBridgeResponse]
    ListBridges: grpc.UnaryUnaryMultiCallable[_pb2.ListBridgesRequest, _pb2.ListBridgesResponse]
    CloseBridge: grpc.UnaryUnaryMultiCallable[_pb2.CloseBridgeRequest, _pb2.CloseBridgeResponse]

class BridgeServiceAsyncStub:
    def __init__(self, channel: grpc.aio.Channel) -> None: ...
    OpenBridge: grpc.aio.UnaryUnaryMultiCallable[_pb2.OpenBridgeRequest, _pb2.OpenBridgeResponse]
    ListBridges: grpc.aio.UnaryUnaryMultiCallable[_pb2.ListBridgesRequest, _pb2.ListBridgesResponse]
    CloseBridge: grpc.aio.UnaryUnaryMultiCallable[_pb2.CloseBridgeRequest, _pb2.CloseBridgeResponse]
