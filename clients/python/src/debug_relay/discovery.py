"""Finds the server of this machine: its address, its token, and whether it speaks TLS."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Mapping, NamedTuple

from ._headers import SESSION
from ._ids import session_of
from .options import PathLike
from .tls import Tls

DEFAULT_ADDRESS = "127.0.0.1:50051"
HTTPS = "https://"


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
    #: None when it does not speak TLS.
    tls: Tls | None = None

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
            return (
                f"Its process {self.gone_pid} is gone, or cannot be seen from here. "
                "Start one with: debug-relay serve"
            )
        if self.tls:
            vouches = self.tls.ca or "this machine"
            more = "" if self.tls.cert else " Does it want a certificate (cert and key)?"
            return f"Is it running, does it speak TLS, and does {vouches} vouch for it?{more}"
        return "Is it running? Start one with: debug-relay serve"

    @property
    def headers(self) -> dict[str, str]:
        """What every call has, unless it is about another session."""
        if not self.token:
            return {}
        session_id = session_of(self.token)
        # Only the replica with the session knows its token.
        pinned = {SESSION: session_id} if session_id else {}
        return {"authorization": f"Bearer {self.token}", **pinned}

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
        if self.tls and self.tls.server_name:
            options.append(("grpc.ssl_target_name_override", self.tls.server_name))
        return options


def find_server(
    address: str | None = None,
    token: str | None = None,
    environ: Mapping[str, str] = os.environ,
    *,
    ca: PathLike | None = None,
    cert: PathLike | None = None,
    key: PathLike | None = None,
    server_name: str = "",
) -> Server:
    """The server that is meant: what is given, else what the environment or the run folder tells.

    The token of the run folder is for the server that this folder names, while that runs, and with
    TLS for other addresses of this machine: where no server listens, another user may. It is for
    callers who show no certificate.
    """
    folder = run_folder(environ)
    told = announced(folder / "server.json")
    gone_pid, speaks_tls = 0, False
    if address:
        source = "as given"
    elif environ.get("DEBUG_RELAY_ADDRESS"):
        address, source = environ["DEBUG_RELAY_ADDRESS"], "DEBUG_RELAY_ADDRESS"
    else:
        address, source, speaks_tls = told.address, told.source, told.speaks_tls
        gone_pid = 0 if told.runs else told.pid
    if address.startswith(HTTPS):
        address, speaks_tls = without_scheme(address), True
    tls = Tls(
        ca=os.fspath(ca or environ.get("DEBUG_RELAY_CA", "")),
        cert=os.fspath(cert or environ.get("DEBUG_RELAY_CERT", "")),
        key=os.fspath(key or environ.get("DEBUG_RELAY_KEY", "")),
        server_name=server_name,
    )
    # A Unix socket has no TLS.
    speaks_tls = speaks_tls or bool(tls.ca or tls.cert or tls.key)
    speaks_tls = speaks_tls and not address.startswith("unix:")
    is_own = told.runs and plain(address) == plain(told.address)
    if is_own and not speaks_tls:
        # A name may lead to another address of this machine, where anybody may listen.
        address = told.address
    if token is None:
        is_trusted = is_local(address) and (is_own or speaks_tls)
        is_wanted = is_trusted and not (speaks_tls and tls.cert)
        token = environ.get("DEBUG_RELAY_TOKEN") or (read_token(folder) if is_wanted else "")
    return Server(address, token, source, gone_pid, tls if speaks_tls else None)


def without_scheme(address: str) -> str:
    host = address[len(HTTPS) :].rstrip("/")
    return host if re.search(r":[0-9]+$", host) else f"{host}:443"


def run_folder(environ: Mapping[str, str]) -> Path:
    if environ.get("DEBUG_RELAY_RUN_DIR"):
        return Path(environ["DEBUG_RELAY_RUN_DIR"])
    base = environ.get("XDG_RUNTIME_DIR")
    if base and os.path.isdir(base):
        return Path(base, "debug-relay")
    return Path(f"/tmp/debug-relay-{os.getuid()}")


class Announced(NamedTuple):
    """What a server has left for others on its machine, and where that was found."""

    address: str
    source: str
    pid: int = 0
    #: Its process is there.
    runs: bool = False
    speaks_tls: bool = False


def announced(path: Path) -> Announced:
    try:
        told = json.loads(path.read_text())
        address, pid = str(told["address"]), int(told.get("pid", 0))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Announced(DEFAULT_ADDRESS, "the default")
    return Announced(address, str(path), pid, is_server(pid), told.get("tls") is True)


def is_server(pid: int) -> bool:
    """The process is there, and is a server: another may have its number by now."""
    try:
        if pid > 0 and not os.path.isdir("/proc/self"):
            os.kill(pid, 0)
            return True
        # Not somebody else's who has waited for the number.
        if os.stat(f"/proc/{pid}").st_uid not in (0, os.geteuid()):
            return False
        return b"serve" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def plain(address: str) -> str:
    """The one way to write an address."""
    return re.sub("^unix://", "unix:", re.sub("^localhost:", "127.0.0.1:", address))


def read_token(folder: Path) -> str:
    try:
        return (folder / "token").read_text().strip()
    except OSError:
        return ""


def is_local(address: str) -> bool:
    """It is a Unix socket or a loopback address, so nobody on the way can listen in."""
    host = address.rpartition(":")[0].strip("[]")
    try:
        return address.startswith("unix:") or host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
