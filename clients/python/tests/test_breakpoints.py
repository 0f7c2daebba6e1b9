"""Where and when a program stops."""

from __future__ import annotations

from support import line_of, place

from debug_relay import DebugRelay, StopReason, at, watch


def test_breakpoints_are_set_changed_listed_and_removed(relay: DebugRelay) -> None:
    with relay.create() as session:
        line = session.break_at(place("loop.py", "add") + " if number == 2")
        function, log = session.set_breakpoints(
            at("add", hit_condition="3"), place("loop.py", "call") + " log at {number}"
        )
        changed = session.update_breakpoint(line, condition="number == 3", enabled=False)

        assert changed.condition == "number == 3"
        assert not changed.message.spec.enabled
        assert [each.id for each in session.breakpoints()] == [line.id, function.id, log.id]
        assert [each.id for each in session.remove_breakpoints(function)] == [function.id]
        assert len(session.remove_breakpoints(file="loop.py")) == 2
        assert session.breakpoints() == []


def test_a_log_message_is_output_and_no_stop(relay: DebugRelay) -> None:
    logged = place("loop.py", "call") + " log number is {number}"
    with relay.debug("loop.py", breakpoints=[logged]) as session:
        assert session.exit_code == 0
        console = session.read_output(categories=["console"])
        assert console.text.splitlines() == ["number is 1", "number is 2", "number is 3"]


def test_a_watched_value_stops_after_it_changed(relay: DebugRelay) -> None:
    with relay.debug("loop.py", breakpoints=[place("loop.py", "call")]) as session:
        session.remove_breakpoints(all=True)
        session.set_breakpoints(watch("total"))

        outcome = session.continue_()

        assert outcome.stop.reason is StopReason.DATA_BREAKPOINT
        assert outcome.stop.description == "total: 0 became 3"


def test_exceptions_to_stop_at_are_chosen(relay: DebugRelay) -> None:
    with relay.debug("crash.py", exceptions=["raised if KeyError"]) as session:
        assert session.exceptions().filters == ("raised if KeyError",)
        assert "uncaught" in session.exceptions().offers
        assert str(session.stop.exception) == "KeyError: 'port'"
        assert session.set_exceptions() == []
        assert session.continue_().exit_code == 1


def test_a_crash_is_a_stop_with_its_exception(relay: DebugRelay) -> None:
    with relay.debug("crash.py") as session:
        assert session.stop.line == line_of("crash.py", "raise")
        raised = session.exception_info()

        assert str(raised) == "ValueError: no port is set"
        assert [cause.type for cause in raised.causes] == ["KeyError"]
        assert "in read" in raised.traceback
