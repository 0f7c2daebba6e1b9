"""Tokens of a session: how far they reach, and how they end."""

from __future__ import annotations

from datetime import timedelta
from typing import Callable, Iterator

import pytest
from support import PinningProxy, RunningServer, place

from debug_relay import AsyncDebugRelay, DebugRelay, Session, errors


@pytest.fixture
def session(relay: DebugRelay) -> Iterator[Session]:
    with relay.debug("loop.py", breakpoints=[place("loop.py", "add")]) as session:
        yield session


def test_the_token_of_a_new_session_reaches_that_session_alone(
    relay: DebugRelay, server: RunningServer, session: Session
) -> None:
    with relay.create() as other, DebugRelay.connect(server.address, token=session.token) as holder:
        assert holder.session().id == session.id
        assert [listed.id for listed in holder.sessions()] == [session.id]
        assert holder.session(session.id).step_over().stopped
        with pytest.raises(errors.SessionNotFound):
            holder.session(other.id)
        with pytest.raises(errors.PermissionDenied) as raised:
            holder.create()

    assert raised.value.reason == "PERMISSION_DENIED"
    assert session.token not in repr(session)
    assert relay.session(session.id).token == ""


@pytest.mark.parametrize(
    "call",
    [
        lambda session: session.continue_(),
        lambda session: session.evaluate("1"),
        lambda session: session.snapshot(expressions=["1"]),
        lambda session: session.break_at("loop.py:1"),
        lambda session: session.share(),
        lambda session: session.delete(),
    ],
)
def test_who_may_only_look_changes_nothing(
    server: RunningServer, session: Session, call: Callable[[Session], object]
) -> None:
    share = session.share(read_only=True)
    with DebugRelay.connect(server.address, token=share.token) as friend:
        watched = friend.session()

        assert watched.snapshot().locals["number"].value == "1"
        assert next(watched.events()).sequence == 1
        with pytest.raises(errors.PermissionDenied):
            call(watched)


def test_tokens_are_listed_without_themselves(session: Session) -> None:
    share = session.share(read_only=True, ttl=timedelta(hours=1), name="for a friend")

    first, second = session.shares()

    assert (first.name, first.read_only, first.expires, first.token) == ("created", False, None, "")
    assert (second, second.token) == (share, "")
    assert share.token not in repr(share)
    assert share.expires is not None
    assert share.expires - share.created == timedelta(hours=1)


def test_a_token_that_is_taken_back_ends_its_streams_at_once(
    server: RunningServer, session: Session
) -> None:
    share = session.share()
    proxy = PinningProxy(server.address)
    with DebugRelay.connect(proxy.address, token=share.token) as friend:
        events = friend.session().events()
        assert next(events).sequence == 1

        assert session.revoke(share) == 1

        with pytest.raises(errors.Unauthenticated):
            list(events)
        with pytest.raises(errors.Unauthenticated):
            friend.session()
    proxy.close()
    # It was not tried again.
    assert len(proxy.named("StreamEvents")) == 1


def test_a_token_ends_with_its_time(server: RunningServer, session: Session) -> None:
    share = session.share(ttl=1)

    def watch() -> None:
        with DebugRelay.connect(server.address, token=share.token) as friend:
            list(friend.session().output())

    with pytest.raises(errors.Unauthenticated):
        watch()
    assert [each.name for each in session.shares()] == ["created"]


def test_all_tokens_are_taken_back(server: RunningServer, session: Session) -> None:
    share = session.share()

    assert session.revoke(all=True) == 2

    assert session.shares() == []
    for token in (session.token, share.token):
        with pytest.raises(errors.Unauthenticated):
            DebugRelay.connect(server.address, token=token)


def test_what_cannot_be_shared_or_taken_back_is_told(session: Session) -> None:
    for call in (
        lambda: session.share(ttl=0),
        lambda: session.share(name="x" * 101),
        lambda: session.revoke("t-unknown"),
        lambda: session.revoke(),
    ):
        with pytest.raises(errors.InvalidArgument):
            call()


async def test_both_clients_share(async_relay: AsyncDebugRelay, server: RunningServer) -> None:
    async with async_relay.debug("endless.py", wait=0) as session:
        share = await session.share(name="for a friend")
        async with AsyncDebugRelay.connect(server.address, token=share.token) as friend:
            watched = await friend.session()
            events = watched.events()
            assert (await events.__anext__()).sequence == 1
            assert await session.revoke(share.id) == 1
            with pytest.raises(errors.Unauthenticated):
                [event async for event in events]
        assert [each.name for each in await session.shares()] == ["created"]
