"""The root folder that a confined bot sees: a file system of its own, with nothing of anybody else's in it.

It is a `tmpfs` that ends with the bot. On it are mounted, read-only, the system in memory (`system`), the
bot's own folders and few entries of its own process; its /tmp is the one place where it may write. All
else that this machine has is not there: no store, no season's file, no other player, whatever Landlock
would still show of them.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Any

from arbiter.sandbox.forkserver import OWN_ENTRIES, SCRATCH_BYTES
from arbiter.sandbox.forkserver.kernel import (
    CLONE_NEWNS,
    MS_BIND,
    MS_NOATIME,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_REC,
    mount,
    unshare,
)

PLACE = "/sys/class"
"""The place where it is made: another folder that nobody here has a use for."""
SCRATCH_FILES = 1024
FOLDERS = 256
"""Of the root itself."""
TOPS = ("usr", "bin", "lib", "lib32", "lib64", "sbin", "etc", "dev", "proc", "sys")
"""The folders of the system in memory that every bot sees; the rest of it are installations, seen by those
that run them.
"""
OWN_PLACE = "/own"


def open_room(place: str = PLACE) -> None:
    """Mount an empty file system for a root in a mount namespace of this process's own."""
    unshare(CLONE_NEWNS)
    options = f"size={SCRATCH_BYTES},nr_inodes={SCRATCH_FILES + FOLDERS},mode=0755"
    mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME, options)


def enter_root(root: dict[str, Any]) -> None:
    """Move this process, which becomes a bot, to a root of its own. OSError if the kernel refuses.

    `root` are where its view of the `system` is, its `places` (folders and files where they really are, none
    within another; those that are its `own` are copied for it), the `links` that lead there, `folders` to be
    there although empty, where its temporary folder is (`scratch`), and the program `exe`.
    """
    open_room()
    for name in TOPS:
        place = f"{root['system']}/{name}"
        if os.path.islink(place):
            os.symlink(os.readlink(place), f"{PLACE}/{name}")
        elif os.path.isdir(place):
            _bind(place, f"/{name}")
    os.makedirs(PLACE + root["scratch"])
    os.chmod(PLACE + root["scratch"], 0o1777)
    for path, target in root["links"]:
        with suppress(OSError):
            os.makedirs(os.path.dirname(PLACE + path), exist_ok=True)
            os.symlink(target, PLACE + path)
    for path in root["places"]:
        # What is gone is missed when it is started.
        kept = [] if path in root["own"] else [root["system"] + path]
        source = next(filter(os.path.lexists, (*kept, path)), None)
        if source is not None:
            _bind(source, path)
    for path in root["folders"]:
        os.makedirs(PLACE + path, exist_ok=True)
    _show_itself(root["exe"])
    # Not pivot_root: to take the old root's mounts down costs 10 ms. No bot may call chroot, nor has it a
    # folder open.
    os.chroot(PLACE)


def _show_itself(program: str) -> None:
    """Show entries of /proc/self for this process alone."""
    entries = f"{PLACE}{OWN_PLACE}"
    os.mkdir(entries)
    os.symlink(program, f"{entries}/exe")
    for name in OWN_ENTRIES:
        made = os.open(f"{entries}/{name}", os.O_WRONLY | os.O_CREAT, 0o444)
        if name == "stat":
            os.write(made, _state(os.path.basename(program)))
        else:
            # Not by its own number, which is another one here where it has a namespace of numbers.
            mount(f"/proc/self/{name}", f"{entries}/{name}", "", MS_BIND)
        os.close(made)
    mount(entries, f"{PLACE}/proc/self", "", MS_BIND | MS_REC)


def _state(name: str) -> bytes:
    """Return /proc/self/stat: names and the time of the start alone, and the priority of a season's match.

    The kernel's own would tell how nice this process is, and so whether it is only being tried.
    """
    fields = [0] * 50
    pid, start = os.getpid(), time.clock_gettime(time.CLOCK_BOOTTIME)
    # Parent, group, session, terminal and its group; priority; threads; start; signal to the parent.
    fields[1:6] = os.getppid(), pid, pid, 0, -1
    fields[15], fields[17], fields[19], fields[35] = 20, 1, int(start * os.sysconf("SC_CLK_TCK")), 17
    return f"{pid} ({name[:15]}) R {' '.join(map(str, fields[1:]))}\n".encode()


def _bind(source: str, path: str) -> None:
    """Mount a file or folder, with what is mounted below, at a path of the new root."""
    target = PLACE + path
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT, 0o444))
    mount(source, target, "", MS_BIND | MS_REC)
