# Made from _async/moving.py by ./generate. Change that file, not this one.
"""Running: go on, step, pause, wait. Every move answers with its whole outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Literal, Sequence

from .. import proto as pb
from ..breakpoints import Place, line_of, specs
from ..enums import wire_name
from ..events import Row, Step
from ..options import Seconds, SnapshotOptions, duration, seconds, wait_options
from ..outcome import Outcome
from .channel import GRACE
from .part import Part
from .rows import Rows

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Moving(Part):
    """Moves the program.

    ``wait`` is how long to wait for it to stop or end: without it 30 s, and 0 is not to wait. A
    wait that is over loses nothing: the outcome is ``timed_out``, and ``wait_for_stop()`` waits on.
    All options of a snapshot can be given, such as ``changes_only=True`` or ``expressions=["x"]``.
    """

    def continue_(
        self,
        *,
        wait: Seconds | None = None,
        thread_id: int = 0,
        **snapshot: Unpack[SnapshotOptions],
    ) -> Outcome:
        """Runs on until the next stop or the end."""
        request = pb.ContinueRequest(
            session_id=self.id, thread_id=thread_id, wait=wait_options(wait, snapshot)
        )
        answer = self._call(self._stubs.execution.Continue, request, wait)
        return self._saw(answer.outcome)

    def pause(
        self,
        *,
        wait: Seconds | None = None,
        thread_id: int = 0,
        **snapshot: Unpack[SnapshotOptions],
    ) -> Outcome:
        """Stops a program that runs. One that is stopped already stays so."""
        request = pb.PauseRequest(
            session_id=self.id, thread_id=thread_id, wait=wait_options(wait, snapshot)
        )
        answer = self._call(self._stubs.execution.Pause, request, wait)
        return self._saw(answer.outcome)

    def step_over(
        self,
        count: int = 1,
        *,
        wait: Seconds | None = None,
        thread_id: int = 0,
        **snapshot: Unpack[SnapshotOptions],
    ) -> Outcome:
        """Runs to the next line of the same function, or of its caller; ``count`` times."""
        request = pb.StepOverRequest(
            session_id=self.id, thread_id=thread_id, wait=wait_options(wait, snapshot), count=count
        )
        answer = self._call(self._stubs.execution.StepOver, request, wait)
        return self._saw(answer.outcome)

    def step_into(
        self,
        count: int = 1,
        *,
        target_id: int = 0,
        wait: Seconds | None = None,
        thread_id: int = 0,
        **snapshot: Unpack[SnapshotOptions],
    ) -> Outcome:
        """Runs to the next line, into a function if one is called; ``count`` times.

        ``target_id``, from ``step_in_targets()``, chooses one of several calls of a line.
        """
        request = pb.StepIntoRequest(
            session_id=self.id,
            thread_id=thread_id,
            wait=wait_options(wait, snapshot),
            count=count,
            target_id=target_id,
        )
        answer = self._call(self._stubs.execution.StepInto, request, wait)
        return self._saw(answer.outcome)

    def step_out(
        self,
        *,
        wait: Seconds | None = None,
        thread_id: int = 0,
        **snapshot: Unpack[SnapshotOptions],
    ) -> Outcome:
        """Runs until the current function has returned."""
        request = pb.StepOutRequest(
            session_id=self.id, thread_id=thread_id, wait=wait_options(wait, snapshot)
        )
        answer = self._call(self._stubs.execution.StepOut, request, wait)
        return self._saw(answer.outcome)

    def run_to(
        self,
        place: str,
        *,
        wait: Seconds | None = None,
        thread_id: int = 0,
        **snapshot: Unpack[SnapshotOptions],
    ) -> Outcome:
        """Runs until ``"app.py:12"``, or ``"12"`` in the file of the stop, or any other stop."""
        line = line_of(place)
        request = pb.RunToLineRequest(
            session_id=self.id,
            thread_id=thread_id,
            wait=wait_options(wait, snapshot),
            file=line.file,
            line=line.line,
        )
        answer = self._call(self._stubs.execution.RunToLine, request, wait)
        return self._saw(answer.outcome)

    def goto(
        self,
        line: int,
        *,
        wait: Seconds | None = None,
        thread_id: int = 0,
        **snapshot: Unpack[SnapshotOptions],
    ) -> Outcome:
        """Sets the line of the function that runs next, without running what lies between."""
        request = pb.GotoRequest(
            session_id=self.id, thread_id=thread_id, wait=wait_options(wait, snapshot), line=line
        )
        answer = self._call(self._stubs.execution.Goto, request, wait)
        return self._saw(answer.outcome)

    def wait_for_stop(
        self,
        *,
        after_stop: int = 0,
        wait: Seconds | None = None,
        **snapshot: Unpack[SnapshotOptions],
    ) -> Outcome:
        """Waits for a stop with a number above ``after_stop``, or the end. Moves nothing."""
        request = pb.WaitForStopRequest(
            session_id=self.id, after_stop=after_stop, wait=wait_options(wait, snapshot)
        )
        answer = self._call(self._stubs.execution.WaitForStop, request, wait)
        return self._saw(answer.outcome)

    def restart(
        self, *, wait: Seconds | None = None, **snapshot: Unpack[SnapshotOptions]
    ) -> Outcome:
        """Ends the program, if it still runs, and starts it again with the same settings."""
        request = pb.RestartRequest(session_id=self.id, wait=wait_options(wait, snapshot))
        answer = self._call(self._stubs.sessions.Restart, request, wait)
        return self._saw(answer.outcome)

    def trace(
        self,
        *,
        step: Literal["over", "into", "out"] = "over",
        max_steps: int = 0,
        until: str = "",
        until_condition: str = "",
        expressions: Sequence[str] = (),
        timeout: Seconds = 60,
        thread_id: int = 0,
    ) -> Rows[Step]:
        """Steps many times, 1000 unless said otherwise; yields each step with what it changed.

        Ends at the place ``until``, when ``until_condition`` is true, at a breakpoint or at the
        end. Afterwards ``outcome`` of what this returns tells how it ended.
        """
        request = pb.TraceRequest(
            session_id=self.id,
            thread_id=thread_id,
            step=wire_name(pb.StepKind, step),
            max_steps=max_steps,
            until=line_of(until) if until else None,
            until_condition=until_condition,
            expressions=expressions,
            timeout=duration(timeout),
        )
        deadline = seconds(timeout) + GRACE
        answers = self._channel.stream(self._stubs.execution.Trace, request, deadline)
        return Rows(answers, lambda answer: Step.of(answer.record), self._saw)

    def collect(
        self,
        places: Iterable[Place],
        *,
        expressions: Sequence[str] = (),
        changes: bool = False,
        max_frames: int = 0,
        max_hits: int = 0,
        timeout: Seconds = 60,
    ) -> Rows[Row]:
        """Runs on and yields a row at each hit of the places; the program is not left stopped.

        Ends after ``max_hits`` rows (1000 unless said otherwise), at a stop or at the end.
        Afterwards ``outcome`` of what this returns tells how it ended.
        """
        request = pb.CollectRequest(
            session_id=self.id,
            locations=specs(places),
            expressions=expressions,
            changes=changes,
            max_frames=max_frames,
            max_hits=max_hits,
            timeout=duration(timeout),
        )
        deadline = seconds(timeout) + GRACE
        answers = self._channel.stream(self._stubs.execution.Collect, request, deadline)
        return Rows(answers, lambda answer: Row.of(answer.row), self._saw)
