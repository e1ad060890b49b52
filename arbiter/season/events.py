"""What happens while a season is played, as frozen values for whoever presents it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from arbiter.packing import PackedMatch


@dataclass(frozen=True, slots=True)
class ChangesAccepted:
    """The next round is played with a changed config; `what` names the changes."""

    what: str


@dataclass(frozen=True, slots=True)
class FinishedAsBegun:
    """A round was begun under other settings than the config's, and is finished under those.

    `what` names what has changed since.
    """

    round: int
    what: str


@dataclass(frozen=True, slots=True)
class Noted:
    """Something about this machine that an organiser should know, as a line."""

    text: str


@dataclass(frozen=True, slots=True)
class MatchesAgain:
    """So many annulled matches are played again, under the settings of their rounds."""

    number: int


@dataclass(frozen=True, slots=True)
class RoundAwaited:
    """A round begins at a moment that is not there yet, and is waited for."""

    number: int
    moment: datetime


@dataclass(frozen=True, slots=True)
class PlayersAwaited:
    """A round cannot begin for the reason told, and programs that authors send are waited for."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class RoundPlanned:
    """A round begins: `missing` of its `total` matches are to be played, `at_once` at a time.

    `rounds` is the season's number of rounds; `commitment` the seed's SHA-256 before the first match of all,
    where that does not tell the seed, else None.
    """

    number: int
    rounds: int
    missing: int
    total: int
    at_once: int
    commitment: str | None


@dataclass(frozen=True, slots=True)
class SubstitutesPlanned:
    """All matches of a round are played, and `total` of them, ended by faults, once more with substitutes.

    `missing` of these are still to be played, `at_once` at a time; `rounds` is the season's number of rounds.
    """

    number: int
    rounds: int
    missing: int
    total: int
    at_once: int


@dataclass(frozen=True, slots=True)
class Suspended:
    """A player is suspended from this round on, by the organiser or for its faults."""

    player: str
    round: int
    reason: str


@dataclass(frozen=True, slots=True)
class StillSuspended:
    """So many players are suspended since earlier rounds, and were told of then."""

    number: int


@dataclass(frozen=True, slots=True)
class ProgramChanged:
    """A player's file is another in `round` than it was in round `since`, with the version as it was.

    `round` is one more than the round that is played if it changed since that one was begun.
    """

    player: str
    file: str
    since: int
    round: int

    def __str__(self) -> str:
        return f"{self.file} of player {self.player} changed since round {self.since} without a new version"


@dataclass(frozen=True, slots=True)
class MatchStored:
    """A match was played and stored."""

    match: PackedMatch


@dataclass(frozen=True, slots=True)
class MatchVoid:
    """Our machine failed a match. It is played again; the second time VoidMatch follows."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class RoundComplete:
    """All matches of a round are stored, and it is rated; `played` of them just now, in `seconds`."""

    standings: Mapping[str, Any]
    played: int
    seconds: float


@dataclass(frozen=True, slots=True)
class RoundsOver:
    """All that was asked for is played, but the season goes on: `complete` of `rounds` are complete."""

    complete: int
    rounds: int


@dataclass(frozen=True, slots=True)
class SeasonComplete:
    """All rounds are complete, so the seed may be told."""

    rounds: int
    seed: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The season stopped because somebody asked it to; always the last event."""


Event: TypeAlias = (
    ChangesAccepted
    | FinishedAsBegun
    | Noted
    | MatchesAgain
    | RoundAwaited
    | PlayersAwaited
    | RoundPlanned
    | SubstitutesPlanned
    | Suspended
    | StillSuspended
    | ProgramChanged
    | MatchStored
    | MatchVoid
    | RoundComplete
    | RoundsOver
    | SeasonComplete
    | Stopped
)
