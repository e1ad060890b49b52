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
import fcntl
import json
import os
import resource
import signal
import socket
import stat
import struct
import sys
import time
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

MESSAGE_LIMIT = 256 * 1024
SWEEP_SECONDS = 10.0
ADDRESS_SPACE = 1 << 30
STACK = 64 << 20
HIGH = 64
"""Above the descriptors that a bot gets."""
DESCRIPTORS = 512
WRAPPER_SECONDS = 1.0
SIGNALLED = 128
"""A wrapper exits with this and the number of the signal that ended its program."""

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
CAPABILITY_VERSION_3, CAP_DAC_READ_SEARCH = 0x20080522, 2
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_RULE_PATH_BENEATH = 1
FILE_RIGHTS = 0b1100_0000_0000_0111
"""Of the rights on files those that mean something for a file rather than a folder: execute, write,
read, truncate, control a device.
"""
_libc = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> None:
    """Set one attribute of this process; OSError if the kernel refuses."""
    if _libc.prctl(option, value, 0, 0, 0) != 0:
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
        self._started: dict[int, int] = {}
        """Process id of a bot to that of our child: the bot itself, or the wrapper around it."""
        self._joined: dict[int, list[str]] = {}
        """Process id of a bot to its control groups."""
        self._groups: list[str] = []
        self._reports: list[int] = []
        self._number = 0

    def start(self, bots: list[dict[str, Any]]) -> Answer:
        """Fork all bots of a match; an error here is our machine's, not a bot's."""
        descriptors: list[int] = []
        pids = []
        reports: list[int] = []
        groups: list[list[str]] = []
        for bot in bots:
            try:
                joined = self._make_groups(bot["cgroups"])
                # The bot reads from the first pipe and writes to the others; a wrapper reports on the last.
                stdin, stdout, stderr, report = (os.pipe() for _ in range(4))
                pid = os.fork()
            except OSError as error:
                self.stop()
                for number in descriptors + reports:
                    os.close(number)
                return {"error": f"cannot start a process: {error.strerror}"}, []
            if pid == 0:
                become_bot(bot, (stdin[0], stdout[1], stderr[1], report[1]), joined)
            for number in (stdin[0], stdout[1], stderr[1], report[1]):
                os.close(number)
            descriptors += [stdin[1], stdout[0], stderr[0]]
            reports.append(report[0])
            pids.append(pid)
            groups.append(joined)
        for place, (bot, report_end) in enumerate(zip(bots, reports, strict=True)):
            started = pids[place]
            if bot["wrapped"]:
                pids[place] = wrapped(report_end) or started
            self.bots[pids[place]] = None
            self._started[pids[place]] = started
            self._joined[pids[place]] = groups[place]
        # Open until the end: the wrapper still has the program's end to report.
        self._reports = reports
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
                time.sleep(0.0005)
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
        ends, self.bots = self.bots, {}
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
            group = f"{folder}/arbiter-{os.getpid()}-{self._number}"
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
            time.sleep(0.0005)


def kill(how: Callable[[int, int], None], target: int) -> None:
    """SIGKILL to a process or a group, which may be gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        how(target, signal.SIGKILL)


def write(path: str, text: str) -> None:
    """One value into one of the kernel's files."""
    with open(path, "w") as file:
        file.write(text)


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


def become_bot(bot: dict[str, Any], ends: tuple[int, int, int, int], groups: list[str]) -> NoReturn:
    """In the child: own session, limits, descriptors 0-2 only (a wrapper has 3), then the program."""
    try:
        for group in groups:
            write(f"{group}/cgroup.procs", "0")
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        kept = list(ends if bot["wrapped"] else ends[:3])
        if filtered := bytes.fromhex(bot.get("filter", "")):
            # Small enough for a pipe to hold.
            reading, writing = os.pipe()
            os.write(writing, filtered)
            kept.append(fcntl.fcntl(reading, fcntl.F_DUPFD, HIGH))
        for target, number in enumerate(kept):
            os.dup2(number, target)
        os.closerange(len(kept), os.sysconf("SC_OPEN_MAX"))
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
        # Neither stacks nor what descriptors stand for count as data.
        lower(resource.RLIMIT_STACK, STACK)
        lower(resource.RLIMIT_NOFILE, DESCRIPTORS)
        if bot["confine"]:
            confine(**bot["confine"])
        os.execvpe(bot["argv"][0], bot["argv"], bot["env"])
    except BaseException as error:
        os.write(2, f"arbiter: cannot start {bot['argv'][0]}: {error}\n".encode())
    os._exit(127)


def lower(which: int, most: int) -> None:
    """Let no limit of a kind be above this."""
    soft, hard = (
        most if limit == resource.RLIM_INFINITY else min(limit, most) for limit in resource.getrlimit(which)
    )
    resource.setrlimit(which, (soft, hard))


def confine(handled: list[int], rules: list[list[Any]], filter: str, marks: list[int]) -> None:
    """Give up for good all rights but those to what `rules` name, and the calls that `filter` refuses.

    `handled` are the rights that need a rule (files, TCP, scopes), `rules` pairs of a path and the
    rights beneath it, `filter` a program for seccomp in hex, `marks` where in it this process's
    number goes. OSError if the kernel refuses.
    """
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    attributes = struct.pack(f"={len(handled)}Q", *handled)
    ruleset = _call(LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)
    for path, rights in rules:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:  # nothing there: nothing to allow
            continue
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= FILE_RIGHTS
        beneath = struct.pack("=Qi", rights & handled[0], place)
        _call(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_RULE_PATH_BENEATH, beneath, 0)
        os.close(place)
    _call(LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    if os.geteuid() == 0:
        give_up_root()
    code = bytearray.fromhex(filter)
    for place in marks:
        code[place : place + 4] = struct.pack("=I", os.getpid())
    instructions = ctypes.create_string_buffer(bytes(code), len(code))
    # struct sock_fprog: how many instructions, and where.
    program = struct.pack("HP", len(code) // 8, ctypes.addressof(instructions))
    _call_prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program)


def give_up_root() -> None:
    """Root without root's powers; only files that are someone else's may still be read."""
    for number in range(64):
        if number != CAP_DAC_READ_SEARCH and _libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0:
            break
    header = struct.pack("=Ii", CAPABILITY_VERSION_3, 0)
    # Effective, permitted and inheritable, the low words and then the high ones.
    now = ctypes.create_string_buffer(24)
    _libc.capget(header, now)
    kept = struct.unpack("=6I", now)[1] & 1 << CAP_DAC_READ_SEARCH
    if _libc.capset(header, struct.pack("=6I", kept, kept, 0, 0, 0, 0)) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def _call(number: int, *arguments: int | bytes) -> int:
    """A system call that the C library has no name for; OSError if it fails."""
    wide = [ctypes.c_long(value) if isinstance(value, int) else value for value in (number, *arguments)]
    result: int = _libc.syscall(*wide)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"system call {number}")
    return result


def _call_prctl(option: int, value: int, pointer: bytes) -> None:
    if _libc.prctl(option, value, pointer, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    main(int(sys.argv[1]))
