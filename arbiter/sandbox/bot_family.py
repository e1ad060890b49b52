"""The processes that a confined bot started before its first reply: the living ones, and their CPU time.

From the first reply on they only become fewer, and stay descendants of the bot's process in its group. So few
are listed rarely, and a reading costs a call for each.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from arbiter.sandbox.forkserver.board import replied_cell, started_cell
from arbiter.sandbox.forkserver.bot import descendants_of

if TYPE_CHECKING:
    from arbiter.sandbox.forkserver.board import Board

NOBODY = 0
"""The process id for the time of ended processes."""
LISTED_AGAIN_NS = 100 * 10**6
"""The interval of listing after the first reply: a start that was allowed just before it takes a moment."""


class BotFamily:
    """The descendants of one bot's process."""

    __slots__ = ("_at", "_cells", "_listed", "_living", "_pid", "_replied", "_seen", "_started")

    def __init__(self, pid: int, board: Board, place: int) -> None:
        self._pid, self._cells = pid, board.cells
        self._started, self._replied = started_cell(place), replied_cell(place)
        self._seen: dict[int, int] = {}
        """By process id, living or not: its CPU time in ns at the last reading."""
        self._living: list[int] = []
        self._at = self._listed = 0
        """The times of the last reading and listing, on the monotonic clock in ns."""

    @property
    def has_begun(self) -> bool:
        """True if the bot has ever started a process."""
        return self._cells[self._started] > 0

    def living(self) -> list[int]:
        """Return the ids of its descendants."""
        now = time.monotonic_ns()
        if not self._cells[self._replied] or now - self._listed >= LISTED_AGAIN_NS:
            self._listed = now
            listed = descendants_of(self._pid)
            # One that is not listed ends, or has ended, unless its siblings do: its clock decides.
            self._living = [*listed, *(one for one in self._living if one not in listed)]
        return self._living

    def cpu_ns(self) -> int:
        """Return the CPU time of all in ns.

        When one has ended, its last time is not known: the time since the last reading counts as if it had
        computed on the bot's core.
        """
        now, ended = time.monotonic_ns(), False
        for one in list(self.living()):
            try:
                # A process of another group has the number of an ended one.
                if os.getpgid(one) != self._pid:
                    raise ProcessLookupError
                self._seen[one] = max(time.clock_gettime_ns(~one << 3 | 2), self._seen.get(one, 0))
            except OSError:
                self._living.remove(one)
                ended = True
        if ended:
            self._seen[NOBODY] = self._seen.get(NOBODY, 0) + now - (self._at or now)
        self._at = now
        return sum(self._seen.values())
