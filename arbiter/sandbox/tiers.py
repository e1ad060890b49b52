"""The tiers of isolation: what each enforces, and which one to use.

`plain` has no requirements: a new session, limits on memory and core files, only descriptors 0 to 2, and all
descendants are killed with the match. It leaves rivals' files and the network open, so it is for trusted
bots. `landlock` closes them; it needs kernel support, but neither root nor namespaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError
from arbiter.sandbox import cgroup, landlock
from arbiter.sandbox.forkserver import SYSTEM_BYTES
from arbiter.sandbox.forkserver_client import ForkserverClient, check_system

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ORDER = ("landlock", "plain")
"""From the strongest down; `auto` uses the first that is available."""
GONE = "bubblewrap is used only for builds"
"""Why tiers of earlier versions are not available."""

PLAIN = {
    "own_session": True,
    "memory": "what it fills",
    "descriptors": "0-2",
    "descendants": "killed with the match",
    "files": False,
    "network": False,
    "signals": False,
}
OWN_USER = {
    "number": "its own",
    "namespace": "its own for threads and signals, one for what else is counted by user",
}


@dataclass(frozen=True, slots=True)
class Tier:
    """A tier on this machine: whether it is available, why not, and what it enforces."""

    name: str
    available: bool
    reason: str
    enforces: dict[str, object]


def _tested_tier(name: str, problem: str, enforced: Callable[[], dict[str, object]]) -> Tier:
    return Tier(name, not problem, problem, {} if problem else enforced())


@cache
def probe() -> dict[str, Tier]:
    """Return all tiers by name, with their availability on this machine."""
    return {
        "landlock": _tested_tier("landlock", landlock.problem(), landlock.enforced),
        "plain": _tested_tier("plain", "", lambda: PLAIN),
    }


def control_groups() -> Tier:
    """Return the control groups, which are added to every tier if available."""
    return _tested_tier("cgroup", cgroup.problem(), cgroup.enforced)


def stage() -> Tier:
    """Return a worker's namespaces, which are added to every tier but plain if available."""
    slim = ForkserverClient("staged")
    try:
        answer = slim.ask("start", bots=[])[0]
    finally:
        slim.close()
    why = "this user cannot create namespaces, or this kernel has no private /proc (Linux >= 5.12)"
    return _tested_tier(
        "stage",
        "" if answer["staged"] else why,
        lambda: stage_enforces(True, answer["own_user"], answer["own_numbers"]),
    )


def stage_enforces(
    staged: bool,
    own_user: str,
    own_numbers: bool = False,
    in_place: Sequence[str] = (),
    elsewhere: Sequence[str] | None = (),
) -> dict[str, object]:
    """Return what namespaces add to a tier, in the words of records.

    `own_user`: how bots have separate users; `own_numbers`: whether they have separate process namespaces;
    `in_place`: the players' folders that were not copied; `elsewhere`: the system's paths that are read in
    place, None if bots see the whole system.
    """
    if not staged:
        return {}
    found: dict[str, object] = {
        "processes": "none but its own to be seen" + ", with numbers of its own" * own_numbers,
        "own files": _with_exceptions("copies in memory", in_place),
        "user": OWN_USER.get(own_user, "the same for all"),
    }
    if elsewhere is None:
        return found
    return found | {"system": _with_exceptions(f"in memory, at most {SYSTEM_BYTES >> 20} MB", elsewhere)}


def _with_exceptions(what: str, folders: Sequence[str]) -> str:
    return what + (f", but for {', '.join(folders)}" if folders else "")


def choose(wanted: str, required: bool = False) -> tuple[str, str]:
    """Return the tier to use, and a warning or "": `wanted`, or the best one here if it is not available.

    The best one also for "auto". ConfigError, if `required`, for a tier not available, and for plain.
    """
    check_system()
    tiers = probe()
    best = next(name for name in ORDER if tiers[name].available)
    if wanted == "auto" or wanted not in tiers:
        chosen = best
        if required and chosen == "plain":
            hint = "arbiter isolation gives the reason"
            raise ConfigError("isolation is required, but this machine has no tier above plain", hint=hint)
        if wanted != "auto":
            return best, f"isolation {wanted} is not available ({GONE}): using {best}"
    elif wanted == "plain" and required:
        raise ConfigError("isolation is required, but plain does not isolate", hint="isolation: auto")
    elif tiers[wanted].available:
        chosen = wanted
    elif required:
        raise ConfigError(f"isolation {wanted} is required: {tiers[wanted].reason}")
    else:
        return best, f"isolation {wanted} is not available ({tiers[wanted].reason}): using {best}"
    if chosen == "plain" and wanted != "plain":
        return chosen, "isolation is plain: run only bots that you trust"
    return chosen, ""
