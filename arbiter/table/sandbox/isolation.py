"""What keeps bots from each other and from the machine: the tiers, and which of them to use.

`plain` needs nothing: an own session, limits on memory and core files, descriptors 0 to 2 only,
and an end of every descendant with the match. It does not stop a bot from reading its rivals'
files or from the network, so it is for trusted bots. `landlock` stops that, and needs a kernel
that has it, but neither root nor namespaces. `bwrap` stops it with namespaces, and lets a bot start
processes.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError
from arbiter.table.launcher import SlimProcess
from arbiter.table.sandbox import bubblewrap, cgroup, landlock, seccomp

if TYPE_CHECKING:
    from collections.abc import Sequence

ORDER = ("landlock", "bwrap", "plain")
"""From the strongest down; `auto` takes the first that this machine has."""

PLAIN = {
    "own_session": True,
    "memory": "RLIMIT_DATA",
    "descriptors": "0-2",
    "descendants": "killed with the match",
    "files": False,
    "network": False,
    "signals": False,
}


@dataclass(frozen=True, slots=True)
class Tier:
    """One tier on this machine: whether it can be had, why not, and what it enforces."""

    name: str
    available: bool
    reason: str
    enforces: dict[str, object]


@cache
def probe() -> dict[str, Tier]:
    """All tiers, as this machine and this version have them."""
    return {
        "landlock": _landlock(),
        "bwrap": _bwrap(),
        "plain": Tier("plain", True, "", PLAIN),
    }


def _landlock() -> Tier:
    if not landlock.version():
        return Tier("landlock", False, "this kernel has no Landlock (Linux >= 5.13, lsm=landlock)", {})
    if not seccomp.supported():
        return Tier("landlock", False, f"there is no filter for {platform.machine()}", {})
    return Tier("landlock", True, "", landlock.enforced())


def on_top() -> Tier:
    """Control groups: beside every tier, where we may make them."""
    return Tier("cgroup", not cgroup.problem(), cgroup.problem(), cgroup.enforced())


def stage() -> Tier:
    """Namespaces of a worker's own: beside every tier but plain, where we may make them."""
    slim = SlimProcess(staged=True)
    try:
        staged = slim.ask("start", bots=[])[0]["staged"]
    finally:
        slim.close()
    why = (
        "" if staged else "this user may make no namespaces, or this kernel no private /proc (Linux >= 5.12)"
    )
    return Tier("stage", staged, why, stage_enforces(True))


def stage_enforces(staged: bool, in_place: Sequence[str] = ()) -> dict[str, object]:
    """What namespaces add to a tier, as records say it; nothing where there were none. `in_place`: folders
    that were no copies.
    """
    if not staged:
        return {}
    files = "copies in memory" + (f", but for {', '.join(in_place)}" if in_place else "")
    return {"processes": "none but its own to be seen", "own files": files}


def _bwrap() -> Tier:
    if problem := bubblewrap.problem():
        return Tier("bwrap", False, problem, {})
    return Tier("bwrap", True, "", bubblewrap.enforced())


def choose(wanted: str, required: bool = False) -> tuple[str, str]:
    """The tier to use, and a warning ("" if none); ConfigError where a required one is missing."""
    tiers = probe()
    best = next(name for name in ORDER if tiers[name].available)
    if wanted == "auto":
        chosen = best
        if required and chosen == "plain":
            raise ConfigError("isolation is required, and this machine has no tier above plain")
    elif wanted == "plain" and required:
        raise ConfigError("isolation is required, and plain isolates nothing", hint="isolation: auto")
    elif tiers[wanted].available:
        chosen = wanted
    elif required:
        raise ConfigError(f"isolation {wanted} is required: {tiers[wanted].reason}")
    else:
        return best, f"isolation {wanted} is not available ({tiers[wanted].reason}): using {best}"
    if chosen == "plain" and wanted != "plain":
        return chosen, "isolation is plain: run only bots that you trust"
    return chosen, ""
