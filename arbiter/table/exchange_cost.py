"""The cost of an exchange, by the meters, if it is not answered at once.

Delays reduce what a bot is charged, so only those count that kept this bot from answering this request:

- the bot's own, which the kernel reports when a wait for the core is over, but no more than the time its main
  thread can have waited: a thread that waited long ago becomes the main one when it executes a program, and
  would bring its delay along;
- the referee's, where the bot had to wait for it: before it found an answer, or room to write. If the kernel
  tells when the bot last ran, that is when it answered; else the referee decides in the bot's favour.

Time in which the bot itself computes is no delay, and neither is what the referee does for the bot's output:
it is the bot's doing.

A referee that was stopped, with its bots or alone, stood on no run queue. It finds that out by itself: it
wakes later than it asked for, and neither its CPU time nor its own delay is why. What passed since it last
looked is then no time of the bot's, but for the CPU time that the bot used.
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
"""The same wait for a bot that has answered quickly several times running."""
GAP_NS = 5 * MS
"""A referee that wakes later than this, and was neither running nor ready to run, was stopped."""
UNKNOWN_NS = SECOND
"""The time of an exchange, at most, that is not charged although it may have passed before such a stop."""
NOTED_BESIDE_NS = 20 * MS
"""CPU time of a bot's other threads in an exchange: if more, look whether they delay the main one."""
MOST_READINGS = 3
"""Of the first reading, which is repeated if it took as long as the wait before it."""
_now, _busy = time.monotonic_ns, time.thread_time_ns


class Cost(NamedTuple):
    """The cost of an exchange so far, in ns; `charged_ns` by the match's kind of clock."""

    wall_ns: int
    cpu_ns: int
    delay_ns: int
    charged_ns: int
    adjusted_ns: int


