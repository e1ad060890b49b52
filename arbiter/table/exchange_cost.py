"""The cost of an exchange that is not answered at once, by the meters.

Delays reduce a bot's charge, so only those count that kept this bot from answering this request:

- the bot's delay, which the kernel reports at the end of a wait for the core, but at most the time its main
  thread can have waited: a thread that waited long ago becomes the main one when it executes a program, and
  keeps its delay;
- the referee's delay, while the bot waited for it: before it read an answer, or made room to write. If the
  kernel reports when the bot last ran, the bot answered then; else the referee decides in the bot's favour.

Time in which the bot itself computes is not a delay, nor is the referee's work on the bot's output.

A referee that was stopped, with its bots or alone, was on no run queue. It detects that: it wakes later than
requested, and neither its CPU time nor its delay explains it. The time since its last check is then not
charged, except for the CPU time that the bot used.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from arbiter.match.clock import MS, SECOND, ClockKind, charge_ns

if TYPE_CHECKING:
    from arbiter.sandbox.core_accounts import Others
    from arbiter.sandbox.process_meter import Meter, MeterReading

FIRST_WAIT_NS = 200_000
"""The wait before the referee reads the meters."""
BRISK_WAIT_NS = 5 * MS
"""The same wait for a brisk bot."""
GAP_NS = 5 * MS
"""A referee that wakes later than this, and was neither running nor ready to run, was stopped."""
UNKNOWN_NS = SECOND
"""The most time of an exchange that is not charged although it may have passed before such a stop."""
NOTED_BESIDE_NS = 20 * MS
"""CPU time of a bot's other threads in an exchange, above which they may delay the main one."""
MOST_READINGS = 3
"""Tries of the first reading, which is repeated if it took as long as the wait before it."""
_now, _busy = time.monotonic_ns, time.thread_time_ns


class Cost(NamedTuple):
    """The cost of an exchange so far, in ns; `charged_ns` by the match's kind of clock."""

    wall_ns: int
    cpu_ns: int
    delay_ns: int
    charged_ns: int
    adjusted_ns: int


