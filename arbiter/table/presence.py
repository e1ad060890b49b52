"""Bots in the way of others: found out, stopped until they are spoken to, and at fault in the end.

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
"""So long has a bot, or the referee, to wait for the core, and so long another to compute meanwhile, for the
other to be stopped.
"""
MOST_DISTURBING_NS = 5 * SECOND
"""So much CPU time may a bot take while others wait for the core."""


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
        """So many exchanges more the referee is to look at it before it writes."""

    def taken_ns(self) -> int:
        """The CPU time that it has taken since this was last asked; 0 while it starts."""
        if not self.awake:
            return 0
        before, self._noted_ns = self._noted_ns, self._meter.cpu_ns()
        return self._noted_ns - before

    def note(self, cpu_ns: int) -> None:
        """What it has taken so far was for an answer of its own."""
        self._noted_ns = cpu_ns

    def stop(self, taken_ns: int) -> None:
        """Keep it from the core until it is spoken to again, and note what it took of others' time."""
        self._disturbing_ns += taken_ns
        self.stopped = True
        self.wary = max(self.wary, 1)
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it run again; nothing happens where it was not stopped."""
        self.stopped = False
        self._signal(signal.SIGCONT)

    def check(self) -> None:
        """MalformedReply (``out_of_turn``) if it has taken too much of others' time."""
        if self._disturbing_ns > MOST_DISTURBING_NS:
            taken = f"it computed for {self._disturbing_ns / SECOND:.1f} s while others waited for the core"
            detail = f"{taken}; {MOST_DISTURBING_NS / SECOND:.1f} s are allowed"
            raise MalformedReply(Fault.OUT_OF_TURN, detail, b"")

    def _signal(self, number: int) -> None:
        """To its process group, and to all that descends from it where a tier allows it children."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)
        for child in self._meter.descendants():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, number)


def stop_all(others: Sequence[Presence], most_ns: int = SECOND) -> int:
    """Stop those that have computed since they were last looked at; how long, each so much at most."""
    total = 0
    for other in others:
        if (taken := min(other.taken_ns(), most_ns)) > DISTURBING_NS:
            other.stop(taken)
            total += taken
    return total
