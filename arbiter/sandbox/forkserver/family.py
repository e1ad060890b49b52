"""Start, wait for and end the bots of one match with their descendants."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import time
from typing import Any

from arbiter.sandbox.awake_time import Awake
from arbiter.sandbox.forkserver.birth import become_bot
from arbiter.sandbox.forkserver.board import Board
from arbiter.sandbox.forkserver.bot import LOOK_SECONDS, Bot, kill, peak_memory
from arbiter.sandbox.forkserver.copies import Copies
from arbiter.sandbox.forkserver.dialogue import Answer, answer
from arbiter.sandbox.forkserver.kernel import (
    MS_NODEV,
    MS_NOSUID,
    PR_SET_CHILD_SUBREAPER,
    PR_SET_DUMPABLE,
    attach_mount,
    mount,
    prctl,
    unmount,
)
from arbiter.sandbox.forkserver.numbering import Numbers
from arbiter.sandbox.forkserver.reserve import take_reserve
from arbiter.sandbox.forkserver.stage import enter_stage, ignore_end_signals, restart_numbers
from arbiter.sandbox.forkserver.supervised import Supervised
from arbiter.sandbox.forkserver.supervisor import Supervisor
from arbiter.sandbox.forkserver.system import PLACE as SYSTEM
from arbiter.sandbox.forkserver.users import Users

SWEEP_SECONDS = 10.0
"""The time limit for all descendants to die."""
LONGEST_LOOK_SECONDS = 0.01


def main(descriptor: int, board: int, staged: bool) -> None:
    """Run the forkserver: serve requests until the worker is gone, then end all bots."""
    ignore_end_signals()
    # Descriptors in flight count for all processes of a user: our limit must be above the bots'.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    label = str(os.getpid())
    staged = staged and enter_stage()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_DUMPABLE, 0)
    worker = socket.socket(fileno=descriptor)
    worker.set_inheritable(False)
    supervisor = Supervisor(worker.fileno(), Board(board))
    os.close(board)
    family = Family(supervisor, staged, label)
    take_reserve()
    # However the dialogue ends, the bots end with it.
    try:
        while supervisor.serve():
            if not answer(worker, family):
                break
    except ConnectionError:
        pass
    finally:
        family.stop()


class Family:
    """The bots of one match and their descendants. Public methods answer the worker's requests."""

    def __init__(self, supervisor: Supervisor, staged: bool, label: str) -> None:
        """`label` is in the names of control groups: the process id of this process for the worker."""
        self._supervisor = supervisor
        self._staged, self._label = staged, label
        self._copies = Copies()
        self._users = Users()
        self._numbers = Numbers()
        self._has_views = False
        # Without them the time of children could not be measured.
        self._lists_children = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # noqa: PTH110
        self._ground: dict[str, Any] = {}
        self._calls: dict[str, int] = {}
        self._errors: list[tuple[int, int]] = []
        self._bots: list[Bot] = []
        self._groups: list[str] = []
        self._groups_made = 0

    def store_common(self, calls: dict[str, int], errors: list[tuple[int, int]], **ground: Any) -> Answer:
        """Store the confinement that is the same for all bots; return whether they will be on a stage."""
        self._calls, self._errors, self._ground = calls, errors, ground
        return self._staged, []

    def mount_view(self, number: int, dropped: list[int], descriptors: list[int]) -> Answer:
        """Mount a view of the system in memory from its keeper, and remove `dropped` ones, if on a stage."""
        (descriptor,) = descriptors
        try:
            if self._staged:
                if not self._has_views:
                    mount("tmpfs", SYSTEM, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755")
                    self._has_views = True
                for old in dropped:
                    unmount(f"{SYSTEM}/{old}")
                    os.rmdir(f"{SYSTEM}/{old}")  # noqa: PTH106
                os.mkdir(f"{SYSTEM}/{number}")  # noqa: PTH102
                attach_mount(descriptor, f"{SYSTEM}/{number}")
        finally:
            os.close(descriptor)
        return None, []

    def start(self, bots: list[dict[str, Any]], descriptors: list[int] | None = None) -> Answer:
        """Fork all bots of a match; an error here is the machine's, not a bot's.

        The `descriptors` are for the bots with a `line`, in order, as their descriptor 3. The answer has
        the process ids here, whether bots are on a stage, how they have separate users (`Users.own`),
        whether they have separate process namespaces, and the folders that could not be copied; and for
        each bot the descriptors of stdin, stdout, stderr and its pidfd.
        """
        pipes: list[tuple[int, int, int]] = []
        in_place: list[str] = []
        users: list[int] = []
        numbers: list[int] = []
        lines = iter(descriptors or ())
        try:
            if self._staged:
                # At least one: `arbiter isolation` asks without bots.
                users = self._users.namespaces_for(max(1, len(bots)))
                numbers = self._numbers.namespaces_for(max(1, len(bots)))
                in_place = self._copies.cover([bot["folders"] for bot in bots])
                restart_numbers(bots[0]["seat"] if bots else 0)
                skip_pipe_numbers()
            for seat, request in enumerate(bots):
                own = users, numbers
                user, namespace = (
                    one[seat] if one and request["confine"] is not None else None for one in own
                )
                line = next(lines, None) if request["line"] else None
                with self._numbers.forking_into(namespace):
                    pipes.append(self._fork(request, user, namespace, line))
            for bot, request in zip(self._bots, bots, strict=True):
                bot.find_pid(request["wrapped"])
        except OSError as error:
            self.stop()
            for number in (end for ends in pipes for end in ends):
                os.close(number)
            return {"error": f"cannot start a process: {os.strerror(error.errno or 0)}"}, []
        finally:
            for number in descriptors or ():
                os.close(number)
        pids = [bot.pid for bot in self._bots]
        sent = [
            number
            for bot, ends in zip(self._bots, pipes, strict=True)
            for number in (*ends, bot.open_pidfd())
        ]
        confined = all(bot["confine"] is not None for bot in bots)
        return {
            "pids": pids,
            "staged": self._staged,
            "own_user": self._users.own if users and confined else "",
            "own_numbers": bool(numbers) and confined,
            "in_place": in_place,
        }, sent

    def _fork(
        self, request: dict[str, Any], user: int | None, namespace: int | None, line: int | None
    ) -> tuple[int, int, int]:
        """Start one bot; return our ends of its stdin, stdout and stderr."""
        groups = self._make_groups(request["cgroups"])
        # The bot reads from the first pipe and writes to the others; a wrapper reports on the last.
        pipes = [os.pipe() for _ in range(5)]
        stdin, stdout, stderr, report, failure = pipes
        theirs = (stdin[0], stdout[1], stderr[1], report[1])
        our_end, their_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with their_end:
            try:
                pid = os.fork()
            except OSError:
                for number in (end for pipe in pipes for end in pipe):
                    os.close(number)
                our_end.close()
                raise
            if pid == 0:
                root = None if request["view"] is None else request["root"]
                if root is not None:
                    root["system"] = f"{SYSTEM}/{request['view']}"
                become_bot(request, theirs, their_end, failure[1], groups, self._ground, root, user, line)
        for number in (*theirs, failure[1]):
            os.close(number)
        supervised = None
        if request["confine"] is not None:
            place, memory = len(self._bots), request["memory_bytes"]
            forks = user is not None and namespace is not None and self._lists_children
            supervised = Supervised(pid, place, self._calls, self._errors, memory, namespace, forks)
            self._supervisor.expect_listener(our_end, supervised)
        else:
            our_end.close()
        self._bots.append(Bot(pid, report[0], failure[0], groups, supervised))
        return stdin[1], stdout[0], stderr[0]

    def wait(self, pid: int, seconds: float) -> Answer:
        """Wait for a bot to end; return its end, None if it lives after this time."""
        # If this process was stopped, the bot perhaps was, too.
        awake = Awake(LONGEST_LOOK_SECONDS)
        bot = next(bot for bot in self._bots if bot.pid == pid)
        while bot.end is None and not bot.wait() and awake.seconds < seconds:
            self._supervisor.serve(LOOK_SECONDS)
        bot.note_refused()
        return bot.end, []

    def stop(self) -> Answer:
        """Kill every bot and every descendant; return the bots' ends by process id."""
        living = [bot for bot in self._bots if bot.end is None and not (bot.pid and bot.wait())]
        peaks = [sum(map(peak_memory, bot.processes())) for bot in living]
        for bot in living:
            bot.kill()
        # The bots first: only then their children become ours.
        for bot, peak in zip(living, peaks, strict=True):
            bot.wait_killed()
            if bot.end is not None and peak:
                bot.end["peak_memory_bytes"] = peak
        if any(bot.supervised and bot.supervised.has_started_processes for bot in self._bots):
            self._numbers.kill_processes()
        kill_children(self._numbers.first_processes)
        for group in self._groups:
            with contextlib.suppress(OSError):
                os.rmdir(group)  # noqa: PTH106
        for bot in self._bots:
            os.close(bot.report)
            os.close(bot.failure)
            bot.note_refused()
        self._supervisor.drop_bots()
        ends = {bot.pid: bot.end for bot in self._bots}
        self._bots.clear()
        self._groups.clear()
        return ends, []

    def _make_groups(self, wanted: list[tuple[str, dict[str, str]]]) -> list[str]:
        """Create a bot's control groups with their limits; return their folders. OSError if one fails."""
        made = []
        for folder, values in wanted:
            self._groups_made += 1
            group = f"{folder}/arbiter-{self._label}-{self._groups_made}"
            os.mkdir(group)  # noqa: PTH102
            self._groups.append(group)
            made.append(group)
            for name, value in values.items():
                # Not every kernel counts swap.
                with contextlib.suppress(FileNotFoundError), open(f"{group}/{name}", "r+") as file:
                    file.write(value)
        return made


def kill_children(kept: set[int]) -> None:
    """Kill children until only `kept` are left; some become ours only when their parents die."""
    until = time.monotonic() + SWEEP_SECONDS
    while (left := set(children()) - kept) and time.monotonic() < until:
        for pid in left:
            kill(pid)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(LOOK_SECONDS)


def skip_pipe_numbers() -> None:
    """Create and close some pipes: the kernel numbers them in turn, and a bot could count others' pipes."""
    for _ in range(os.urandom(1)[0]):
        for number in os.pipe():
            os.close(number)


def children() -> list[int]:
    """Return this process's children, including zombies."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as listing:
            return [int(word) for word in listing.read().split()]
    except FileNotFoundError:  # a kernel without CONFIG_PROC_CHILDREN
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if is_child(pid)]


def is_child(pid: int) -> bool:
    """True if a process is a child of this one."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return int(stat.read().rpartition(b")")[2].split()[1]) == os.getpid()
    except OSError:
        return False