class Account:
    """Measures the cost of one exchange after the first wait, by the kernel's meters of the bot."""

    __slots__ = ("_away", "_base", "_credited", "_early_cpu", "_kind", "_leapt", "_looked", "_meter",
                 "_others", "_own_ns", "_served", "_unknown", "_working", "due", "last", "late_ns", "ready",
                 "start", "stopped_ns", "unreported_ns")  # fmt: skip

    def __init__(self, meter: Meter, kind: ClockKind, start: int, before: MeterReading | None) -> None:
        """`start`: of the exchange, on the monotonic clock in ns; `before`: the last reading, if any."""
        self._meter, self._kind = meter, kind
        self._away = meter.away_ns()
        self.start = start
        """The start of the exchange, moved on by the time in which the referee was stopped (`stopped_ns`) or
        the bot was away.
        """
        self.stopped_ns, self._unknown = 0, UNKNOWN_NS
        busy = _busy()
        self._own_ns = -1
        """The referee's delay at its last check for output."""
        for _ in range(MOST_READINGS):
            began = _now()
            base = meter.read()
            if self._own_ns < 0:
                self._own_ns = base.own_ns
            self._looked = _now()
            first = self._looked - start
            # Repeat if the referee lost the core meanwhile: the bot's work then would count twice.
            if self._looked - began < FIRST_WAIT_NS:
                break
        self._early_cpu = self._credited = 0
        if before is not None:
            own = base.own_ns - before.own_ns
            # Reading many processes takes long, and they compute meanwhile.
            busy = _busy() - busy
            if first_wait_was_stopped(first - busy, own):
                # Except all CPU time: a bot can delay us at a pipe's lock while it computes.
                used = min(first, max(busy + FIRST_WAIT_NS, base.cpu_ns - before.cpu_ns))
                self.stopped_ns = first - used
                self.start, first = start + self.stopped_ns, used
            # The bot's CPU time and delay during the first wait, as far as the readings show. Without an
            # answer it did not wait for the referee.
            self._early_cpu = min(first, base.cpu_ns - before.cpu_ns)
            self._credited = min(first - self._early_cpu, base.delay_ns - before.delay_ns)
        self._base = self.last = base
        self.due = self._looked
        """The latest end of the current wait, on the monotonic clock in ns."""
        self.unreported_ns = first - self._early_cpu - self._credited
        """The time that may be delay which the kernel has not reported yet."""
        self._working, self._served = _busy(), 0
        self._others: Others | None = None
        self._leapt = 0
        """CPU time of the main thread beyond the bot's: another thread has become the main one."""
        self.late_ns = 0
        """The referee's delay between the last two readings."""
        self.ready = True
        """False if the bot slept just before the last reading, which then includes all its delays. Checked
        after the reading, it might sleep after a long wait for the core that the reading lacks.
        """

    def note_wake(self, output: bool, held_up: bool) -> None:
        """Record a wake without an answer: if `output` was read, and if the bot was `held_up` until then."""
        own, busy = self._meter.own_ns, _busy()
        if held_up:
            self._credited += own - self._own_ns
        if output:
            self._served += busy - self._working
        self._own_ns, self._working = own, busy

    def cost(self, answered: bool = False) -> Cost:
        """Read the meters, update the account, and return the cost so far; `answered` once it has replied."""
        self.ready = not answered and self._meter.runnable
        own = self._meter.own_ns - self._own_ns
        wall = (seen := _now()) - self.start
        # Before reading the meters: meanwhile the bot may run after a longer wait than they report.
        waited = answer_waited_ns(self._meter, own, seen) if answered else 0
        now = self._meter.read()
        moment = _now()
        late = moment - max(self.due, self._looked) - (now.own_ns - self.last.own_ns)
        gap = self._uncharged_gap_ns(moment, now, late) if late > GAP_NS else 0
        away = self._meter.away_ns()
        elsewhere = min(away - self._away, moment - self._looked - gap)
        self._away = away
        if gap or elsewhere:
            self.start += gap + elsewhere
            self.stopped_ns += gap
            wall = moment - self.start
        # The time since the last reading in which the bot did not compute, plus the time before it in which a
        # wait reported now may have begun.
        used = max(0, now.cpu_ns - self.last.cpu_ns)
        if (main := now.main_ns - self.last.main_ns) > used + NOTED_BESIDE_NS:
            self._leapt += main
        since = moment - self._looked - gap - elsewhere - used
        room = max(0, self.unreported_ns + since)
        delay = now.delay_ns - self.last.delay_ns
        counted = min(max(0, delay - self._served), room)
        self._credited += counted
        self.unreported_ns = max(0, room - delay) if self.ready else 0
        if main:
            # The kernel reports a wait when the thread runs: only a later wait is missing.
            self.unreported_ns = max(0, min(self.unreported_ns, since))
        self._served = max(0, self._served - delay) if self.ready else 0
        self._credited += waited
        self.late_ns = now.own_ns - self.last.own_ns
        self.last, self._looked = now, moment
        cpu = self._early_cpu + now.cpu_ns - self._base.cpu_ns
        self._working = _busy()
        return cost_of(self._kind, wall, cpu, self._credited - self._self_inflicted_ns())

    def watch_others(self) -> None:
        """Start counting other processes' use of the bot's cores."""
        if self._others is None:
            self._others = self._meter.others()

    def cost_by_others(self, spent: Cost) -> tuple[Cost, int | None]:
        """Return the cost with the delay caused by other processes, and their CPU time at most, or None.

        It includes delay that the kernel has not reported yet. Delay is first attributed to the bot's other
        threads: a bot must not make a match void by others' work while it sleeps.
        """
        if self._others is None or (taken := self._others.took_ns(self.last.cpu_ns)) is None:
            return spent, None
        reported = max(0, self._credited - self._other_threads_ns())
        delay = min(reported + self.unreported_ns, taken + self._others.since - self.start)
        return cost_of(self._kind, spent.wall_ns, spent.cpu_ns, delay), taken

    @property
    def doubtful_ns(self) -> int:
        """The delay that others may not have caused, by the possible error of their accounts."""
        return 0 if self._others is None else self._others.since - self.start + self._others.inexact_ns

    def _other_threads_ns(self) -> int:
        """Return the CPU time of the bot's other threads and processes in this exchange."""
        main = self.last.main_ns - self._base.main_ns - self._leapt
        return max(0, self.last.cpu_ns - self._base.cpu_ns - main)

    def _self_inflicted_ns(self) -> int:
        """Return the delay caused by the bot's other threads, beyond that possibly caused by others."""
        beside = self._other_threads_ns()
        if self._others is None or beside < NOTED_BESIDE_NS:
            return 0
        taken = self._others.took_ns(self.last.cpu_ns)
        caused = self._credited if taken is None else taken + self._others.since - self.start
        return max(0, min(beside, self._credited - caused))

    def _uncharged_gap_ns(self, moment: int, now: MeterReading, late: int) -> int:
        """Return the part of the time since the last check that is not charged.

        `late`: the part after the end of the wait, less the referee's delay.
        """
        late -= now.busy_ns - self.last.busy_ns
        if late <= GAP_NS:
            return 0
        own = now.own_ns - self.last.own_ns
        # The CPU time of an ended process is 0.
        idle = max(0, moment - self._looked - max(0, now.cpu_ns - self.last.cpu_ns))
        # The stop began at an unknown time before the wait's end. Bounded, or a sleeping bot on a machine
        # with repeated stops would never be late.
        unknown = min(max(0, idle - late - own), self._unknown)
        self._unknown -= unknown
        return min(idle, late + unknown)


def first_wait_was_stopped(wall: int, own_delay: int) -> bool:
    """Return True if the referee was stopped in the first wait; `wall` and `own_delay` in ns."""
    return wall - own_delay > BRISK_WAIT_NS + GAP_NS


def answer_waited_ns(meter: Meter, own: int, seen: int) -> int:
    """Return how long an answer waited for the referee, whose delay was `own` ns since its last check.

    `seen`: when it was read, on the monotonic clock in ns.
    """
    if own < FIRST_WAIT_NS or (idle := meter.idle_since_ns) is None:
        return own
    idle -= _now() - seen
    # The referee may also have waited before the answer. Unknown for a bot that has run since.
    return min(own, max(0, idle)) if idle > -FIRST_WAIT_NS else own


def cost_of(kind: ClockKind, wall: int, cpu: int, delay: int) -> Cost:
    """Return the cost of an exchange; its delay is at most the wall time."""
    delay = min(delay, wall)
    adjusted = charge_ns(ClockKind.ADJUSTED, wall, cpu, delay)
    return Cost(wall, cpu, delay, charge_ns(kind, wall, cpu, delay), adjusted)
