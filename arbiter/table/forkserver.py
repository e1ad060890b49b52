"""The slim process that starts bots inside limits and ends whole families of them.

Theory of operation. A worker is fat (rules, numbers, a pool's machinery); forking it is slow and
its memory would show in the bots. So each worker keeps one slim process, this very file run by
itself with the standard library alone (`launcher.py` is the worker's side). It forks the bots,
and since it makes itself their subreaper, everything a bot may leave behind becomes its child
too: `stop` kills until no descendant is left. If the worker dies, however it dies, this process
reads the end of its socket, kills what there is and ends; if this process dies, the kernel kills
the bots.

The dialogue is one JSON message per datagram on a socket pair, ``{"do": name, "with": {...}}``;
`start` is answered together with three descriptors a bot: its stdin, stdout and stderr.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import socket
import sys
import time
from typing import Any, NoReturn, TypeAlias

MESSAGE_LIMIT = 256 * 1024
SWEEP_SECONDS = 10.0
ADDRESS_SPACE = 1 << 30

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36


def prctl(option: int, value: int) -> None:
    """Set one attribute of this process; OSError if the kernel refuses."""
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def main(descriptor: int) -> None:
    """The slim process: serve requests until the worker is gone, leave nothing behind."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_DUMPABLE, 0)
    worker = socket.socket(fileno=descriptor)
    worker.set_inheritable(False)
    family = Family()
    # However the dialogue ends, the bots end with it.
    try:
        serve(worker, family)
    except ConnectionError:
        pass
    finally:
        family.stop()


def serve(worker: socket.socket, family: Family) -> None:
    """Answer requests until the worker is gone; ConnectionError if it goes in between."""
    while message := worker.recv(MESSAGE_LIMIT):
        request = json.loads(message)
        answer, descriptors = getattr(family, request["do"])(**request["with"])
        try:
            socket.send_fds(worker, [json.dumps(answer).encode()], descriptors)
        finally:
            for number in descriptors:
                os.close(number)


Answer: TypeAlias = tuple[Any, list[int]]


class Family:
    """The bots of one match and whatever descends from them."""

    def __init__(self) -> None:
        self.bots: dict[int, dict[str, int | None] | None] = {}
        """Process id to what is known of its end, None while it has not been waited for."""

    def start(self, bots: list[dict[str, Any]]) -> Answer:
        """Fork all bots of a match; an error here is our machine's, not a bot's."""
        descriptors: list[int] = []
        pids = []
        for bot in bots:
            try:
                # The bot reads from the first pipe and writes to the others.
                stdin, stdout, stderr = (os.pipe() for _ in range(3))
                pid = os.fork()
            except OSError as error:
                self.stop()
                for number in descriptors:
                    os.close(number)
                return {"error": f"cannot start a process: {error.strerror}"}, []
            if pid == 0:
                become_bot(bot, (stdin[0], stdout[1], stderr[1]))
            for number in (stdin[0], stdout[1], stderr[1]):
                os.close(number)
            descriptors += [stdin[1], stdout[0], stderr[0]]
            pids.append(pid)
            self.bots[pid] = None
        return {"pids": pids}, descriptors

    def ended(self, pid: int, seconds: float) -> Answer:
        """How a bot ended, waiting so long at most; None if it lives."""
        until = time.monotonic() + seconds
        while self.bots[pid] is None and not self._wait(pid) and time.monotonic() < until:
            time.sleep(0.0005)
        return self.bots[pid], []

    def stop(self) -> Answer:
        """Kill every bot and every descendant; how each bot ended, by process id."""
        living = [pid for pid, end in self.bots.items() if end is None and not self._wait(pid)]
        peaks = {pid: peak_memory(pid) for pid in living}
        for pid in living:
            for kill in (os.killpg, os.kill):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    kill(pid, signal.SIGKILL)
        # The bots themselves first: their children become ours only then.
        for pid in living:
            self._wait(pid, killed=True)
            if (end := self.bots[pid]) is not None and peaks[pid]:
                end["peak_memory_bytes"] = peaks[pid]
        self._sweep()
        ends, self.bots = self.bots, {}
        return ends, []

    def _wait(self, pid: int, killed: bool = False) -> bool:
        """Take note of a bot's end; wait for it only if we killed it."""
        ended, status, usage = os.wait4(pid, 0 if killed else os.WNOHANG)
        if ended == 0:
            return False
        self.bots[pid] = {
            "exit": None if killed else os.waitstatus_to_exitcode(status),
            "cpu_ns": int((usage.ru_utime + usage.ru_stime) * 1e9),
            "peak_memory_bytes": usage.ru_maxrss * 1024,
        }
        return True

    def _sweep(self) -> None:
        """Kill orphans until none is left; they come in turn as their parents die."""
        until = time.monotonic() + SWEEP_SECONDS
        while time.monotonic() < until:
            for pid in children():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
            time.sleep(0.0005)


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


def become_bot(bot: dict[str, Any], ends: tuple[int, int, int]) -> NoReturn:
    """In the child: own session, limits, descriptors 0-2 only, then the program."""
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        for target, number in enumerate(ends):
            os.dup2(number, target)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        # What is ignored stays ignored in the program: give it back the defaults.
        for number in set(range(1, 32)) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.chdir(bot["folder"])
        memory = bot["memory_bytes"]
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        # Reserving addresses is how virtual machines start, so this is a backstop only.
        resource.setrlimit(resource.RLIMIT_AS, (4 * memory + ADDRESS_SPACE,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.execvpe(bot["argv"][0], bot["argv"], bot["env"])
    except BaseException as error:
        os.write(2, f"arbiter: cannot start {bot['argv'][0]}: {error}\n".encode())
    os._exit(127)


if __name__ == "__main__":
    main(int(sys.argv[1]))
