"""What happens while a season is played, as frozen values that whoever looks on only presents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.packing import PackedMatch


@dataclass(frozen=True, slots=True)
class ChangesAccepted:
    """The config differs from the last round's, and the next round is played with it; `what` in words."""

    what: str


@dataclass(frozen=True, slots=True)
class RoundPlanned:
    """A round is about to be played: `missing` of its `total` matches, `at_once` at a time.

    `rounds` is how many the season is to have. `commitment` is the seed's SHA-256 before the first match
    of all, else None.
    """

    number: int
    rounds: int
    missing: int
    total: int
    at_once: int
    commitment: str | None


@dataclass(frozen=True, slots=True)
class Suspended:
    """A player sits out a round, and did not sit out the one before; its last `faults` matches or more
    ended by its own fault.
    """

    player: str
    round: int
    faults: int


@dataclass(frozen=True, slots=True)
class MatchStored:
    """A match was played and is in the store."""

    match: PackedMatch


@dataclass(frozen=True, slots=True)
class MatchVoid:
    """Our side spoilt a match, which is played again; VoidMatch follows where it was the second time."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class RoundComplete:
    """All matches of a round are stored, and it is rated; `played` of them in these seconds."""

    standings: Mapping[str, Any]
    played: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PartComplete:
    """A slice, such as ``2/5``, has played its share of a round."""

    part: str
    round: int
    played: int


@dataclass(frozen=True, slots=True)
class RoundsOver:
    """Nothing more is asked for now, though the season has more: `complete` rounds of `rounds`, or there is
    time for another.
    """

    complete: int
    rounds: int


@dataclass(frozen=True, slots=True)
class SeasonComplete:
    """All rounds are complete, so the seed is no secret any more."""

    rounds: int
    seed: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """Somebody asked the season to stop, and it did; the last event of its kind of end."""


Event: TypeAlias = (
    ChangesAccepted
    | RoundPlanned
    | Suspended
    | MatchStored
    | MatchVoid
    | RoundComplete
    | PartComplete
    | RoundsOver
    | SeasonComplete
    | Stopped
)
