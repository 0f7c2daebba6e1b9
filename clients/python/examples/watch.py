"""Follows the events and the output of a session while another task drives it.

Start a server, then:

    python clients/python/examples/watch.py
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from debug_relay import AsyncDebugRelay, AsyncSession

COUNTER = Path(__file__).resolve().parent / "programs" / "counter.py"


async def main() -> None:
    async with AsyncDebugRelay.connect() as relay, relay.debug(
        COUNTER, project_root=COUNTER.parent, breakpoints=["counter.py:7 if number == 3"]
    ) as session:
        # The watchers end by themselves when the session is over.
        await asyncio.gather(watch_events(session), watch_output(session), drive(session))


async def watch_events(session: AsyncSession) -> None:
    async for event in session.events(types=["stopped", "continued", "exited"]):
        print("event", event)


async def watch_output(session: AsyncSession) -> None:
    # Pieces come as they are written, which need not be in lines.
    begun = {"stdout": "", "stderr": ""}
    async for piece in session.output(categories=begun):
        *lines, begun[piece.category] = (begun[piece.category] + piece.text).split("\n")
        for line in lines:
            print(piece.category, line)


async def drive(session: AsyncSession) -> None:
    print("driver", session.stop, "with number", await session.evaluate("number"))
    outcome = await session.continue_()
    print("driver", outcome.headline)


if __name__ == "__main__":
    asyncio.run(main())
