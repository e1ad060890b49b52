"""Bots that compute while another one is to move: stopped until their next command, and finally at fault.

All bots of a match share a core, and only one has a request. So a bot that has computed since the last check
is stopped before another one's exchange, and the referee checks again during the exchange, soon and often.
A bot caught during another's exchange is stopped before all later exchanges of others. A stopped process
cannot continue itself; a bot that computes although it is stopped is killed, and loses.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from arbiter.errors import MalformedReply
from arbiter.match.clock import MS, SECOND
from arbiter.match.record import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.games.game import Seat
    from arbiter.sandbox.process_meter import Meter

COMPUTED_NS = MS // 2
"""CPU time after which a bot is stopped. Its quick answers, which are not metered, take less."""
MOST_DEFYING_NS, FORGIVEN_NS = 200 * MS, MS
"""The most CPU time of a stopped bot, and how much of it each of its exchanges cancels: the kernel may still
work for a process when it is stopped."""


class Presence:
    """The background CPU use of one bot, whose processes it stops, continues and may kill by signals."""

    __slots__ = ("_defying_ns", "_meter", "_noted_ns", "_pid", "_seat", "awake", "stopped", "wary")

    def __init__(self, seat: Seat, pid: int, meter: Meter) -> None:
        self._seat, self._pid, self._meter = seat, pid, meter
        self._defying_ns = 0
        self._noted_ns: int | None = None
        self.awake = False
        """False until its first answer: it is not started yet, or starts."""
        self.stopped = False
        self.wary = False
        """True if it has computed during another bot's exchange."""

    def ignore_until(self, cpu_ns: int) -> None:
        """Ignore CPU time up to this total: the bot used it for its answers."""
        self._noted_ns = cpu_ns

    def stop_if_computing(self) -> int:
        """Stop the bot if it computed, or was caught before; return its CPU time since the last call."""
        if not self.awake or self.stopped:
            return 0
        # Reading an unbound family takes longer than many an exchange: the first `check` reads it.
        now = None if self._meter.unbound else self._meter.cpu_ns()
        taken = 0 if now is None or self._noted_ns is None else now - self._noted_ns
        self._noted_ns = now
        if taken > COMPUTED_NS or self.wary:
            self._stop_processes()
        return taken

    def stop_if_caught(self) -> int:
        """Stop the bot if it computed during another one's exchange. Return its CPU time.

        Kill it once it has computed for more than `MOST_DEFYING_NS` although it was stopped.
        """
        now = self._meter.cpu_ns()
        if self._noted_ns is None:
            self._noted_ns = now
        if (taken := now - self._noted_ns) <= COMPUTED_NS:
            return 0
        self._noted_ns = now
        if self.stopped:
            self._defying_ns += taken
        # A starting bot may compute.
        self.wary |= self.awake
        self._stop_processes()
        if self._defying_ns > MOST_DEFYING_NS:
            self._signal(signal.SIGKILL)
        return taken

    def resume(self) -> None:
        """Continue its processes, and forgive `FORGIVEN_NS` of the time it computed although stopped."""
        self.stopped = False
        self._defying_ns = max(0, self._defying_ns - FORGIVEN_NS)
        self._signal(signal.SIGCONT)

    @property
    def defiance_fault(self) -> MalformedReply | None:
        """Its fault (``out_of_turn``) if it computed although it was stopped."""
        if self._defying_ns <= MOST_DEFYING_NS:
            return None
        taken = f"it computed for {self._defying_ns / SECOND:.1f} s while others were to move"
        return MalformedReply(Fault.OUT_OF_TURN, f"{taken}, although it was stopped", b"", self._seat)

    def _stop_processes(self) -> None:
        self.stopped = True
        self._signal(signal.SIGSTOP)

    def _signal(self, number: int) -> None:
        """Send a signal to its process, its process group, and any descendants."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)
        for pid in (self._pid, *self._meter.descendants()) if self._meter.unbound else ():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)


def stop_background_bots(others: Sequence[Presence]) -> int:
    """Call `Presence.stop_if_computing` of each. Return their CPU time in all."""
    return sum([other.stop_if_computing() for other in others])


def fault_of_stopped_bot(others: Sequence[Presence]) -> MalformedReply | None:
    """Return the fault of a bot that computed although it was stopped, or None."""
    return next((fault for other in others if (fault := other.defiance_fault)), None)


def check_background_bots(others: Sequence[Presence]) -> int:
    """Call `Presence.stop_if_caught` of each. Return their CPU time in all."""
    return sum([other.stop_if_caught() for other in others])
