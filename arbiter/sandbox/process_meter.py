"""The time that a bot took: wall time, CPU time, and the time it waited for a core.

The *adjusted* time of a request is ``min(wall, max(cpu, wall - delay))``: what the bot would have
used on a machine of its own. `delay` is the time that the bot's main thread and the referee's
thread spent on a run queue, from the kernel's schedstat; `account` decides which of it counts. The
lower bound is needed because a delay that began before the window is reported inside it; the upper bound
keeps a bot from paying twice for its threads. A sleeping bot is on no run queue and is charged in full.
"""

from __future__ import annotations

import mmap
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from arbiter.sandbox.core_accounts import NS_PER_TICK, Others, cores_of, idle_since_ns
from arbiter.sandbox.forkserver.board import spent_cell

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.sandbox.forkserver.board import Board

PF_EXITING = 4
FILLED, TABLES = b"\nRssAnon:", b"\nVmPTE:"
"""Lines of /proc/PID/status, in kB. The first is the name, which the program chooses; it has no line end."""
CHUNK = 1 << 16
_tuple = tuple.__new__


class MeterReading(NamedTuple):
    """Running totals in ns: a process's CPU time, its main thread's run-queue delay; our thread's two, delay
    first; the CPU time of the main thread alone, which may lack that of the last tick.
    """

    cpu_ns: int
    delay_ns: int
    own_ns: int
    busy_ns: int
    main_ns: int = 0


class Meter:
    """Reads one bot's process. Files are opened at the first reading: quick bots need none."""

    __slots__ = ("_asked", "_cells", "_clock", "_cores", "_family_ns", "_own", "_pid", "_ready", "_schedstat",
                 "_statm", "away_ns", "family")  # fmt: skip

    def __init__(
        self,
        pid: int,
        family: bool = False,
        board: Board | None = None,
        place: int = 0,
        away_ns: Callable[[], int] = int,
    ) -> None:
        """`family`: the process may have children, whose CPU time counts as its own.

        `board`: where at its place stands what its questions have cost, which counts, too. `away_ns` says for
        how long in all it has waited for what is no time of its own, such as a model's provider.
        """
        self._pid = pid
        self.away_ns = away_ns
        self.family, self._family_ns = family, 0
        # The kernel's encoding of "CPU time of process pid".
        self._clock = ~pid << 3 | 2
        # Those that it is given: under `plain` it may choose others, and choose again while they are counted.
        self._cores = cores_of(pid)
        self._schedstat = self._own = self._statm = -1
        self._ready = False
        self._cells, self._asked = board and board.cells, spent_cell(place)

    def read(self) -> MeterReading:
        """Totals so far; a delay is 0 where the kernel does not report it."""
        if not self._ready:
            self._ready = True
            with suppress(OSError):
                self._schedstat = os.open(f"/proc/{self._pid}/schedstat", os.O_RDONLY)
            with suppress(OSError):
                # An open file stays that of this thread, whichever thread reads it later.
                self._own = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        cpu, (main, delay), (busy, own) = self.cpu_ns(), run_times(self._schedstat), run_times(self._own)
        return _tuple(MeterReading, (cpu, delay, own, busy, main))

    @property
    def own_ns(self) -> int:
        """Our thread's run-queue delay so far."""
        return run_times(self._own)[1]

    @property
    def idle_since_ns(self) -> int | None:
        """As `cores.idle_since_ns`."""
        return idle_since_ns(self._pid)

    def others(self) -> Others:
        """Count what others take of its cores from now on."""
        return Others(self._cores, self.cpu_ns())

    def cpu_ns(self) -> int:
        """The CPU time so far; 0 if the process is gone."""
        try:
            cpu = time.clock_gettime_ns(self._clock) + (self._cells[self._asked] if self._cells else 0)
        except OSError:
            cpu = 0
        if self.family:
            # The time of a child that has ended is reported in ticks, and may be a little less than before.
            self._family_ns = max(self._family_ns, family_ns(self._pid))
            cpu += self._family_ns
        return cpu

    def memory_bytes(self, tables: bool = False) -> int:
        """Memory of its own that it has filled, whether or not it may still write there; 0 if it is gone.

        With the kernel's `tables` of its addresses, which take longer to look up.
        """
        try:
            if tables:
                return filled_in(_read(f"/proc/{self._pid}/status"))
            if self._statm < 0:
                self._statm = os.open(f"/proc/{self._pid}/statm", os.O_RDONLY)
            _, resident, of_files, *_ = os.pread(self._statm, 120, 0).split()
        except (OSError, ValueError):
            return 0
        return (int(resident) - int(of_files)) * mmap.PAGESIZE

    @property
    def children_ns(self) -> int:
        """CPU time of the children it has waited for; 0 where `read` counts it already."""
        return 0 if self.family else waited_ns(self._pid)

    @property
    def runnable(self) -> bool:
        """True if the main thread runs or waits for a core, rather than sleeps."""
        return _stat(self._pid)[:1] == b"R"

    @property
    def has_lost_its_main_thread(self) -> bool:
        """True if other threads go on without the main one, for which alone memory and waiting are read."""
        return _stat(self._pid)[:1] == b"Z" and not self.exiting

    @property
    def exiting(self) -> bool:
        """True if the process is exiting or gone."""
        # Its main thread may have ended before the others: these free its memory, or go on.
        return all(
            not fields or int(fields[6]) & PF_EXITING
            for fields in (_stat(f"{self._pid}/task/{thread}").split() for thread in threads_of(self._pid))
        )

    def descendants(self) -> list[int]:
        """Its children, and theirs; none where it may have no children."""
        return descendants_of(self._pid) if self.family else []

    @property
    def image(self) -> tuple[bytes, ...]:
        """The start of the program's code and stack, which changes when it executes another one."""
        fields = _stat(self._pid).split()
        return (fields[23], fields[25]) if fields else ()

    def close(self) -> None:
        """Close the files."""
        for descriptor in (self._schedstat, self._own, self._statm):
            if descriptor >= 0:
                os.close(descriptor)
        self._schedstat = self._own = self._statm = -1


