# Made from _async/stubs.py by ./generate. Change that file, not this one.
"""The raw stubs of all services, for what has no method of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._proto.breakpoint_pb2_grpc import BreakpointServiceStub
from .._proto.bridge_pb2_grpc import BridgeServiceStub
from .._proto.event_pb2_grpc import EventServiceStub
from .._proto.execution_pb2_grpc import ExecutionServiceStub
from .._proto.inspection_pb2_grpc import InspectionServiceStub
from .._proto.output_pb2_grpc import OutputServiceStub
from .._proto.server_pb2_grpc import ServerServiceStub
from .._proto.session_pb2_grpc import SessionServiceStub

if TYPE_CHECKING:
    from .._proto.breakpoint_pb2_grpc import BreakpointServiceStub
    from .._proto.bridge_pb2_grpc import BridgeServiceStub
    from .._proto.event_pb2_grpc import EventServiceStub
    from .._proto.execution_pb2_grpc import ExecutionServiceStub
    from .._proto.inspection_pb2_grpc import InspectionServiceStub
    from .._proto.output_pb2_grpc import OutputServiceStub
    from .._proto.server_pb2_grpc import ServerServiceStub
    from .._proto.session_pb2_grpc import SessionServiceStub


class Stubs:
    """One stub for each service. Calls have the token and their session's header by themselves."""

    def __init__(self, channel: Any) -> None:
        self.sessions: SessionServiceStub = stub(SessionServiceStub, channel)
        self.breakpoints: BreakpointServiceStub = stub(BreakpointServiceStub, channel)
        self.execution: ExecutionServiceStub = stub(ExecutionServiceStub, channel)
        self.inspection: InspectionServiceStub = stub(InspectionServiceStub, channel)
        self.events: EventServiceStub = stub(EventServiceStub, channel)
        self.output: OutputServiceStub = stub(OutputServiceStub, channel)
        self.bridge: BridgeServiceStub = stub(BridgeServiceStub, channel)
        self.server: ServerServiceStub = stub(ServerServiceStub, channel)


def stub(kind: Any, channel: Any) -> Any:
    return kind(channel)
