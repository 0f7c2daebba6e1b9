"""Events and output across broken connections: nothing is missed, nothing comes twice."""

from __future__ import annotations

import pytest
from support import CuttingProxy, RunningServer, place

from debug_relay import DebugRelay, EventType, Session, errors

WORDS = [f"word {number}" for number in range(5)]
HEARD = "".join(f"heard {word}\n" for word in WORDS)


def test_events_go_on_after_each_cut(
    relay: DebugRelay, server: RunningServer, proxy: CuttingProxy
) -> None:
    words = list(WORDS)
    with relay.debug("echo.py", wait=0) as session, DebugRelay.connect(
        proxy.address, token=server.token
    ) as cut_off:
        tell(session, words)
        seen = []
        for event in cut_off.session(session.id).events():
            seen.append(event)
            if event.type is EventType.OUTPUT:
                proxy.cut()
                tell(session, words)

    assert proxy.accepted >= len(WORDS)
    assert [event.sequence for event in seen] == list(range(1, len(seen) + 1))
    assert "".join(event.text for event in seen if event.type is EventType.OUTPUT) == HEARD
    assert seen[-1].type is EventType.TERMINATED


def test_output_goes_on_after_each_cut(
    relay: DebugRelay, server: RunningServer, proxy: CuttingProxy
) -> None:
    words = list(WORDS)
    with relay.debug("echo.py", wait=0) as session, DebugRelay.connect(
        proxy.address, token=server.token
    ) as cut_off:
        tell(session, words)
        heard = ""
        for piece in cut_off.session(session.id).output():
            heard += piece.text
            if heard.endswith("\n"):
                proxy.cut()
                tell(session, words)

    assert proxy.accepted >= len(WORDS)
    assert heard == HEARD


def test_the_events_of_all_sessions_go_on_after_a_cut(
    relay: DebugRelay, server: RunningServer, proxy: CuttingProxy
) -> None:
    labels = {"of": "all events"}
    with DebugRelay.connect(proxy.address, token=server.token) as cut_off:
        seen = []
        with relay.debug("loop.py", labels=labels) as first:
            for event in cut_off.all_events(labels=labels):
                seen.append((event.session_id, event.sequence))
                if event.type is EventType.TERMINATED and event.session_id == first.id:
                    proxy.cut()
                    second = relay.debug("loop.py", labels=labels)
                elif event.type is EventType.TERMINATED:
                    break
        second.delete()

    assert len(set(seen)) == len(seen)
    for session in (first, second):
        numbers = [number for session_id, number in seen if session_id == session.id]
        assert numbers == list(range(1, len(numbers) + 1))


def test_streams_and_sessions_outlive_a_killed_server(own_server: RunningServer) -> None:
    words = list(WORDS)
    with DebugRelay.connect(own_server.address, token=own_server.token) as relay:
        session = relay.debug("echo.py", wait=0)
        tell(session, words)
        seen, heard = [], ""
        for event in session.events():
            seen.append(event)
            if event.type is EventType.OUTPUT:
                own_server.kill()
                own_server.start()
                with DebugRelay.connect(own_server.address, token=own_server.token) as other:
                    tell(other.session(session.id), words)
        for piece in session.output():
            heard += piece.text

        assert [event.sequence for event in seen] == list(range(1, len(seen) + 1))
        assert heard == HEARD


def test_a_stream_gives_up_when_its_patience_is_over(own_server: RunningServer) -> None:
    with DebugRelay.connect(own_server.address, token=own_server.token) as relay:
        session = relay.debug("echo.py", wait=0)
        events = session.events(patience=0.2)
        assert next(events).sequence == 1
        own_server.kill()

        with pytest.raises(errors.ServerUnavailable, match="debug-relay serve"):
            list(events)

    own_server.start()
    # A server that is told to end before it serves would leave its sessions.
    DebugRelay.connect(own_server.address, token=own_server.token).close()


def test_types_and_limits_choose_events(relay: DebugRelay) -> None:
    with relay.debug("loop.py") as session:
        changes = list(session.events(types=["state_changed"], limit=2))
        rest = session.read_events(
            after=changes[-1].sequence, types=[EventType.TERMINATED], wait=20
        )

    assert [event.type for event in changes] == [EventType.STATE_CHANGED] * 2
    assert [event.type for event in rest.events] == [EventType.TERMINATED]
    assert rest.next_sequence == rest.events[-1].sequence


def test_a_limit_holds_across_a_cut(
    relay: DebugRelay, server: RunningServer, proxy: CuttingProxy
) -> None:
    with relay.debug("loop.py") as session, DebugRelay.connect(
        proxy.address, token=server.token
    ) as cut_off:
        seen = []
        for event in cut_off.session(session.id).events(limit=3):
            seen.append(event.sequence)
            proxy.cut()

    assert seen == [1, 2, 3]


def test_a_stream_that_is_left_ends_its_call(relay: DebugRelay) -> None:
    with relay.debug("loop.py", breakpoints=[place("loop.py", "add")]) as session:
        events = session.events()
        assert next(events).sequence == 1
        events.close()  # type: ignore[attr-defined]

        assert session.continue_().stopped


def test_an_event_of_an_outcome_is_where_events_go_on(relay: DebugRelay) -> None:
    with relay.debug("loop.py", breakpoints=[place("loop.py", "add")]) as session:
        after = session.outcome.sequence
        session.step_over()

        event = next(session.events(after=after))

    assert event.sequence == after + 1
    assert event.type is EventType.CONTINUED


def tell(session: Session, words: list[str]) -> None:
    """Gives the program its next word, or the end of its input."""
    if words:
        session.write_input(words.pop(0) + "\n", close=not words)