def _stat(pid: int | str) -> bytes:
    """The fields of /proc/PID/stat after the program's name, the state first; empty if it is gone.

    PID/task/TID names a thread.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return stat.read().rpartition(b") ")[2]
    except OSError:
        return b""


def _read(path: str) -> bytes:
    """A file of the kernel, in half the calls that `open` makes. OSError if it cannot be read."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return b"".join(iter(lambda: os.read(descriptor, CHUNK), b""))
    finally:
        os.close(descriptor)


def waited_ns(pid: int) -> int:
    """CPU time of the children that a process has waited for, in whole ticks (mostly of 10 ms)."""
    fields = _stat(pid).split()
    return (int(fields[13]) + int(fields[14])) * NS_PER_TICK if fields else 0


def family_ns(pid: int) -> int:
    """CPU time of all descendants of a process: the living ones and those waited for."""
    total = waited_ns(pid)
    for child in children_of(pid):
        with suppress(OSError):
            total += time.clock_gettime_ns(~child << 3 | 2)
        total += family_ns(child)
    return total


def filled_in(status: bytes) -> int:
    """Bytes of own memory and of page tables that a text of /proc/PID/status tells; 0 if it tells none."""
    found = [status.partition(line)[2].split(None, 1) for line in (FILLED, TABLES)]
    return 1024 * sum(int(words[0]) for words in found if words)


def threads_of(pid: int) -> list[str]:
    """The ids of a process's threads; none if it is gone."""
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def children_of(pid: int) -> list[int]:
    """The children of a process, whichever of its threads started them."""
    children: list[int] = []
    for thread in threads_of(pid):
        with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children") as listing:
            children += map(int, listing.read().split())
    return children


def descendants_of(pid: int) -> list[int]:
    """The children of a process, and theirs."""
    return [one for child in children_of(pid) for one in (child, *descendants_of(child))]


def is_awake(pid: int) -> bool:
    """True if a thread of a process runs, or waits for a core or a disk, rather than sleeps."""
    return any(_stat(f"{pid}/task/{thread}")[:1] in (b"R", b"D") for thread in threads_of(pid))


def name_of(pid: int) -> str:
    """The name of a process's program, up to 15 characters; empty if it is gone."""
    try:
        with open(f"/proc/{pid}/comm", errors="replace") as name:
            return name.read().rstrip("\n")
    except OSError:
        return ""


def run_times(descriptor: int) -> tuple[int, int]:
    """The first fields of an open schedstat: ns on a core, ns on a run queue; 0 where they cannot be read."""
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