class Account:
    """The cost of one exchange, from the end of the first wait on."""

    __slots__ = ("_away", "_base", "_credited", "_early_cpu", "_kind", "_leapt", "_looked", "_meter",
                 "_others", "_own_ns", "_served", "_unknown", "_working", "due", "last", "late_ns", "ready",
                 "start", "stopped_ns", "unreported_ns")  # fmt: skip

    def __init__(self, meter: Meter, kind: ClockKind, start: int, before: MeterReading | None) -> None:
        """`start`: of the exchange, on the monotonic clock in ns; `before`: the last reading, if any."""
        self._meter, self._kind = meter, kind
        self._away = meter.away_ns()
        self.start = start
        """Of the exchange; later by the time in which the referee was stopped, which is `stopped_ns`, and by
        that in which the bot was away.
        """
        self.stopped_ns, self._unknown = 0, UNKNOWN_NS
        busy = _busy()
        self._own_ns = -1
        """The referee's delay by its last look at what came."""
        for _ in range(MOST_READINGS):
            began = _now()
            base = meter.read()
            if self._own_ns < 0:
                self._own_ns = base.own_ns
            self._looked = _now()
            first = self._looked - start
            # Again if we lost the core meanwhile: what the bot did then would count twice.
            if self._looked - began < FIRST_WAIT_NS:
                break
        self._early_cpu = self._credited = 0
        if before is not None:
            own = base.own_ns - before.own_ns
            # A bot with many processes takes long to read, and computes meanwhile.
            busy = _busy() - busy
            if first_wait_was_stopped(first - busy, own):
                # But for all CPU time: a bot can make us wait for a pipe's lock while it computes.
                used = min(first, max(busy + FIRST_WAIT_NS, base.cpu_ns - before.cpu_ns))
                self.stopped_ns = first - used
                self.start, first = start + self.stopped_ns, used
            # What the bot used and waited for during the first wait, as far as the readings show. Without an
            # answer it did not wait for the referee.
            self._early_cpu = min(first, base.cpu_ns - before.cpu_ns)
            self._credited = min(first - self._early_cpu, base.delay_ns - before.delay_ns)
        self._base = self.last = base
        self.due = self._looked
        """The latest end of the wait that is under way, on the monotonic clock in ns."""
        self.unreported_ns = first - self._early_cpu - self._credited
        """The time that may have been delay, if the kernel reports it yet."""
        self._working, self._served = _busy(), 0
        self._others: Others | None = None
        self._leapt = 0
        """CPU time that the main thread seems to have used and the bot has not: another thread became it."""
        self.late_ns = 0
        """The referee's delay between the last two readings."""
        self.ready = True
        """False if the bot slept just before the last reading, which then knows of all its delays. Looked at
        afterwards, it might sleep after a long wait for the core that the reading does not have.
        """

    def woke(self, output: bool, held_up: bool) -> None:
        """Note a wake that found no answer: whether `output` was read, and the bot `held_up` until then."""
        own, busy = self._meter.own_ns, _busy()
        if held_up:
            self._credited += own - self._own_ns
        if output:
            self._served += busy - self._working
        self._own_ns, self._working = own, busy

    def cost(self, answered: bool = False) -> Cost:
        """The cost so far, by a new reading."""
        self.ready = not answered and self._meter.runnable
        own = self._meter.own_ns - self._own_ns
        wall = (seen := _now()) - self.start
        # Before the meters are read: the bot may run meanwhile, having waited for longer than they say.
        waited = answer_waited_ns(self._meter, own, seen) if answered else 0
        now = self._meter.read()
        moment = _now()
        late = moment - max(self.due, self._looked) - (now.own_ns - self.last.own_ns)
        gap = self._gap(moment, now, late) if late > GAP_NS else 0
        away = self._meter.away_ns()
        elsewhere = min(away - self._away, moment - self._looked - gap)
        self._away = away
        if gap or elsewhere:
            self.start += gap + elsewhere
            self.stopped_ns += gap
            wall = moment - self.start
        # The time since the last reading in which the bot did not compute, and before it that in which a wait
        # reported now may have begun.
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
            # The kernel reports a wait when the thread runs: only one that has begun since then is missing.
            self.unreported_ns = max(0, min(self.unreported_ns, since))
        self._served = max(0, self._served - delay) if self.ready else 0
        self._credited += waited
        self.late_ns = now.own_ns - self.last.own_ns
        self.last, self._looked = now, moment
        cpu = self._early_cpu + now.cpu_ns - self._base.cpu_ns
        self._working = _busy()
        return cost_of(self._kind, wall, cpu, self._credited - self._self_inflicted_ns())

    def watch_others(self) -> None:
        """From now on count what others take of the bot's cores."""
        if self._others is None:
            self._others = self._meter.others()

    def cleared(self, spent: Cost) -> tuple[Cost, int | None]:
        """A cost with the delay that others have caused, and what they took at most, None if unknown.

        That includes delay that the kernel has not reported yet. As long as the bot's other threads computed,
        they are taken for the cause: a bot must not make a match void by what others do while it sleeps.
        """
        if self._others is None or (taken := self._others.took_ns(self.last.cpu_ns)) is None:
            return spent, None
        reported = max(0, self._credited - self._beside_ns())
        delay = min(reported + self.unreported_ns, taken + self._others.since - self.start)
        return cost_of(self._kind, spent.wall_ns, spent.cpu_ns, delay), taken

    @property
    def doubtful_ns(self) -> int:
        """The delay that others need not have caused, by what their accounts may be wrong by."""
        return 0 if self._others is None else self._others.since - self.start + self._others.inexact_ns

    def _beside_ns(self) -> int:
        """CPU time of the bot's other threads and processes in this exchange."""
        main = self.last.main_ns - self._base.main_ns - self._leapt
        return max(0, self.last.cpu_ns - self._base.cpu_ns - main)

    def _self_inflicted_ns(self) -> int:
        """How much of the delay came of the bot's other threads, beyond what others may have caused."""
        beside = self._beside_ns()
        if self._others is None or beside < NOTED_BESIDE_NS:
            return 0
        taken = self._others.took_ns(self.last.cpu_ns)
        caused = self._credited if taken is None else taken + self._others.since - self.start
        return max(0, min(beside, self._credited - caused))

    def _gap(self, moment: int, now: MeterReading, late: int) -> int:
        """Return how much of the time since the last look is not the bot's.

        `late`: how much of it came after the end of the wait, our own delay taken off.
        """
        late -= now.busy_ns - self.last.busy_ns
        if late <= GAP_NS:
            return 0
        own = now.own_ns - self.last.own_ns
        # Of a process that is gone the CPU time is 0.
        idle = max(0, moment - self._looked - max(0, now.cpu_ns - self.last.cpu_ns))
        # The stop began before the wait's end, nobody knows when. Bounded, or who sleeps on a machine that
        # stops again and again would never be late.
        unknown = min(max(0, idle - late - own), self._unknown)
        self._unknown -= unknown
        return min(idle, late + unknown)


def first_wait_was_stopped(wall: int, own_delay: int) -> bool:
    """True if the referee was stopped in the first wait, which took so long; both in ns."""
    return wall - own_delay > BRISK_WAIT_NS + GAP_NS


def answer_waited_ns(meter: Meter, own: int, seen: int) -> int:
    """How long an answer waited for the referee, whose delay was `own` ns since it last found none.

    `seen`: the moment at which it was seen, on the monotonic clock in ns.
    """
    if own < FIRST_WAIT_NS or (idle := meter.idle_since_ns) is None:
        return own
    idle -= _now() - seen
    # The referee may have waited before the bot answered, too. Of a bot that has run since it is not known.
    return min(own, max(0, idle)) if idle > -FIRST_WAIT_NS else own


def cost_of(kind: ClockKind, wall: int, cpu: int, delay: int) -> Cost:
    """The cost of an exchange; no more delay counts than the time that has passed."""
    delay = min(delay, wall)
    adjusted = charge_ns(ClockKind.ADJUSTED, wall, cpu, delay)
    return Cost(wall, cpu, delay, charge_ns(kind, wall, cpu, delay), adjusted)
