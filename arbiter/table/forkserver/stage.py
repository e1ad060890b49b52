"""The namespaces that confined bots live in.

Theory of operation. Landlock says what a bot may open; it does not hide what a bot may only look at, such as
how many threads another process has, and it does not keep a file from remembering that it was read. So
where the kernel lets us, this process moves to a mount namespace and a process namespace of its own (as an
ordinary user to a user namespace before), and becomes the first process there:

- every mount is read-only, so that reading leaves no time behind;
- /proc shows a process only what it might debug, under Landlock itself alone;
- process numbers start from the same one in every match, and those of the rest of the machine mean nothing;
- a player's folders are covered by copies in memory (`copies`).
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress

from arbiter.table.forkserver.kernel import (
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_REC,
    PR_SET_PDEATHSIG,
    mount,
    prctl,
    set_read_only,
    set_writable,
    unshare,
)

FIRST_PID = 100
"""The bots of every match have numbers from here on."""
CONTROL_GROUPS = ("cgroup", "cgroup2")


def enter() -> bool:
    """Move this process to the stage and return True there; False where it stays outside.

    What was this process waits for the new one and ends with it.
    """
    # A step that fails half-way leaves a process that can start nothing, so another one tries first.
    trial = os.fork()
    if trial == 0:
        with suppress(BaseException):
            if (first := _new_first_process()) == 0:
                _furnish()
                os._exit(0)
            os._exit(_exit_code(first))
        os._exit(1)
    if _exit_code(trial) != 0:
        return False
    if first := _new_first_process():
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        os._exit(_exit_code(first))
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _furnish()
    return True


def _new_first_process() -> int:
    """Fork into new namespaces: 0 in the child, which is the first process there."""
    user, group = os.geteuid(), os.getegid()
    unshare(CLONE_NEWNS | CLONE_NEWPID | (CLONE_NEWUSER if user else 0))
    if user:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    return os.fork()


def _furnish() -> None:
    """All mounts read-only, but for control groups, which this process writes to; and a /proc of the
    namespace.
    """
    mount("", "/", "", MS_PRIVATE | MS_REC)
    set_read_only("/", beneath=True)
    with open("/proc/mounts") as mounts:
        places = [line.split(" ")[1:3] for line in mounts]
    for place, kind in places:
        if kind in CONTROL_GROUPS:
            with suppress(OSError):
                set_writable(place)
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=ptraceable")


def restart_numbers() -> None:
    """Let the next process have the number that every match begins with, whoever took how many before."""
    with suppress(OSError):
        _write("/proc/sys/kernel/ns_last_pid", str(FIRST_PID - 1))


def _exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xFF


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
