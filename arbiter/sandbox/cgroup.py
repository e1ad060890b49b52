"""Control groups, where this process may create them: limits on a bot with all its processes.

They are added to every tier. Version 1 has separate hierarchies for memory and processes, version 2 has one,
which must be delegated to this process (``systemd-run --scope -p Delegate=yes``). For each match, the
launcher creates a group for each bot in each hierarchy, and removes it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path

from arbiter.sandbox.forkserver import SCRATCH_BYTES

SLACK_BYTES = SCRATCH_BYTES
"""Added to the limit: the temporary folder, and what the kernel allocates for a bot, such as page tables."""
MOST_PROCESSES = 256
"""Including threads; few enough for all bots of a user together."""
OURS = "arbiter-"

Groups = list[tuple[str, dict[str, str]]]
"""Folders in which to create a group, with the values for each group's files."""


def group_settings(memory_bytes: int, processes: int = MOST_PROCESSES) -> Groups:
    """Return a bot's control groups to create: folder and values of files; empty if unavailable."""
    memory = str(memory_bytes + SLACK_BYTES)
    values = {
        "memory": {"memory.max": memory, "memory.swap.max": "0", "memory.oom.group": "1"}
        if _unified()
        else {"memory.limit_in_bytes": memory, "memory.memsw.limit_in_bytes": memory},
        "pids": {"pids.max": str(processes)},
    }
    found: dict[str, dict[str, str]] = {}
    for controller, folder in _group_folders().items():
        found.setdefault(folder, {}).update(values[controller])
    return list(found.items())


@cache
def problem() -> str:
    """Return why this process cannot create control groups; "" if it can."""
    if _group_folders():
        return ""
    if not Path("/proc/self/cgroup").exists():
        return "this kernel has no control groups"
    if _unified():
        return "the own control group has not been delegated (systemd-run --scope -p Delegate=yes)"
    return "the control groups of memory may not be changed (root may)"


def enforced() -> dict[str, object]:
    """Return the limits of control groups, in the words of records."""
    limited = sorted(_group_folders())
    return {"cgroup": f"{' and '.join(limited)} of the bot with its processes"} if limited else {}


@cache
def _group_folders() -> dict[str, str]:
    """Return, by controller, the folder in which a trial shows that groups can be created."""
    found = {}
    for controller, folder in _own_folders().items():
        with suppress(OSError):
            _remove_left_groups(folder)
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
    """True if memory is controlled by version 2."""
    return not any(":memory:" in line for line in _lines_of_file("/proc/self/cgroup"))


def throttled_ns() -> int:
    """Return for how many ns a CPU quota has throttled our group or its parents."""
    total = 0
    for file in _cpu_stat_files():
        with suppress(OSError, ValueError):
            counts = dict(line.split() for line in file.read_text().splitlines())
            total += int(counts.get("throttled_time", 0)) + 1000 * int(counts.get("throttled_usec", 0))
    return total


@cache
def _cpu_stat_files() -> list[Path]:
    """Return the files ``cpu.stat`` of our group and its parents."""
    folders = [folder for own in _own_folders(("cpu",)).values() for folder in (own, *own.parents)]
    return [file for folder in folders if (file := folder / "cpu.stat").exists()]


def _own_folders(controllers: tuple[str, ...] = ("memory", "pids")) -> dict[str, Path]:
    """Return, by controller, the folder of the control group that this process is in."""
    mounts = {}
    for line in _lines_of_file("/proc/mounts"):
        _, place, kind, options, *_ = line.split(" ")
        if kind == "cgroup2":
            mounts[""] = place
        elif kind == "cgroup":
            mounts |= dict.fromkeys(set(options.split(",")) & set(controllers), place)
    found: dict[str, Path] = {}
    for line in _lines_of_file("/proc/self/cgroup"):
        _, names, path = line.split(":", 2)
        for controller in controllers if not names and _unified() else names.split(","):
            mount = mounts.get(controller if names else "")
            if mount is not None and controller in controllers:
                found[controller] = Path(mount + path)
    return found


def _remove_left_groups(folder: Path) -> None:
    """Remove the groups of ended launchers; a group's name has its launcher's process id."""
    for left in folder.glob(f"{OURS}*"):
        number = left.name.removeprefix(OURS).partition("-")[0]
        if number.isdigit() and not Path("/proc", number).exists():
            with suppress(OSError):
                left.rmdir()


def _lines_of_file(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
