"""The time in which this process ran: a process that was stopped must not blame another for it."""

from __future__ import annotations

import time

LONGEST_SECONDS = 1.0
"""The longest time between two readings that counts: beyond it, this process was stopped or had no core."""


class Awake:
    """A timer that ignores stops of this process: each reading adds at most `longest` seconds."""

    def __init__(self, longest: float = LONGEST_SECONDS) -> None:
        self._longest, self._seconds = longest, 0.0
        self._looked = time.monotonic()

    @property
    def seconds(self) -> float:
        """The seconds since the creation; to be read often."""
        before, self._looked = self._looked, time.monotonic()
        self._seconds += min(self._looked - before, self._longest)
        return self._seconds
