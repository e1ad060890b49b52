"""The process that keeps the system in memory, and hands it out to those that start bots.

It is run as ``forkserver/__main__.py DESCRIPTOR BOARD keeper BUDGET SHARE``, moves to a stage of its own, and
answers requests on its socket and on those that it makes for other processes, until the first one is closed.
"""

from __future__ import annotations

import os
import select
import socket
from contextlib import suppress
from typing import Any

from arbiter.table.forkserver.dialogue import Answer, answer
from arbiter.table.forkserver.stage import enter, ignore_endings
from arbiter.table.forkserver.system import System

FAR_TOO_LONG = 1 << 20
"""Bytes of a file of the kernel that is copied."""


class Keeper:
    """The system, and what is asked of it. Its public methods answer requests."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.made: list[socket.socket] = []
        """Sockets for others, which are not yet listened to."""

    def furnish(self, settings: list[str], kernel: list[str], devices: list[str]) -> Answer:
        """Take what is the same for all bots: settings in /etc, copies of the kernel's files, devices."""
        for path in settings:
            self._system.take(path, follow=False)
        for path in kernel:
            self._copy_all(path)
        for path in devices:
            self._system.bind(path)
        return None, []

    def take(self, asked: list[dict[str, Any]]) -> Answer:
        """Take what players need (`sandbox.needs.Asked`); what is there then, and it."""
        system = self._system
        for one in asked:
            with system.share_of(""):
                for path in one["common"]:
                    system.take(path)
        for one in asked:
            with system.share_of(one["player"]):
                for path in one["needed"]:
                    system.take(path)
        for one in asked:
            with system.share_of(one["player"], mentioned=True):
                for path in one["mentioned"]:
                    system.take(path)
                for path in one["scans"]:
                    system.scan(path)
        said = {
            "bytes": system.bytes,
            "budget": system.budget,
            "in_place": system.in_place,
            "left_out": system.left_out(),
        }
        return said, [system.clone()]

    def connect(self) -> Answer:
        """A socket on which another process may ask."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.made.append(ours)
        return None, [theirs.detach()]

    def _copy_all(self, path: str) -> None:
        """Copy a file of the kernel, or the files of a folder, as it is now."""
        with suppress(OSError):
            if os.path.isdir(path):
                for name in sorted(os.listdir(path)):
                    self._copy_all(f"{path}/{name}")
                return
            with open(path, "rb") as file:
                self._system.write(path, file.read(FAR_TOO_LONG))


def main(descriptor: int, budget: int, share: int) -> None:
    """Answer until the first socket is closed; end at once where there can be no stage."""
    ignore_endings()
    owner = socket.socket(fileno=descriptor)
    owner.set_inheritable(False)
    if not enter():
        return
    keeper = Keeper(System(budget, share))
    poll = select.poll()
    sockets = {owner.fileno(): owner}
    poll.register(owner, select.POLLIN)
    while owner.fileno() in sockets:
        for number, _ in poll.poll():
            is_there = False
            with suppress(ConnectionError):
                is_there = answer(sockets[number], keeper)
            if not is_there:
                poll.unregister(number)
                sockets.pop(number).close()
        for made in keeper.made:
            sockets[made.fileno()] = made
            poll.register(made, select.POLLIN)
        keeper.made.clear()
