"""TLS: whom to trust, and what to show."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc


@dataclass(frozen=True)
class Tls:
    """How a server proves who it is, and how this client does. The files are PEM."""

    #: Those who vouch for the server; without it, those whom this machine trusts.
    ca: str = ""
    #: This client's certificate with its chain, and the key of it.
    cert: str = ""
    key: str = ""
    #: The name in the server's certificate; without it, the host of the address.
    server_name: str = ""

    def credentials(self) -> grpc.ChannelCredentials:
        """Reads the files. Raises OSError or ValueError for one that cannot be used."""
        if bool(self.cert) != bool(self.key):
            raise ValueError("a certificate and its key go together: give both cert and key")
        roots = Path(self.ca).read_bytes() if self.ca else system_roots()
        key = Path(self.key).read_bytes() if self.key else None
        chain = Path(self.cert).read_bytes() if self.cert else None
        self._check()
        return grpc.ssl_channel_credentials(roots, key, chain)

    def _check(self) -> None:
        """Of files with something else in them, gRPC only says that there is no address."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        try:
            if self.ca:
                context.load_verify_locations(self.ca)
        except ssl.SSLError as error:
            raise ValueError(f"{self.ca} has no certificates in it: {error}") from None
        try:
            if self.cert:
                # Without a password, one would be asked for.
                context.load_cert_chain(self.cert, self.key, password="")
        except ssl.SSLError as error:
            problem = f"{self.cert} and {self.key} are no certificate and its key: {error}"
            raise ValueError(problem) from None


def system_roots() -> bytes | None:
    """Those whom this machine trusts. gRPC left to itself asks a list of its own."""
    if os.environ.get("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"):
        return None
    paths = ssl.get_default_verify_paths()
    if paths.cafile:
        return Path(paths.cafile).read_bytes()
    files = sorted(Path(paths.capath).glob("*.[0-9]")) if paths.capath else []
    return b"\n".join(file.read_bytes() for file in files) or None
