"""The reason why a program failed, from its exit, its memory and its last output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.errors import MalformedReply
from arbiter.match.record import Fault
from arbiter.sandbox.cgroup import SLACK_BYTES
from arbiter.sandbox.failure_hints import PLAIN, exceeded_limit, reports_no_memory
from arbiter.sandbox.forkserver.bot import file_bytes
from arbiter.sandbox.syscall_numbers import is_process_start

if TYPE_CHECKING:
    from arbiter.match.spec import Limits
    from arbiter.sandbox.launcher import End, Launcher
    from arbiter.sandbox.process_meter import Meter
    from arbiter.sandbox.stderr import StandardError

MB = 10**6
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


class Ending:
    """The faults of one program that may have ended: methods read its memory, and wait for its exit."""

    def __init__(
        self, launcher: Launcher, pid: int, meter: Meter, stderr: StandardError, limits: Limits
    ) -> None:
        self._launcher, self._pid, self._meter, self._stderr = launcher, pid, meter, stderr
        self._memory_bytes, self._confined = limits.memory_bytes, limits.isolation != PLAIN

    def check_memory(self) -> None:
        """Raise MalformedReply (`memory`, or `crash`) if it has filled more than its limit.

        The memory of a program without its main thread is not visible.
        """
        most = self._memory_bytes + SLACK_BYTES
        filled = self._meter.memory_bytes()
        if (not filled or self._meter.family) and self._meter.has_lost_a_main_thread:
            raise self.crash_fault("ended its main thread", b"")
        if filled > most and self._meter.family:
            filled = self._meter.private_bytes()
        if filled > most:
            raise self._memory_fault(f"it filled {filled // MB} MB{self._asked(filled)}", b"")

    def crash_fault(self, manner: str, unread: bytes) -> MalformedReply:
        """Return the fault of a program that ended or closed a pipe: `memory` if it was at its limit."""
        end = self._wait()
        if end is None:
            return MalformedReply(Fault.CRASH, f"it {manner}", unread)
        status = end.exit or 0
        how = f"was killed by signal {-status}" if status < 0 else f"exited with status {status}"
        # A program to which a process is refused may call that a lack of memory.
        told = self._stderr.reports_no_memory and not any(map(is_process_start, end.refused))
        peak, said = self._peak(end), bool(end.exit) and told
        if end.out_of_memory or peak > (SAID_SHARE if said else MEMORY_SHARE) * self._memory_bytes:
            return self._memory_fault(f"it {how}; it had {peak // MB} MB{self._asked(peak)}", unread)
        if said:
            how += f" {NO_MEMORY}; it had {peak // MB} MB and is limited to {self._memory_bytes // MB} MB"
        limit = "" if said else exceeded_limit(status, self._stderr.tail, self._confined)
        why = f"it {how}; {limit}" if limit else f"it {how}"
        return MalformedReply(Fault.CRASH, why, unread, private=self._stderr.explanation)

    def output_fault(self, fault: MalformedReply, said: bytes) -> MalformedReply:
        """Return the fault of malformed output `said`: `memory` if this, or standard error at the end of the
        program, reports a lack of memory, and the program had used a large part of its limit.
        """
        if fault.kind not in (Fault.MALFORMED, Fault.OUT_OF_TURN):
            return fault
        filled, end = self._meter.memory_bytes(), self._wait()
        if end is not None and any(map(is_process_start, end.refused)):
            return fault
        told = reports_no_memory(said) or (end is not None and end.exit and self._stderr.reports_no_memory)
        if told and max(filled, self._peak(end) if end else 0) > SAID_SHARE * self._memory_bytes:
            return self._memory_fault(fault.reason, fault.reply)
        return fault

    def _wait(self) -> End | None:
        """Wait `CLOSED_SECONDS` or more, and read standard error. Return how it ended, None if it lives."""
        end = self._launcher.wait(self._pid, CLOSED_SECONDS)
        if end is None and self._meter.exiting:
            end = self._launcher.wait(self._pid, EXITING_SECONDS)
        self._stderr.drain()
        return end

    def _peak(self, end: End) -> int:
        """Return the peak memory of an ended program in bytes, without the files it had at the last check."""
        return max(0, end.peak_memory_bytes - file_bytes(self._meter.memory))

    def _asked(self, filled: int) -> str:
        """Return in words what it had reserved at the last check; "" if it had filled as much since."""
        asked = self._meter.memory.get(b"VmData", 0)
        return f" of {asked // MB} MB that it asked for" if asked // MB > filled // MB else ""

    def _memory_fault(self, how: str, unread: bytes) -> MalformedReply:
        """Return the fault `memory`: `how`, and the limit."""
        limit = f"its memory is limited to {self._memory_bytes // MB} MB"
        return MalformedReply(Fault.MEMORY, f"{how}; {limit}", unread)
