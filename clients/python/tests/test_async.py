"""The asyncio client: the same names, and what only it can do."""

from __future__ import annotations

import asyncio
import inspect

import pytest
from support import CuttingProxy, RunningServer, line_of, place

from debug_relay import (
    AsyncDebugRelay,
    AsyncRows,
    AsyncSession,
    DebugRelay,
    EventType,
    Rows,
    Session,
    State,
    errors,
)


@pytest.mark.parametrize(
    ("ours", "twin"),
    [(AsyncDebugRelay, DebugRelay), (AsyncSession, Session), (AsyncRows, Rows)],
)
def test_both_clients_have_the_same_names_and_parameters(ours: type, twin: type) -> None:
    def shape(kind: type) -> dict[str, list[str]]:
        return {
            name: [str(parameter) for parameter in inspect.signature(value).parameters.values()]
            for name, value in inspect.getmembers(kind, callable)
            if not name.startswith("_")
        }

    plain = {name: [p.replace("Async", "") for p in ps] for name, ps in shape(ours).items()}
    assert plain == shape(twin)


async def test_a_story_from_start_to_end(async_relay: AsyncDebugRelay) -> None:
    async with async_relay.debug("loop.py", breakpoints=[place("loop.py", "add")]) as session:
        assert session.stop.line == line_of("loop.py", "add")
        assert session.locals["number"].as_python() == 1
        assert (await session.step_over(changes_only=True)).changes[0].name == "result"
        assert (await session.evaluate("result", check=True)).as_python() == 3
        assert [each.name async for each in session.variables((await session.scopes())[0])]
        assert [steps.number async for steps in session.trace(max_steps=3)] == [1, 2, 3]
        await session.remove_breakpoints(all=True)
        assert (await session.continue_()).exit_code == 0
        assert [listed.id async for listed in async_relay.sessions()] == [session.id]

    with pytest.raises(errors.SessionNotFound):
        await async_relay.session(session.id)


async def test_what_is_opened_can_be_awaited_instead(server: RunningServer) -> None:
    relay = await AsyncDebugRelay.connect(server.address, token=server.token)
    session = await relay.debug("loop.py")

    assert session.state is State.EXITED
    async with await relay.session(session.id) as adopted:
        assert adopted.state is State.EXITED
    await session.delete()
    await relay.close()


async def test_one_task_watches_while_another_drives(async_relay: AsyncDebugRelay) -> None:
    async def watch() -> list[EventType]:
        return [event.type async for event in session.events(types=["stopped", "exited"])]

    async def read() -> str:
        return "".join([piece.text async for piece in session.output()])

    async def drive() -> None:
        while not (await session.continue_()).ended:
            pass

    async with async_relay.debug("loop.py", breakpoints=[place("loop.py", "add")]) as session:
        events, output, _ = await asyncio.gather(watch(), read(), drive())

    assert events == [EventType.STOPPED] * 3 + [EventType.EXITED]
    assert output.startswith("total is 3\n")
    assert output.endswith("done\n")


async def test_many_programs_are_debugged_at_once(async_relay: AsyncDebugRelay) -> None:
    async def total(rate: int) -> int:
        stop = [place("loop.py", "done")]
        async with async_relay.debug("loop.py", breakpoints=stop, stop_on_entry=True) as session:
            await session.step_over(2)
            await session.set("RATES['high']", str(rate))
            await session.continue_()
            return int((await session.evaluate("total")).as_python())

    assert await asyncio.gather(*map(total, range(1, 4))) == [6, 12, 18]


async def test_streams_go_on_after_a_cut(
    async_relay: AsyncDebugRelay, server: RunningServer, proxy: CuttingProxy
) -> None:
    async with async_relay.debug("echo.py", wait=0) as session, AsyncDebugRelay.connect(
        proxy.address, token=server.token
    ) as cut_off:
        await session.write_input("one\n")
        seen, told = [], False
        async for event in (await cut_off.session(session.id)).events():
            seen.append(event.sequence)
            if event.type is EventType.OUTPUT and not told:
                told = True
                proxy.cut()
                await session.write_input("two\n", close=True)
        output = [piece.text async for piece in (await cut_off.session(session.id)).output()]

    assert proxy.accepted > 1
    assert seen == list(range(1, len(seen) + 1))
    assert "".join(output) == "heard one\nheard two\n"


async def test_a_task_that_waits_can_be_cancelled(async_relay: AsyncDebugRelay) -> None:
    async with async_relay.debug("endless.py", wait=0) as session:
        waiting = asyncio.ensure_future(session.wait_for_stop(wait=60))
        watching = asyncio.ensure_future(session.events(types=["exited"]).__anext__())
        assert (await session.read_output(wait=20)).text == "begun\n"
        waiting.cancel()
        watching.cancel()

        results = await asyncio.gather(waiting, watching, return_exceptions=True)

        assert [type(result) for result in results] == [asyncio.CancelledError] * 2
        assert (await session.pause()).stopped


async def test_an_error_has_the_same_class(async_relay: AsyncDebugRelay) -> None:
    async with async_relay.debug("endless.py", wait=0) as session:
        with pytest.raises(errors.NotStopped) as raised:
            await session.step_over()

    assert raised.value.reason == "NOT_STOPPED"
