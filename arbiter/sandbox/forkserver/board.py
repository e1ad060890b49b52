"""Memory that a worker shares with its slim process: who is spoken to, and what bots' questions cost.

A message for each exchange would cost as much as the exchange; a word in memory costs nothing.
"""

from __future__ import annotations

import mmap
import os

SIZE = 4096
ANYBODY = 0
"""As the turn: every bot may ask."""


class Board:
    """64-bit numbers: first the turn, which is the place of the bot that is spoken to plus 1, or `ANYBODY`;
    then for each place whether the slim process has stopped the bot, and ns spent on its questions.
    """

    def __init__(self, descriptor: int) -> None:
        """`descriptor`: a file of `SIZE` bytes, which may be closed after this."""
        self.cells = memoryview(mmap.mmap(descriptor, SIZE)).cast("Q")

    def clear(self) -> None:
        """For new bots."""
        self.cells.cast("B")[:] = bytes(SIZE)


def stopped_cell(place: int) -> int:
    """The number of the cell that is 1 while the bot at a place is stopped for a question out of turn."""
    return 1 + 2 * place


def spent_cell(place: int) -> int:
    """The number of the cell with the ns that its questions have taken."""
    return 2 + 2 * place


def new_file() -> int:
    """A file for a board, in memory alone."""
    descriptor = os.memfd_create("arbiter-board")
    os.truncate(descriptor, SIZE)
    return descriptor
