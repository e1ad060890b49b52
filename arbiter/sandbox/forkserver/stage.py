"""The namespaces that confined bots live in.

Theory of operation. Landlock decides what a bot may open; it does not hide what a bot may only look at, such
as how many threads another process has, nor keep a file from recording that it was read. So where the kernel
allows it, this process moves to a mount namespace and a process namespace of its own (an ordinary user first
to a user namespace), and becomes the first process there:

- every mount is read-only, so that reading leaves no times;
- /proc shows a process only what it might debug, which under Landlock is itself alone;
- process ids start from the same one in every match, and tell nothing of the rest of the machine: each bot
  has numbers of its own (`numbering`);
- a player's folders are covered by copies in memory (`copies`);
- each bot gets a mount namespace of its own, with a root that only it sees and that ends with it (`root`).
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress

from arbiter.sandbox.forkserver.kernel import (
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_REC,
    PR_SET_PDEATHSIG,
    clone_mount,
    hang_mount,
    mount,
    prctl,
    set_read_only,
    set_writable,
    unshare,
)
from arbiter.sandbox.forkserver.numbering import FIRST_PID, LAST_PID
from arbiter.sandbox.forkserver.root import PLACE, open_room
from arbiter.sandbox.forkserver.system import PLACE as SYSTEM

CONTROL_GROUPS = ("cgroup", "cgroup2")


def enter() -> bool:
    """Move to a stage and return True there; False if that is not possible.

    The new process goes on; the old one waits for it and ends with it.
    """
    # A failure half-way leaves a process that can start nothing, so another one tries first.
    trial = os.fork()
    if trial == 0:
        with suppress(BaseException):
            if (first := _new_first_process()) == 0:
                _furnish()
                open_room(SYSTEM)
                hang_mount(clone_mount(SYSTEM), PLACE)
                os.chroot(PLACE)
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


def ignore_endings() -> None:
    """Leave it to who started this process what a signal to end means."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _new_first_process() -> int:
    """Fork into new namespaces; 0 in the child, which is the first process there."""
    user, group = os.geteuid(), os.getegid()
    unshare(CLONE_NEWNS | CLONE_NEWPID | (CLONE_NEWUSER if user else 0))
    if user:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    return os.fork()


def _furnish() -> None:
    """Make all mounts read-only but those of control groups, which we change; mount a new /proc."""
    mount("", "/", "", MS_PRIVATE | MS_REC)
    set_read_only("/", beneath=True)
    with open("/proc/mounts") as mounts:
        places = [line.split(" ")[1:3] for line in mounts]
    for place, kind in places:
        if kind in CONTROL_GROUPS:
            with suppress(OSError):
                set_writable(place)
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=ptraceable")


def restart_numbers(seat: int) -> None:
    """Let process ids start again from that of a seat, `FIRST_PID` on, however many have been used."""
    with suppress(OSError):
        _write(LAST_PID, str(FIRST_PID + seat - 1))


def _exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xFF


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
