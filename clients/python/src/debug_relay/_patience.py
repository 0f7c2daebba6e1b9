"""How long a stream tries to go on after its connection broke."""

from __future__ import annotations

import time

from .errors import DebugRelayError

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 1.0
# An attempt that lasted so long was connected, though nothing may have come.
STEADY = 10.0


class Patience:
    """Counts the time since things last went well."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._begun = 0.0
        self._failing_since: float | None = None
        self._pause = FIRST_PAUSE

    def begin(self) -> None:
        """An attempt begins."""
        self._begun = time.monotonic()

    def succeed(self) -> None:
        """Something came."""
        self._failing_since = None
        self._pause = FIRST_PAUSE

    def fail(self, error: DebugRelayError) -> float:
        """How long to pause before the next attempt. Raises ``error`` when it is enough."""
        now = time.monotonic()
        if now - self._begun > STEADY:
            self.succeed()
        if self._failing_since is None:
            self._failing_since = now
        if now - self._failing_since >= self._limit:
            raise error
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE)
        return pause
