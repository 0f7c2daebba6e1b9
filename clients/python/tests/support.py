"""Real servers for the tests, proxies before them, certificates, and the programs to debug."""

from __future__ import annotations

import contextlib
import itertools
import os
import select
import signal
import socket
import struct
import subprocess
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, Iterator

import grpc

REPOSITORY = Path(__file__).resolve().parents[3]
PROGRAMS = Path(__file__).resolve().parent / "programs"
SECONDS = 20.0


def binary() -> Path:
    named = os.environ.get("DEBUG_RELAY_BIN")
    built = [REPOSITORY / "target" / kind / "debug-relay" for kind in ("release", "debug")]
    for path in [Path(named)] if named else built:
        if path.exists():
            return path
    raise AssertionError("there is no server to test with: run cargo build, or set DEBUG_RELAY_BIN")


def line_of(program: str, marker: str) -> int:
    for number, line in enumerate((PROGRAMS / program).read_text().splitlines(), 1):
        if line.endswith(f"# @{marker}"):
            return number
    raise AssertionError(f"{program} has no marker {marker}")


def place(program: str, marker: str) -> str:
    """The line with a marker, as a breakpoint is written."""
    return f"{program}:{line_of(program, marker)}"


def free_address() -> str:
    """An address of this machine at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return f"127.0.0.1:{probe.getsockname()[1]}"


class RunningServer:
    """``debug-relay serve`` with folders of its own. Nothing of it is left after ``stop()``."""

    def __init__(self, folder: Path, listen: str = "127.0.0.1:0", *flags: str) -> None:
        self.run_folder = folder / "run"
        self.address = listen
        self._state_folder = folder / "state"
        self._flags = flags
        # All processes of the server inherit it, so that any that is left can be told.
        self._mark = f"DEBUG_RELAY_TEST_MARK={uuid.uuid4().hex}"
        self.start()

    @property
    def token(self) -> str:
        return (self.run_folder / "token").read_text().strip()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def environment(self) -> dict[str, str]:
        """For a client in another process."""
        ours = {key: text for key, text in os.environ.items() if not key.startswith("DEBUG_RELAY_")}
        return {**ours, "DEBUG_RELAY_RUN_DIR": str(self.run_folder)}

    def start(self) -> None:
        """Starts it; again on the same address, if it has been started before."""
        name, _, value = self._mark.partition("=")
        self._process = subprocess.Popen(
            [
                *(str(binary()), "serve", "--listen", self.address, "--stop-sessions"),
                *("--run-dir", str(self.run_folder), "--state-dir", str(self._state_folder)),
                *("--debugpy", str(REPOSITORY / ".tools" / "debugpy")),
                # Every program is started anew, so that all tests see the same start.
                *("--limits-spares", "0"),
                *self._flags,
            ],
            env={**self.environment, "DEBUG_RELAY_CONFIG": "/dev/null", name: value},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        greeting = read_until(self._process.stdout, b"  try ")
        self.address = greeting.split(" listens on ", 1)[1].split("\n", 1)[0]

    def tell_to_end(self) -> None:
        """One that drains first is then still there."""
        self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Ends the server as a crash would. Its sessions stay."""
        self._process.kill()
        self._finish()

    def stop(self) -> None:
        """Ends the server and its sessions."""
        self.tell_to_end()
        self._finish()
        left = self.left_processes()
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert not left, f"the server has left processes behind: {left}"

    def left_processes(self) -> list[int]:
        found = []
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and self._mark.encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
        return found

    def _finish(self) -> None:
        self._process.wait(SECONDS)
        if self._process.stdout is not None:
            self._process.stdout.close()


def read_until(stream: IO[bytes], text: bytes) -> str:
    read, limit = b"", time.monotonic() + SECONDS
    while text not in read:
        ready, _, _ = select.select([stream], [], [], max(0, limit - time.monotonic()))
        assert ready, f"the server has said nothing more in {SECONDS} s than {read!r}"
        more = os.read(stream.fileno(), 4096)
        assert more, f"the server ended after {read!r}"
        read += more
    return read.decode()


class CuttingProxy:
    """Passes connections on to a server until it is told to cut them; then new ones again."""

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        #: How many connections have been passed on.
        self.accepted = 0
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Resets all connections there are."""
        with self._lock:
            ends, self._open = self._open, []
        for end in ends:
            with contextlib.suppress(OSError):
                # Without lingering, so that it is a reset and no orderly end.
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                try:
                    far = socket.create_connection(self._target)
                except OSError:
                    near.close()
                    continue
                with self._lock:
                    self._open += [near, far]
                    self.accepted += 1
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    @staticmethod
    def _pass_on(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                data = source.recv(65536)
                if not data:
                    break
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


class PinningProxy(grpc.GenericRpcHandler):
    """Stands before replicas, and sends a call where the session is that its header names.

    Calls without the header go to the replicas in turn.
    """

    def __init__(self, *targets: str) -> None:
        self._replicas = [grpc.insecure_channel(target) for target in targets]
        self._turn = itertools.cycle(self._replicas)
        #: The name of each call, and the session in its header, in the order in which they came.
        self.calls: list[tuple[str, str]] = []
        self._server = grpc.server(ThreadPoolExecutor(20), handlers=[self])
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def close(self) -> None:
        self._server.stop(None).wait(SECONDS)
        for replica in self._replicas:
            replica.close()

    def named(self, name: str) -> list[str]:
        """The sessions in the headers of the calls with this name."""
        return [session for call, session in self.calls if call == name]

    def service(self, details: Any) -> Any:
        headers = dict(details.invocation_metadata)
        session = headers.get("debug-relay-session", "")
        self.calls.append((details.method.rpartition("/")[2], session))
        place = sum(session.encode()) % len(self._replicas)
        replica = self._replicas[place] if session else next(self._turn)
        passed = [pair for pair in headers.items() if not pair[0].startswith("user-agent")]

        def pass_on(request: bytes, context: Any) -> Iterator[bytes]:
            method: Any = replica.unary_stream(details.method)
            call = method(request, metadata=passed)
            context.add_callback(call.cancel)
            try:
                yield from call
            except grpc.RpcError:
                context.set_trailing_metadata(call.trailing_metadata())
                context.abort(call.code(), call.details())

        return grpc.unary_stream_rpc_method_handler(pass_on)


class Authority:
    """Makes certificates, with the command openssl (3.0 or newer)."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        # The machine's own settings might add what we add.
        (folder / "settings").write_text("[req]\ndistinguished_name = names\n[names]\n")
        self.ca, self._key = self._make("authority", "-addext", "basicConstraints=critical,CA:TRUE")

    def issue(self, name: str, *names: str) -> tuple[str, str]:
        """The files of a certificate with these names, such as "DNS:relay.test", and of its key."""
        return self._make(
            *(name, "-CA", self.ca, "-CAkey", self._key),
            *("-addext", f"subjectAltName={','.join(names)}"),
            *("-addext", "basicConstraints=critical,CA:FALSE"),
        )

    def _make(self, name: str, *words: str) -> tuple[str, str]:
        certificate, key = str(self._folder / f"{name}.pem"), str(self._folder / f"{name}.key")
        subprocess.run(
            [
                *("openssl", "req", "-x509", "-config", str(self._folder / "settings")),
                *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
                *("-days", "1", "-subj", f"/CN={name}"),
                *("-keyout", key, "-out", certificate, *words),
            ],
            check=True,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=SECONDS,
        )
        return certificate, key
