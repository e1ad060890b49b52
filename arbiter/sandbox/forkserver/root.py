"""The private root folder that a confined bot sees.

It is a `tmpfs` that ends with the bot. On it are mounted, read-only, the system in memory (`system`), the
bot's own folders and few entries of /proc/self; only its /tmp is writable. Everything else of this machine is
missing: the store, the season's file, other players, also what Landlock would still reveal of them.
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
    mount_link,
    unshare,
)

PLACE = "/sys/class"
"""Where it is created: another folder that is not used here."""
SCRATCH_FILES = 1024
FOLDERS = 256
"""Inodes for the root's folders."""
TOPS = ("usr", "bin", "lib", "lib32", "lib64", "sbin", "etc", "dev", "proc", "sys")
"""Folders of the system in memory that every bot sees; the others are installations, for their users."""
OWN_PLACE = "/own"


def mount_empty_root(place: str = PLACE) -> None:
    """Move to a new mount namespace, and mount an empty file system for a root."""
    unshare(CLONE_NEWNS)
    options = f"size={SCRATCH_BYTES},nr_inodes={SCRATCH_FILES + FOLDERS},mode=0755"
    mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME, options)


def enter_root(root: dict[str, Any]) -> None:
    """Move this process, which becomes a bot, to a private root. OSError if the kernel refuses.

    `root` has the folder of its view of the `system`, its `places` (real paths of folders and files, none
    within another; `own` ones are copies of the player's folders), the `links` that lead there, empty
    `folders`, the path of its temporary folder (`scratch`), and its program's path (`exe`).
    """
    mount_empty_root()
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
        # A missing path is reported at the start of the program.
        kept = [] if path in root["own"] else [root["system"] + path]
        source = next(filter(os.path.lexists, (*kept, path)), None)
        if source is not None:
            _bind(source, path)
    for path in root["folders"]:
        os.makedirs(PLACE + path, exist_ok=True)
    _mount_proc_self(root["exe"])
    # Not pivot_root, as removing the old root's mounts costs 10 ms. A bot cannot escape: it may not call
    # chroot, and has no open folder.
    os.chroot(PLACE)


def _mount_proc_self(program: str) -> None:
    """Mount the allowed entries of /proc/self for this process."""
    entries = f"{PLACE}{OWN_PLACE}"
    os.mkdir(entries)
    for name in (*OWN_ENTRIES, "exe"):
        made = os.open(f"{entries}/{name}", os.O_WRONLY | os.O_CREAT, 0o444)
        if name == "stat":
            os.write(made, _stat_content(os.path.basename(program)))
        elif name == "exe":
            # The kernel's link, which follows each `exec`; the loader finds libraries beside a program by it.
            mount_link("/proc/self/exe", f"{entries}/exe")
        else:
            # Not by its process id, which differs in a process namespace.
            mount(f"/proc/self/{name}", f"{entries}/{name}", "", MS_BIND)
        os.close(made)
    mount(entries, f"{PLACE}/proc/self", "", MS_BIND | MS_REC)


def _stat_content(name: str) -> bytes:
    """Return a /proc/self/stat with only names, the start time, and the priority of a season's match.

    The kernel's file would reveal the nice value, and so whether this is only a trial match.
    """
    fields = [0] * 50
    pid, start = os.getpid(), time.clock_gettime(time.CLOCK_BOOTTIME)
    # Parent, group, session, terminal and its group; priority; threads; start; signal to the parent.
    fields[1:6] = os.getppid(), pid, pid, 0, -1
    fields[15], fields[17], fields[19], fields[35] = 20, 1, int(start * os.sysconf("SC_CLK_TCK")), 17
    return f"{pid} ({name[:15]}) R {' '.join(map(str, fields[1:]))}\n".encode()


def _bind(source: str, path: str) -> None:
    """Mount a file or folder with its submounts at a path of the new root."""
    target = PLACE + path
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT, 0o444))
    mount(source, target, "", MS_BIND | MS_REC)
