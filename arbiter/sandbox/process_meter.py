"""The time that a bot took: wall time, CPU time, and the time it waited for a core.

The *adjusted* time of a request is ``min(wall, max(cpu, wall - delay))``: what the bot would have used on
an idle machine. `delay` is the time that the bot's main thread and the referee's thread spent on a run
queue, from the kernel's schedstat; `account` decides which part of it counts. The lower bound is needed
because a delay that began before the window is reported inside it; the upper bound keeps a bot from paying
twice for its threads. A sleeping bot is on no run queue and is charged in full.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from arbiter.sandbox.bot_family import BotFamily
from arbiter.sandbox.core_accounts import NS_PER_TICK, Others, cores_of, idle_since_ns
from arbiter.sandbox.forkserver.board import spent_cell
from arbiter.sandbox.forkserver.bot import children_of, descendants_of, memory_counts, threads_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arbiter.sandbox.forkserver.board import Board

PF_EXITING = 4
LONGEST_STATUS = 1 << 14
"""Bytes: on large machines it lists many cores."""
SHARE = re.compile(rb"\n(?:Pss_Anon|SwapPss):\s*(\d+) kB")
_tuple = tuple.__new__


class MeterReading(NamedTuple):
    """Running totals in ns: a process's CPU time, its main thread's run-queue delay; the delay and CPU time
    of our thread; the CPU time of the process's main thread, which may lack the last tick.
    """

    cpu_ns: int
    delay_ns: int
    own_ns: int
    busy_ns: int
    main_ns: int = 0


class Meter:
    """Meters one bot's process. Files are opened at the first reading: quick bots need none."""

    __slots__ = ("_asked", "_cells", "_clock", "_cores", "_family_ns", "_kin", "_own", "_pid", "_ready",
                 "_schedstat", "_status", "away_ns", "memory", "unbound")  # fmt: skip

    def __init__(
        self,
        pid: int,
        family: bool = False,
        board: Board | None = None,
        place: int = 0,
        away_ns: Callable[[], int] = int,
    ) -> None:
        """`family`: the process may start others at any time, whose CPU time counts, too.

        `board`: has at `place` the cost of its supervised calls, which counts, too, and whether it has
        started processes. `away_ns` returns the total time it has waited for others, such as a model's
        provider.
        """
        self._pid = pid
        self.away_ns = away_ns
        self.unbound, self._family_ns = family, 0
        """`unbound`: its descendants may leave its process group."""
        # The kernel's encoding of "CPU time of process pid".
        self._clock = ~pid << 3 | 2
        # The cores at start: under `plain` it may switch to others while they are counted.
        self._cores = cores_of(pid)
        self._schedstat = self._own = self._status = -1
        self._ready = False
        self.memory: dict[bytes, int] = {}
        """The last `memory_counts` of the process itself that were not empty."""
        self._cells = board.cells if board else None
        self._asked = spent_cell(place)
        self._kin = BotFamily(pid, board, place) if board else None

    @property
    def family(self) -> bool:
        """True if the process may have children, which count, too."""
        return self.unbound or (self._kin is not None and self._kin.has_begun)

    def read(self) -> MeterReading:
        """Return the totals so far; a delay is 0 if the kernel does not report it."""
        if not self._ready:
            self._ready = True
            with suppress(OSError):
                self._schedstat = os.open(f"/proc/{self._pid}/schedstat", os.O_RDONLY)
            with suppress(OSError):
                # An open file stays bound to this thread, even if another thread reads it.
                self._own = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        cpu, (main, delay) = self.cpu_ns(), read_schedstat(self._schedstat)
        busy, own = read_schedstat(self._own)
        return _tuple(MeterReading, (cpu, delay, own, busy, main))

    @property
    def own_ns(self) -> int:
        """Our thread's run-queue delay so far."""
        return read_schedstat(self._own)[1]

    @property
    def idle_since_ns(self) -> int | None:
        """As `core_accounts.idle_since_ns`."""
        return idle_since_ns(self._pid)

    def others(self) -> Others:
        """Start counting the use of its cores by others."""
        return Others(self._cores, self.cpu_ns())

    def cpu_ns(self) -> int:
        """Return the CPU time so far in ns; 0 if the process is gone."""
        try:
            cpu = time.clock_gettime_ns(self._clock) + (self._cells[self._asked] if self._cells else 0)
        except OSError:
            cpu = 0
        if self.unbound:
            # The time of an ended child is reported in ticks, and may be less than before.
            self._family_ns = max(self._family_ns, family_ns(self._pid))
            cpu += self._family_ns
        elif self._kin is not None and self._kin.has_begun:
            cpu += self._kin.cpu_ns()
        return cpu

    def memory_bytes(self) -> int:
        """Return the memory that it has filled, even if read-only now, with page tables; 0 if it is gone.

        Memory that it shares with its descendants counts for each of them.
        """
        found: dict[bytes, int] = {}
        with suppress(OSError):
            if self._status < 0:
                self._status = os.open(f"/proc/{self._pid}/status", os.O_RDONLY)
            found = memory_counts(os.pread(self._status, LONGEST_STATUS, 0))
        self.memory = found or self.memory
        return filled_bytes(found) + sum(filled_bytes(_counts_of(one)) for one in self.descendants())

    def private_bytes(self) -> int:
        """Return the memory that it and its descendants have filled, each page once; slow."""
        return sum(map(_private_bytes, (self._pid, *self.descendants())))

    @property
    def children_ns(self) -> int:
        """CPU time of the children it has waited for; 0 if `read` includes it."""
        return 0 if self.family else waited_ns(self._pid)

    @property
    def runnable(self) -> bool:
        """True if the main thread runs or waits for a core."""
        return _read_stat(self._pid)[:1] == b"R"

    @property
    def has_lost_a_main_thread(self) -> bool:
        """True if other threads of a process run without the main one, of which memory and delay are read."""
        return any(_read_stat(p)[:1] == b"Z" and not is_exiting(p) for p in (self._pid, *self.descendants()))

    @property
    def exiting(self) -> bool:
        """True if the process is exiting or gone."""
        return is_exiting(self._pid)

    def descendants(self) -> list[int]:
        """Return all descendants; empty if it may have none."""
        if self._kin is not None and self._kin.has_begun and not self.unbound:
            return self._kin.living()
        return descendants_of(self._pid) if self.unbound else []

    @property
    def image(self) -> tuple[bytes, ...]:
        """The addresses of the program's code and stack, which change when it executes another program."""
        fields = _read_stat(self._pid).split()
        return (fields[23], fields[25]) if fields else ()

    def close(self) -> None:
        for descriptor in (self._schedstat, self._own, self._status):
            if descriptor >= 0:
                os.close(descriptor)
        self._schedstat = self._own = self._status = -1


