"""Time controls and the clock of a match: pure arithmetic on integer nanoseconds."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

MS = 1_000_000
SECOND = 1_000_000_000
LONGEST = 8760 * 3600 * SECOND
"""A year, longer than any match."""
_UNITS = {"ms": MS, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND, "d": 86400 * SECOND, "us": 1000}
_DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]+)?)(us|ms|s|m|h|d)")
FORMS = "3m, 60s+100ms or 500ms/request"
"""How a time control may be written."""


class ClockKind(StrEnum):
    """Which time of a request counts."""

    ADJUSTED = "adjusted"
    WALL = "wall"
    CPU = "cpu"


def charge_ns(kind: ClockKind, wall_ns: int, cpu_ns: int, delay_ns: int) -> int:
    """Return the charge: wall time, CPU time, or (adjusted) wall less delay, but the CPU time at least.

    Never more than the wall time. The readings in ns are those of `sandbox.process_meter`.
    """
    if kind is ClockKind.WALL:
        return wall_ns
    if kind is ClockKind.CPU:
        return min(wall_ns, cpu_ns)
    return min(wall_ns, max(cpu_ns, wall_ns - delay_ns))


class DurationTooLong(ConfigError):
    """A duration above `LONGEST`."""


def parse_duration(text: str) -> int:
    """Nanoseconds of ``3m``, ``1.5s``, ``500ms``; DurationTooLong above `LONGEST`, else ConfigError."""
    found = _DURATION.fullmatch(text.strip())
    if not found:
        raise ConfigError(f"not a duration: {text!r}", hint="write 3m, 10s or 500ms")
    whole, _, fraction = found[1].partition(".")
    unit = _UNITS[found[2]]
    # No floats: 0.1s is exactly 100,000,000 ns.
    ns = int(whole[:20]) * unit + int((fraction or "0").ljust(12, "0")[:12]) * unit // 10**12
    if ns > LONGEST:
        raise DurationTooLong(f"too long a duration: {text!r}", hint="at most 8760h")
    return ns


def duration_text(ns: int) -> str:
    """``10s``, ``1.5ms``."""
    seconds, rest = divmod(ns, SECOND)
    return f"{ns / MS:.6f}".rstrip("0").rstrip(".") + "ms" if rest else f"{seconds}s"


def time_left(left_ns: int) -> str:
    """The protocol's command ``time_left MS``, with the whole ms that a seat has left, 0 at least."""
    return f"time_left {max(0, left_ns) // MS}"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time of a player: a budget for the match and an increment, or a limit per command.

    `budget_ns` is for the whole match, or for each command if `per_request`; `increment_ns` is added after
    each answered request for a decision. Only this class and `Clock` interpret these.
    """

    budget_ns: int
    increment_ns: int = 0
    per_request: bool = False

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Parse a budget ``3m``, with increment ``60s+100ms``, per command ``500ms/request``; ConfigError."""
        budget, slash, per = text.partition("/")
        budget, plus, increment = budget.partition("+")
        try:
            if slash and (per.strip() != "request" or plus):
                raise ConfigError("")
            control = cls(parse_duration(budget), parse_duration(increment) if plus else 0, bool(slash))
        except DurationTooLong:
            raise
        except ConfigError:
            raise ConfigError(f"not a time control: {text!r}", hint=f"write {FORMS}") from None
        if control.budget_ns < MS:
            raise ConfigError(f"time control under a millisecond: {text!r}", hint=f"write {FORMS}")
        return control

    def __str__(self) -> str:
        """As `parse` reads it."""
        more = f"+{duration_text(self.increment_ns)}" if self.increment_ns else ""
        return duration_text(self.budget_ns) + more + ("/request" if self.per_request else "")

    def description(self) -> str:
        """For people: ``1 min for a match, and 100 ms more after each request that was answered``."""
        budget = time_limit_text(self.budget_ns)
        if self.per_request:
            return f"{budget} for each command, news too"
        more = f", and {time_limit_text(self.increment_ns)} more after each request that was answered"
        return f"{budget} for a match" + more * (self.increment_ns > 0)

    def time_left_text(self, left_ns: int) -> str:
        """The time left to a seat, for people: ``41.3 ms left of 10 s``."""
        of = "for each command" if self.per_request else f"left of {self.budget_ns / SECOND:g} s"
        return f"{left_ns / MS:.1f} ms {of}"

    @property
    def unit(self) -> str:
        """The unit that a budget is for: ``player and match`` or ``command``."""
        return "command" if self.per_request else "player and match"

    @property
    def match_ns(self) -> int | None:
        """The budget of a match; None where the limit is per command."""
        return None if self.per_request else self.budget_ns

    @property
    def drains(self) -> int:
        """1 where a charge reduces the time left, 0 where each command has the same limit."""
        return 0 if self.per_request else 1

    def granted_ns(self, answers: int) -> int:
        """The total ns granted after a number of answers, or the limit for each command."""
        return self.budget_ns + self.increment_ns * answers

    def left_ns(self, answers: int, used_ns: int) -> int:
        """The ns left after a number of answers."""
        return self.left_after(self.granted_ns(answers), used_ns)

    def left_after(self, left_ns: int, cost_ns: int) -> int:
        """The ns left once a cost is charged."""
        return left_ns - cost_ns * self.drains

    def longest_ns(self, seats: int, commands: int, answers: int = 0) -> int:
        """The most ns that all seats may use in a match; `commands` and `answers` are those of all seats."""
        if self.per_request:
            return self.budget_ns * commands
        return seats * self.budget_ns + self.increment_ns * answers

    def longest_budget_ns(self, within_ns: int, seats: int, commands: int, answers: int) -> int:
        """The longest budget in ns with which a match takes at most `within_ns`; 0 if none.

        Whole seconds, or below one second whole ms; `commands` and `answers` as in `longest_ns`.
        """
        spare = within_ns - replace(self, budget_ns=0).longest_ns(seats, commands, answers)
        most = max(0, spare // (commands if self.per_request else seats))
        return most - most % (SECOND if most >= SECOND else MS)


def spent_budget_text(
    control: TimeControl, earlier_ns: int, answers: Sequence[tuple[str, int, int]], rest: str = "news"
) -> str:
    """Return how a budget was spent before the exchange that exceeded what was left of it.

    `earlier_ns` is the total charged before, for `answers` (request, deal from 0, ns) and for the `rest`.
    "" under a limit per request, and where less than a tenth of the grant was spent.
    """
    granted = control.granted_ns(len(answers))
    if control.per_request or not answers or 10 * earlier_ns < granted:
        return ""
    more = f" + {len(answers)} x {_short_text(control.increment_ns)}" if control.increment_ns else ""
    thought = sum(ns for _, _, ns in answers)
    news = f", {_short_text(earlier_ns - thought)} on {rest}" if earlier_ns - thought >= MS else ""
    request, deal, slowest = max(answers, key=lambda answer: answer[2])
    spent = f"{_short_text(control.budget_ns)}{more}: {_short_text(thought)} on earlier answers{news}"
    return f"{spent}, slowest {request} in deal {deal + 1}: {_short_text(slowest)}"


def time_limit_text(ns: int) -> str:
    """Return a time limit for people: ``500 ms``, ``10 s``, ``1 min 30 s``, ``3 min``."""
    seconds, rest = divmod(ns, SECOND)
    if rest or not seconds:
        return f"{ns / MS:g} ms"
    minutes, seconds = divmod(seconds, 60)
    return " ".join([*([f"{minutes} min"] if minutes else []), *([f"{seconds} s"] if seconds else [])])


def _short_text(ns: int) -> str:
    """``301 ms`` below a second, else ``1.5 s``."""
    return f"{ns / MS:.0f} ms" if ns < SECOND else f"{round(ns / SECOND, 2):g} s"


class Clock:
    """One clock per seat, in nanoseconds: `left[seat]` and `used[seat]`.

    An exchange is late if it costs more than it was allowed when it began.
    """

    __slots__ = ("_drains", "_increment_ns", "left", "used")

    def __init__(self, control: TimeControl, seats: int) -> None:
        self.left = [control.granted_ns(0)] * seats
        self.used = [0] * seats
        self._increment_ns = control.increment_ns
        self._drains = control.drains

    def charge(self, seats: Sequence[int], costs: Sequence[int], allowed: Sequence[int]) -> int | None:
        """Charge each of `seats` its cost; return the first seat that exceeds its allowance, if any.

        There may be fewer costs than seats; `allowed` is by seat of the table.
        """
        used, left, drains = self.used, self.left, self._drains
        late = None
        for seat, ns in zip(seats, costs):  # noqa: B905, as documented
            used[seat] += ns
            left[seat] -= ns * drains
            if ns > allowed[seat] and late is None:
                late = seat
        return late

    def allowed(self, commands: int = 1) -> tuple[int, ...]:
        """Return what an exchange with this number of commands may use, by seat."""
        return tuple(self.left) if self._drains else tuple(left * commands for left in self.left)

    def add_increment(self, seat: int) -> None:
        """Add the increment to the time left of a seat, after an answered request."""
        self.left[seat] += self._increment_ns
