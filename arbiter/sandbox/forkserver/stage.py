"""The stage: the namespaces of confined bots.

Theory of operation. Landlock decides what a bot may open; it does not hide metadata, such as the number of
another process's threads, nor prevent access times. So if the kernel allows it, this process moves to new
mount and process namespaces (an ordinary user first to a user namespace), as the first process there:

- every mount is read-only, so that reading leaves no access times;
- /proc shows a process only what it may debug, which under Landlock is itself;
- process ids start at the same number in every match, and reveal nothing about the machine: each bot has a
  separate process namespace (`numbering`);
- a player's folders are covered by copies in memory (`copies`);
- each bot has a separate mount namespace with a private root, which ends with it (`root`).
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
    attach_mount,
    clone_mount,
    mount,
    prctl,
    set_read_only,
    set_writable,
    unshare,
)
from arbiter.sandbox.forkserver.numbering import FIRST_PID, LAST_PID
from arbiter.sandbox.forkserver.root import PLACE, mount_empty_root
from arbiter.sandbox.forkserver.system import PLACE as SYSTEM

CONTROL_GROUPS = ("cgroup", "cgroup2")


def enter_stage() -> bool:
    """Move to a stage and return True there; False if that is impossible.

    A new process continues; the old one waits for it and ends with it.
    """
    # A failure half-way leaves a process that cannot start bots, so a trial process goes first.
    trial = os.fork()
    if trial == 0:
        with suppress(BaseException):
            if (first := _new_first_process()) == 0:
                _mount_stage()
                mount_empty_root(SYSTEM)
                attach_mount(clone_mount(SYSTEM), PLACE)
                os.chroot(PLACE)
                os._exit(0)
            os._exit(_await_exit_code(first))
        os._exit(1)
    if _await_exit_code(trial) != 0:
        return False
    if first := _new_first_process():
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        os._exit(_await_exit_code(first))
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _mount_stage()
    return True


def ignore_end_signals() -> None:
    """Ignore signals to end: the process that started this one handles them."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _new_first_process() -> int:
    """Fork into new namespaces; return 0 in the child, which is the first process there."""
    user, group = os.geteuid(), os.getegid()
    unshare(CLONE_NEWNS | CLONE_NEWPID | (CLONE_NEWUSER if user else 0))
    if user:
        _write_file("/proc/self/setgroups", "deny")
        _write_file("/proc/self/uid_map", f"{user} {user} 1")
        _write_file("/proc/self/gid_map", f"{group} {group} 1")
    return os.fork()


def _mount_stage() -> None:
    """Make all mounts but control groups read-only; mount a new /proc."""
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
    """Reset process ids, to start at `FIRST_PID` plus the seat."""
    with suppress(OSError):
        _write_file(LAST_PID, str(FIRST_PID + seat - 1))


def _await_exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xFF


def _write_file(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
