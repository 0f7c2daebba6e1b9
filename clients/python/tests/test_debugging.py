"""One program under the debugger: start, move, look, end."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from datetime import timedelta
from typing import Iterator

import pytest
from support import PROGRAMS, REPOSITORY, free_address, line_of, place

from debug_relay import ChangeKind, DebugRelay, State, StopReason, errors, proto


def test_a_program_stops_at_a_breakpoint_with_its_story(relay: DebugRelay) -> None:
    with relay.debug("loop.py", breakpoints=[place("loop.py", "add")]) as session:
        assert session.state is State.STOPPED
        assert session.stop.reason is StopReason.BREAKPOINT
        assert session.stop.line == line_of("loop.py", "add")
        assert session.stop.file == str(PROGRAMS / "loop.py")
        assert session.stop.function == "add"
        assert session.stop.breakpoint_ids == [session.first_breakpoints[0].id]
        assert session.locals["number"].value == "1"
        assert session.locals["number"].as_python() == 1
        assert [frame.function for frame in session.outcome.frames] == ["add", "<module>"]
        assert "# @add" in session.outcome.source


def test_an_outcome_reads_like_a_story(relay: DebugRelay) -> None:
    add, done = line_of("loop.py", "add"), place("loop.py", "done")
    with relay.debug("loop.py", breakpoints=[place("loop.py", "add")]) as session:
        story = str(session.outcome)
        step = str(session.step_over(changes_only=True))
        session.remove_breakpoints(all=True)
        end = str(session.run_to(done))

    assert f"stopped at loop.py:{add} in add (breakpoint)" in story
    assert f"> {add}     result" in story
    assert "locals:\n    number = 1\n    total = 0" in story
    assert "changed:\n    result = 3 (new)" in step
    assert "output:\n    total is 3" in end


def test_a_step_tells_what_it_changed(relay: DebugRelay) -> None:
    with relay.debug("loop.py", breakpoints=[place("loop.py", "add")]) as session:
        outcome = session.step_over(changes_only=True)

        assert outcome.stop.line == line_of("loop.py", "add") + 1
        [change] = outcome.changes
        assert (change.name, change.after, change.kind) == ("result", "3", ChangeKind.NEW)


def test_steps_go_into_out_and_over_several_lines(relay: DebugRelay) -> None:
    with relay.debug("loop.py", breakpoints=[place("loop.py", "call")]) as session:
        session.remove_breakpoints(all=True)

        assert session.step_into().stop.function == "add"
        assert session.step_out().stop.function == "<module>"
        before = session.stop.number
        session.step_over(2)
        assert session.stop.number > before
        assert [label for _, label in session.step_in_targets()]


def test_a_program_runs_to_a_line_and_can_be_sent_to_one(relay: DebugRelay) -> None:
    call, done = line_of("loop.py", "call"), line_of("loop.py", "done")
    with relay.debug("loop.py", stop_on_entry=True) as session:
        assert session.run_to(str(call)).stop.line == call
        assert session.goto(done).stop.line == done
        assert session.continue_().output == "done\n"


def test_the_end_of_a_program_tells_its_code_and_output(relay: DebugRelay) -> None:
    with relay.debug("loop.py", breakpoints=["loop.py:7 if total > 1000"]) as session:
        assert session.outcome.ended
        assert session.exit_code == 0
        assert session.outcome.output.endswith("done\n")
        [unhit] = session.outcome.unhit_breakpoints
        assert unhit.reason == "condition_never_true"
        with pytest.raises(errors.NotStopped, match="exited with code 0"):
            session.stop  # noqa: B018


def test_a_session_is_deleted_when_its_block_is_left(relay: DebugRelay) -> None:
    with relay.debug("loop.py") as session:
        pass

    with pytest.raises(errors.SessionNotFound):
        relay.session(session.id)


def test_a_session_that_is_kept_can_be_adopted(relay: DebugRelay) -> None:
    with relay.debug("loop.py", breakpoints=[place("loop.py", "add")]) as session:
        session.keep()

    with relay.session(session.id) as adopted:
        assert adopted.stop.line == line_of("loop.py", "add")
        assert adopted.wait_for_stop().locals["total"].value == "0"
    again = relay.session(session.id)
    again.delete()


def test_an_error_of_the_block_is_not_hidden_by_the_leaving(relay: DebugRelay) -> None:
    def fail() -> None:
        with relay.debug("loop.py") as session:
            session.delete()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()


def test_a_session_is_created_first_and_launched_later(relay: DebugRelay) -> None:
    with relay.create(breakpoints=[place("loop.py", "add")], name="late") as session:
        assert session.state is State.CREATED

        outcome = session.launch(
            "loop.py", wait=timedelta(seconds=20), expressions=["RATES['low']"]
        )

        assert outcome.stop.line == line_of("loop.py", "add")
        assert outcome.expressions[0].value == "1"


def test_modules_and_code_are_launched_with_all_that_was_said(relay: DebugRelay) -> None:
    said = "import os, sys; print(os.environ['WHO'], sys.argv[1:], sys.stdin.read(), os.getcwd())"
    with relay.debug(
        code=said, args=["a", "b"], env={"WHO": "me"}, stdin="in", cwd=PROGRAMS.parent
    ) as session:
        assert session.outcome.output == f"me ['a', 'b'] in {PROGRAMS.parent}\n"
    with relay.debug(module="loop") as session:
        assert session.outcome.output.endswith("done\n")


def test_a_wait_that_is_over_loses_nothing(relay: DebugRelay) -> None:
    with relay.debug("endless.py", wait=0.1) as session:
        assert session.outcome.timed_out
        session.break_at(place("endless.py", "sleep"))

        outcome = session.wait_for_stop(wait=20)

        assert outcome.stop.line == line_of("endless.py", "sleep")


def test_a_running_program_is_paused_and_terminated(relay: DebugRelay) -> None:
    with relay.debug("endless.py", wait=0) as session:
        assert session.read_output(wait=20).text == "begun\n"

        assert session.pause().stop.reason is StopReason.PAUSE
        session.terminate(force=True)
        assert session.state is State.TERMINATED
        assert session.refresh() is State.TERMINATED


def test_a_restart_begins_anew(relay: DebugRelay) -> None:
    with relay.debug("loop.py", breakpoints=[place("loop.py", "add")]) as session:
        session.continue_()
        assert session.locals["number"].value == "2"

        assert session.restart().locals["number"].value == "1"


def test_a_detached_program_runs_on(relay: DebugRelay) -> None:
    with relay.debug("loop.py", breakpoints=[place("loop.py", "add")]) as session:
        session.detach()

        assert session.state is State.DETACHED


def test_a_running_process_is_attached_to_by_its_number(relay: DebugRelay) -> None:
    with running_program() as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"begun\n"
        breakpoints = [place("endless.py", "sleep")]
        with relay.attach(program.pid, breakpoints=breakpoints, wait=30) as session:
            assert session.stop.line == line_of("endless.py", "sleep")

        assert program.poll() is None


def test_a_program_that_dials_is_attached_to(relay: DebugRelay) -> None:
    address = free_address()
    breakpoints = [place("endless.py", "sleep")]
    with relay.attach(listen=address, breakpoints=breakpoints) as session:
        assert session.state is State.STARTING
        dial = f"debugpy.connect(({address.split(':')[0]!r}, {address.split(':')[1]}))"
        with running_program(f"import debugpy; {dial}; debugpy.wait_for_client()"):
            outcome = session.wait_for_stop(wait=20)

            assert outcome.stop.line == line_of("endless.py", "sleep")


def test_a_program_that_listens_is_attached_to_and_left_running(relay: DebugRelay) -> None:
    address = free_address()
    listen = (
        f"debugpy.listen(({address.split(':')[0]!r}, {address.split(':')[1]})); print('listens')"
    )
    with running_program(f"import debugpy; {listen}; debugpy.wait_for_client()") as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"listens\n"
        breakpoints = [place("endless.py", "sleep")]
        with relay.attach(connect=address, breakpoints=breakpoints, wait=20) as session:
            assert session.stop.line == line_of("endless.py", "sleep")

        assert program.stdout.readline() == b"begun\n"
        assert program.poll() is None


@contextmanager
def running_program(prelude: str = "pass") -> Iterator[subprocess.Popen[bytes]]:
    """Runs endless.py, after a prelude that can import debugpy."""
    code = f"{prelude}; import runpy; runpy.run_path('endless.py')"
    program = subprocess.Popen(
        [sys.executable, "-u", "-c", code],
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(REPOSITORY / ".tools" / "debugpy")},
    )
    try:
        yield program
    finally:
        program.kill()
        program.communicate()


def test_all_pages_of_sessions_are_listed(relay: DebugRelay) -> None:
    made = [relay.create(labels={"of": "pages"}) for _ in range(3)]

    listed = [session.id for session in relay.sessions(labels={"of": "pages"}, states=["created"])]

    assert listed == [session.id for session in made]
    for session in made:
        session.delete()


def test_trace_and_collect_yield_rows_and_then_an_outcome(relay: DebugRelay) -> None:
    with relay.debug("loop.py", stop_on_entry=True) as session:
        trace = session.trace(step="into", until=place("loop.py", "add"), expressions=["number"])
        steps = list(trace)
        rows = session.collect([place("loop.py", "call")], expressions=["number"], max_frames=1)
        seen = [(row.expressions[0].value, row.frames[0].function) for row in rows]

        assert steps[-1].location.line == line_of("loop.py", "add")
        assert steps[-1].expressions[0].value == "1"
        assert trace.outcome is not None
        assert trace.outcome.stopped
        assert seen == [("2", "<module>"), ("3", "<module>")]
        assert session.exit_code == 0


def test_rows_can_be_left_early(relay: DebugRelay) -> None:
    with relay.debug("endless.py", stop_on_entry=True) as session:
        rows = session.collect([place("endless.py", "sleep")], expressions=["count"])
        for row in rows:
            if row.expressions[0].value == "3":
                break

        assert rows.outcome is None
        assert session.pause(wait=20).stopped


def test_input_is_written_and_answered(relay: DebugRelay) -> None:
    with relay.debug("echo.py", wait=0) as session:
        assert session.write_input("one\n") == 4
        first = session.read_output(wait=20)
        session.write_input(b"two\n", close=True)
        outcome = session.wait_for_stop(wait=20)

        assert first.text == "heard one\n"
        assert outcome.exit_code == 0
        assert session.read_output(after=first.next_offset).text == "heard two\n"


def test_what_has_no_method_is_called_with_the_raw_stubs(relay: DebugRelay) -> None:
    with relay.create() as session:
        answer = relay.stubs.sessions.GetSession(proto.GetSessionRequest(session_id=session.id))

        assert answer.session.id == session.id


def test_the_server_tells_about_itself(relay: DebugRelay) -> None:
    assert relay.info().version
    assert [adapter.name for adapter in relay.adapters()] == ["debugpy"]
