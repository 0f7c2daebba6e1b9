"""TLS: the server proves who it is, and so may the caller."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Callable, Iterator

import pytest
from support import Authority, CuttingProxy, RunningServer

from debug_relay import AsyncDebugRelay, DebugRelay, EventType, errors, find_server
from debug_relay.tls import Tls, system_roots

ADA, BOB = "spiffe://example.org/ada", "spiffe://example.org/bob"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls") / "authority")


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, authority: Authority
) -> Iterator[RunningServer]:
    """A server that speaks TLS, to callers with and without certificates."""
    certificate, key = authority.issue("server", "DNS:relay.test", "IP:127.0.0.1")
    running = RunningServer(
        tmp_path_factory.mktemp("server"),
        "127.0.0.1:0",
        *("--tls-cert", certificate, "--tls-key", key),
        *("--tls-client-ca", authority.ca, "--tls-client-optional"),
    )
    yield running
    running.stop()


@pytest.fixture
def trusting(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine trusts the authority."""
    monkeypatch.delenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", authority.ca)


def test_a_program_is_debugged_over_tls(server: RunningServer, authority: Authority) -> None:
    with DebugRelay.connect(server.address, token=server.token, ca=authority.ca) as relay:
        assert relay.address == server.address
        with relay.debug("loop.py") as session:
            assert session.exit_code == 0


@pytest.mark.usefixtures("trusting")
def test_a_server_of_this_machine_tells_that_it_speaks_tls(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEBUG_RELAY_RUN_DIR", str(server.run_folder))

    with DebugRelay.connect() as relay:
        assert relay.info().caller.owner == "server"


@pytest.mark.usefixtures("trusting")
def test_an_address_says_that_tls_is_wanted(server: RunningServer) -> None:
    with DebugRelay.connect(f"https://{server.address}/", token=server.token) as relay:
        assert relay.address == server.address


def test_the_environment_names_the_files(
    server: RunningServer, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = authority.issue("environment", f"URI:{ADA}")
    monkeypatch.setenv("DEBUG_RELAY_ADDRESS", server.address)
    monkeypatch.setenv("DEBUG_RELAY_CA", authority.ca)
    monkeypatch.setenv("DEBUG_RELAY_CERT", certificate)
    monkeypatch.setenv("DEBUG_RELAY_KEY", key)

    with DebugRelay.connect() as relay:
        assert relay.info().caller.owner == ADA


def test_the_server_may_have_another_name_than_its_address(
    server: RunningServer, authority: Authority
) -> None:
    def connect(server_name: str) -> DebugRelay:
        return DebugRelay.connect(
            server.address, token=server.token, ca=authority.ca, server_name=server_name
        )

    connect("relay.test").close()
    with pytest.raises(errors.ServerUnavailable, match=r"other\.test"):
        connect("other.test")


def test_a_server_that_nobody_vouches_for_is_left_alone(
    server: RunningServer, tmp_path: Path
) -> None:
    stranger = Authority(tmp_path / "stranger")

    with pytest.raises(errors.ServerUnavailable, match=f"does {stranger.ca} vouch for it"):
        DebugRelay.connect(server.address, token=server.token, ca=stranger.ca)
    with pytest.raises(errors.ServerUnavailable):
        DebugRelay.connect(server.address, token=server.token)


def test_two_certificates_do_not_see_each_others_sessions(
    server: RunningServer, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The token of the run folder would let everybody see everything.
    monkeypatch.setenv("DEBUG_RELAY_RUN_DIR", str(server.run_folder))

    def connect(name: str, uri: str) -> DebugRelay:
        certificate, key = authority.issue(name, f"URI:{uri}")
        return DebugRelay.connect(server.address, ca=authority.ca, cert=certificate, key=key)

    with connect("ada", ADA) as ada, connect("bob", BOB) as bob, ada.create() as hers:
        with bob.create() as his:
            assert [session.id for session in ada.sessions()] == [hers.id]
            assert [session.id for session in bob.sessions()] == [his.id]
        with pytest.raises(errors.SessionNotFound):
            bob.session(hers.id)
        assert (ada.info().caller.owner, bob.info().caller.owner) == (ADA, BOB)


async def test_both_clients_speak_tls(server: RunningServer, authority: Authority) -> None:
    certificate, key = authority.issue("async", f"URI:{BOB}")
    async with AsyncDebugRelay.connect(
        server.address, ca=authority.ca, cert=certificate, key=key
    ) as relay, relay.create() as session:
        assert (await relay.info()).caller.owner == BOB
        assert [listed.id async for listed in relay.sessions()] == [session.id]


def test_streams_go_on_over_tls_after_a_cut(server: RunningServer, authority: Authority) -> None:
    proxy = CuttingProxy(server.address)
    token = server.token
    with DebugRelay.connect(server.address, token=token, ca=authority.ca) as relay, relay.debug(
        "echo.py", wait=0
    ) as session, DebugRelay.connect(proxy.address, token=token, ca=authority.ca) as cut_off:
        session.write_input("one\n")
        seen, told = [], False
        for event in cut_off.session(session.id).events():
            seen.append(event.sequence)
            if event.type is EventType.OUTPUT and not told:
                told = True
                proxy.cut()
                session.write_input("two\n", close=True)
    proxy.close()

    assert proxy.accepted > 1
    assert seen == list(range(1, len(seen) + 1))


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (lambda ours, ca: Tls(ca=f"{ca}.missing"), "No such file.*missing"),
        (lambda ours, ca: Tls(ca=ours[1]), "server.key has no certificates in it"),
        (lambda ours, ca: Tls(ca=ca, cert=ours[0]), "give both cert and key"),
        (lambda ours, ca: Tls(ca=ca, key=ours[1]), "give both cert and key"),
        (lambda ours, ca: Tls(ca=ca, cert=ca, key=ours[1]), "are no certificate and its key"),
    ],
)
def test_files_that_cannot_be_used_are_named(
    authority: Authority, files: Callable[[tuple[str, str], str], Tls], says: str
) -> None:
    with pytest.raises((OSError, ValueError), match=says):
        files(authority.issue("server", "DNS:relay.test"), authority.ca).credentials()


def test_a_folder_of_certificates_is_as_good_as_a_file(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "0a1b2c3d.0").write_bytes(Path(authority.ca).read_bytes())
    monkeypatch.delenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))

    assert system_roots() == Path(authority.ca).read_bytes()


