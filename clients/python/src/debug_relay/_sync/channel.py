# Made from _async/channel.py by ./generate. Change that file, not this one.
"""Calls to one server: with our headers, a deadline, and our exceptions for failures."""

from __future__ import annotations

import time
from typing import Callable, Generator, TypeVar

import grpc

from .._headers import HeaderChannel
from .._patience import Patience
from ..discovery import Server
from ..errors import ServerUnavailable, from_rpc_error
from .stubs import Stubs

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")

# What a call may take beyond what its caller waits for. The server allows a debugger 30 s.
GRACE = 60.0


class Channel:
    """A connection to one server, which is made again by itself when it breaks."""

    def __init__(self, server: Server) -> None:
        self.server = server
        options = server.channel_options
        if server.tls:
            credentials = server.tls.credentials()
            self._channel = grpc.secure_channel(server.address, credentials, options=options)
        else:
            self._channel = grpc.insecure_channel(server.address, options=options)
        self.stubs = Stubs(HeaderChannel(self._channel, server.headers))

    def close(self) -> None:
        self._channel.close()

    def call(
        self,
        method: grpc.UnaryUnaryMultiCallable[Asked, Answer],
        request: Asked,
        wait: float = 0,
        grace: float = GRACE,
    ) -> Answer:
        """Makes a call in which the server may wait for ``wait`` seconds."""
        try:
            return method(request, timeout=wait + grace)
        except grpc.RpcError as error:
            raise from_rpc_error(error, self.server.name, self.server.when_gone) from None

    def stream(
        self,
        method: grpc.UnaryStreamMultiCallable[Asked, Answer],
        request: Asked,
        timeout: float | None = None,
    ) -> Generator[Answer, None, None]:
        """Yields what the server sends. Whoever stops reading ends the call."""
        call = method(request, timeout=timeout)
        try:
            for answer in call:
                yield answer
        except grpc.RpcError as error:
            raise from_rpc_error(error, self.server.name, self.server.when_gone) from None
        finally:
            call.cancel()

    def follow(
        self,
        method: grpc.UnaryStreamMultiCallable[Asked, Answer],
        request: Asked,
        note: Callable[[Asked, Answer], None],
        patience: float,
    ) -> Generator[Answer, None, None]:
        """Yields what the server sends, across breaks of the connection.

        ``note`` writes into the request where to go on after an answer.
        """
        left = Patience(patience)
        while True:
            left.begin()
            answers = self.stream(method, request)
            try:
                for answer in answers:
                    left.succeed()
                    note(request, answer)
                    yield answer
                return
            except ServerUnavailable as error:
                time.sleep(left.fail(error))
            finally:
                answers.close()
