"""The worker's side of the system in memory: one keeper for a process, or for all workers of a season."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import VoidMatch
from arbiter.table.forkserver import PLAYER_BYTES, SYSTEM_BYTES
from arbiter.table.sandbox.needs import base, changed
from arbiter.table.slim import SlimProcess

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.table.sandbox.needs import Asked

NUMBERS = count(1)
SHOWN = 5


class Told(NamedTuple):
    """What is in memory: bytes, the budget, what is read where it is, and by player what is not there."""

    bytes: int
    budget: int
    in_place: tuple[str, ...]
    left_out: Mapping[str, Sequence[str]]

    def missing(self, player: str) -> str:
        """What was left out of a player's, a few by name; "" for nothing."""
        paths = self.left_out.get(player, ())
        more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
        return ", ".join(paths[:SHOWN]) + more


class SystemInMemory:
    """The keeper as one process has it: its own, or its part of somebody else's. Threads may share it."""

    def __init__(self) -> None:
        self._keeper: SlimProcess | None = None
        self._owner = 0
        self._lock = threading.RLock()
        self._known: set[tuple[Asked, tuple[int, ...]]] = set()
        """What was asked for, with when what it scans had last changed."""
        self.number = 0
        """Changes when what was handed out before does not show all that is there now."""
        self.told = Told(0, SYSTEM_BYTES, (), {})

    def use(self, end: socket.socket) -> None:
        """Ask another process's keeper at this end of a connection to it."""
        self._keeper, self._owner = SlimProcess.at(end), os.getpid()

    def connect(self) -> socket.socket | None:
        """A connection to the keeper, for another process; None where there can be no keeper."""
        with self._lock, suppress(VoidMatch):
            _, (descriptor,) = self._ready().ask("connect")
            return socket.socket(fileno=descriptor)
        return None

    def take(self, asked: Iterable[Asked], number: int) -> int | None:
        """Have it hold what bots need: a descriptor to mount, which the caller closes.

        None for who has already what was handed out under this `number`, and it shows all.
        """
        with self._lock:
            keeper = self._ready()
            marked = {(one, tuple(map(changed, one.scans))) for one in asked}
            new = marked - self._known
            if number == self.number and not new:
                return None
            said, (descriptor,) = keeper.ask("take", asked=[one._asdict() for one, _ in new])
            self._known |= new
            told = Told(said["bytes"], said["budget"], tuple(said["in_place"]), said["left_out"])
            if told.in_place != self.told.in_place or not self.number:
                # What is mounted in it later is not seen in what was handed out before.
                self.number = next(NUMBERS)
            self.told = told
            if number != self.number:
                return descriptor
            os.close(descriptor)
            return None

    def close(self) -> None:
        """End the keeper, or the connection to it."""
        with self._lock:
            if self._keeper is not None and self._owner == os.getpid():
                self._keeper.close()
            self._keeper = None

    def _ready(self) -> SlimProcess:
        if self._keeper is None or self._owner != os.getpid() or not self._keeper.alive:
            self._keeper = SlimProcess("keeper", str(SYSTEM_BYTES), str(PLAYER_BYTES))
            self._owner = os.getpid()
            self._known, self.number, self.told = set(), 0, Told(0, SYSTEM_BYTES, (), {})
            self._keeper.ask("furnish", (), **base())
        return self._keeper


SYSTEM = SystemInMemory()
"""That of this process."""
