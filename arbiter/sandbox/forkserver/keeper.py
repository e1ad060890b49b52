"""The process that keeps the system in memory, and gives views of it to forkservers.

It is run as ``forkserver/__main__.py DESCRIPTOR BOARD keeper BUDGET SHARE``, enters a separate stage, and
answers requests on its socket and on sockets for other processes, until the first one is closed.
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from arbiter.sandbox.forkserver.dialogue import Answer, answer
from arbiter.sandbox.forkserver.stage import enter_stage, ignore_end_signals
from arbiter.sandbox.forkserver.system import Base, System

if TYPE_CHECKING:
    from collections.abc import Iterator

RENEW_SECONDS = 1.0
"""Between renewals of the copies in use, which cost 2 µs of CPU for each file, folder and link."""
LONGEST_TEXT = 1 << 20
"""Bytes of a kernel file that are copied."""


class Keeper:
    """The system in memory. Public methods answer requests."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.made: list[socket.socket] = []
        """New sockets for other processes, not yet polled."""
        self.asker = 0
        """The descriptor of the socket whose request is answered."""
        self._used: dict[int, Counter[int]] = {}
        """By that descriptor, how many bots use each view now."""

    def store_common(self, settings: list[str], kernel: list[str], devices: list[str]) -> Answer:
        """Store what is the same for all bots: settings in /etc, copies of kernel files, devices."""
        texts = {path: text for one in kernel for path, text in _kernel_files(one)}
        self._system.base = Base(settings, texts, devices)
        return None, []

    def give_views(self, asked: list[dict[str, Any]], have: list[int]) -> Answer:
        """Return each player's view (`System.view`), with a descriptor for each number in `new`: the views
        that the caller does not `have`.
        """
        views, new = [], dict[int, int]()
        for one in asked:
            view, left_out = self._system.view(one)
            views.append([view.number, view.in_place, left_out])
            if view.number not in (*have, *new):
                # At once: the next view may replace it.
                new[view.number] = self._system.clone(view)
        return {"views": views, "new": [*new]}, [*new.values()]

    def begin_use(self, views: list[int]) -> Answer:
        """Renew views for bots that start now, and from now on while they are used."""
        self._used.setdefault(self.asker, Counter()).update(views)
        self._system.renew(views, RENEW_SECONDS)
        return None, []

    def end_use(self, views: list[int]) -> Answer:
        """Note that bots with these views have ended."""
        self._used[self.asker] -= Counter(views)
        return None, []

    def end_uses_of(self, asker: int) -> None:
        """Note that a process is gone, with its bots."""
        self._used.pop(asker, None)

    def renew_views(self) -> None:
        """Renew the views in use."""
        self._system.renew({number for used in self._used.values() for number in used})

    def connect(self) -> Answer:
        """Return a socket for requests of another process."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.made.append(ours)
        return None, [theirs.detach()]


def _kernel_files(path: str) -> Iterator[tuple[str, bytes]]:
    """Yield a kernel file, or the readable files in and below a folder, with their current content."""
    with suppress(OSError):
        if os.path.isdir(path):
            for name in sorted(os.listdir(path)):
                yield from _kernel_files(f"{path}/{name}")
            return
        with open(path, "rb") as file:
            yield path, file.read(LONGEST_TEXT)


def main(descriptor: int, budget: int, share: int) -> None:
    """Run the keeper until the socket `descriptor` is closed; end at once if a stage is impossible.

    `budget` is the maximum of bytes copied for all players, `share` that for one.
    """
    ignore_end_signals()
    owner = socket.socket(fileno=descriptor)
    owner.set_inheritable(False)
    os.umask(0o022)
    if not enter_stage():
        return
    system = System(budget, share)
    keeper = Keeper(system)
    poll = select.poll()
    sockets = {owner.fileno(): owner}
    poll.register(owner, select.POLLIN)
    due = time.monotonic() + RENEW_SECONDS
    while owner.fileno() in sockets:
        if (left := due - time.monotonic()) <= 0:
            keeper.renew_views()
            due, left = time.monotonic() + RENEW_SECONDS, RENEW_SECONDS
        for number, _ in poll.poll(1000 * left):
            is_there, keeper.asker = False, number
            with suppress(ConnectionError):
                is_there = answer(sockets[number], keeper)
            if not is_there:
                poll.unregister(number)
                keeper.end_uses_of(number)
                sockets.pop(number).close()
        for made in keeper.made:
            sockets[made.fileno()] = made
            poll.register(made, select.POLLIN)
        keeper.made.clear()
