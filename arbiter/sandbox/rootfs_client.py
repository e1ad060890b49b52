"""The worker's side of the system in memory: one keeper for a process, or for all workers of a season."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import VoidMatch
from arbiter.sandbox.files_needed import base, changed
from arbiter.sandbox.forkserver import PLAYER_BYTES, SYSTEM_BYTES
from arbiter.sandbox.forkserver_client import SlimProcess

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from arbiter.sandbox.files_needed import KeeperRequest

SHOWN = 5


class SystemView(NamedTuple):
    """A player's view of the system in memory: its number, what is read where it is, what was left out."""

    number: int
    in_place: Sequence[str]
    left_out: Sequence[str]

    def missing(self) -> str:
        """Return what was left out, a few by name; "" for nothing."""
        more = f" and {len(self.left_out) - SHOWN} more" if len(self.left_out) > SHOWN else ""
        return ", ".join(self.left_out[:SHOWN]) + more


class SystemInMemory:
    """The keeper as one process has it: its own, or its part of somebody else's. Threads may share it."""

    def __init__(self) -> None:
        self._keeper: SlimProcess | None = None
        self._owner = 0
        self._lock = threading.RLock()
        self._known: dict[tuple[KeeperRequest, tuple[int, ...]], SystemView] = {}
        """By what was asked for, with when what it scans had last changed."""

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
        self, asked: Sequence[KeeperRequest], have: Collection[int]
    ) -> tuple[list[SystemView], dict[int, int]]:
        """The views of players, and by number a descriptor to mount of each that who asks does not `have`,
        which the caller closes.
        """
        with self._lock:
            keeper = self._ready()
            marked = [(one, tuple(map(changed, one.scans))) for one in asked]
            if all(one in self._known and self._known[one].number in have for one in marked):
                return [self._known[one] for one in marked], {}
            questions = [one._asdict() | {"marks": marks} for one, marks in marked]
            said, descriptors = keeper.ask("take", asked=questions, have=[*have])
            views = [SystemView(*view) for view in said["views"]]
            self._known |= dict(zip(marked, views, strict=True))
            return views, dict(zip(said["new"], descriptors, strict=True))

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
            self._known = {}
            self._keeper.ask("furnish", (), **base())
        return self._keeper


SYSTEM = SystemInMemory()
"""That of this process."""
