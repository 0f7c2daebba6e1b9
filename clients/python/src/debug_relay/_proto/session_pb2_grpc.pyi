import grpc
import grpc.aio
from debug_relay._proto import session_pb2 as _pb2

class SessionServiceStub:
    def __init__(self, channel: grpc.Channel) -> None: ...
    CreateSession: grpc.UnaryUnaryMultiCallable[_pb2.CreateSessionRequest, _pb2.CreateSessionResponse]
    Launch: grpc.UnaryUnaryMultiCallable[_pb2.LaunchRequest, _pb2.LaunchResponse]
    Attach: grpc.UnaryUnaryMultiCallable[_pb2.AttachRequest, _pb2.AttachResponse]
    Restart: grpc.UnaryUnaryMultiCallable[_pb2.RestartRequest, _pb2.RestartResponse]
    GetSession: grpc.UnaryUnaryMultiCallable[_pb2.GetSessionRequest, _pb2.GetSessionResponse]
    ListSessions: grpc.UnaryUnaryMultiCallable[_pb2.ListSessionsRequest, _pb2.ListSessionsResponse]
    Detach: grpc.UnaryUnaryMultiCallable[_pb2.DetachRequest, _pb2.DetachResponse]
    TerminateSession: grpc.UnaryUnaryMultiCallable[_pb2.TerminateSessionRequest, _pb2.TerminateSessionResponse]
    DeleteSession: grpc.UnaryUnaryMultiCallable[_pb2.DeleteSessionRequest, _pb2.DeleteSessionResponse]
    CreateSessionToken: grpc.UnaryUnaryMultiCallable[_pb2.CreateSessionTokenRequest, _pb2.CreateSessionTokenResponse]
    ListSessionTokens: grpc.UnaryUnaryMultiCallable[_pb2.ListSessionTokensRequest, _pb2.ListSessionTokensResponse]
    RevokeSessionToken: grpc.UnaryUnaryMultiCallable[_pb2.RevokeSessionTokenRequest, _pb2.RevokeSessionTokenResponse]

class SessionServiceAsyncStub:
    def __init__(self, channel: grpc.aio.Channel) -> None: ...
    CreateSession: grpc.aio.UnaryUnaryMultiCallable[_pb2.CreateSessionRequest, _pb2.CreateSessionResponse]
    Launch: grpc.aio.UnaryUnaryMultiCallable[_pb2.LaunchRequest, _pb2.LaunchResponse]
    Attach: grpc.aio.UnaryUnaryMultiCallable[_pb2.AttachRequest, _pb2.AttachResponse]
    Restart: grpc.aio.UnaryUnaryMultiCallable[_pb2.RestartRequest, _pb2.RestartResponse]
    GetSession: grpc.aio.UnaryUnaryMultiCallable[_pb2.GetSessionRequest, _pb2.GetSessionResponse]
    ListSessions: grpc.aio.UnaryUnaryMultiCallable[_pb2.ListSessionsRequest, _pb2.ListSessionsResponse]
    Detach: grpc.aio.UnaryUnaryMultiCallable[_pb2.DetachRequest, _pb2.DetachResponse]
    TerminateSession: grpc.aio.UnaryUnaryMultiCallable[_pb2.TerminateSessionRequest, _pb2.TerminateSessionResponse]
    DeleteSession: grpc.aio.UnaryUnaryMultiCallable[_pb2.DeleteSessionRequest, _pb2.DeleteSessionResponse]
    CreateSessionToken: grpc.aio.UnaryUnaryMultiCallable[_pb2.CreateSessionTokenRequest, _pb2.CreateSessionTokenResponse]
    ListSessionTokens: grpc.aio.UnaryUnaryMultiCallable[_pb2.ListSessionTokensRequest, _pb2.ListSessionTokensResponse]
    RevokeSessionToken: grpc.aio.UnaryUnaryMultiCallable[_pb2.RevokeSessionTokenRequest, _pb2.RevokeSessionTokenResponse]
