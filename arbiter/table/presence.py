"""Bots that keep others from the core: noticed, stopped until their next command, and in the end at fault.

All bots of a match share a core, and only one of them has something to do. One that computes while another
waits for the core is stopped, so that nobody can starve a match until it is void.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from arbiter.clock import MS, SECOND
from arbiter.errors import MalformedReply
from arbiter.match import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.table.meter import Meter

DISTURBED_NS, DISTURBING_NS = 5 * MS, 10 * MS
"""A bot is stopped if it computed for longer than the second while another, or the referee, waited for the
core for longer than the first. Less happens by itself on a busy machine.
"""
MOST_DISTURBING_NS = 5 * SECOND
"""CPU time in a match that a bot may use while others wait for the core."""


class Presence:
    """One bot as the others at its table feel it."""

    __slots__ = ("_disturbing_ns", "_meter", "_noted_ns", "_pid", "awake", "stopped", "wary")

    def __init__(self, pid: int, meter: Meter) -> None:
        self._pid, self._meter = pid, meter
        self._disturbing_ns = self._noted_ns = 0
        self.awake = False
        """False while it starts, when it may compute beside others."""
        self.stopped = False
        self.wary = 0
        """The number of exchanges before which the referee checks it."""

    def taken_ns(self) -> int:
        """CPU time since the last call or `note`; 0 while it starts."""
        if not self.awake:
            return 0
        before, self._noted_ns = self._noted_ns, self._meter.cpu_ns()
        return self._noted_ns - before

    def note(self, cpu_ns: int) -> None:
        """Count nothing up to a total of CPU time: it went into the bot's own answers."""
        self._noted_ns = cpu_ns

    def stop(self, taken_ns: int) -> None:
        """Stop its processes until the next command, and add what it took of others' time."""
        self._disturbing_ns += taken_ns
        self.stopped = True
        self.wary = max(self.wary, 1)
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let its processes run."""
        self.stopped = False
        self._signal(signal.SIGCONT)

    def check(self) -> None:
        """MalformedReply (``out_of_turn``) if it has taken too much of others' time."""
        if self._disturbing_ns > MOST_DISTURBING_NS:
            taken = f"it computed for {self._disturbing_ns / SECOND:.1f} s while others waited for the core"
            detail = f"{taken}; {MOST_DISTURBING_NS / SECOND:.1f} s are allowed"
            raise MalformedReply(Fault.OUT_OF_TURN, detail, b"")

    def _signal(self, number: int) -> None:
        """Send a signal to its process group, and to its descendants where it may have some."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)
        for child in self._meter.descendants():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, number)


def stop_all(others: Sequence[Presence], most_ns: int = SECOND) -> int:
    """Stop those that have computed since the last look; what they took, each `most_ns` at most."""
    total = 0
    for other in others:
        if (taken := min(other.taken_ns(), most_ns)) > DISTURBING_NS:
            other.stop(taken)
            total += taken
    return total
