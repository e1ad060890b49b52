"""The bots of one match and whatever descends from them: started, waited for, ended."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import socket
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from arbiter.table.forkserver import MESSAGE_LIMIT
from arbiter.table.forkserver.birth import become_bot
from arbiter.table.forkserver.copies import Copies
from arbiter.table.forkserver.kernel import PR_SET_CHILD_SUBREAPER, PR_SET_DUMPABLE, prctl
from arbiter.table.forkserver.stage import enter, start_numbers_anew
from arbiter.table.forkserver.supervisor import Bot, Supervisor

SWEEP_SECONDS = 10.0
WRAPPER_SECONDS = 1.0
LOOK_SECONDS = 0.0005
SIGNALLED = 128
"""A wrapper exits with this and the number of the signal that ended its program."""


def main(descriptor: int, staged: bool) -> None:
    """The slim process: serve requests until the worker is gone, leave nothing behind."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # What bots have under way in their sockets counts for all of a user; we are to have room beyond it.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    label = str(os.getpid())
    staged = staged and enter()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_DUMPABLE, 0)
    worker = socket.socket(fileno=descriptor)
    worker.set_inheritable(False)
    supervisor = Supervisor(worker.fileno())
    family = Family(supervisor, staged, label)
    # However the dialogue ends, the bots end with it.
    try:
        while supervisor.serve():
            if not answer(worker, family):
                break
    except ConnectionError:
        pass
    finally:
        family.stop()


def answer(worker: socket.socket, family: Family) -> bool:
    """Answer a request; False if the worker is gone, ConnectionError if it goes in between."""
    message = worker.recv(MESSAGE_LIMIT)
    if not message:
        return False
    request = json.loads(message)
    said, descriptors = getattr(family, request["do"])(**request["with"])
    try:
        socket.send_fds(worker, [json.dumps(said).encode()], descriptors)
    finally:
        for number in descriptors:
            os.close(number)
    return True


Answer: TypeAlias = tuple[Any, list[int]]


