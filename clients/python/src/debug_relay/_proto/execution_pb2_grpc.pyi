import grpc
import grpc.aio
from debug_relay._proto import execution_pb2 as _pb2

class ExecutionServiceStub:
    def __init__(self, channel: grpc.Channel) -> None: ...
    Continue: grpc.UnaryUnaryMultiCallable[_pb2.ContinueRequest, _pb2.ContinueResponse]
    Pause: grpc.UnaryUnaryMultiCallable[_pb2.PauseRequest, _pb2.PauseResponse]
    StepOver: grpc.UnaryUnaryMultiCallable[_pb2.StepOverRequest, _pb2.StepOverResponse]
    StepInto: grpc.UnaryUnaryMultiCallable[_pb2.StepIntoRequest, _pb2.StepIntoResponse]
    StepOut: grpc.UnaryUnaryMultiCallable[_pb2.StepOutRequest, _pb2.StepOutResponse]
    RunToLine: grpc.UnaryUnaryMultiCallable[_pb2.RunToLineRequest, _pb2.RunToLineResponse]
    Goto: grpc.UnaryUnaryMultiCallable[_pb2.GotoRequest, _pb2.GotoResponse]
    RestartFrame: grpc.UnaryUnaryMultiCallable[_pb2.RestartFrameRequest, _pb2.RestartFrameResponse]
    WaitForStop: grpc.UnaryUnaryMultiCallable[_pb2.WaitForStopRequest, _pb2.WaitForStopResponse]
    Collect: grpc.UnaryStreamMultiCallable[_pb2.CollectRequest, _pb2.CollectResponse]
    Trace: grpc.UnaryStreamMultiCallable[_pb2.TraceRequest, _pb2.TraceResponse]

class ExecutionServiceAsyncStub:
    def __init__(self, channel: grpc.aio.Channel) -> None: ...
    Continue: grpc.aio.UnaryUnaryMultiCallable[_pb2.ContinueRequest, _pb2.ContinueResponse]
    Pause: grpc.aio.UnaryUnaryMultiCallable[_pb2.PauseRequest, _pb2.PauseResponse]
    StepOver: grpc.aio.UnaryUnaryMultiCallable[_pb2.StepOverRequest, _pb2.StepOverResponse]
    StepInto: grpc.aio.UnaryUnaryMultiCallable[_pb2.StepIntoRequest, _pb2.StepIntoResponse]
    StepOut: grpc.aio.UnaryUnaryMultiCallable[_pb2.StepOutRequest, _pb2.StepOutResponse]
    RunToLine: grpc.aio.UnaryUnaryMultiCallable[_pb2.RunToLineRequest, _pb2.RunToLineResponse]
    Goto: grpc.aio.UnaryUnaryMultiCallable[_pb2.GotoRequest, _pb2.GotoResponse]
    RestartFrame: grpc.aio.UnaryUnaryMultiCallable[_pb2.RestartFrameRequest, _pb2.RestartFrameResponse]
    WaitForStop: grpc.aio.UnaryUnaryMultiCallable[_pb2.WaitForStopRequest, _pb2.WaitForStopResponse]
    Collect: grpc.aio.UnaryStreamMultiCallable[_pb2.CollectRequest, _pb2.CollectResponse]
    Trace: grpc.aio.UnaryStreamMultiCallable[_pb2.TraceRequest, _pb2.TraceResponse]
