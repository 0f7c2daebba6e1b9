"""Calls to one server: with our headers, a deadline, and our exceptions for failures."""

from __future__ import annotations

import asyncio
from typing import AsyncGenerator, Callable, TypeVar

import grpc

from .._headers import HeaderChannel
from .._patience import Patience
from ..discovery import Server
from ..errors import ServerUnavailable, from_rpc_error
from .stubs import AsyncStubs

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")

# What a call may take beyond what its caller waits for. The server allows a debugger 30 s.
GRACE = 60.0


class AsyncChannel:
    """A connection to one server, which is made again by itself when it breaks."""

    def __init__(self, server: Server) -> None:
        self.server = server
        options = server.channel_options
        if server.tls:
            credentials = server.tls.credentials()
            self._channel = grpc.aio.secure_channel(server.address, credentials, options=options)
        else:
            self._channel = grpc.aio.insecure_channel(server.address, options=options)
        self.stubs = AsyncStubs(HeaderChannel(self._channel, server.headers))

    async def close(self) -> None:
        await self._channel.close()

    async def call(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Asked, Answer],
        request: Asked,
        wait: float = 0,
        grace: float = GRACE,
    ) -> Answer:
        """Makes a call in which the server may wait for ``wait`` seconds."""
        try:
            return await method(request, timeout=wait + grace)
        except grpc.RpcError as error:
            raise from_rpc_error(error, self.server.name, self.server.when_gone) from None

    async def stream(
        self,
        method: grpc.aio.UnaryStreamMultiCallable[Asked, Answer],
        request: Asked,
        timeout: float | None = None,
    ) -> AsyncGenerator[Answer, None]:
        """Yields what the server sends. Whoever stops reading ends the call."""
        call = method(request, timeout=timeout)
        try:
            async for answer in call:
                yield answer
        except grpc.RpcError as error:
            raise from_rpc_error(error, self.server.name, self.server.when_gone) from None
        finally:
            call.cancel()

    async def follow(
        self,
        method: grpc.aio.UnaryStreamMultiCallable[Asked, Answer],
        request: Asked,
        note: Callable[[Asked, Answer], None],
        patience: float,
    ) -> AsyncGenerator[Answer, None]:
        """Yields what the server sends, across breaks of the connection.

        ``note`` writes into the request where to go on after an answer.
        """
        left = Patience(patience)
        while True:
            left.begin()
            answers = self.stream(method, request)
            try:
                async for answer in answers:
                    left.succeed()
                    note(request, answer)
                    yield answer
                return
            except ServerUnavailable as error:
                await asyncio.sleep(left.fail(error))
            finally:
                await answers.aclose()