def _read_stat(pid: int | str) -> bytes:
    """Return /proc/PID/stat from the state on; empty if gone. `pid` may be PID/task/TID."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return stat.read().rpartition(b") ")[2]
    except OSError:
        return b""


def is_exiting(pid: int) -> bool:
    """True if a process is exiting or gone."""
    # The main thread may end before the others, which then free the memory, or continue.
    all_fields = (_read_stat(f"{pid}/task/{thread}").split() for thread in threads_of(pid))
    return all(not fields or int(fields[6]) & PF_EXITING for fields in all_fields)


def waited_ns(pid: int) -> int:
    """Return the ns of CPU time of children that a process has waited for, in ticks (mostly 10 ms)."""
    fields = _read_stat(pid).split()
    return (int(fields[13]) + int(fields[14])) * NS_PER_TICK if fields else 0


def family_ns(pid: int) -> int:
    """Return the ns of CPU time of all descendants of a process, living or waited for."""
    total = waited_ns(pid)
    for child in children_of(pid):
        with suppress(OSError):
            total += time.clock_gettime_ns(~child << 3 | 2)
        total += family_ns(child)
    return total


def filled_bytes(counts: Mapping[bytes, int]) -> int:
    """Return the bytes of anonymous memory, swapped memory and page tables of `memory_counts`."""
    return sum(counts.get(name, 0) for name in (b"RssAnon", b"VmSwap", b"VmPTE"))


def _counts_of(pid: int) -> dict[bytes, int]:
    """Return the `memory_counts` of a process; empty if it is gone."""
    with suppress(OSError), open(f"/proc/{pid}/status", "rb") as status:
        return memory_counts(status.read())
    return {}


def _private_bytes(pid: int) -> int:
    """Return the memory that a process has filled, with only its share of pages that others have, too."""
    counts = _counts_of(pid)
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as rollup:
            return counts.get(b"VmPTE", 0) + 1024 * sum(map(int, SHARE.findall(rollup.read())))
    except PermissionError:
        # It executes a program that only its owner may read: then all counts.
        return filled_bytes(counts)
    except OSError:
        return 0


def is_awake(pid: int) -> bool:
    """True if a thread of a process runs, or waits for a core or a disk."""
    return any(_read_stat(f"{pid}/task/{thread}")[:1] in (b"R", b"D") for thread in threads_of(pid))


def name_of(pid: int) -> str:
    """Return the name of a process's program, up to 15 characters; "" if it is gone."""
    try:
        with open(f"/proc/{pid}/comm", errors="replace") as name:
            return name.read().rstrip("\n")
    except OSError:
        return ""


def read_schedstat(descriptor: int) -> tuple[int, int]:
    """Return ns on a core and ns on a run queue from an open schedstat; 0 if unreadable."""
    if descriptor < 0:
        return 0, 0
    try:
        running, waiting, _ = os.pread(descriptor, 80, 0).split()
        return int(running), int(waiting)
    except (OSError, ValueError):
        return 0, 0


def schedstat_available() -> bool:
    """True if the kernel reports run-queue delays; without them adjusted time is wall time."""
    try:
        with open("/proc/thread-self/schedstat", "rb") as schedstat:
            return len(schedstat.read().split()) == 3
    except OSError:
        return False
