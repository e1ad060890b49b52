"""Bots in bubblewrap, as a command prefix; it must be installed and allowed to make namespaces.

The bot sees the system's folders, its interpreter and its own folder, all read-only, a small /tmp
of its own, no network, and no processes but its own, of which it may start some. It is the first process
of its namespace, so they end with it. bubblewrap itself stays outside as its parent. It reports the bot's
process id outside on descriptor 3, and reads on 4 the filter of system calls that the bot gets, for
what mounts and namespaces do not reach, such as leases on files.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.table.sandbox import landlock, seccomp

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.match import Player

PROGRAM = "bwrap"
STATUS, FILTER = 3, 4
SCRATCH_BYTES = 64 << 20
COVER_BYTES = 4096
"""Of an empty file system that covers a folder."""
PROBE_SECONDS = 10
CLOSER = ("/bin/sh", "-c", f'exec "$@" {STATUS}>&-', "sh")
"""Closes what bubblewrap leaves open."""
SCRATCH, WORK, SOURCE = "/tmp", "/tmp/build", "/source"
"""Where there is room to write; where a build works; where it finds what was sent."""
CONFINED = (
    "--unshare-all", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL", "--proc", "/proc",
)  # fmt: skip
KEYS_AND_TIMERS = ("/proc/keys", "/proc/timer_list")
"""What tells of others' programs although /proc is a namespace's own; all that a bot's start has time for."""
KEPT = {
    "cpuinfo", "filesystems", "loadavg", "meminfo", "mounts", "net", "self", "stat", "sys", "thread-self",
    "uptime", "version",
}  # fmt: skip
"""Of /proc beside processes: what compilers, make and runtimes read to fit the machine."""


def enforced() -> dict[str, object]:
    """What the tier enforces, as records say it."""
    return {
        "own_session": True,
        "memory": "RLIMIT_DATA, of each process",
        "descriptors": "0-2",
        "descendants": "in a namespace of its own; end with the bot",
        "files": "own folder, system and interpreter to read (mounts)",
        "network": "none (namespace)",
        "signals": "to its own processes alone (namespace)",
        "calls": "no leases, priorities, further namespaces; locks without effect (seccomp)"
        if seccomp.supported()
        else "all",
        "writable": f"/tmp of its own, {SCRATCH_BYTES >> 20} MB",
    }


@cache
def problem() -> str:
    """Why bubblewrap cannot be used here; "" if it can."""
    program = shutil.which(PROGRAM)
    if program is None:
        return "bubblewrap is not installed (apt-get install bubblewrap)"
    command = [
        program,
        *CONFINED,
        *_room(SCRATCH_BYTES),
        *_mounts(()),
        "--",
        "/bin/sh",
        "-c",
        "exit 0",
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not work here: {error}"
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"it exited with status {done.returncode}"]
        return f"bubblewrap does not work here: {lines[-1]}"
    return ""


def wrapping(player: Player, program: str) -> dict[str, Any]:
    """What the launcher needs to start a bot, which is `program`, in bubblewrap, as JSON values."""
    mounts = _mounts(landlock.own_places(player, program))
    chdir = "--chdir", player.folder if player.read else "/"
    words = [*_room(SCRATCH_BYTES), *mounts, *chdir, "--", *CLOSER, program, *player.command[1:]]
    return _wrapped(words) | {
        "program": program,
        "folders": landlock.own_folders(player.read),
        "stage": True,
    }


def building(source: str, command: Sequence[str], places: Iterable[str], room: int) -> dict[str, Any]:
    """The same for a build of what lies in the folder `source`, with `room` bytes to write.

    It sees the system's folders, `places`, and its source under another name.
    """
    work = "--dir", WORK, "--ro-bind", source, SOURCE
    mounts = _mounts(places)
    words = [*_room(room), *work, *mounts, "--chdir", WORK, "--", *command]
    return _wrapped(words, _of_no_use()) | {"program": command[0], "folders": [], "stage": False}


def _of_no_use() -> tuple[str, ...]:
    """What of /proc tells of the machine, and no compiler reads."""
    names = (name for name in os.listdir("/proc") if not name.isdecimal() and name not in KEPT)
    return tuple(sorted(f"/proc/{name}" for name in names))


def _wrapped(words: Sequence[str], covered: Iterable[str] = KEYS_AND_TIMERS) -> dict[str, Any]:
    """What the launcher needs in any case; `words` follow those that all have in common.

    `covered` are files and folders of /proc that are not to be seen.
    """
    prefix = [shutil.which(PROGRAM) or PROGRAM, "--json-status-fd", str(STATUS), *CONFINED]
    for path in covered:
        if os.path.isdir(path):
            prefix += ["--size", str(COVER_BYTES), "--tmpfs", path, "--remount-ro", path]
        elif os.path.lexists(path) and not Path(path).is_symlink():
            prefix += ["--ro-bind", "/dev/null", path]
    # Last: root may write the kernel's settings there, even without powers.
    prefix += ["--remount-ro", "/proc"]
    filtered = b""
    if seccomp.supported():
        prefix += ["--seccomp", str(FILTER)]
        filtered = seccomp.program(in_namespaces=True).code
    return {"argv": [*prefix, *words], "wrapped": True, "filter": filtered.hex()}


def _room(size: int) -> tuple[str, ...]:
    """A file system in memory to write in, of so many bytes."""
    return "--size", str(size), "--tmpfs", SCRATCH


def _mounts(places: Iterable[str]) -> list[str]:
    """The system's folders and further places bound read-only, which is what Landlock would allow; then the
    root read-only, too.
    """
    words = []
    system = [path for path in landlock.system_rules() if not path.startswith(landlock.OF_THE_SYSTEM)]
    # Each costs a bot's start a tenth of a millisecond: what holds nothing is left as it is.
    hidden = [path for path in landlock.HIDDEN if os.path.isdir(path) and os.listdir(path)]
    for path in sorted({*landlock.SYSTEM, *system, *hidden, *places}):
        if path.startswith(("/proc/", "/sys/")):
            continue
        if path in hidden:
            words += ["--size", str(COVER_BYTES), "--tmpfs", path]
        elif path.startswith("/dev/"):
            words += ["--dev-bind", path, path]
        elif Path(path).is_symlink() and Path(path).parent == Path("/"):
            words += ["--symlink", os.readlink(path), path]  # noqa: PTH115 -- as it is written
        else:
            words += ["--ro-bind-try", path, path]
    for path in (*hidden, "/"):
        words += ["--remount-ro", path]
    return words
