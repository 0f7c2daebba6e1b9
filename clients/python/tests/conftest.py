"""What the tests share: one server for all that do not harm it, and a limit on each."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import FrameType
from typing import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from support import PROGRAMS, CuttingProxy, RunningServer

from debug_relay import AsyncDebugRelay, DebugRelay

LONGEST_TEST = 60


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    """Fails a test that waits for ever, wherever that is."""

    def end(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"the test has not ended in {LONGEST_TEST} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(LONGEST_TEST)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller's own server is none of ours, and relative paths start at the programs."""
    for name in [name for name in os.environ if name.startswith("DEBUG_RELAY_")]:
        if name != "DEBUG_RELAY_BIN":
            monkeypatch.delenv(name)
    monkeypatch.chdir(PROGRAMS)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("server")
    running = RunningServer(folder, "127.0.0.1:0", "--limits-breakpoints", "20")
    yield running
    running.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[RunningServer]:
    """A server that a test may kill."""
    running = RunningServer(tmp_path)
    yield running
    running.stop()


@pytest.fixture
def relay(server: RunningServer) -> Iterator[DebugRelay]:
    with DebugRelay.connect(server.address, token=server.token) as relay:
        yield relay


@pytest_asyncio.fixture
async def async_relay(server: RunningServer) -> AsyncIterator[AsyncDebugRelay]:
    async with AsyncDebugRelay.connect(server.address, token=server.token) as relay:
        yield relay


@pytest.fixture
def proxy(server: RunningServer) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(server.address)
    yield proxy
    proxy.close()
