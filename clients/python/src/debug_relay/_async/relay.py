"""A server, and the sessions that it has."""

from __future__ import annotations

import uuid
from types import TracebackType
from typing import TYPE_CHECKING, Any, AsyncIterator, Iterable, Mapping

from .. import proto as pb
from .._ids import new_session_id
from ..breakpoints import Place, breakpoints_of
from ..discovery import find_server
from ..enums import wire_names
from ..events import Event
from ..options import (
    CreateAndAttachOptions,
    CreateAndLaunchOptions,
    PathLike,
    Seconds,
    SessionOptions,
    attach_config,
    launch_config,
    refuse_others,
    seconds,
    session_request,
    wait_options,
)
from ._opening import opening
from .channel import GRACE, AsyncChannel
from .reading import PATIENCE
from .session import START_GRACE, AsyncSession
from .stubs import AsyncStubs

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class AsyncDebugRelay:
    """A connection to a server. Make one with ``connect()``."""

    def __init__(self, channel: AsyncChannel) -> None:
        self._channel = channel
        # Whom the server takes this client for.
        self._caller = pb.Caller()

    @classmethod
    @opening
    async def connect(
        cls,
        address: str | None = None,
        *,
        token: str | None = None,
        ca: PathLike | None = None,
        cert: PathLike | None = None,
        key: PathLike | None = None,
        server_name: str = "",
        timeout: Seconds = 10,
    ) -> AsyncDebugRelay:
        """Connects to a server, and sees that it answers and takes the token.

        Without an ``address`` (``"host:port"``, ``"https://host:port"`` or ``"unix:/path"``) it is
        found: in DEBUG_RELAY_ADDRESS, then where the server of this machine has left it. The same
        holds for the token.

        TLS is spoken with an ``https://`` address, with a server of this machine that wants it,
        and whenever ``ca`` or ``cert`` is given. ``ca`` is a file with those who vouch for the
        server, else this machine's own are asked; ``cert`` and ``key`` are files that say who
        calls. Without them, DEBUG_RELAY_CA, DEBUG_RELAY_CERT and DEBUG_RELAY_KEY name the files.
        ``server_name`` is the name in the server's certificate, if it is not that of the address.
        """
        server = find_server(address, token, ca=ca, cert=cert, key=key, server_name=server_name)
        relay = cls(AsyncChannel(server))
        try:
            call, request = relay.stubs.server.GetInfo, pb.GetInfoRequest()
            answer = await relay._channel.call(call, request, seconds(timeout), grace=0)
            relay._caller = answer.caller
        except BaseException:
            await relay.close()
            raise
        return relay

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection. Sessions stay."""
        await self._channel.close()

    @property
    def address(self) -> str:
        """Where the server is."""
        return self._channel.server.address

    @property
    def stubs(self) -> AsyncStubs:
        """The raw stubs, for what has no method here; ``debug_relay.proto`` has their messages."""
        return self._channel.stubs

    @opening
    async def debug(
        self,
        program: PathLike | None = None,
        *,
        module: str | None = None,
        code: str | None = None,
        breakpoints: Iterable[Place] = (),
        wait: Seconds | None = None,
        **options: Unpack[CreateAndLaunchOptions],
    ) -> AsyncSession:
        """Makes a session, starts a program in it and waits for its first stop, or its end.

        The program is a script, a ``module`` as for ``python -m``, or ``code`` as for
        ``python -c``. A relative script is found from the working directory, which is also the
        ``project_root`` unless that is given.
        """
        chosen: dict[str, Any] = {**options}
        request = session_request(chosen, breakpoints)
        request.launch.CopyFrom(launch_config(program, module, code, chosen))
        request.wait.CopyFrom(wait_options(wait, chosen))
        return await self._create(request, seconds(wait), START_GRACE)

    @opening
    async def attach(
        self,
        pid: int | None = None,
        *,
        connect: str | None = None,
        listen: str | None = None,
        breakpoints: Iterable[Place] = (),
        wait: Seconds = 0,
        **options: Unpack[CreateAndAttachOptions],
    ) -> AsyncSession:
        """Makes a session and takes a running program into it.

        It is a process, or ``connect="host:port"`` of a debugpy that listens, or a program that
        will dial ``listen="host:port"``. It runs on until it comes to a breakpoint, so without
        ``wait`` nobody waits.
        """
        chosen: dict[str, Any] = {**options}
        request = session_request(chosen, breakpoints)
        request.attach.CopyFrom(attach_config(pid, connect, listen, chosen))
        request.wait.CopyFrom(wait_options(wait, chosen))
        return await self._create(request, seconds(wait), START_GRACE)

    @opening
    async def create(
        self, *, breakpoints: Iterable[Place] = (), **options: Unpack[SessionOptions]
    ) -> AsyncSession:
        """Makes a session without a program; its ``launch()`` or ``attach()`` comes next."""
        chosen: dict[str, Any] = {**options}
        refuse_others(chosen, SessionOptions)
        return await self._create(session_request(chosen, breakpoints), 0, GRACE)

    @opening
    async def session(self, session_id: str = "") -> AsyncSession:
        """A session that somebody has made. Leaving ``async with`` does not delete it.

        The id can be left out when the token is one of the session.
        """
        request = pb.GetSessionRequest(session_id=session_id or self._caller.session_id)
        answer = await self._channel.call(self.stubs.sessions.GetSession, request)
        return AsyncSession(self._channel, answer.session, owned=False)

    async def sessions(
        self,
        *,
        states: Iterable[str] = (),
        labels: Mapping[str, str] | None = None,
        project_root: str = "",
    ) -> AsyncIterator[AsyncSession]:
        """Yields the sessions there are, oldest first. All filters given must fit."""
        request = pb.ListSessionsRequest(
            states=wire_names(pb.SessionState, states), labels=labels, project_root=project_root
        )
        while True:
            answer = await self._channel.call(self.stubs.sessions.ListSessions, request)
            for info in answer.sessions:
                yield AsyncSession(self._channel, info, owned=False)
            request.page_token = answer.next_page_token
            if not request.page_token:
                return

    async def all_events(
        self,
        *,
        after: Mapping[str, int] | None = None,
        types: Iterable[str] = (),
        labels: Mapping[str, str] | None = None,
        patience: Seconds = PATIENCE,
    ) -> AsyncIterator[Event]:
        """Yields the events of all sessions, those made later included, until the caller ends it.

        ``after`` has the last sequence that is known, by session id. After a broken connection it
        goes on where it was.
        """
        request = pb.StreamAllEventsRequest(
            labels=labels, types=wire_names(pb.EventType, types), after_sequences=after
        )
        stream = self._channel.follow(
            self.stubs.events.StreamAllEvents, request, note_session_event, seconds(patience)
        )
        try:
            async for answer in stream:
                yield Event.of(answer.event, answer.session_id)
        finally:
            await stream.aclose()

    async def info(self) -> pb.GetInfoResponse:
        """Version, limits, counts and debuggers of the server."""
        return await self._channel.call(self.stubs.server.GetInfo, pb.GetInfoRequest())

    async def adapters(self) -> list[pb.AdapterInfo]:
        """The debuggers that the server can drive, found or not."""
        request = pb.ListAdaptersRequest()
        answer = await self._channel.call(self.stubs.server.ListAdapters, request)
        return list(answer.adapters)

    async def _create(
        self, request: pb.CreateSessionRequest, wait: float, grace: float
    ) -> AsyncSession:
        # A proxy must know which session it is about before there is one.
        if not request.session_id:
            request.session_id = new_session_id(self._caller.owner, request.request_id)
        # With an id of its own the request can be repeated, by whoever stands between.
        request.request_id = request.request_id or uuid.uuid4().hex
        answer = await self._channel.call(self.stubs.sessions.CreateSession, request, wait, grace)
        session = AsyncSession(self._channel, answer.session, owned=True)
        session.token = answer.session_token
        session.first_breakpoints = breakpoints_of(answer.breakpoints)
        session.warnings = list(answer.warnings)
        if answer.HasField("outcome"):
            session._saw(answer.outcome)
        return session


def note_session_event(
    request: pb.StreamAllEventsRequest, answer: pb.StreamAllEventsResponse
) -> None:
    request.after_sequences[answer.session_id] = answer.event.sequence
