import grpc
import grpc.aio
from debug_relay._proto import inspection_pb2 as _pb2

class InspectionServiceStub:
    def __init__(self, channel: grpc.Channel) -> None: ...
    GetSnapshot: grpc.UnaryUnaryMultiCallable[_pb2.GetSnapshotRequest, _pb2.GetSnapshotResponse]
    FindValue: grpc.UnaryUnaryMultiCallable[_pb2.FindValueRequest, _pb2.FindValueResponse]
    ListThreads: grpc.UnaryUnaryMultiCallable[_pb2.ListThreadsRequest, _pb2.ListThreadsResponse]
    GetStackTrace: grpc.UnaryUnaryMultiCallable[_pb2.GetStackTraceRequest, _pb2.GetStackTraceResponse]
    GetScopes: grpc.UnaryUnaryMultiCallable[_pb2.GetScopesRequest, _pb2.GetScopesResponse]
    GetVariables: grpc.UnaryUnaryMultiCallable[_pb2.GetVariablesRequest, _pb2.GetVariablesResponse]
    Evaluate: grpc.UnaryUnaryMultiCallable[_pb2.EvaluateRequest, _pb2.EvaluateResponse]
    SetVariable: grpc.UnaryUnaryMultiCallable[_pb2.SetVariableRequest, _pb2.SetVariableResponse]
    SetExpression: grpc.UnaryUnaryMultiCallable[_pb2.SetExpressionRequest, _pb2.SetExpressionResponse]
    GetExceptionInfo: grpc.UnaryUnaryMultiCallable[_pb2.GetExceptionInfoRequest, _pb2.GetExceptionInfoResponse]
    GetSource: grpc.UnaryUnaryMultiCallable[_pb2.GetSourceRequest, _pb2.GetSourceResponse]
    ListModules: grpc.UnaryUnaryMultiCallable[_pb2.ListModulesRequest, _pb2.ListModulesResponse]
    ListLoadedSources: grpc.UnaryUnaryMultiCallable[_pb2.ListLoadedSourcesRequest, _pb2.ListLoadedSourcesResponse]
    GetCompletions: grpc.UnaryUnaryMultiCallable[_pb2.GetCompletionsRequest, _pb2.GetCompletionsResponse]
    GetStepInTargets: grpc.UnaryUnaryMultiCallable[_pb2.GetStepInTargetsRequest, _pb2.GetStepInTargetsResponse]
    ReadMemory: grpc.UnaryUnaryMultiCallable[_pb2.ReadMemoryRequest, _pb2.ReadMemoryResponse]
    WriteMemory: grpc.UnaryUnaryMultiCallable[_pb2.WriteMemoryRequest, _pb2.WriteMemoryResponse]
    Disassemble: grpc.UnaryUnaryMultiCallable[_pb2.DisassembleRequest, _pb2.DisassembleResponse]

class InspectionServiceAsyncStub:
    def __init__(self, channel: grpc.aio.Channel) -> None: ...
    GetSnapshot: grpc.aio.UnaryUnaryMultiCallable[_pb2.GetSnapshotRequest, _pb2.GetSnapshotResponse]
    FindValue: grpc.aio.UnaryUnaryMultiCallable[_pb2.FindValueRequest, _pb2.FindValueResponse]
    ListThreads: grpc.aio.UnaryUnaryMultiCallable[_pb2.ListThreadsRequest, _pb2.ListThreadsResponse]
    GetStackTrace: grpc.aio.UnaryUnaryMultiCallable[_pb2.GetStackTraceRequest, _pb2.GetStackTraceResponse]
    GetScopes: grpc.aio.UnaryUnaryMultiCallable[_pb2.GetScopesRequest, _pb2.GetScopesResponse]
    GetVariables: grpc.aio.UnaryUnaryMultiCallable[_pb2.GetVariablesRequest, _pb2.GetVariablesResponse]
    Evaluate: grpc.aio.UnaryUnaryMultiCallable[_pb2.EvaluateRequest, _pb2.EvaluateResponse]
    SetVariable: grpc.aio.UnaryUnaryMultiCallable[_pb2.SetVariableRequest, _pb2.SetVariableResponse]
    SetExpression: grpc.aio.UnaryUnaryMultiCallable[_pb2.SetExpressionRequest, _pb2.SetExpressionResponse]
    GetExceptionInfo: grpc.aio.UnaryUnaryMultiCallable[_pb2.GetExceptionInfoRequest, _pb2.GetExceptionInfoResponse]
    GetSource: grpc.aio.UnaryUnaryMultiCallable[_pb2.GetSourceRequest, _pb2.GetSourceResponse]
    ListModules: grpc.aio.UnaryUnaryMultiCallable[_pb2.ListModulesRequest, _pb2.ListModulesResponse]
    ListLoadedSources: grpc.aio.UnaryUnaryMultiCallable[_pb2.ListLoadedSourcesRequest, _pb2.ListLoadedSourcesResponse]
    GetCompletions: grpc.aio.UnaryUnaryMultiCallable[_pb2.GetCompletionsRequest, _pb2.GetCompletionsResponse]
    GetStepInTargets: grpc.aio.UnaryUnaryMultiCallable[_pb2.GetStepInTargetsRequest, _pb2.GetStepInTargetsResponse]
    ReadMemory: grpc.aio.UnaryUnaryMultiCallable[_pb2.ReadMemoryRequest, _pb2.ReadMemoryResponse]
    WriteMemory: grpc.aio.UnaryUnaryMultiCallable[_pb2.WriteMemoryRequest, _pb2.WriteMemoryResponse]
    Disassemble: grpc.aio.UnaryUnaryMultiCallable[_pb2.DisassembleRequest, _pb2.DisassembleResponse]
