"""The bug hunt of the main README, "A bug in five calls", in Python.

Bob bought one thing, for 4, and is to pay 16. Start a server, then:

    python clients/python/examples/hunt_basket.py
"""

from __future__ import annotations

from pathlib import Path

from debug_relay import DebugRelay

BASKET = Path(__file__).resolve().parents[3] / "examples" / "basket.py"


def main() -> None:
    with DebugRelay.connect() as relay, relay.debug(
        BASKET,
        project_root=BASKET.parent,
        breakpoints=["basket.py:9 if customer == 'bob'"],
    ) as session:
        print("1.", session.outcome)
        print("   Nothing of Bob's has been added, and the basket has", session.locals["basket"])

        print("2.", session.step_over(changes_only=True))

        same = session.evaluate("basket is basket_of.__defaults__[0]")
        print("3. Is that list the default value in basket=[]?", same)

        print("4.", session.continue_())


if __name__ == "__main__":
    main()
