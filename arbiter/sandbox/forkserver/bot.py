"""One bot of a match, or one build in a wrapper: its process and its end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.sandbox.forkserver.supervised import Supervised

WRAPPER_SECONDS = 1.0
"""The time limit for a wrapper to report the end of its program."""
LOOK_SECONDS = 0.0005
MEMORY = re.compile(rb"\n(VmHWM|RssAnon|RssFile|RssShmem|VmData|VmPTE|VmSwap):\s*(\d+) kB")
SIGNALLED = 128
"""A wrapper exits with this plus the number of the signal that ended its program."""


class Bot:
    """One bot: its process, and our child, which is that process or a wrapper around it."""

    def __init__(
        self, child: int, report: int, failure: int, groups: list[str], supervised: Supervised | None
    ) -> None:
        self.child, self.groups, self.supervised = child, groups, supervised
        self.report, self.failure = report, failure
        """The pipe of a wrapper's reports, which include the program's end; and the pipe on which our child
        reports why it could not execute its program.
        """
        self.pid = 0
        """0 until a wrapper reports it."""
        self.end: dict[str, Any] | None = None
        """The end of the bot, as `launcher.End`; None until `wait` has found it."""

    @property
    def is_wrapped(self) -> bool:
        return self.child != self.pid

    def find_pid(self, wrapped: bool) -> None:
        """Set the process id of the program, read from the wrapper if there is one."""
        self.pid = (pid_of(first_report(self.report)) if wrapped else 0) or self.child

    def open_pidfd(self) -> int:
        """Open a pidfd of its process, or of its wrapper if the process has ended."""
        try:
            return os.pidfd_open(self.pid)
        except ProcessLookupError:
            return os.pidfd_open(self.child)

    def wait(self, killed: bool = False, options: int = os.WNOHANG) -> bool:
        """Record its end and return True, if it has ended; `killed`: by us."""
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
            # A program cannot fake this: our child's pipe closes at the exec.
            "not_started": read_rest(self.failure).decode(errors="replace"),
        }
        return True

    def note_refused(self) -> None:
        """Add the numbers of its refused calls to its end, if it is known."""
        if self.supervised is not None and self.end is not None:
            self.end["refused"] = list(self.supervised.refused)

    def processes(self) -> list[int]:
        """Return its process and, if it has started others, their ids."""
        others = self.supervised is not None and self.supervised.has_started_processes
        return [self.pid, *(descendants_of(self.pid) if others else ())]

    def kill(self) -> None:
        """Kill its process, with its group if it is our child."""
        if self.is_wrapped and self.pid:
            # The wrapper ends with its program, and then reports its usage.
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
    """Kill a process, if it exists."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def kill_group(leader: int) -> None:
    """Kill a process and its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    kill(leader)


def was_out_of_memory(group: str) -> bool:
    """True if the kernel killed a process in a control group at its memory limit."""
    for name in ("memory.events", "memory.oom_control"):
        with contextlib.suppress(OSError), open(f"{group}/{name}") as file:
            return any(line.startswith("oom_kill ") and not line.endswith(" 0\n") for line in file)
    return False


def first_report(report: int) -> bytes:
    """Return the report of a wrapper, at least to the end of its first message, if there is one."""
    report_read = b""
    while b"}" not in report_read and (more := os.read(report, 4096)):
        report_read += more
    return report_read


def pid_of(reported: bytes) -> int:
    """Return the program's process id from a wrapper's report; 0 if it was not started."""
    try:
        return int(json.loads(reported.partition(b"}")[0] + b"}")["child-pid"])
    except (ValueError, KeyError):
        return 0


def read_rest(descriptor: int) -> bytes:
    """Return the bytes in a pipe now, up to 4 KiB."""
    os.set_blocking(descriptor, False)
    try:
        return os.read(descriptor, 4096)
    except BlockingIOError:
        return b""


def peak_memory(pid: int) -> int:
    """Return the peak memory of a living program in bytes, without files in memory; 0 if unreadable.

    `wait4` would include files, and the memory of this process at the fork.
    """
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", "rb") as status:
        found = memory_counts(status.read())
        return max(0, found.get(b"VmHWM", 0) - file_bytes(found))
    return 0


def memory_counts(status: bytes) -> dict[bytes, int]:
    """Return the amounts of memory in a text of /proc/PID/status, in bytes; empty after its end."""
    # The program chooses its name, on the first line, in which the kernel escapes line ends.
    return {name: int(size) * 1024 for name, size in MEMORY.findall(status)}


def file_bytes(counts: Mapping[bytes, int]) -> int:
    """Return the resident bytes of files, such as libraries, and of shared memory."""
    return counts.get(b"RssFile", 0) + counts.get(b"RssShmem", 0)


def threads_of(pid: int) -> list[str]:
    """Return the ids of a process's threads; empty if it is gone."""
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def children_of(pid: int) -> list[int]:
    """Return the children of all threads of a process."""
    children: list[int] = []
    for thread in threads_of(pid):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/children") as listing:
            children += map(int, listing.read().split())
    return children


def descendants_of(pid: int) -> list[int]:
    """Return the children of a process, their children and so on."""
    return [one for child in children_of(pid) for one in (child, *descendants_of(child))]
