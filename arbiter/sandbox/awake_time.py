"""Time in which this process was awake: a process that is stopped must not say that another took long."""

from __future__ import annotations

import time

LONGEST_SECONDS = 1.0
"""A process that looks more often than this, and finds that more has passed, was stopped or got no core."""


class Awake:
    """Seconds since it was made, counted by looking at least every `longest` seconds."""

    def __init__(self, longest: float = LONGEST_SECONDS) -> None:
        self._longest, self._seconds = longest, 0.0
        self._looked = time.monotonic()

    @property
    def seconds(self) -> float:
        before, self._looked = self._looked, time.monotonic()
        self._seconds += min(self._looked - before, self._longest)
        return self._seconds
