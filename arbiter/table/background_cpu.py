"""Bots that compute while another one is to move: stopped until their next command, and in the end at fault.

All bots of a match share a core, and only one of them has something to do. So who has computed since it was
last seen is stopped before another one is spoken to, and the referee looks again soon after that, and often.
Who was found to compute beside another one is stopped before each exchange of others from then on. A stopped
process runs nothing that could continue it; one that goes on all the same is killed, and loses.
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
"""CPU time for which a bot is stopped. Its quick answers, which are not noted, take less."""
MOST_DEFYING_NS, FORGIVEN_NS = 200 * MS, MS
"""CPU time of a bot that is stopped, at most, and how much of it each turn of its own makes up for: what the
kernel does for it just then is done first."""


class Presence:
    """One bot as the others at its table feel it."""

    __slots__ = ("_defying_ns", "_meter", "_noted_ns", "_pid", "_seat", "awake", "stopped", "wary")

    def __init__(self, seat: Seat, pid: int, meter: Meter) -> None:
        self._seat, self._pid, self._meter = seat, pid, meter
        self._defying_ns = 0
        self._noted_ns: int | None = None
        self.awake = False
        """False until its first answer: it is not started yet, or starts."""
        self.stopped = False
        self.wary = False
        """True if it has computed beside another one."""

    def note(self, cpu_ns: int) -> None:
        """Count nothing up to a total of CPU time: it went into the bot's own answers."""
        self._noted_ns = cpu_ns

    def hush(self) -> int:
        """Stop it if it has computed lately or ever did so beside others: it is another one's turn.

        The CPU time since the last call.
        """
        if not self.awake or self.stopped:
            return 0
        # Of a family it takes longer to read than many an exchange: the first look is the one that notes.
        now = None if self._meter.family else self._meter.cpu_ns()
        taken = 0 if now is None or self._noted_ns is None else now - self._noted_ns
        self._noted_ns = now
        if taken > COMPUTED_NS or self.wary:
            self._stop()
        return taken

    def look(self) -> int:
        """Stop it if it has computed since `hush`, so beside another one; the CPU time that it took."""
        now = self._meter.cpu_ns()
        if self._noted_ns is None:
            self._noted_ns = now
        if (taken := now - self._noted_ns) <= COMPUTED_NS:
            return 0
        self._noted_ns = now
        if self.stopped:
            self._defying_ns += taken
        # Before its first answer it starts, and nothing has made it wait.
        self.wary |= self.awake
        self._stop()
        if self._defying_ns > MOST_DEFYING_NS:
            self._signal(signal.SIGKILL)
        return taken

    def resume(self) -> None:
        """Let its processes run."""
        self.stopped = False
        self._defying_ns = max(0, self._defying_ns - FORGIVEN_NS)
        self._signal(signal.SIGCONT)

    @property
    def defiance(self) -> MalformedReply | None:
        """Its fault (``out_of_turn``) if it went on although it was stopped."""
        if self._defying_ns <= MOST_DEFYING_NS:
            return None
        taken = f"it computed for {self._defying_ns / SECOND:.1f} s while others were to move"
        return MalformedReply(Fault.OUT_OF_TURN, f"{taken}, although it was stopped", b"", self._seat)

    def _stop(self) -> None:
        self.stopped = True
        self._signal(signal.SIGSTOP)

    def _signal(self, number: int) -> None:
        """Send a signal to its process, its process group, and its descendants where it may have some."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)
        for pid in (self._pid, *self._meter.descendants()) if self._meter.family else ():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)


def hush(others: Sequence[Presence]) -> int:
    """Stop those that have computed lately, or ever did so beside another one; what they took together."""
    return sum([other.hush() for other in others])


def defiance_of(others: Sequence[Presence]) -> MalformedReply | None:
    """The fault of one that went on although it was stopped."""
    return next((fault for other in others if (fault := other.defiance)), None)


def look_at(others: Sequence[Presence]) -> int:
    """Stop those that have computed since `hush`; what they took together."""
    # Each of them, whatever another one took.
    return sum([other.look() for other in others])