class Family:
    """The bots of one match and whatever descends from them."""

    def __init__(self, supervisor: Supervisor, staged: bool, label: str) -> None:
        """`label` names the control groups; it holds the number that this process has for the worker."""
        self._supervisor = supervisor
        self._staged, self._label = staged, label
        self._copies = Copies()
        self._ground: dict[str, Any] = {}
        self._calls: dict[str, int] = {}
        self._errors: list[tuple[int, int]] = []
        self._supervised: dict[int, Bot] = {}
        self.bots: dict[int, dict[str, Any] | None] = {}
        """Process id to what is known of its end, None while it has not been waited for."""
        self._started: dict[int, int] = {}
        """Process id of a bot to that of our child: the bot itself, or the wrapper around it."""
        self._joined: dict[int, list[str]] = {}
        """Process id of a bot to its control groups."""
        self._forked: list[tuple[int, int, list[str]]] = []
        self._groups: list[str] = []
        self._reports: list[int] = []
        self._number = 0

    def furnish(self, calls: dict[str, int], errors: list[tuple[int, int]], **ground: Any) -> Answer:
        """Take what is the same for all bots that are to be confined."""
        self._calls, self._errors, self._ground = calls, errors, ground
        return None, []

    def start(self, bots: list[dict[str, Any]]) -> Answer:
        """Fork all bots of a match; an error here is our machine's, not a bot's.

        The answer has their numbers here, whether they are on the stage, and which folders are no copies
        there.
        """
        descriptors: list[int] = []
        in_place: list[str] = []
        try:
            if self._staged:
                in_place = self._copies.cover([folder for bot in bots for folder in bot["folders"]])
                start_numbers_anew()
                count_on()
            for bot in bots:
                self._fork(bot, descriptors)
            pids = [self._find(bot, *forked) for bot, forked in zip(bots, self._forked, strict=True)]
        except OSError as error:
            self.stop()
            for number in descriptors:
                os.close(number)
            return {"error": f"cannot start a process: {os.strerror(error.errno or 0)}"}, []
        threes = zip(*[iter(descriptors)] * 3, strict=True)
        sent = [
            number for pid, three in zip(pids, threes, strict=True) for number in (*three, self._watch(pid))
        ]
        return {"pids": pids, "staged": self._staged, "in_place": in_place}, sent

    def _fork(self, bot: dict[str, Any], descriptors: list[int]) -> None:
        """Start one bot; our ends of its pipes come to `descriptors`."""
        joined = self._make_groups(bot["cgroups"])
        # The bot reads from the first pipe and writes to the others; a wrapper reports on the last.
        pipes = [os.pipe() for _ in range(4)]
        stdin, stdout, stderr, report = pipes
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            pid = os.fork()
        except OSError:
            for number in (end for pipe in pipes for end in pipe):
                os.close(number)
            ours.close()
            theirs.close()
            raise
        if pid == 0:
            become_bot(bot, (stdin[0], stdout[1], stderr[1], report[1]), theirs, joined, self._ground)
        for number in (stdin[0], stdout[1], stderr[1], report[1]):
            os.close(number)
        theirs.close()
        descriptors += [stdin[1], stdout[0], stderr[0]]
        # Open until the end: a wrapper still has the program's end to report.
        self._reports.append(report[0])
        self._forked.append((pid, report[0], joined))
        if bot["confine"] is not None:
            supervised = Bot(pid, self._calls, self._errors, bot["memory_bytes"])
            self._supervised[pid] = supervised
            self._supervisor.expect(ours, supervised)
        else:
            ours.close()

    def _find(self, bot: dict[str, Any], started: int, report: int, joined: list[str]) -> int:
        """The process id of a bot, which is another one than our child's where that is a wrapper."""
        pid = (wrapped(report) if bot["wrapped"] else 0) or started
        self.bots[pid] = None
        self._started[pid] = started
        self._joined[pid] = joined
        return pid

    def _watch(self, pid: int) -> int:
        """A descriptor of a bot's process, or of its wrapper where that has seen it end already."""
        try:
            return os.pidfd_open(pid)
        except ProcessLookupError:
            return os.pidfd_open(self._started[pid])

    def ended(self, pid: int, seconds: float) -> Answer:
        """How a bot ended, waiting so long at most; None if it lives."""
        until = time.monotonic() + seconds
        while self.bots[pid] is None and not self._wait(pid) and time.monotonic() < until:
            self._supervisor.serve(LOOK_SECONDS)
        return self.bots[pid], []

    def stop(self) -> Answer:
        """Kill every bot and every descendant; how each bot ended, by process id."""
        for pid, *_ in self._forked[len(self.bots) :]:
            self._kill(pid)
        living = [pid for pid, end in self.bots.items() if end is None and not self._wait(pid)]
        peaks = {pid: peak_memory(pid) for pid in living}
        for pid in living:
            # A wrapper ends when its program does, and then tells what that has used.
            if self._started[pid] != pid:
                kill(os.kill, pid)
            else:
                self._kill(pid)
        # The bots themselves first: their children become ours only then.
        for pid in living:
            until = time.monotonic() + WRAPPER_SECONDS
            while self._started[pid] != pid and time.monotonic() < until:
                if self._wait(pid, killed=True):
                    break
                time.sleep(LOOK_SECONDS)
            else:
                self._kill(self._started[pid])
                self._wait(pid, killed=True, options=0)
            if (end := self.bots[pid]) is not None and peaks[pid]:
                end["peak_memory_bytes"] = peaks[pid]
        self._sweep()
        for group in self._groups:
            with contextlib.suppress(OSError):
                os.rmdir(group)  # noqa: PTH106
        for number in self._reports:
            os.close(number)
        self._groups.clear()
        self._reports.clear()
        for pid, bot in self._supervised.items():
            if (end := self.bots.get(pid)) is not None:
                end["refused"] = list(bot.refused)
        self._supervisor.forget()
        ends, self.bots = self.bots, {}
        self._forked.clear()
        self._supervised.clear()
        self._started.clear()
        self._joined.clear()
        return ends, []

    @staticmethod
    def _kill(leader: int) -> None:
        """A process with its group."""
        kill(os.killpg, leader)
        kill(os.kill, leader)

    def _wait(self, pid: int, killed: bool = False, options: int = os.WNOHANG) -> bool:
        """Take note of a bot's end, if it has come; `killed` by us, or not."""
        child = self._started[pid]
        ended, status, usage = os.wait4(child, options)
        if ended == 0:
            return False
        code = os.waitstatus_to_exitcode(status)
        if child != pid and code > SIGNALLED:
            code = SIGNALLED - code
        self.bots[pid] = {
            "exit": None if killed else code,
            "cpu_ns": int((usage.ru_utime + usage.ru_stime) * 1e9),
            "peak_memory_bytes": usage.ru_maxrss * 1024,
            "out_of_memory": not killed and any(map(killed_for_memory, self._joined[pid])),
        }
        return True

    def _make_groups(self, wanted: list[tuple[str, dict[str, str]]]) -> list[str]:
        """Control groups for one bot, with their limits; their folders. OSError if one cannot be made."""
        made = []
        for folder, values in wanted:
            self._number += 1
            group = f"{folder}/arbiter-{self._label}-{self._number}"
            os.mkdir(group)  # noqa: PTH102
            self._groups.append(group)
            made.append(group)
            for file, value in values.items():
                # Swap is not everywhere accounted for.
                with contextlib.suppress(FileNotFoundError):
                    write(f"{group}/{file}", value)
        return made

    def _sweep(self) -> None:
        """Kill orphans until none is left; they come in turn as their parents die."""
        until = time.monotonic() + SWEEP_SECONDS
        while time.monotonic() < until:
            for pid in children():
                kill(os.kill, pid)
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
            time.sleep(LOOK_SECONDS)


