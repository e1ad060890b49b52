"""How long a bot took: wall time, CPU time, and the time it was kept waiting for a core.

The *adjusted* time of a request is ``min(wall, max(cpu, wall - delay))``: what the bot would have
used on a machine of its own. `delay` is the time that the bot's main thread and the referee's
thread stood on a run queue, as the kernel's schedstat tells it; `account` says which of it counts. The
lower bound is needed because a delay that began before the window is credited inside it; the upper bound
keeps a bot's threads from paying twice. A bot that sleeps is on no run queue, so it is charged in full.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple

PF_EXITING = 4
NS_A_TICK = 10**9 // os.sysconf("SC_CLK_TCK")


class ClockKind(StrEnum):
    """What a bot is charged."""

    ADJUSTED = "adjusted"
    WALL = "wall"
    CPU = "cpu"


class Reading(NamedTuple):
    """Running totals in ns: a process's CPU time, its main thread's run-queue delay, and the referee's."""

    cpu_ns: int
    delay_ns: int
    own_ns: int


def charged(kind: ClockKind, wall_ns: int, cpu_ns: int, delay_ns: int) -> int:
    """What `wall_ns` of waiting costs the bot under a kind of clock."""
    if kind is ClockKind.WALL:
        return wall_ns
    if kind is ClockKind.CPU:
        return min(wall_ns, cpu_ns)
    return min(wall_ns, max(cpu_ns, wall_ns - delay_ns))


class Meter:
    """Reads one bot's process. Files are opened at the first reading: quick bots need none."""

    __slots__ = ("_clock", "_family", "_family_ns", "_own", "_pid", "_ready", "_schedstat")

    def __init__(self, pid: int, family: bool = False) -> None:
        """`family`: the process may have children, whose CPU time counts as its own."""
        self._pid = pid
        self._family, self._family_ns = family, 0
        # The kernel's encoding of "CPU time of process pid".
        self._clock = ~pid << 3 | 2
        self._schedstat = self._own = -1
        self._ready = False

    def read(self) -> Reading:
        """Totals so far; a delay of 0 where the kernel does not tell."""
        if not self._ready:
            self._ready = True
            with suppress(OSError):
                self._schedstat = os.open(f"/proc/{self._pid}/schedstat", os.O_RDONLY)
            with suppress(OSError):
                # Of this very thread, whatever it is called later.
                self._own = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        return Reading(self.cpu_ns(), run_delay(self._schedstat), run_delay(self._own))

    def cpu_ns(self) -> int:
        """The CPU time so far; 0 where the process is gone."""
        try:
            cpu = time.clock_gettime_ns(self._clock)
        except OSError:
            cpu = 0
        if self._family:
            # What a child used until it ended is told in ticks, and then may be a little less.
            self._family_ns = max(self._family_ns, family_ns(self._pid))
            cpu += self._family_ns
        return cpu

    @property
    def children_ns(self) -> int:
        """CPU time of the children that it has waited for, where `read` does not count it anyway."""
        return 0 if self._family else waited_ns(self._pid)

    @property
    def runnable(self) -> bool:
        """Whether the main thread runs or waits for a core, rather than sleeps."""
        try:
            with open(f"/proc/{self._pid}/stat", "rb") as stat:
                return stat.read().rpartition(b") ")[2][:1] == b"R"
        except OSError:
            return False

    @property
    def exiting(self) -> bool:
        """Whether the process is on its way out, or gone."""
        try:
            with open(f"/proc/{self._pid}/stat", "rb") as stat:
                state, *fields = stat.read().rpartition(b") ")[2].split()
        except OSError:
            return True
        flags, threads = int(fields[5]), int(fields[16])
        # A main thread may end and leave others to go on.
        return bool(flags & PF_EXITING) and not (state == b"Z" and threads > 1)

    def descendants(self) -> list[int]:
        """Processes that it has started, and theirs, where it may have some."""
        return descendants_of(self._pid) if self._family else []

    @property
    def image(self) -> tuple[bytes, ...]:
        """Where the program lies in memory: another place whenever the process turns into another program."""
        try:
            with open(f"/proc/{self._pid}/stat", "rb") as stat:
                fields = stat.read().rpartition(b") ")[2].split()
        except OSError:
            return ()
        # The start of its code and of its stack.
        return fields[23], fields[25]

    def close(self) -> None:
        """Give the files back."""
        for descriptor in (self._schedstat, self._own):
            if descriptor >= 0:
                os.close(descriptor)
        self._schedstat = self._own = -1


def waited_ns(pid: int) -> int:
    """CPU time of the children that a process has waited for, in the kernel's ticks (10 ms, mostly)."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            fields = stat.read().rpartition(b") ")[2].split()
    except OSError:
        return 0
    return (int(fields[13]) + int(fields[14])) * NS_A_TICK


def family_ns(pid: int) -> int:
    """CPU time of all that descends from a process: of those that live, and of those waited for."""
    total = waited_ns(pid)
    for child in children_of(pid):
        with suppress(OSError):
            total += time.clock_gettime_ns(~child << 3 | 2)
        total += family_ns(child)
    return total


def children_of(pid: int) -> list[int]:
    """The living children of a process; any thread may have started some."""
    children: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children") as listing:
                children += map(int, listing.read().split())
    return children


def descendants_of(pid: int) -> list[int]:
    """Those, and theirs."""
    return [one for child in children_of(pid) for one in (child, *descendants_of(child))]


def run_delay(descriptor: int) -> int:
    """The second field of an open schedstat: ns spent on a run queue."""
    if descriptor < 0:
        return 0
    try:
        return int(os.pread(descriptor, 80, 0).split()[1])
    except (OSError, IndexError, ValueError):
        return 0


def own_delay() -> int:
    """The run-queue delay of the calling thread."""
    try:
        with open("/proc/thread-self/schedstat", "rb", buffering=0) as schedstat:
            return run_delay(schedstat.fileno())
    except OSError:
        return 0


def schedstat_available() -> bool:
    """Whether the kernel tells run-queue delays; without them adjusted time is wall time."""
    try:
        with open("/proc/thread-self/schedstat", "rb") as schedstat:
            return len(schedstat.read().split()) == 3
    except OSError:
        return False
