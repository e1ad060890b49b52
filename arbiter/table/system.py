"""The worker's side of the system in memory: one keeper for a process, or for all workers of a season."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import VoidMatch
from arbiter.table.forkserver import SYSTEM_BYTES
from arbiter.table.sandbox.needs import base, changed
from arbiter.table.slim import SlimProcess

if TYPE_CHECKING:
    from collections.abc import Iterable

NUMBERS = count(1)


class Told(NamedTuple):
    """What is in memory: bytes, the budget, and the folders that are read where they are."""

    bytes: int
    budget: int
    in_place: tuple[str, ...]


class SystemInMemory:
    """The keeper as one process has it: its own, or its part of somebody else's. Threads may share it."""

    def __init__(self) -> None:
        self._keeper: SlimProcess | None = None
        self._owner = 0
        self._lock = threading.RLock()
        self._known: set[tuple[str, int]] = set()
        """What was taken and scanned, with when it had last changed."""
        self.number = 0
        """Changes when what was handed out before does not show all that is there now."""
        self.told = Told(0, SYSTEM_BYTES, ())

    def use(self, end: socket.socket) -> None:
        """Ask another process's keeper at this end of a connection to it."""
        self._keeper, self._owner = SlimProcess.at(end), os.getpid()

    def connect(self) -> socket.socket | None:
        """A connection to the keeper, for another process; None where there can be no keeper."""
        with self._lock, suppress(VoidMatch):
            _, (descriptor,) = self._ready().ask("connect")
            return socket.socket(fileno=descriptor)
        return None

    def take(
        self, paths: Iterable[str], wishes: Iterable[str], scans: Iterable[str], number: int
    ) -> int | None:
        """Have it hold what bots need: a descriptor to mount, which the caller closes.

        None for who has already what was handed out under this `number`, and it shows all.
        """
        with self._lock:
            keeper = self._ready()
            missing = [path for path in paths if (path, 0) not in self._known]
            wished = [path for path in wishes if (path, -1) not in self._known]
            marks = [(path, changed(path)) for path in scans]
            unscanned = [path for path, mark in marks if (path, mark) not in self._known]
            if number == self.number and not (missing or wished or unscanned):
                return None
            said, (descriptor,) = keeper.ask("take", paths=missing, wishes=wished, scans=unscanned)
            self._known.update(((path, 0) for path in missing), ((path, -1) for path in wished), marks)
            told = Told(said["bytes"], said["budget"], tuple(said["in_place"]))
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
            self._keeper, self._owner = SlimProcess("keeper", str(SYSTEM_BYTES)), os.getpid()
            self._known, self.number, self.told = set(), 0, Told(0, SYSTEM_BYTES, ())
            self._keeper.ask("furnish", (), **base())
        return self._keeper


SYSTEM = SystemInMemory()
"""That of this process."""
