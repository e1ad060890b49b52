"""How long an inspection may take; light, since who looks after the queue needs no more of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.clock import SECOND

if TYPE_CHECKING:
    from arbiter.config import Config
    from arbiter.match import Limits

BUILD_SECONDS = 60.0
LEAST_TRIAL_SECONDS = 300.0
MATCHES = 12
"""Times of a match's own clock that a trial may take in all, where that is more."""
REQUESTS = 100
"""Of a match, where each request has its own time."""
BETWEEN_SECONDS = 60.0
"""For archives to be unpacked, programs to be copied and brought to the disk, on a slow one."""


def longest_trial(limits: Limits) -> float:
    """Seconds that a trial under these limits may take in all; then its bots are ended."""
    match_ns = limits.time.longest_ns(1, REQUESTS) + (limits.start_ns or 0)
    return max(LEAST_TRIAL_SECONDS, MATCHES * match_ns / SECOND)


def longest(season: Config) -> float:
    """Seconds that an inspection may take in all; one that takes longer hangs."""
    return BUILD_SECONDS + longest_trial(season.limits) + BETWEEN_SECONDS
