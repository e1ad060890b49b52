"""What a verification finds, and how two standings are compared."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from arbiter.season.recheck import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

TOLERANCE = 1e-6
"""Elo by which a rating computed again may differ: the last bits depend on the machine."""
LATER = frozenset({"favours", "suspended", "wins_by_fault"})
"""Keys of standings that older ones lack."""


class Kind(StrEnum):
    """What a finding means."""

    DIFFERENCE = "difference"
    UNREADABLE = "unreadable"
    UNCHECKED = "unchecked"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong or remarkable, or that cannot be checked; `place` is a match, a round or the season."""

    place: str
    text: str
    kind: Kind = Kind.DIFFERENCE

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


@dataclass(slots=True)
class Coverage:
    """How much was checked."""

    rounds: int = 0
    complete: int = 0
    matches: int = 0
    moves: int = 0
    forfeits: int = 0
    annulled: int = 0
    replayed: int = 0
    commitment: bool = False


def by_player(standings: dict[str, Any]) -> dict[str, Any]:
    """Standings with their rows by player, so that a difference names the player."""
    return {**standings, "players": {row["player"]: row for row in standings["players"]}}


def without_idle(standings: dict[str, Any]) -> dict[str, Any]:
    rows = [row for row in standings["players"] if row["matches"]]
    return {**standings, "players": rows, "warnings": []}


def unlike(path: str, stored: Any, fresh: Any) -> Iterator[str]:
    """Every place where two JSON values differ; numbers may by the tolerance."""
    if isinstance(stored, dict) and isinstance(fresh, dict):
        for key in dict.fromkeys([*fresh, *stored]):
            if key not in stored and key in LATER:
                continue
            if key not in stored or key not in fresh:
                yield f"{path}: {key}: {'surplus' if key in stored else 'missing'}"
            else:
                yield from unlike(f"{path}: {key}", stored[key], fresh[key])
    elif isinstance(stored, int | float) and isinstance(fresh, int | float):
        # Written so that NaN differs from everything.
        if not abs(stored - fresh) <= TOLERANCE:
            yield f"{path}: stored {stored!r}, recomputed {fresh!r}"
    elif stored != fresh:
        yield f"{path}: stored {shown(stored)}, recomputed {shown(fresh)}"
