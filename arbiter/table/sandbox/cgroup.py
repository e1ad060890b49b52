"""Control groups, where this process may make them: limits on a bot with all its processes.

They come on top of every tier. Version 1 has a hierarchy of folders for memory and one for
processes, version 2 one for both, which must have been delegated to us (``systemd-run --scope
-p Delegate=yes`` does that). Each bot gets a group of its own in each hierarchy for a match; the
launcher makes and removes it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path

SLACK_BYTES = 64 << 20
"""Beyond the bot's limit: programs and libraries that it reads count here, too."""
MOST_PROCESSES = 256
OURS = "arbiter-"

Groups = list[tuple[str, dict[str, str]]]
"""Folders to make a group in, and what to write into the group's files."""


def groups(memory_bytes: int) -> Groups:
    """A bot's groups on this machine; none where there can be none."""
    values = {"memory": str(memory_bytes + SLACK_BYTES), "pids": str(MOST_PROCESSES)}
    files = {
        "memory": ("memory.max", "memory.swap.max") if _unified() else ("memory.limit_in_bytes",),
        "pids": ("pids.max",),
    }
    found: dict[str, dict[str, str]] = {}
    for controller, folder in _places().items():
        for file in files[controller]:
            swap = file == "memory.swap.max"
            found.setdefault(folder, {})[file] = "0" if swap else values[controller]
    return list(found.items())


@cache
def problem() -> str:
    """Why there are no control groups for us; "" where there are."""
    if _places():
        return ""
    if not Path("/proc/self/cgroup").exists():
        return "this kernel has no control groups"
    if _unified():
        return "the own control group has not been delegated (systemd-run --scope -p Delegate=yes)"
    return "the control groups of memory may not be changed (root may)"


def enforced() -> dict[str, object]:
    """What is limited, as records say it."""
    limited = sorted(_places())
    return {"cgroup": f"{' and '.join(limited)} of the bot with its processes"} if limited else {}


@cache
def _places() -> dict[str, str]:
    """Controller to the folder in which groups can be made."""
    found = {}
    for controller, folder in _own_folders().items():
        with suppress(OSError):
            _clear(folder)
            made = folder / f"{OURS}{os.getpid()}-probe"
            made.mkdir()
            try:
                file = "memory.max" if _unified() else "memory.limit_in_bytes"
                file, value = (file, str(1 << 30)) if controller == "memory" else ("pids.max", "100")
                (made / file).write_text(value)
                found[controller] = str(folder)
            finally:
                made.rmdir()
    return found if "memory" in found else {}


@cache
def _unified() -> bool:
    """Whether memory is under version 2."""
    return not any(":memory:" in line for line in _lines("/proc/self/cgroup"))


def _own_folders() -> dict[str, Path]:
    """Controller to our own group's folder."""
    groups = [line.split(":", 2) for line in _lines("/proc/self/cgroup")]
    mounts = {}
    for line in _lines("/proc/mounts"):
        _, place, kind, options, *_ = line.split(" ")
        if kind == "cgroup2":
            mounts[""] = place
        elif kind == "cgroup":
            mounts |= dict.fromkeys(set(options.split(",")) & {"memory", "pids"}, place)
    found: dict[str, Path] = {}
    for _, names, path in groups:
        for controller in ("memory", "pids") if not names and _unified() else names.split(","):
            mount = mounts.get("" if not names else controller)
            if mount is not None and controller in ("memory", "pids"):
                found[controller] = Path(mount + path)
    return found


def _clear(folder: Path) -> None:
    """Remove what launchers that are no more have left; their numbers stand in the names."""
    for left in folder.glob(f"{OURS}*"):
        number = left.name.removeprefix(OURS).partition("-")[0]
        if number.isdigit() and not Path("/proc", number).exists():
            with suppress(OSError):
                left.rmdir()


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
