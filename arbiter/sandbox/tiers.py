"""The tiers of isolation: what each enforces, and which of them to use.

`plain` needs nothing: a session of its own, limits on memory and core files, descriptors 0 to 2 only,
and every descendant is killed with the match. It leaves rivals' files and the network open, so it is for
trusted bots. `landlock` closes them, and needs a kernel that has it, but neither root nor namespaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError
from arbiter.sandbox import cgroup, landlock
from arbiter.sandbox.forkserver import SYSTEM_BYTES
from arbiter.sandbox.forkserver_client import SlimProcess, check_system

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ORDER = ("landlock", "plain")
"""From the strongest down; `auto` takes the first that this machine has."""
GONE = "bubblewrap holds builds alone; no bot plays in it any more"
"""The reasons why tiers of earlier versions are not available."""

PLAIN = {
    "own_session": True,
    "memory": "RLIMIT_DATA",
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


def _tier(name: str, problem: str, enforced: Callable[[], dict[str, object]]) -> Tier:
    return Tier(name, not problem, problem, {} if problem else enforced())


@cache
def probe() -> dict[str, Tier]:
    """All tiers by name, as this machine has them."""
    return {
        "landlock": _tier("landlock", landlock.problem(), landlock.enforced),
        "plain": _tier("plain", "", lambda: PLAIN),
    }


def on_top() -> Tier:
    """Control groups, which are added to every tier where they are available."""
    return _tier("cgroup", cgroup.problem(), cgroup.enforced)


def stage() -> Tier:
    """Namespaces of a worker's own, which are added to every tier but plain where they are available."""
    slim = SlimProcess("staged")
    try:
        answer = slim.ask("start", bots=[])[0]
    finally:
        slim.close()
    why = "this user may make no namespaces, or this kernel no private /proc (Linux >= 5.12)"
    return _tier(
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
    """Return what namespaces add to a tier, if there are any.

    `own_user`: what a bot has of its own as a user; `own_numbers`: whether it has numbers of its own for
    processes and threads; `in_place`: the own folders that were not copied;
    `elsewhere`: what of the system they read where it is, None where they see all of it.
    """
    if not staged:
        return {}
    found: dict[str, object] = {
        "processes": "none but its own to be seen" + ", with numbers of its own" * own_numbers,
        "own files": _but_for("copies in memory", in_place),
        "user": OWN_USER.get(own_user, "the same for all"),
    }
    if elsewhere is None:
        return found
    return found | {"system": _but_for(f"in memory, at most {SYSTEM_BYTES >> 20} MB", elsewhere)}


def _but_for(what: str, folders: Sequence[str]) -> str:
    return what + (f", but for {', '.join(folders)}" if folders else "")


def choose(wanted: str, required: bool = False) -> tuple[str, str]:
    """The tier to use, and a warning or ""; ConfigError if a required tier is not available."""
    check_system()
    tiers = probe()
    best = next(name for name in ORDER if tiers[name].available)
    if wanted == "auto" or wanted not in tiers:
        chosen = best
        if required and chosen == "plain":
            raise ConfigError("isolation is required, and this machine has no tier above plain")
        if wanted != "auto":
            return best, f"isolation {wanted} is not available ({GONE}): using {best}"
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
