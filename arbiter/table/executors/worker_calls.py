"""The calls on a Dask worker: `prepare` once, then `perform` one match at a time.

Every call is sent as bytes that run it when unpickled (`RemoteCall`), so that the scheduler does not need
this package. A worker process plays a match once: if Dask, which does not know voids, repeats a call, it gets
the same answer, and a process that replaces a dead one refuses the dead one's calls.
"""

from __future__ import annotations

import os
import pickle
import platform
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import arbiter
from arbiter.errors import WorkerLost
from arbiter.match.spec import MatchSpec
from arbiter.sandbox.cpu_affinity import take_core
from arbiter.sandbox.program_files import first_problem
from arbiter.sandbox.tiers import probe
from arbiter.table.executors.shipping import place, relocate
from arbiter.table.private_folder import claim_core, private_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arbiter.match.spec import Player

VERSION = f"arbiter {arbiter.__version__} with Python {sys.version_info[0]}.{sys.version_info[1]}"


class RemoteCall:
    """A call that runs where it is unpickled."""

    def __init__(self, fn: Callable[..., Any], *args: Any) -> None:
        self._fn, self._args = fn, args

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._fn, self._args


@dataclass(frozen=True, slots=True)
class WorkerNeeds:
    """The requirements for a worker: the tier of isolation, all players, the shipped folders.

    `shipped`: digests by the folders' paths on the machine that plays the season.
    """

    tier: str
    players: tuple[Player, ...]
    shipped: Mapping[str, str]


class Readiness(NamedTuple):
    """A worker's answer to `prepare`: why it cannot be used, or what it lacks, or its process."""

    problem: str = ""
    missing: tuple[str, ...] = ()
    """Digests of the shipped folders that its machine does not have yet."""
    process: str = ""


_process = os.urandom(16).hex()
_core: int | None = None
_last: tuple[str, bytes] | None = None


def prepare(version: str, needs: bytes) -> Readiness:
    """Check tier, shipped folders and programs on this worker, and claim a core for it if all are there."""
    global _core
    # First, since another version's `needs` may not even be readable.
    if version != VERSION:
        return Readiness(f"it has {VERSION}, and {version} is needed")
    wanted: WorkerNeeds = pickle.loads(needs)
    tier = probe()[wanted.tier]
    if not tier.available:
        return Readiness(f"isolation {wanted.tier} is not available there: {tier.reason}")
    missing = {digest for digest in wanted.shipped.values() if not place(digest).is_dir()}
    if missing:
        return Readiness(missing=tuple(sorted(missing)))
    for player in wanted.players:
        # It could not start, and would lose by the organiser's mistake.
        if problem := first_problem(relocate(player, _unpacked_folders(wanted.shipped))):
            return Readiness(f"player {player.name}: {problem} there (put it there, or use `ship`)")
    if _core is None:
        # The cores of the process: this thread may be pinned already.
        _core = claim_core(private_folder(), os.sched_getaffinity(os.getpid()))
    if _core is None:
        return Readiness(f"every core of {platform.node()} has a worker already")
    return Readiness(process=_process)


def perform(process: str, key: str, shipped: Mapping[str, str], call: bytes) -> bytes:
    """Run a call on this worker's core, once per `key`. Return (result, None) or (None, exception), pickled.

    `process` is the intended process, else WorkerLost; `call` is pickled: function, arguments, keywords.
    """
    global _last
    if process != _process or _core is None:
        raise WorkerLost("the worker process that was to play it died")
    if _last is None or _last[0] != key:
        if os.sched_getaffinity(0) != {_core}:
            take_core(_core)
        _last = key, _run_pickled(shipped, call)
    return _last[1]


def _run_pickled(shipped: Mapping[str, str], call: bytes) -> bytes:
    """Run a pickled call with the paths of this machine; errors are returned, too."""
    try:
        fn, args, keywords = pickle.loads(call)
        places = _unpacked_folders(shipped)
        result = fn(*(_relocated(arg, places) for arg in args), **keywords)
        return pickle.dumps((result, None))
    except Exception as error:
        return pickle.dumps((None, error))


def _relocated(arg: Any, places: Mapping[str, str]) -> Any:
    """Return a match with its players' paths on this machine; anything else unchanged."""
    if isinstance(arg, MatchSpec) and places:
        return replace(arg, players=tuple(relocate(player, places) for player in arg.players))
    return arg


def _unpacked_folders(shipped: Mapping[str, str]) -> dict[str, str]:
    return {folder: str(place(digest)) for folder, digest in shipped.items()}
