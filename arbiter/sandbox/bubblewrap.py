"""The bubblewrap command that confines a build; bubblewrap must be installed and may create namespaces.

A build sees the system's folders and its sources, read-only, a private /tmp, no network, and only its own
processes. It is the first process of its namespace, so the others end with it. bubblewrap stays outside as
its parent, reports the build's process id on descriptor 3, and reads from 4 the seccomp filter for what
mounts and namespaces do not cover, such as leases on files.
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
"""The size of an empty file system that covers a folder."""
PROBE_SECONDS = 10
SCRATCH, WORK, SOURCE = "/tmp", "/tmp/build", "/source"
"""The folders of a build: writable; its working folder; its sources."""
CONFINED = (
    "--unshare-all", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL", "--proc", "/proc",
)  # fmt: skip
KEPT = {
    "cpuinfo", "filesystems", "loadavg", "meminfo", "mounts", "net", "self", "stat", "sys", "thread-self",
    "uptime", "version",
}  # fmt: skip
"""Entries of /proc, besides processes, that compilers, make and runtimes read."""


@cache
def problem() -> str:
    """Return why bubblewrap cannot be used here; "" if it can."""
    program = shutil.which(PROGRAM)
    if program is None:
        return "bubblewrap is not installed (apt-get install bubblewrap)"
    command = [
        program,
        *CONFINED,
        *_tmpfs_options(PROBE_BYTES),
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


def build_request(source: str, command: Sequence[str], places: Iterable[str], room: int) -> dict[str, Any]:
    """Return the launcher's request, as JSON values, to build the folder `source` with `room` writable bytes.

    The build sees the system's folders, `places`, and its source as `SOURCE`.
    """
    words = [shutil.which(PROGRAM) or PROGRAM, "--json-status-fd", str(STATUS), *CONFINED]
    for path in _proc_files_to_hide():
        if os.path.isdir(path):
            words += ["--size", str(COVER_BYTES), "--tmpfs", path, "--remount-ro", path]
        elif os.path.lexists(path) and not Path(path).is_symlink():
            words += ["--ro-bind", "/dev/null", path]
    # Last: root may write kernel settings there, even without capabilities.
    words += ["--remount-ro", "/proc"]
    filtered = b""
    if seccomp.supported():
        words += ["--seccomp", str(FILTER)]
        filtered = seccomp.program(in_namespaces=True).code
    words += [*_tmpfs_options(room), "--dir", WORK, "--ro-bind", source, SOURCE, *_mounts(places)]
    return {
        "argv": [*words, "--chdir", WORK, "--", *command],
        "program": command[0],
        "folders": [],
        "stage": False,
        "wrapped": True,
        "line": False,
        "filter": filtered.hex(),
    }


def _proc_files_to_hide() -> tuple[str, ...]:
    """Return the files of /proc that describe the machine and are not `KEPT`."""
    names = (name for name in os.listdir("/proc") if not name.isdecimal() and name not in KEPT)
    return tuple(sorted(f"/proc/{name}" for name in names))


def _tmpfs_options(size: int) -> tuple[str, ...]:
    return "--size", str(size), "--tmpfs", SCRATCH


def _mounts(places: Iterable[str]) -> list[str]:
    """Bind the system's folders and `places` read-only, as Landlock would allow; then the root read-only."""
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
