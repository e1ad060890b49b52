"""The reason why a program failed, from its exit, its memory and its last output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.errors import MalformedReply
from arbiter.match.record import Fault
from arbiter.sandbox.failure_hints import PLAIN, exceeded_limit, reports_no_memory

if TYPE_CHECKING:
    from arbiter.match.spec import Limits
    from arbiter.sandbox.launcher import End, Launcher
    from arbiter.sandbox.process_meter import Meter
    from arbiter.sandbox.stderr import StandardError

CLOSED_SECONDS = 0.03
"""The wait for a program that closed a pipe: most end at once."""
EXITING_SECONDS = 0.5
"""The wait for the kernel to release an exiting process with its memory."""
MEMORY_SHARE = 0.95
"""A program that ended with more than this share of its limit was out of memory."""
SAID_SHARE = 1 / 3
"""The share of the limit from which a program's own report of no memory is believed: a program that tries to
double its memory fails there.
"""
NO_MEMORY = "and wrote that it got no memory"
"""The note for a program with less."""
BESIDE_BYTES = 64 << 20
"""The memory that a program may fill beyond its limit, which counts only writable memory: stack, code."""


class Ending:
    """The faults of one program that may have ended: by its exit, memory and last output."""

    def __init__(
        self, launcher: Launcher, pid: int, meter: Meter, stderr: StandardError, limits: Limits
    ) -> None:
        self._launcher, self._pid, self._meter, self._stderr = launcher, pid, meter, stderr
        self._memory_bytes, self._confined = limits.memory_bytes, limits.isolation != PLAIN

    def check_memory(self, tables: bool = True) -> None:
        """Raise MalformedReply (`memory`, or `crash`) if it has filled more than its limit.

        The kernel's limit does not count read-only memory, nor page `tables`, which take longer to read and
        to fill. The memory of a program without its main thread is not visible.
        """
        filled = self._meter.memory_bytes(tables)
        if not filled and self._meter.has_lost_its_main_thread:
            raise self.crash_fault("ended its main thread", b"")
        if filled > self._memory_bytes + BESIDE_BYTES:
            raise self._memory_fault(f"it filled {filled // 10**6} MB", b"")

    def crash_fault(self, manner: str, unread: bytes) -> MalformedReply:
        """Return the fault of a program that ended or closed a pipe: `memory` if it was at its limit."""
        end = self._wait()
        if end is None:
            return MalformedReply(Fault.CRASH, f"it {manner}", unread)
        status = end.exit or 0
        how = f"was killed by signal {-status}" if status < 0 else f"exited with status {status}"
        peak, said = end.peak_memory_bytes, bool(end.exit) and self._stderr.reports_no_memory
        if end.out_of_memory or peak > (SAID_SHARE if said else MEMORY_SHARE) * self._memory_bytes:
            return self._memory_fault(f"it {how}", unread)
        if said:
            mb = 10**6
            how += f" {NO_MEMORY}; it had {peak // mb} MB and is limited to {self._memory_bytes // mb} MB"
        limit = "" if said else exceeded_limit(status, self._stderr.tail, self._confined)
        why = f"it {how}; {limit}" if limit else f"it {how}"
        return MalformedReply(Fault.CRASH, why, unread, private=self._stderr.last_line)

    def output_fault(self, fault: MalformedReply, said: bytes) -> MalformedReply:
        """Return the fault of malformed output `said`: `memory` if this, or standard error at the end of the
        program, reports a lack of memory, and the program had used a large part of its limit.
        """
        if fault.kind not in (Fault.MALFORMED, Fault.OUT_OF_TURN):
            return fault
        filled, end = self._meter.memory_bytes(), self._wait()
        told = reports_no_memory(said) or (end is not None and end.exit and self._stderr.reports_no_memory)
        if told and max(filled, end.peak_memory_bytes if end else 0) > SAID_SHARE * self._memory_bytes:
            return self._memory_fault(fault.reason, fault.reply)
        return fault

    def _wait(self) -> End | None:
        """Return how it ended, None if it lives, after reading its standard error."""
        end = self._launcher.wait(self._pid, CLOSED_SECONDS)
        if end is None and self._meter.exiting:
            end = self._launcher.wait(self._pid, EXITING_SECONDS)
        self._stderr.drain()
        return end

    def _memory_fault(self, how: str, unread: bytes) -> MalformedReply:
        limit = f"its memory is limited to {self._memory_bytes // 10**6} MB"
        return MalformedReply(Fault.MEMORY, f"{how}; {limit}", unread)
