"""Replicas behind a proxy: every call about a session says so in a header."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator

import pytest
from support import PinningProxy, RunningServer, place

from debug_relay import AsyncDebugRelay, DebugRelay, proto
from debug_relay._ids import new_session_id, session_of

TOKEN = "the same for all replicas"


@pytest.fixture(scope="module")
def replicas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RunningServer]]:
    running = []
    for number in range(2):
        folder: Path = tmp_path_factory.mktemp(f"replica{number}")
        (folder / "run").mkdir(mode=0o700)
        (folder / "run" / "token").touch(mode=0o600)
        (folder / "run" / "token").write_text(TOKEN)
        running.append(RunningServer(folder))
    yield running
    for replica in running:
        replica.stop()


@pytest.fixture
def front(replicas: list[RunningServer]) -> Iterator[PinningProxy]:
    proxy = PinningProxy(*(replica.address for replica in replicas))
    yield proxy
    proxy.close()


# The proxy sends these ids to different replicas; with none, the client makes one.
@pytest.mark.parametrize("session_id", ["story-1", "story-2", ""])
def test_every_call_about_a_session_goes_to_its_replica(
    front: PinningProxy, session_id: str
) -> None:
    breakpoints = [place("loop.py", "add")]
    with DebugRelay.connect(front.address, token=TOKEN) as relay:
        with relay.debug("loop.py", breakpoints=breakpoints, session_id=session_id) as session:
            assert session.step_over().stopped
            assert session.evaluate("number").value == "1"
            assert list(session.trace(max_steps=1))
            assert len(session.breakpoints()) == 1
            assert session.shares()
            assert next(session.events()).sequence == 1
            request = proto.GetSessionRequest(session_id=session.id)
            assert relay.stubs.sessions.GetSession(request).session.id == session.id
            session.remove_breakpoints(all=True)
            assert session.continue_().ended
            assert "".join(piece.text for piece in session.output()).endswith("done\n")
        assert session.id == (session_id or session.id)

    assert front.calls[0] == ("GetInfo", "")
    assert front.calls[1] == ("CreateSession", session.id)
    assert {header for _, header in front.calls[2:]} == {session.id}


def test_the_ids_of_the_story_are_of_different_replicas(
    front: PinningProxy, replicas: list[RunningServer]
) -> None:
    with DebugRelay.connect(front.address, token=TOKEN) as relay, relay.create(
        session_id="story-1"
    ), relay.create(session_id="story-2"):
        for replica in replicas:
            with DebugRelay.connect(replica.address, token=TOKEN) as near:
                assert len(list(near.sessions())) == 1


def test_the_token_of_a_session_finds_its_replica(front: PinningProxy) -> None:
    with DebugRelay.connect(front.address, token=TOKEN) as relay:
        for session_id in ("story-1", "story_2"):
            with relay.create(session_id=session_id) as session, DebugRelay.connect(
                front.address, token=session.token
            ) as holder:
                assert holder.session().id == session_id
                assert [listed.id for listed in holder.sessions()] == [session_id]

    assert set(front.named("GetInfo")) == {"", "story-1", "story_2"}
    assert front.named("ListSessions") == ["story-1", "story_2"]


def test_a_request_that_is_repeated_makes_one_session(front: PinningProxy) -> None:
    with DebugRelay.connect(front.address, token=TOKEN) as relay, DebugRelay.connect(
        front.address, token=TOKEN
    ) as other:
        for number in range(4):
            with relay.create(request_id=f"job-{number}") as session:
                assert other.create(request_id=f"job-{number}").id == session.id


def test_headers_of_the_callers_own_win(front: PinningProxy) -> None:
    with DebugRelay.connect(front.address, token=TOKEN) as relay:
        own = (("debug-relay-session", "story-1"),)
        relay.stubs.server.GetInfo(proto.GetInfoRequest(), metadata=own)

    assert front.named("GetInfo") == ["", "story-1"]


async def test_both_clients_send_the_header(front: PinningProxy) -> None:
    async with AsyncDebugRelay.connect(front.address, token=TOKEN) as relay, relay.debug(
        "loop.py"
    ) as session:
        assert [event.sequence async for event in session.events(limit=1)] == [1]

    assert {header for _, header in front.calls[1:]} == {session.id}


def test_new_ids_have_the_form_of_the_servers_own() -> None:
    ids = {new_session_id("ada", "") for _ in range(100)}

    assert len(ids) == 100
    assert all(re.fullmatch(r"s-[a-km-np-z2-9]{8}", each) for each in ids)
    # Every client makes the same of one request.
    assert new_session_id("ada", "job-7") == "s-6mstwerg"
    assert new_session_id("bob", "job-7") != new_session_id("ada", "job-7")


@pytest.mark.parametrize(
    ("token", "session_id"),
    [
        ("drs_s-1_0123", "s-1"),
        ("drs_my_session-1_0123", "my_session-1"),
        ("drs_", ""),
        ("drs_NOT AN ID_0123", ""),
        ("0123", ""),
        ("", ""),
    ],
)
def test_the_token_of_a_session_names_it(token: str, session_id: str) -> None:
    assert session_of(token) == session_id
