"""The events of a season that is played, as frozen values for presenters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from arbiter.match.packing import PackedMatch


@dataclass_transform(frozen_default=True)
class Event:
    """Something that happened; each kind is a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


class ChangesAccepted(Event):
    """The next round is played with a changed config; `what` names the changes."""

    what: str


class FinishedAsBegun(Event):
    """A round was begun under other settings than the config's, and is finished under those.

    `what` names what has changed since.
    """

    round: int
    what: str


class HostRemark(Event):
    """Something about this machine that an organiser should know, as a line."""

    text: str


class AnnulledReplayed(Event):
    """So many annulled matches are played again, under the settings of their rounds."""

    number: int


class RoundAwaited(Event):
    """A round begins at a moment that is not there yet, and is waited for."""

    number: int
    moment: datetime


class PlayersAwaited(Event):
    """A round cannot begin for the `reason`, and programs that authors send are waited for."""

    number: int
    reason: str


class RoundPlanned(Event):
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


class SubstitutesPlanned(Event):
    """All matches of a round are played, and `total` of them, ended by faults, once more with substitutes.

    `missing` of these are still to be played, `at_once` at a time; `rounds` is the season's number of rounds.
    """

    number: int
    rounds: int
    missing: int
    total: int
    at_once: int


class Suspended(Event):
    """A player is suspended from this round on, by the organiser or for its faults."""

    player: str
    round: int
    reason: str


class StillSuspended(Event):
    """So many players are suspended since earlier rounds, and were reported then."""

    number: int


class ProgramChanged(Event):
    """A player's file is another in `round` than it was in round `since`, with the version as it was.

    `round` is one more than the round that is played if it changed since that one was begun.
    """

    player: str
    file: str
    since: int
    round: int

    def __str__(self) -> str:
        return f"{self.file} of player {self.player} changed since round {self.since} without a new version"


class MatchStored(Event):
    """A match was played and stored."""

    match: PackedMatch


class MatchVoid(Event):
    """Our machine failed a match. It is played again; the second time VoidMatch follows."""

    id: str
    why: str


class RoundComplete(Event):
    """All matches of a round are stored, and it is rated; `played` of them just now, in `seconds`."""

    standings: Mapping[str, Any]
    played: int
    seconds: float


class RoundsOver(Event):
    """All that was asked for is played, but the season goes on: `complete` of `rounds` are complete."""

    complete: int
    rounds: int


class SeasonComplete(Event):
    """All rounds are complete, so the seed may be published."""

    rounds: int
    seed: str


class StopRuleMet(Event):
    """`stop_when` of the season's file lets no further match begin, for the `reason`; the last event."""

    reason: str


class Stopped(Event):
    """The season stopped because somebody asked it to; always the last event."""
