"""Failures are exceptions that a program can tell apart and a person can act on."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest
from support import PROGRAMS, RunningServer, free_address, place

from debug_relay import DebugRelay, DebugRelayError, errors, proto
from debug_relay.enums import WIRE, prefix


def test_every_reason_of_the_server_has_a_class() -> None:
    reasons = {name[len("ERROR_REASON_") :] for name in proto.ErrorReason.keys()[1:]}

    assert set(errors.BY_REASON) == reasons


def test_every_name_of_the_servers_enums_is_known() -> None:
    for kind, wire in WIRE.items():
        names = {name[len(prefix(wire)) :].lower() for name in wire.keys()[1:]}
        assert {str(each) for each in kind} == {"unknown", *names}


def test_an_error_has_code_reason_facts_and_hint(relay: DebugRelay) -> None:
    with pytest.raises(errors.SessionNotFound) as raised:
        relay.session("nobody")

    error = raised.value
    assert error.code is grpc.StatusCode.NOT_FOUND
    assert error.reason == "SESSION_NOT_FOUND"
    assert error.facts == {"session_id": "nobody"}
    assert error.hint
    assert str(error).endswith(error.hint)


def test_a_bad_field_is_named(relay: DebugRelay) -> None:
    with pytest.raises(errors.InvalidArgument) as raised:
        relay.create(session_id="NOT AN ID")

    [violation] = raised.value.field_violations
    assert violation.field == "session_id"


def test_what_needs_a_stop_says_so_while_the_program_runs(relay: DebugRelay) -> None:
    with relay.debug("endless.py", wait=0) as session, pytest.raises(errors.NotStopped) as raised:
        session.evaluate("count")

    assert raised.value.facts["state"]
    assert isinstance(raised.value, errors.WrongState)


def test_what_is_over_a_limit_names_the_limit(relay: DebugRelay) -> None:
    with relay.create() as session, pytest.raises(errors.LimitExceeded) as raised:
        session.set_breakpoints(*(f"loop.py:{line}" for line in range(1, 30)))

    assert raised.value.facts["limit"] == "limits.breakpoints"


def test_a_program_that_is_not_there_is_a_failed_start(relay: DebugRelay) -> None:
    with pytest.raises(errors.StartFailed) as raised:
        relay.debug("missing.py")

    assert raised.value.reason == "PROGRAM_NOT_FOUND"
    assert raised.value.facts["path"].endswith("/programs/missing.py")


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda session: session.launch("loop.py"), errors.AlreadyStarted),
        (lambda session: session.update_breakpoint(99, enabled=True), errors.BreakpointNotFound),
        (lambda session: session.stack(99), errors.ThreadNotFound),
        (lambda session: list(session.variables(99)), errors.StaleHandle),
        (lambda session: session.exception_info(), errors.DebuggerRefused),
        (lambda session: session.evaluate(""), errors.InvalidArgument),
    ],
)
def test_each_thing_to_do_has_its_class(relay: DebugRelay, call: object, kind: type) -> None:
    assert callable(call)
    with relay.debug("loop.py", breakpoints=[place("loop.py", "add")]) as session, pytest.raises(
        kind
    ):
        call(session)


def test_a_taken_id_and_a_missing_program_are_told(relay: DebugRelay) -> None:
    with relay.create(session_id="taken") as session:
        with pytest.raises(errors.SessionExists):
            relay.create(session_id="taken")
        with pytest.raises(errors.NotStarted):
            session.continue_()


def test_what_cannot_be_done_is_not_supported(relay: DebugRelay) -> None:
    with relay.create() as session:
        request = proto.OpenBridgeRequest(session_id=session.id)
        with pytest.raises(grpc.RpcError) as raised:
            relay.stubs.bridge.OpenBridge(request)

    assert type(errors.from_rpc_error(raised.value, "it", "")) is errors.NotSupported


def test_a_wrong_token_is_refused_at_once(server: RunningServer) -> None:
    with pytest.raises(errors.Unauthenticated) as raised:
        DebugRelay.connect(server.address, token="wrong")

    assert raised.value.reason == "UNAUTHENTICATED"


def test_what_the_servers_settings_forbid_is_denied(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text("")
    server = RunningServer(tmp_path, "127.0.0.1:0", "--roots", str(PROGRAMS))
    with DebugRelay.connect(server.address, token=server.token) as relay:
        with pytest.raises(errors.PermissionDenied) as raised:
            relay.debug(tmp_path / "elsewhere.py")
        with relay.debug("loop.py") as session:
            assert session.exit_code == 0
    server.stop()

    assert raised.value.reason == "PATH_NOT_ALLOWED"
    assert raised.value.facts["path"] == str(tmp_path / "elsewhere.py")


def test_a_server_that_is_told_to_end_makes_no_new_sessions(tmp_path: Path) -> None:
    server = RunningServer(tmp_path, "127.0.0.1:0", "--drain", "10m")
    with DebugRelay.connect(server.address, token=server.token) as relay, relay.debug(
        "endless.py", wait=0
    ) as session:
        server.tell_to_end()
        while not relay.info().draining:
            pass
        with pytest.raises(errors.ServerUnavailable) as raised:
            relay.create()

        assert raised.value.reason == "SHUTTING_DOWN"
        assert session.pause().stopped
    server.stop()


def test_nobody_there_is_told_with_what_to_do() -> None:
    address = free_address()

    with pytest.raises(errors.ServerUnavailable) as raised:
        DebugRelay.connect(address)

    assert address in str(raised.value)
    assert str(raised.value).endswith("Start one with: debug-relay serve")


def test_an_error_of_a_newer_server_is_told_by_its_code() -> None:
    class Failure:
        def code(self) -> grpc.StatusCode:
            return grpc.StatusCode.OUT_OF_RANGE

        def details(self) -> str:
            return "too far"

        def trailing_metadata(self) -> None:
            return None

    error = errors.from_rpc_error(Failure(), "it", "")

    assert type(error) is DebugRelayError
    assert str(error) == "too far"
