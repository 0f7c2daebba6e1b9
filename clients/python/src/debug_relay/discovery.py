"""Finds the server of this machine: its address and its token."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Mapping

DEFAULT_ADDRESS = "127.0.0.1:50051"


@dataclass(frozen=True)
class Server:
    """Where a server is, how that is known, and what to show it."""

    #: ``host:port`` or ``unix:/path``.
    address: str
    token: str = field(default="", repr=False)
    #: Where the address comes from, for people.
    source: str = "as given"
    #: The process that should have been there and is not.
    gone_pid: int = 0

    @property
    def is_local(self) -> bool:
        return is_local(self.address)

    @property
    def name(self) -> str:
        """Names it in messages."""
        return f"the server at {self.address} ({self.source})"

    @property
    def when_gone(self) -> str:
        """What to do when it does not answer."""
        if self.gone_pid:
            return f"Its process {self.gone_pid} is gone. Start one with: debug-relay serve"
        return "Is it running? Start one with: debug-relay serve"

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    @property
    def channel_options(self) -> list[tuple[str, Any]]:
        options: list[tuple[str, Any]] = [
            ("grpc.max_receive_message_length", -1),
            # A peer that is gone without a word is noticed within 40 s, by calls that wait.
            ("grpc.keepalive_time_ms", 30_000),
            ("grpc.keepalive_timeout_ms", 10_000),
            ("grpc.http2.max_pings_without_data", 0),
            # A server on this machine is back soon after it was started again.
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.min_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 1_000),
            # Two clients in one process, with one address, share no connection and no back-off.
            ("grpc.use_local_subchannel_pool", 1),
        ]
        if self.is_local:
            options.append(("grpc.enable_http_proxy", 0))
        if self.address.startswith("unix:"):
            # Otherwise it is the path, which is no authority that a server takes.
            options.append(("grpc.default_authority", "localhost"))
        return options


def find_server(
    address: str | None = None,
    token: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Server:
    """The server that is meant: what is given, else what the environment or the run folder tells.

    The token of the run folder is only for servers of this machine.
    """
    folder = run_folder(environ)
    gone_pid = 0
    if address:
        source = "as given"
    elif environ.get("DEBUG_RELAY_ADDRESS"):
        address, source = environ["DEBUG_RELAY_ADDRESS"], "DEBUG_RELAY_ADDRESS"
    else:
        address, source, gone_pid = announced(folder / "server.json")
    if token is None:
        token = environ.get("DEBUG_RELAY_TOKEN") or (
            read_token(folder) if is_local(address) else ""
        )
    return Server(address, token, source, gone_pid)


def run_folder(environ: Mapping[str, str]) -> Path:
    if environ.get("DEBUG_RELAY_RUN_DIR"):
        return Path(environ["DEBUG_RELAY_RUN_DIR"])
    base = environ.get("XDG_RUNTIME_DIR")
    if base and os.path.isdir(base):
        return Path(base, "debug-relay")
    return Path(f"/tmp/debug-relay-{os.getuid()}")


def announced(path: Path) -> tuple[str, str, int]:
    """The address that a server has left there, where that comes from, and its process if gone."""
    try:
        told = json.loads(path.read_text())
        address, pid = str(told["address"]), int(told.get("pid", 0))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return DEFAULT_ADDRESS, "the default", 0
    return address, str(path), 0 if is_alive(pid) else pid


def is_alive(pid: int) -> bool:
    if pid <= 0:
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def read_token(folder: Path) -> str:
    try:
        return (folder / "token").read_text().strip()
    except OSError:
        return ""


def is_local(address: str) -> bool:
    """It is a Unix socket or a loopback address, so nobody else can be listening in."""
    host = address.rpartition(":")[0].strip("[]")
    try:
        return address.startswith("unix:") or host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
