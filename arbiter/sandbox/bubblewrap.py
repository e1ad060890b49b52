"""Builds in bubblewrap, as a command prefix; it must be installed and allowed to make namespaces.

A build sees the system's folders and its sources, read-only, a /tmp of its own, no network, and no processes
but its own. It is the first process of its namespace, so they end with it. bubblewrap itself stays outside as
its parent. It reports the build's process id on descriptor 3, and reads on 4 the filter of system calls that
the build gets, for what mounts and namespaces do not reach, such as leases on files.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.sandbox import landlock, seccomp

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PROGRAM = "bwrap"
STATUS, FILTER = 3, 4
PROBE_BYTES = 1 << 20
COVER_BYTES = 4096
"""Of an empty file system that covers a folder."""
PROBE_SECONDS = 10
SCRATCH, WORK, SOURCE = "/tmp", "/tmp/build", "/source"
"""The folders of a build: with room to write; where it works; where it finds what was sent."""
CONFINED = (
    "--unshare-all", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL", "--proc", "/proc",
)  # fmt: skip
KEPT = {
    "cpuinfo", "filesystems", "loadavg", "meminfo", "mounts", "net", "self", "stat", "sys", "thread-self",
    "uptime", "version",
}  # fmt: skip
"""Of /proc beside processes: what compilers, make and runtimes read to fit the machine."""


@cache
def problem() -> str:
    """Return why bubblewrap cannot be used here; "" if it can."""
    program = shutil.which(PROGRAM)
    if program is None:
        return "bubblewrap is not installed (apt-get install bubblewrap)"
    command = [
        program,
        *CONFINED,
        *_room(PROBE_BYTES),
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


def building(source: str, command: Sequence[str], places: Iterable[str], room: int) -> dict[str, Any]:
    """Return what the launcher needs, as JSON values, to build what lies in `source` with `room` bytes to
    write.

    The build sees the system's folders, `places`, and its source under another name.
    """
    words = [shutil.which(PROGRAM) or PROGRAM, "--json-status-fd", str(STATUS), *CONFINED]
    for path in _of_no_use():
        if os.path.isdir(path):
            words += ["--size", str(COVER_BYTES), "--tmpfs", path, "--remount-ro", path]
        elif os.path.lexists(path) and not Path(path).is_symlink():
            words += ["--ro-bind", "/dev/null", path]
    # Last: root may write the kernel's settings there, even without powers.
    words += ["--remount-ro", "/proc"]
    filtered = b""
    if seccomp.supported():
        words += ["--seccomp", str(FILTER)]
        filtered = seccomp.program(in_namespaces=True).code
    words += [*_room(room), "--dir", WORK, "--ro-bind", source, SOURCE, *_mounts(places)]
    return {
        "argv": [*words, "--chdir", WORK, "--", *command],
        "program": command[0],
        "folders": [],
        "stage": False,
        "wrapped": True,
        "line": False,
        "filter": filtered.hex(),
    }


def _of_no_use() -> tuple[str, ...]:
    """Return the files of /proc that describe the machine, and that no compiler reads."""
    names = (name for name in os.listdir("/proc") if not name.isdecimal() and name not in KEPT)
    return tuple(sorted(f"/proc/{name}" for name in names))


def _room(size: int) -> tuple[str, ...]:
    """A file system in memory to write in, of so many bytes."""
    return "--size", str(size), "--tmpfs", SCRATCH


def _mounts(places: Iterable[str]) -> list[str]:
    """The system's folders and further places bound read-only, which is what Landlock would allow; then the
    root read-only, too.
    """
    words = []
    system = [path for path in landlock.system_rules() if not path.startswith(landlock.OF_THE_SYSTEM)]
    hidden = [path for path in landlock.HIDDEN if os.path.isdir(path)]
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
