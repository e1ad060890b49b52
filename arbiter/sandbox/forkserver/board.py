"""Memory that a worker shares with its forkserver: whose turn it is, the cost of supervised calls, and the
processes that bots have started.

A message for each exchange would cost as much as the exchange; shared memory costs nothing.
"""

from __future__ import annotations

import mmap
import os

SIZE = 4096
ANYBODY = 0
"""As the turn: calls of all bots are answered."""


class Board:
    """64-bit cells: first the turn, which is 1 + the place of the bot to move, or `ANYBODY`; then, for each
    place, whether the forkserver has stopped the bot, the ns spent on its calls, the number of processes that
    it has started, and whether it has replied.
    """

    def __init__(self, descriptor: int) -> None:
        """`descriptor`: a file of `SIZE` bytes, which the caller may close afterwards."""
        self.cells = memoryview(mmap.mmap(descriptor, SIZE)).cast("Q")

    def clear(self) -> None:
        """Reset all cells, for new bots."""
        self.cells.cast("B")[:] = bytes(SIZE)


def stopped_cell(place: int) -> int:
    """Return the index of the cell that is 1 while the bot at a place is stopped for a call out of turn."""
    return 1 + 4 * place


def spent_cell(place: int) -> int:
    """Return the index of the cell with the ns that its calls have taken."""
    return 2 + 4 * place


def started_cell(place: int) -> int:
    """Return the index of the cell with the number of processes that a bot has started."""
    return 3 + 4 * place


def replied_cell(place: int) -> int:
    """Return the index of the cell that is 1 from a bot's first reply on: it starts no process then."""
    return 4 + 4 * place


def new_file() -> int:
    """Create a file in memory for a board; return its descriptor."""
    descriptor = os.memfd_create("arbiter-board")
    os.truncate(descriptor, SIZE)
    return descriptor
