"""The kernel's accounts of cores: who else had those of a bot, and when its main thread last ran on ours."""

from __future__ import annotations

import os
import time

from arbiter.sandbox.cgroup import throttled_ns

# Where there is no `sysconf` there is no table, and this is only imported.
NS_PER_TICK = 10**9 // (os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100)
INEXACT_NS = 2 * NS_PER_TICK
"""By which a core's two idle times, which are given in ticks, may be wrong in all."""
FRESH_NS = 50 * 10**6
"""How old a reading of idle times may be, which takes long on a machine of many cores: none is idle since."""
_now, _busy = time.monotonic_ns, time.thread_time_ns


class Others:
    """The time of a bot's cores that neither it nor the referee's thread took, counted from its making."""

    def __init__(self, cores: set[int], cpu_ns: int) -> None:
        """`cores`: the numbers of the bot's; `cpu_ns`: its CPU time so far."""
        self._cores = cores
        self.inexact_ns = len(self._cores) * INEXACT_NS
        self.since = _now()
        """The moment of its making, on the monotonic clock in ns."""
        self._idle = self._idle_now = idle_ns(self._cores)
        self._looked, self._throttled = self.since, throttled_ns()
        self._spent = cpu_ns + _busy()

    def took_ns(self, cpu_ns: int) -> int | None:
        """At most so many ns; None where the kernel does not tell. `cpu_ns` as above.

        With the time for which our control group was not allowed to run.
        """
        moment = _now()
        if moment - self._looked >= FRESH_NS:
            self._looked, self._idle_now = moment, idle_ns(self._cores)
        if self._idle_now is None or self._idle is None:
            return None
        passed = len(self._cores) * (moment - self.since)
        busy = passed + self.inexact_ns - (self._idle_now - self._idle)
        return max(0, busy - (cpu_ns + _busy() - self._spent)) + throttled_ns() - self._throttled


def cores_of(pid: int) -> set[int]:
    """The numbers of the cores that a process's main thread may use; none if it is gone."""
    try:
        return os.sched_getaffinity(pid)
    except OSError:
        return set()


def idle_ns(cores: set[int]) -> int | None:
    """How long these cores were idle since boot, in all; None where the kernel does not tell."""
    try:
        # In some containers another file lies over it, which has the container's own time alone.
        if os.stat("/proc/stat").st_dev != os.stat("/proc").st_dev:
            return None
        with open("/proc/stat", "rb") as stat:
            fields = [line.split() for line in stat if line.startswith(b"cpu")]
        found = {int(row[0][3:]): int(row[4]) + int(row[5]) for row in fields[1:]}
        return sum(found[core] for core in cores) * NS_PER_TICK if cores else None
    except (OSError, ValueError, IndexError, KeyError):
        return None


def idle_since_ns(pid: int) -> int | None:
    """For how long the main thread of a process has not run, in ns.

    None where the kernel does not tell, or that thread last ran on another core, whose clock may differ.
    """
    try:
        other, core = _last_run(pid)
        # Brings the kernel's account of our own thread up to date.
        _busy()
        own, own_core = _last_run("thread-self")
    except (OSError, ValueError, IndexError):
        return None
    return max(0, own - other) if core == own_core else None


def _last_run(pid: int | str) -> tuple[int, bytes]:
    """The moment up to which a thread's CPU time is counted, on the scheduler's clock in ns, and its core."""
    with open(f"/proc/{pid}/sched", "rb") as sched:
        # The last such words: the program's name, which it chooses, comes before them.
        ms, _, fraction = sched.read(512).rpartition(b"se.exec_start")[2].split(None, 2)[1].partition(b".")
    with open(f"/proc/{pid}/stat", "rb") as stat:
        core = stat.read().rpartition(b") ")[2].split()[36]
    return int(ms) * 10**6 + int(fraction), core
