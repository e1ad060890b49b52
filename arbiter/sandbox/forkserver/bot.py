"""One bot of a match, or one build in a wrapper: its process, and how it ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arbiter.sandbox.forkserver.supervisor import Supervised

WRAPPER_SECONDS = 1.0
"""For a wrapper to report the end of its program."""
LOOK_SECONDS = 0.0005
SIGNALLED = 128
"""A wrapper exits with this plus the number of the signal that ended its program."""


class Bot:
    """One bot: its process, and our child, which is the process itself or a wrapper around it."""

    def __init__(
        self, child: int, report: int, failure: int, groups: list[str], supervised: Supervised | None
    ) -> None:
        self.child, self.groups, self.supervised = child, groups, supervised
        self.report, self.failure = report, failure
        """The pipe of a wrapper's reports, open until the end, since it reports the program's end, too; and
        the pipe on which our child says why it could execute nothing.
        """
        self.pid = 0
        """0 until a wrapper has reported it."""
        self.end: dict[str, Any] | None = None
        """The end of the bot, as `launcher.End`; None until it has been waited for."""

    @property
    def is_wrapped(self) -> bool:
        return self.child != self.pid

    def find(self, wrapped: bool) -> None:
        """Learn the process id of the program, from the wrapper if there is one."""
        self.pid = (pid_of(first_report(self.report)) if wrapped else 0) or self.child

    def open_pidfd(self) -> int:
        """A pidfd of its process, or of its wrapper if that has seen it end already."""
        try:
            return os.pidfd_open(self.pid)
        except ProcessLookupError:
            return os.pidfd_open(self.child)

    def wait(self, killed: bool = False, options: int = os.WNOHANG) -> bool:
        """Record its end, if it has come; `killed`: by us."""
        ended, status, usage = os.wait4(self.child, options)
        if ended == 0:
            return False
        code = os.waitstatus_to_exitcode(status)
        if self.is_wrapped and code > SIGNALLED:
            code = SIGNALLED - code
        self.end = {
            "exit": None if killed else code,
            "cpu_ns": int((usage.ru_utime + usage.ru_stime) * 1e9),
            "peak_memory_bytes": usage.ru_maxrss * 1024,
            "out_of_memory": not killed and any(map(was_out_of_memory, self.groups)),
            # What no program can make us believe: our child's pipe closes when it executes something.
            "not_started": read_rest(self.failure).decode(errors="replace"),
        }
        return True

    def kill(self) -> None:
        """Kill its process, with its group if it is our child."""
        if self.is_wrapped and self.pid:
            # The wrapper ends when its program does, and then tells what that has used.
            kill(self.pid)
        else:
            kill_group(self.child)

    def wait_killed(self) -> None:
        """Wait for its end after `kill`."""
        until = time.monotonic() + WRAPPER_SECONDS
        while self.is_wrapped and time.monotonic() < until:
            if self.wait(killed=True):
                return
            time.sleep(LOOK_SECONDS)
        kill_group(self.child)
        self.wait(killed=True, options=0)


def kill(pid: int) -> None:
    """Kill a process, if there is one."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def kill_group(leader: int) -> None:
    """Kill a process and its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    kill(leader)


def was_out_of_memory(group: str) -> bool:
    """True if the kernel killed something in a control group because its memory was at its limit."""
    for name in ("memory.events", "memory.oom_control"):
        with contextlib.suppress(OSError), open(f"{group}/{name}") as file:
            return any(line.startswith("oom_kill ") and not line.endswith(" 0\n") for line in file)
    return False


def first_report(report: int) -> bytes:
    """Return the report of a wrapper, up to its first message at least, if there is one."""
    report_read = b""
    while b"}" not in report_read and (more := os.read(report, 4096)):
        report_read += more
    return report_read


def pid_of(reported: bytes) -> int:
    """The process id of the program that a wrapper started, as it reports it; 0 if it could not."""
    try:
        return int(json.loads(reported.partition(b"}")[0] + b"}")["child-pid"])
    except (ValueError, KeyError):
        return 0


def read_rest(descriptor: int) -> bytes:
    """Return what a pipe holds now, as far as one read goes."""
    os.set_blocking(descriptor, False)
    try:
        return os.read(descriptor, 4096)
    except BlockingIOError:
        return b""


def peak_memory(pid: int) -> int:
    """The most memory a living program has had, in bytes; 0 if it cannot be read.

    What `wait4` reports includes the memory of this process at the fork.
    """
    # As bytes: its name is what it says it is.
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", "rb") as status:
        for line in status:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0
