"""The steps of an inspection, and the time that it may take.

Light, since who looks after the queue needs no more of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arbiter.match.clock import SECOND

if TYPE_CHECKING:
    from arbiter.match.spec import Limits
    from arbiter.season.config import Config

BUILD_SECONDS = 60.0
LEAST_TRIAL_SECONDS = 300.0
MATCHES = 12
"""Times of a match's own clock that a trial may take in all, where that is more."""
REQUESTS = 100
"""Of a match, where each request has its own time."""
BETWEEN_SECONDS = 60.0
"""For archives to be unpacked, programs to be copied and brought to the disk, on a slow one."""


@dataclass(frozen=True, slots=True)
class InspectionStep:
    """One step of an inspection: what was found, what mends it, and what a program wrote, as text."""

    name: str
    ok: bool
    detail: str = ""
    fix: str = ""
    output: str = ""


class Refused(Exception):
    """An archive, a build or a bot is at fault: why, what mends it, and what a program wrote.

    `missing` is the word of a program that this machine does not have, `ending` what a program wrote as it
    ended: the output unless it is said.
    """

    def __init__(
        self, detail: str, fix: str = "", output: str = "", missing: str = "", ending: str | None = None
    ) -> None:
        super().__init__(detail)
        self.detail, self.fix, self.output, self.missing = detail, fix, output, missing
        self.ending = output if ending is None else ending


def longest_trial(limits: Limits) -> float:
    """Seconds that a trial under these limits may take in all; then its bots are ended."""
    match_ns = limits.time.longest_ns(1, REQUESTS) + (limits.start_ns or 0)
    return max(LEAST_TRIAL_SECONDS, MATCHES * match_ns / SECOND)


def longest(season: Config) -> float:
    """Seconds that an inspection may take in all; one that takes longer hangs."""
    return BUILD_SECONDS + longest_trial(season.limits) + BETWEEN_SECONDS
