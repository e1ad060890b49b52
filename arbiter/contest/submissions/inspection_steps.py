"""The steps of an inspection, and its time limits.

Separate from `inspection`, since the queue's process needs only this.
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
"""A trial may take this many times a match's clock, if that is more than the least."""
REQUESTS = 100
"""The assumed requests of a match if each one has its own time."""
BETWEEN_SECONDS = 60.0
"""For unpacking, copying and syncing on a slow disk."""


@dataclass(frozen=True, slots=True)
class InspectionStep:
    """One step of an inspection: what was found, the fix, and the output of programs."""

    name: str
    ok: bool
    detail: str = ""
    fix: str = ""
    output: str = ""


class Refused(Exception):
    """An archive, a build or a bot is at fault: the reason, the fix, and the output of programs.

    `missing` is the name of a program that this machine lacks, `ending` the last output of a program, by
    default `output`.
    """

    def __init__(
        self, detail: str, fix: str = "", output: str = "", missing: str = "", ending: str | None = None
    ) -> None:
        super().__init__(detail)
        self.detail, self.fix, self.output, self.missing = detail, fix, output, missing
        self.ending = output if ending is None else ending


def longest_trial(limits: Limits) -> float:
    """Return the most seconds of a trial, `LEAST_TRIAL_SECONDS` at least; then its bots are killed."""
    match_ns = limits.time.longest_ns(1, REQUESTS, REQUESTS) + (limits.start_ns or 0)
    return max(LEAST_TRIAL_SECONDS, MATCHES * match_ns / SECOND)


def longest_inspection(season: Config) -> float:
    """Return the most seconds of an inspection; a longer one is ended and refused."""
    return BUILD_SECONDS + longest_trial(season.limits) + BETWEEN_SECONDS
