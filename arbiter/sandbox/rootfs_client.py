"""The client of the system in memory: one keeper for a process, or for all workers of a season."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import VoidMatch
from arbiter.sandbox.files_needed import common_base, modified_ns
from arbiter.sandbox.forkserver import PLAYER_BYTES, SYSTEM_BYTES
from arbiter.sandbox.forkserver_client import ForkserverClient

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from arbiter.sandbox.files_needed import KeeperRequest

SHOWN = 5


class SystemView(NamedTuple):
    """A player's view of the system in memory: its number, the paths read in place, the paths left out."""

    number: int
    in_place: Sequence[str]
    left_out: Sequence[str]

    def missing(self) -> str:
        """Return the paths left out, the first few by name, or ""."""
        more = f" and {len(self.left_out) - SHOWN} more" if len(self.left_out) > SHOWN else ""
        return ", ".join(self.left_out[:SHOWN]) + more


class SystemInMemory:
    """A process's keeper, or its connection to another process's keeper. Thread-safe."""

    def __init__(self) -> None:
        self._keeper: ForkserverClient | None = None
        self._owner = 0
        self._lock = threading.RLock()
        self._known: dict[tuple[KeeperRequest, tuple[int, ...]], SystemView] = {}
        """By request, with the modification times of its scanned folders."""

    def use(self, end: socket.socket) -> None:
        """Use another process's keeper, by this end of a connection."""
        self._keeper, self._owner = ForkserverClient.connected_to(end), os.getpid()

    def connect(self) -> socket.socket | None:
        """Return a connection to the keeper, for another process; None if there can be no keeper."""
        with self._lock, suppress(VoidMatch):
            _, (descriptor,) = self._running_keeper().ask("connect")
            return socket.socket(fileno=descriptor)
        return None

    def request_views(
        self, asked: Sequence[KeeperRequest], have: Collection[int]
    ) -> tuple[list[SystemView], dict[int, int]]:
        """Return the views of players, and by number the descriptors to mount for the views that the caller
        does not `have`; the caller closes them.
        """
        with self._lock:
            keeper = self._running_keeper()
            marked = [(one, tuple(map(modified_ns, one.scans))) for one in asked]
            if all(one in self._known and self._known[one].number in have for one in marked):
                return [self._known[one] for one in marked], {}
            questions = [one._asdict() | {"marks": marks} for one, marks in marked]
            said, descriptors = keeper.ask("give_views", asked=questions, have=[*have])
            views = [SystemView(*view) for view in said["views"]]
            self._known |= dict(zip(marked, views, strict=True))
            return views, dict(zip(said["new"], descriptors, strict=True))

    def begin_use(self, views: Sequence[int]) -> None:
        """Have views renewed from now on, for bots that start now."""
        with self._lock:
            self._running_keeper().ask("begin_use", views=views)

    def end_use(self, views: Sequence[int]) -> None:
        """Have them renewed no longer: the bots have ended."""
        with self._lock, suppress(VoidMatch):
            if self._keeper is not None and self._owner == os.getpid() and self._keeper.alive:
                self._keeper.ask("end_use", views=views)

    def close(self) -> None:
        """End the keeper, or the connection to it."""
        with self._lock:
            if self._keeper is not None and self._owner == os.getpid():
                self._keeper.close()
            self._keeper = None

    def _running_keeper(self) -> ForkserverClient:
        """Return the keeper, started first if this process has none that runs."""
        if self._keeper is None or self._owner != os.getpid() or not self._keeper.alive:
            self._keeper = ForkserverClient("keeper", str(SYSTEM_BYTES), str(PLAYER_BYTES))
            self._owner = os.getpid()
            self._known = {}
            self._keeper.ask("store_common", (), **common_base())
        return self._keeper


SYSTEM = SystemInMemory()