def kill(how: Callable[[int, int], None], target: int) -> None:
    """SIGKILL to a process or a group, which may be gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        how(target, signal.SIGKILL)


def write(path: str, text: str) -> None:
    """One value into one of the kernel's files."""
    with open(path, "w") as file:
        file.write(text)


def count_on() -> None:
    """Make some pipes and drop them: the kernel numbers them one after the other, for all, and a bot could
    count how many others have made.
    """
    for _ in range(os.urandom(1)[0]):
        for number in os.pipe():
            os.close(number)


def killed_for_memory(group: str) -> bool:
    """Whether the kernel killed something in a control group because its memory was at its limit."""
    for name in ("memory.events", "memory.oom_control"):
        with contextlib.suppress(OSError), open(f"{group}/{name}") as file:
            return any(line.startswith("oom_kill ") and not line.endswith(" 0\n") for line in file)
    return False


def wrapped(report: int) -> int:
    """The process id of the program that a wrapper started, as it reports it; 0 if it could not."""
    told = b""
    while b"}" not in told and (more := os.read(report, 4096)):
        told += more
    try:
        return int(json.loads(told.partition(b"}")[0] + b"}")["child-pid"])
    except (ValueError, KeyError):
        return 0


def peak_memory(pid: int) -> int:
    """The most memory a living program has had, in bytes; 0 if it cannot be read.

    What `wait4` tells also counts what this process had when it forked.
    """
    try:
        with open(f"/proc/{pid}/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def children() -> list[int]:
    """This process's children, zombies included."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as listing:
            return [int(word) for word in listing.read().split()]
    except FileNotFoundError:  # a kernel without CONFIG_PROC_CHILDREN
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if is_child(pid)]


def is_child(pid: int) -> bool:
    """Whether a process is a child of this one."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return int(stat.read().rpartition(")")[2].split()[1]) == os.getpid()
    except OSError:
        return False
