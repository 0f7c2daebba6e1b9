"""Looking at a stopped program, and changing values in it."""

from __future__ import annotations

from typing import Iterator

import pytest
from support import PROGRAMS, line_of, place

from debug_relay import DebugRelay, Session, errors


@pytest.fixture
def session(relay: DebugRelay) -> Iterator[Session]:
    with relay.debug("loop.py", breakpoints=[place("loop.py", "add")]) as session:
        yield session


def test_an_expression_has_a_value_or_what_it_raised(session: Session) -> None:
    value = session.evaluate("number + 1")
    raised = session.evaluate("number / 0")

    assert (value.value, value.type, value.ok, value.as_python()) == ("2", "int", True, 2)
    assert not raised.ok
    assert str(raised) == "ZeroDivisionError: division by zero"
    with pytest.raises(errors.ProgramRaised, match="number / 0 raised: ZeroDivisionError"):
        session.evaluate("number / 0", check=True)


def test_a_statement_is_run_when_it_is_said_to_be_one(session: Session) -> None:
    session.evaluate("number = 41", statement=True, check=True)

    assert session.evaluate("number").as_python() == 41


def test_an_expression_is_evaluated_in_any_frame(session: Session) -> None:
    _, module = session.stack()

    assert session.evaluate("sorted(RATES)", frame=module).as_python() == ["high", "low"]
    assert session.stack(max_frames=1)[0].function == "add"


def test_an_expression_that_does_not_end_is_ended(session: Session) -> None:
    with pytest.raises(errors.TookTooLong) as raised:
        session.evaluate("[0 for _ in iter(int, 1)]", timeout=0.5)

    assert raised.value.reason == "EVALUATION_INTERRUPTED"
    assert session.evaluate("number").value == "1"


def test_members_of_a_long_value_come_page_by_page(session: Session) -> None:
    long = session.evaluate("list(range(2500))")

    members = session.variables(long, filter="indexed")

    assert [member.value for member in members] == [str(number) for number in range(2500)]


def test_a_value_without_members_has_none(session: Session) -> None:
    assert list(session.variables(session.locals["number"])) == []


def test_scopes_and_locals_of_a_frame_are_listed(session: Session) -> None:
    names = [scope.name for scope in session.scopes()]

    assert names[:2] == ["Locals", "Globals"]
    assert [variable.name for variable in session.locals_of()] == ["number", "total"]


def test_values_are_changed(session: Session) -> None:
    changed = session.set("RATES['high']", "10")
    session.set_variable(session.scopes()[0], "number", "5")

    assert changed.value == "10"
    assert session.step_over().locals["result"].value == "50"


def test_a_value_is_found_by_its_text(session: Session) -> None:
    found = session.find_value("high")

    assert "RATES['high']" in [each.expression for each in found]


def test_a_snapshot_holds_what_was_asked_for(session: Session) -> None:
    snapshot = session.snapshot(names=["total"], expressions=["total + 1", "missing"])

    assert list(snapshot.locals) == ["total"]
    assert snapshot.expressions[0].value == "1"
    assert not snapshot.expressions[1].ok
    assert snapshot.stop.line == line_of("loop.py", "add")


def test_an_option_that_does_not_exist_is_refused_by_name(session: Session) -> None:
    with pytest.raises(TypeError, match=r"no option 'colour'.*max_frames"):
        session.snapshot(colour="red")  # type: ignore[call-arg]


def test_threads_sources_and_modules_are_listed(session: Session) -> None:
    [thread] = session.threads()

    assert thread.is_current
    assert session.source("loop.py", 3, 3) == 'RATES = {"low": 1, "high": 3}\n'
    assert str(PROGRAMS / "loop.py") in session.loaded_sources()
    assert "__main__" in [module.name for module in session.modules()]
    assert "number" in session.completions("numb")


def test_a_handle_of_an_earlier_stop_is_an_error(session: Session) -> None:
    [frame, _] = session.stack()
    session.step_over()

    with pytest.raises(errors.StaleHandle) as raised:
        session.evaluate("number", frame=frame)

    assert raised.value.facts["stop_number"] == "1"