@pytest.mark.parametrize(
    ("address", "found", "token"),
    [
        ("https://example.org", "example.org:443", ""),
        ("https://example.org:50051/", "example.org:50051", ""),
        ("https://127.0.0.1.example.org:1", "127.0.0.1.example.org:1", ""),
        ("https://localhost:1", "localhost:1", "from the folder"),
        ("https://[::1]", "[::1]:443", "from the folder"),
    ],
)
def test_the_token_of_the_run_folder_stays_on_this_machine_with_tls_too(
    tmp_path: Path, address: str, found: str, token: str
) -> None:
    (tmp_path / "token").write_text("from the folder")
    environ = {"DEBUG_RELAY_RUN_DIR": str(tmp_path)}

    server = find_server(address, environ=environ)
    with_certificate = find_server(address, environ=environ, cert="c", key="k")

    assert (server.address, server.token, server.tls) == (found, token, Tls())
    assert with_certificate.token == ""


def test_a_unix_socket_has_no_tls(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("from the folder")
    environ = {
        "DEBUG_RELAY_RUN_DIR": str(tmp_path),
        "DEBUG_RELAY_CA": "ca",
        "DEBUG_RELAY_CERT": "c",
        "DEBUG_RELAY_KEY": "k",
    }

    server = find_server("unix:/run/x", environ=environ)

    # Nobody has said whose socket it is.
    assert (server.tls, server.token) == (None, "")


def test_a_missing_certificate_is_thought_of(authority: Authority, tmp_path: Path) -> None:
    certificate, key = authority.issue("strict", "IP:127.0.0.1")
    server = RunningServer(
        tmp_path,
        "127.0.0.1:0",
        *("--tls-cert", certificate, "--tls-key", key, "--tls-client-ca", authority.ca),
    )

    with pytest.raises(
        errors.ServerUnavailable, match=re.escape("want a certificate (cert and key)")
    ):
        DebugRelay.connect(server.address, token=server.token, ca=authority.ca)
    server.stop()
