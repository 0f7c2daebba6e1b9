# Made from _async/session.py by ./generate. Change that file, not this one.
"""One session: a program under the debugger."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Mapping

from .. import proto as pb
from ..breakpoints import breakpoints_of
from ..enums import State, name_of
from ..errors import DebugRelayError, NotStopped, SessionNotFound, WrongState
from ..options import (
    JoinOptions,
    PathLike,
    RestartOptions,
    Seconds,
    attach_config,
    duration,
    launch_config,
    seconds,
    wait_options,
)
from ..outcome import Outcome, Stop
from ..values import Variable
from .breaking import Breaking
from .channel import Channel
from .looking import Looking
from .moving import Moving
from .reading import Reading
from .sharing import Sharing

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

# A first start may have to install the debugger.
START_GRACE = 300.0


class Session(Moving, Looking, Breaking, Reading, Sharing):
    """A session. Leaving ``with`` deletes it if this client made it, else leaves it alone.

    ``state``, ``stop``, ``locals`` and ``outcome`` are of the last answer; they ask nobody.
    """

    def __init__(self, channel: Channel, info: pb.Session, *, owned: bool) -> None:
        super().__init__(channel, info.id)
        #: The session as the server last described it.
        self.info = info
        #: The session is deleted on leaving ``with``.
        self.owned = owned
        #: The token that came with the session when it was made; empty for one that was adopted.
        self.token = ""
        #: The breakpoints that it was made with, those restored from earlier sessions after them.
        self.first_breakpoints = breakpoints_of(())
        #: What a person should know about how it was made.
        self.warnings: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self.owned:
            return
        try:
            self.delete()
        except SessionNotFound:
            pass
        except DebugRelayError:
            # Why the block failed matters more than that the session could not be deleted, too.
            if raised is None:
                raise

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.state}>"

    @property
    def outcome(self) -> Outcome:
        """How the last move came out. Raises WrongState when this object has seen none."""
        if self._outcome is None:
            hint = "wait_for_stop() asks for it."
            raise WrongState(f"session {self.id} was not moved since it was read", hint=hint)
        return self._outcome

    @property
    def state(self) -> State:
        """What it was doing at the last answer; ``refresh()`` asks anew."""
        return self._outcome.state if self._outcome else name_of(State, self.info.state)

    @property
    def stop(self) -> Stop:
        """Where it stands. Raises NotStopped when it does not."""
        if self._outcome:
            return self._outcome.stop
        if self.info.HasField("stop"):
            return Stop.of(self.info.stop)
        raise NotStopped(f"session {self.id} is {self.state}, so there is no stop to look at")

    @property
    def locals(self) -> Mapping[str, Variable]:
        """The variables of the top frame that the last answer had, by name."""
        return self._outcome.locals if self._outcome else {}

    @property
    def exit_code(self) -> int | None:
        """The exit code, when the program ended by exiting."""
        if self._outcome:
            return self._outcome.exit_code
        return self.info.exit_code if self.info.HasField("exit_code") else None

    def keep(self) -> Self:
        """Leaving ``with`` no longer deletes it."""
        self.owned = False
        return self

    def refresh(self) -> State:
        """Asks what the session is doing now. ``stop`` is then that of now, without variables."""
        request = pb.GetSessionRequest(session_id=self.id)
        self._is(self._call(self._stubs.sessions.GetSession, request))
        return self.state

    def launch(
        self,
        program: PathLike | None = None,
        *,
        module: str | None = None,
        code: str | None = None,
        wait: Seconds | None = None,
        **options: Unpack[RestartOptions],
    ) -> Outcome:
        """Starts a program in a session that has none, and waits for its first stop."""
        chosen: dict[str, Any] = {**options}
        config = launch_config(program, module, code, chosen)
        request = pb.LaunchRequest(
            session_id=self.id, launch=config, wait=wait_options(wait, chosen)
        )
        answer = self._call(self._stubs.sessions.Launch, request, wait, START_GRACE)
        self.info = answer.session
        return self._saw(answer.outcome)

    def attach(
        self,
        pid: int | None = None,
        *,
        connect: str | None = None,
        listen: str | None = None,
        wait: Seconds = 0,
        **options: Unpack[JoinOptions],
    ) -> Outcome:
        """Takes a running program into a session that has none.

        It is a process, or ``connect="host:port"`` of a debugpy that listens, or a program that
        will dial ``listen="host:port"``. It runs on until it comes to a breakpoint, so without
        ``wait`` nobody waits.
        """
        chosen: dict[str, Any] = {**options}
        config = attach_config(pid, connect, listen, chosen)
        request = pb.AttachRequest(
            session_id=self.id, attach=config, wait=wait_options(wait, chosen)
        )
        answer = self._call(self._stubs.sessions.Attach, request, wait, START_GRACE)
        self.info = answer.session
        return self._saw(answer.outcome)

    def detach(self) -> None:
        """Leaves the program running without the debugger."""
        request = pb.DetachRequest(session_id=self.id)
        self._is(self._call(self._stubs.sessions.Detach, request))

    def terminate(self, *, force: bool = False, grace: Seconds | None = None) -> None:
        """Ends the program: SIGTERM, then after ``grace`` (2 s) SIGKILL; with ``force`` at once.

        Output and events stay readable.
        """
        request = pb.TerminateSessionRequest(session_id=self.id, force=force, grace=duration(grace))
        wait = seconds(grace, 2)
        self._is(self._call(self._stubs.sessions.TerminateSession, request, wait))

    def delete(self) -> None:
        """Ends the program if needed, and forgets the session. No process of it is left."""
        request = pb.DeleteSessionRequest(session_id=self.id)
        self._call(self._stubs.sessions.DeleteSession, request)

    def _is(self, answer: Any) -> None:
        """The session's own word is newer than the last outcome."""
        self.info = answer.session
        self._outcome = None
