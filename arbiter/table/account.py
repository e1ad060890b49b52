"""What one exchange costs that is not answered at once, by the meters.

Delays are taken off what a bot is charged, so each must be one that kept this bot from answering this
request:

- the bot's own counts as it is told, when a wait for the core is over; but no more than the time in which the
  main thread can have waited. A thread that waited long ago may become the main one (it starts a
  program), and would bring its delay along.
- the referee's counts whenever it is: it cannot tell what the bot did meanwhile, and decides for the bot.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from arbiter.table.meter import ClockKind, charged

if TYPE_CHECKING:
    from arbiter.table.meter import Meter, Reading

FIRST_WAIT_NS = 200_000
"""How long the referee waits before the meters are read."""
SURE_READINGS = 3
_now = time.monotonic_ns


class Cost(NamedTuple):
    """What an exchange has cost so far, in ns; `charged_ns` by the match's kind of clock."""

    wall_ns: int
    cpu_ns: int
    delay_ns: int
    charged_ns: int
    adjusted_ns: int


class Account:
    """The cost of one exchange: opened when the first moment is over, asked whenever somebody looks."""

    __slots__ = ("_base", "_credited", "_early_cpu", "_kind", "_last", "_looked", "_meter", "_room", "_start",
                 "_told", "_untold", "late_ns")  # fmt: skip

    def __init__(self, meter: Meter, kind: ClockKind, start: int, before: Reading | None) -> None:
        """`start` of the exchange on the monotonic clock in ns; `before` the last reading there was, if
        any.
        """
        self._meter, self._kind, self._start = meter, kind, start
        for _ in range(SURE_READINGS):
            began = _now()
            base = meter.read()
            self._looked = _now()
            first = self._looked - start
            # Not if we were put off the core meanwhile: what the bot did then would be counted twice.
            if self._looked - began < FIRST_WAIT_NS:
                break
        self._early_cpu = self._credited = 0
        if before is not None:
            # What the bot used and waited for in the first moment, as far as the readings tell.
            self._early_cpu = min(first, base.cpu_ns - before.cpu_ns)
            self._credited = min(first - self._early_cpu, base.delay_ns - before.delay_ns)
        self._base = self._last = base
        self._room = first - self._credited
        self._told = self._untold = 0
        self.late_ns = 0
        """The referee's delay between the last two looks."""

    @property
    def last(self) -> Reading:
        """The last reading."""
        return self._last

    def kept_waiting(self) -> int:
        """How long the bot was kept from the core between the last two looks, in ns.

        A wait that goes on is not told yet: then it is the time in which a thread that is ready did not run.
        """
        return max(self._told, self._untold)

    def cost(self, answered: bool = False) -> Cost:
        """What it comes to now."""
        wall = _now() - self._start
        now = self._meter.read()
        moment = _now()
        # The time since the last look, and that before in which a wait may have begun that is told only now.
        room = self._room + moment - self._looked
        counted = min(now.delay_ns - self._last.delay_ns, room)
        self._credited += counted
        ready = not answered and self._meter.runnable
        self._room = room - counted if ready else 0
        self._told = now.delay_ns - self._last.delay_ns
        self._untold = moment - self._looked - (now.cpu_ns - self._last.cpu_ns) if ready else 0
        self.late_ns = now.own_ns - self._last.own_ns
        self._last, self._looked = now, moment
        cpu = self._early_cpu + now.cpu_ns - self._base.cpu_ns
        return cost_of(self._kind, wall, cpu, self._credited + now.own_ns - self._base.own_ns)


def cost_of(kind: ClockKind, wall: int, cpu: int, delay: int) -> Cost:
    """What an exchange comes to; no more delay counts than the time that has gone."""
    delay = min(delay, wall)
    adjusted = charged(ClockKind.ADJUSTED, wall, cpu, delay)
    return Cost(wall, cpu, delay, charged(kind, wall, cpu, delay), adjusted)
