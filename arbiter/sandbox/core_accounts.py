"""The kernel's accounting of cores: others' use of a bot's cores; when its main thread last ran on ours."""

from __future__ import annotations

import os
import time

from arbiter.sandbox.cgroup import throttled_ns

# Without `sysconf` this module is only imported, and its functions are not used.
NS_PER_TICK = 10**9 // (os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100)
INEXACT_NS = 2 * NS_PER_TICK
"""The largest error of a difference of two idle times, which are given in ticks."""
FRESH_NS = 50 * 10**6
"""Idle times are read again after this time; no core counts as idle since. Reading many cores is slow."""
_now, _busy = time.monotonic_ns, time.thread_time_ns


class Others:
    """Counts the time of a bot's cores used neither by it nor by this thread, from the creation on."""

    def __init__(self, cores: set[int], cpu_ns: int) -> None:
        """`cores`: the numbers of the bot's cores; `cpu_ns`: its CPU time so far."""
        self._cores = cores
        self.inexact_ns = len(self._cores) * INEXACT_NS
        self.since = _now()
        """The time of creation, on the monotonic clock in ns."""
        self._idle = self._idle_now = idle_ns(self._cores)
        self._looked, self._throttled = self.since, throttled_ns()
        self._spent = cpu_ns + _busy()

    def took_ns(self, cpu_ns: int) -> int | None:
        """Return an upper bound in ns; None if the kernel does not report it. `cpu_ns` as in `__init__`.

        It includes the time for which our control group was throttled.
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
    """Return the numbers of the cores that a process's main thread may use; empty if it is gone."""
    try:
        return os.sched_getaffinity(pid)
    except OSError:
        return set()


def idle_ns(cores: set[int]) -> int | None:
    """Return the total idle time of these cores since boot in ns; None if the kernel does not report it."""
    try:
        # Some containers mount a file over it that has only the container's time.
        if os.stat("/proc/stat").st_dev != os.stat("/proc").st_dev:
            return None
        with open("/proc/stat", "rb") as stat:
            fields = [line.split() for line in stat if line.startswith(b"cpu")]
        found = {int(row[0][3:]): int(row[4]) + int(row[5]) for row in fields[1:]}
        return sum(found[core] for core in cores) * NS_PER_TICK if cores else None
    except (OSError, ValueError, IndexError, KeyError):
        return None


def idle_since_ns(pid: int) -> int | None:
    """Return how long the main thread of a process has not run, in ns.

    None if the kernel does not report it, or the thread last ran on another core, whose clock may differ.
    """
    try:
        other, core = _last_run(pid)
        # Updates the kernel's accounting of our thread.
        _busy()
        own, own_core = _last_run("thread-self")
    except (OSError, ValueError, IndexError):
        return None
    return max(0, own - other) if core == own_core else None


def _last_run(pid: int | str) -> tuple[int, bytes]:
    """Return until when a thread's CPU time is counted, on the scheduler's clock in ns, and its core."""
    with open(f"/proc/{pid}/sched", "rb") as sched:
        # The last match: the program's name, which it chooses, comes before.
        ms, _, fraction = sched.read(512).rpartition(b"se.exec_start")[2].split(None, 2)[1].partition(b".")
    with open(f"/proc/{pid}/stat", "rb") as stat:
        core = stat.read().rpartition(b") ")[2].split()[36]
    return int(ms) * 10**6 + int(fraction), core
