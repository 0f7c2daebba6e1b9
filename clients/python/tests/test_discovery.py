"""Address and token are found, in the order that is promised."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest
from support import RunningServer, free_address

from debug_relay import DebugRelay, errors, find_server


@pytest.fixture
def run_folder(tmp_path: Path) -> Iterator[Path]:
    """That of something that looks as a server does."""
    words = ["sh", "-c", "echo ready; read line", "serve"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe) as process:
        assert process.stdout
        # Before, the system may not tell its words yet.
        process.stdout.readline()
        announce(tmp_path, "127.0.0.1:4711", process.pid)
        (tmp_path / "token").write_text("from the folder\n")
        yield tmp_path
        process.kill()


def announce(folder: Path, address: str, pid: int) -> None:
    told = {"address": address, "pid": pid, "version": "0.1.0"}
    (folder / "server.json").write_text(json.dumps(told))


def test_what_is_given_wins_over_all(run_folder: Path) -> None:
    environ = {
        "DEBUG_RELAY_RUN_DIR": str(run_folder),
        "DEBUG_RELAY_ADDRESS": "localhost:1",
        "DEBUG_RELAY_TOKEN": "from the environment",
    }

    given = find_server("localhost:2", "given", environ)
    named = find_server(environ=environ)

    assert (given.address, given.token) == ("localhost:2", "given")
    assert (named.address, named.token) == ("localhost:1", "from the environment")


def test_the_run_folder_tells_address_and_token(run_folder: Path) -> None:
    found = find_server(environ={"DEBUG_RELAY_RUN_DIR": str(run_folder)})

    assert (found.address, found.token) == ("127.0.0.1:4711", "from the folder")
    assert not found.gone_pid


def test_the_run_folder_is_below_the_runtime_folder(run_folder: Path) -> None:
    (run_folder / "debug-relay").mkdir()
    (run_folder / "debug-relay" / "server.json").write_text('{"address": "unix:/x"}')

    assert find_server(environ={"XDG_RUNTIME_DIR": str(run_folder)}).address == "unix:/x"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"address": "a", "pid": "b"}'])
def test_a_broken_announcement_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "server.json").write_text(text)

    found = find_server(environ={"DEBUG_RELAY_RUN_DIR": str(tmp_path)})

    assert (found.address, found.token) == ("127.0.0.1:50051", "")


@pytest.mark.parametrize(
    ("address", "is_its"),
    [
        ("127.0.0.1:4711", True),
        ("localhost:4711", True),
        ("127.0.0.1:1", False),
        ("127.8.8.8:4711", False),
        ("[::1]:4711", False),
        ("unix:/run/x", False),
        ("example.org:4711", False),
        ("10.0.0.1:4711", False),
    ],
)
def test_the_token_of_the_run_folder_is_for_the_server_that_it_names(
    run_folder: Path, address: str, is_its: bool
) -> None:
    found = find_server(address, environ={"DEBUG_RELAY_RUN_DIR": str(run_folder)})

    assert found.token == ("from the folder" if is_its else "")
    assert found.address == ("127.0.0.1:4711" if is_its else address)
    assert "from the folder" not in repr(found)


def test_where_the_server_is_gone_another_user_may_listen(run_folder: Path) -> None:
    announce(run_folder, "127.0.0.1:4711", os.getpid())

    found = find_server(environ={"DEBUG_RELAY_RUN_DIR": str(run_folder)})

    assert (found.token, found.gone_pid) == ("", os.getpid())


def test_a_server_that_is_gone_is_told_by_its_pid(
    run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    announce(run_folder, free_address(), gone.pid)
    monkeypatch.setenv("DEBUG_RELAY_RUN_DIR", str(run_folder))

    with pytest.raises(errors.ServerUnavailable) as raised:
        DebugRelay.connect()

    assert f"Its process {gone.pid} is gone" in str(raised.value)
    assert str(run_folder / "server.json") in str(raised.value)


def test_a_real_server_is_found_without_a_word(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEBUG_RELAY_RUN_DIR", str(server.run_folder))
    # A proxy of the environment is not for this machine.
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")

    with DebugRelay.connect() as relay:
        assert relay.address == server.address
        assert relay.info().address == server.address


def test_a_unix_socket_is_an_address(tmp_path: Path) -> None:
    server = RunningServer(tmp_path, f"unix:{tmp_path}/socket")
    try:
        relay = DebugRelay.connect(f"unix:{tmp_path}/socket", token=server.token)
        with relay, relay.debug("loop.py") as session:
            assert session.exit_code == 0
    finally:
        server.stop()
