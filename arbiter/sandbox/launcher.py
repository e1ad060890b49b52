"""The worker's client of the forkservers that start and end its bots."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.errors import VoidMatch
from arbiter.sandbox import forkserver
from arbiter.sandbox.forkserver_client import ForkserverClient
from arbiter.sandbox.landlock import common_rules
from arbiter.sandbox.rootfs_client import SYSTEM, SystemView

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.sandbox.files_needed import KeeperRequest
    from arbiter.sandbox.forkserver.board import Board

MOST_VIEWS = 8
"""Views of the system in memory that a forkserver keeps; each bot gets a copy of all its mounts."""
PID_LIMIT = 1 << 22
"""Above all process ids."""


class BotProcess(NamedTuple):
    """A bot's process: its id, our ends of its pipes (not blocking), and a pidfd that the launcher closes.

    `board` is the memory shared with the forkserver, `place` the bot's index there.
    """

    pid: int
    stdin: int
    stdout: int
    stderr: int
    process: int
    board: Board
    place: int


class End(NamedTuple):
    """The end of a bot's process, `exit` as in `BotReport`.

    `out_of_memory`: killed at the limit of its control group; `refused`: distinct numbers of refused system
    calls; `not_started`: why its program was not executed, or "".
    """

    exit: int | None
    cpu_ns: int
    peak_memory_bytes: int
    out_of_memory: bool = False
    refused: Sequence[int] = ()
    not_started: str = ""


class Launcher:
    """Starts the bots of one match at a time; VoidMatch whenever the machine fails.

    Bots on a stage and others have separate forkservers, started when first needed.
    """

    def __init__(self) -> None:
        self._processes: dict[bool, ForkserverClient] = {}
        self._bots: dict[int, tuple[int, int]] = {}
        """By process id: the pidfd of each bot of this match, and its process id in the forkserver."""
        self._in_use: ForkserverClient | None = None
        self._used: list[int] = []
        """The numbers of the views of this match's bots, until they have ended."""
        self.owner = os.getpid()
        self.abandoned = False
        """True after `abandon`: no bot is started any more."""
        self.staged = False
        """True if the bots of the last match were on a stage."""
        self.own_user = ""
        """How each of them had a separate user (`Users.own`); "" if they shared one."""
        self.own_numbers = False
        """True if each of them had a separate process namespace."""
        self.in_place: tuple[str, ...] = ()
        """Folders of its players that could not be copied to memory."""
        self.shows_all = False
        """True: bots see the machine's own system, still confined by Landlock."""
        self.views: list[SystemView | None] = []
        """The view of the system in memory of each of them; None for the machine's own system."""

    @property
    def alive(self) -> bool:
        """True if all forkservers are running, and this process started them."""
        return self.owner == os.getpid() and all(slim.alive for slim in self._processes.values())

    @property
    def paths_in_place(self) -> list[str] | None:
        """The system's paths that the last match's bots read in place; None if they saw the whole system."""
        views = [view for view in self.views if view is not None]
        return sorted({path for view in views for path in view.in_place}) if views else None

    @property
    def pids(self) -> list[int]:
        return [slim.pid for slim in self._processes.values()]

    def start(self, bots: Sequence[Mapping[str, Any]], lines: Sequence[int] = ()) -> list[BotProcess]:
        """Start all bots, each described as by `conduct.start_request`.

        `lines` are the descriptors for the bots with a `line`, in order.
        """
        staged = any(bot["stage"] for bot in bots)
        self._in_use = self._processes.get(staged) or self._processes.setdefault(
            staged, ForkserverClient("staged" if staged else "here")
        )
        if self.abandoned:
            raise VoidMatch("the process that starts bots was ended")
        if not self._in_use.furnished and any(bot["confine"] is not None for bot in bots):
            self._in_use.furnished = True
            self._in_use.staged = self._request("store_common", **common_rules())[0]
        shown = self._in_use.staged and not self.shows_all and any(bot["root"] is not None for bot in bots)
        self.views = self._mount_views([bot["system"] for bot in bots]) if shown else [None] * len(bots)
        requests = [
            {**bot, "system": None, "view": view and view.number}
            for bot, view in zip(bots, self.views, strict=True)
        ]
        board = self._in_use.board
        board.clear()
        answer, descriptors = self._request("start", lines, bots=requests)
        if "error" in answer:
            raise VoidMatch(answer["error"])
        self.staged, self.own_user = answer["staged"], answer["own_user"]
        self.own_numbers = answer["own_numbers"]
        self.in_place = tuple(answer["in_place"])
        started: list[BotProcess] = []
        by_bot = zip(*[iter(descriptors)] * forkserver.DESCRIPTORS_PER_BOT, strict=True)
        for inner, (*pipes, process) in zip(answer["pids"], by_bot, strict=True):
            for number in pipes:
                os.set_blocking(number, False)
            place = len(started)
            pid = process_id(process, place)
            self._bots[pid] = process, inner
            started.append(BotProcess(pid, pipes[0], pipes[1], pipes[2], process, board, place))
        return started

    def _mount_views(self, asked: Sequence[KeeperRequest | None]) -> list[SystemView | None]:
        """Give the forkserver the views that bots need; return them, None for the whole system."""
        assert self._in_use is not None
        have = self._in_use.views
        views, new = SYSTEM.request_views([one for one in asked if one is not None], have)
        needed = [view.number for view in views]
        try:
            for number, descriptor in new.items():
                others = [one for one in have if one not in needed]
                dropped = others[: max(0, len(have) + 1 - MOST_VIEWS)]
                self._request("mount_view", sent=[descriptor], number=number, dropped=dropped)
                have[:] = [*(one for one in have if one not in dropped), number]
        finally:
            for descriptor in new.values():
                os.close(descriptor)
        have.sort(key=needed.__contains__)
        SYSTEM.begin_use(needed)
        self._used = needed
        found = iter(views)
        return [None if one is None else next(found) for one in asked]

    def wait(self, pid: int, seconds: float) -> End | None:
        """Wait for a bot to end; return its end, or None after this time."""
        answer, _ = self._request("wait", pid=self._bots[pid][1], seconds=seconds)
        return None if answer is None else End(**answer)

    def stop(self) -> dict[int, End]:
        """Kill all bots and their descendants; return the ends by process id."""
        answer, _ = self._request("stop")
        ends = {pid: End(**answer[str(inner)]) for pid, (_, inner) in self._bots.items()}
        self._close_pidfds()
        return ends

    def abandon(self) -> None:
        """End all bots, from another thread: calls in progress raise VoidMatch."""
        self.abandoned = True
        for slim in list(self._processes.values()):
            slim.hang_up()

    def close(self) -> None:
        """End the forkservers, and with them every bot."""
        for slim in self._processes.values():
            slim.close()
        self._close_pidfds()

    def _request(self, do: str, sent: Sequence[int] = (), **arguments: Any) -> tuple[Any, list[int]]:
        """Send the forkserver in use a request; if it is gone, kill its bots and raise VoidMatch."""
        assert self._in_use is not None
        try:
            return self._in_use.ask(do, sent, **arguments)
        except VoidMatch:
            self._kill_bots()
            raise

    def _kill_bots(self) -> None:
        """Kill the bots that the death of their forkserver did not kill."""
        for descriptor, _ in self._bots.values():
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        self._close_pidfds()

    def _close_pidfds(self) -> None:
        for descriptor, _ in self._bots.values():
            os.close(descriptor)
        self._bots.clear()
        if self._used:
            SYSTEM.end_use(self._used)
            self._used = []


def process_id(descriptor: int, place: int) -> int:
    """Return the process id of a pidfd in our namespace; an unused id if the process is gone.

    The kernel reports -1 then, which as the target of a signal means all processes.
    """
    with open(f"/proc/self/fdinfo/{descriptor}") as lines:
        number = next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))
    return number if number > 0 else PID_LIMIT + place
