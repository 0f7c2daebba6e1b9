"""Calls the relay as a Python program does, with generated stubs, and prints how long each call took.

Arguments: folder of the stubs, address, token, program, line, and how often. Prints one JSON object of
lists of seconds.
"""

import json
import sys
import time

stubs, address, token, program, line, count = sys.argv[1:]
sys.path.insert(0, stubs)

import grpc
from debugrelay.v1 import (
    breakpoint_pb2, execution_pb2, execution_pb2_grpc, inspection_pb2, inspection_pb2_grpc,
    session_pb2, session_pb2_grpc,
)

metadata = [("authorization", "Bearer " + token)]
channel = grpc.insecure_channel(address)
sessions = session_pb2_grpc.SessionServiceStub(channel)
execution = execution_pb2_grpc.ExecutionServiceStub(channel)
inspection = inspection_pb2_grpc.InspectionServiceStub(channel)

point = breakpoint_pb2.BreakpointSpec()
point.line.file, point.line.line = program, int(line)
create = session_pb2.CreateSessionRequest(breakpoints=[point])
create.launch.program = program
session = sessions.CreateSession(create, metadata=metadata).session.id

calls = {
    "step": lambda: execution.StepOver(
        execution_pb2.StepOverRequest(session_id=session), metadata=metadata),
    "evaluate": lambda: inspection.Evaluate(
        inspection_pb2.EvaluateRequest(session_id=session, expression="count + 1"), metadata=metadata),
    "status": lambda: sessions.GetSession(
        session_pb2.GetSessionRequest(session_id=session), metadata=metadata),
}
times = {}
for name, call in calls.items():
    call()
    times[name] = []
    for _ in range(int(count)):
        begun = time.perf_counter()
        call()
        times[name].append(time.perf_counter() - begun)
sessions.DeleteSession(session_pb2.DeleteSessionRequest(session_id=session), metadata=metadata)
print(json.dumps(times))
