import grpc
import grpc.aio
from debug_relay._proto import breakpoint_pb2 as _pb2

class BreakpointServiceStub:
    def __init__(self, channel: grpc.Channel) -> None: ...
    SetBreakpoints: grpc.UnaryUnaryMultiCallable[_pb2.SetBreakpointsRequest, _pb2.SetBreakpointsResponse]
    ListBreakpoints: grpc.UnaryUnaryMultiCallable[_pb2.ListBreakpointsRequest, _pb2.ListBreakpointsResponse]
    UpdateBreakpoint: grpc.UnaryUnaryMultiCallable[_pb2.UpdateBreakpointRequest, _pb2.UpdateBreakpointResponse]
    RemoveBreakpoints: grpc.UnaryUnaryMultiCallable[_pb2.RemoveBreakpointsRequest, _pb2.RemoveBreakpointsResponse]
    SetExceptionBreakpoints: grpc.UnaryUnaryMultiCallable[_pb2.SetExceptionBreakpointsRequest, _pb2.SetExceptionBreakpointsResponse]
    GetExceptionBreakpoints: grpc.UnaryUnaryMultiCallable[_pb2.GetExceptionBreakpointsRequest, _pb2.GetExceptionBreakpointsResponse]

class BreakpointServiceAsyncStub:
    def __init__(self, channel: grpc.aio.Channel) -> None: ...
    SetBreakpoints: grpc.aio.UnaryUnaryMultiCallable[_pb2.SetBreakpointsRequest, _pb2.SetBreakpointsResponse]
    ListBreakpoints: grpc.aio.UnaryUnaryMultiCallable[_pb2.ListBreakpointsRequest, _pb2.ListBreakpointsResponse]
    UpdateBreakpoint: grpc.aio.UnaryUnaryMultiCallable[_pb2.UpdateBreakpointRequest, _pb2.UpdateBreakpointResponse]
    RemoveBreakpoints: grpc.aio.UnaryUnaryMultiCallable[_pb2.RemoveBreakpointsRequest, _pb2.RemoveBreakpointsResponse]
    SetExceptionBreakpoints: grpc.aio.UnaryUnaryMultiCallable[_pb2.SetExceptionBreakpointsRequest, _pb2.SetExceptionBreakpointsResponse]
    GetExceptionBreakpoints: grpc.aio.UnaryUnaryMultiCallable[_pb2.GetExceptionBreakpointsRequest, _pb2.GetExceptionBreakpointsResponse]
