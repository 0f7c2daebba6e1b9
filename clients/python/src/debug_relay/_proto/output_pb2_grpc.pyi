import grpc
import grpc.aio
from debug_relay._proto import output_pb2 as _pb2

class OutputServiceStub:
    def __init__(self, channel: grpc.Channel) -> None: ...
    GetOutput: grpc.UnaryUnaryMultiCallable[_pb2.GetOutputRequest, _pb2.GetOutputResponse]
    StreamOutput: grpc.UnaryStreamMultiCallable[_pb2.StreamOutputRequest, _pb2.StreamOutputResponse]
    WriteInput: grpc.UnaryUnaryMultiCallable[_pb2.WriteInputRequest, _pb2.WriteInputResponse]

class OutputServiceAsyncStub:
    def __init__(self, channel: grpc.aio.Channel) -> None: ...
    GetOutput: grpc.aio.UnaryUnaryMultiCallable[_pb2.GetOutputRequest, _pb2.GetOutputResponse]
    StreamOutput: grpc.aio.UnaryStreamMultiCallable[_pb2.StreamOutputRequest, _pb2.StreamOutputResponse]
    WriteInput: grpc.aio.UnaryUnaryMultiCallable[_pb2.WriteInputRequest, _pb2.WriteInputResponse]
