"""The events of a running season, as frozen values for presenters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from arbiter.match.packing import PackedMatch
    from arbiter.season.administration import OrderOutcome


@dataclass_transform(frozen_default=True)
class Event:
    """Base of all events; each kind is a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


class ChangesAccepted(Event):
    """The next round is played with a changed config; `what` names the changes."""

    what: str


class FinishedAsBegun(Event):
    """A round is finished under the settings it was begun with; `what` names the changes since."""

    round: int
    what: str


class HostRemark(Event):
    """A remark on this machine for the organiser, as a line."""

    text: str


class AnnulledReplayed(Event):
    """`number` annulled matches are played again, under the settings of their rounds."""

    number: int


class ReplaysRated(Event):
    """The replays are rated; `outcome` has the standings before their annulment and now."""

    outcome: OrderOutcome


class RoundAwaited(Event):
    """The season waits for the start of a round."""

    number: int
    moment: datetime


class PlayersAwaited(Event):
    """A round cannot begin for the `reason`; the season waits for programs of authors."""

    number: int
    reason: str


class RoundPlanned(Event):
    """A round begins: `missing` of its `total` matches must be played, `at_once` at a time.

    `rounds` is the season's number of rounds; `commitment` the seed's SHA-256 before the first match, None
    later or if the seed could be guessed from it.
    """

    number: int
    rounds: int
    missing: int
    total: int
    at_once: int
    commitment: str | None


class SubstitutesPlanned(Event):
    """All matches of a round are played; `total` that ended by faults are played again with substitutes.

    `missing` of these must still be played, `at_once` at a time; `rounds` is the season's number of rounds.
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
    """`number` players are suspended since earlier rounds, as reported then."""

    number: int


class ProgramChanged(Event):
    """A player's file in `round` differs from that in round `since`, under the same version.

    `round` is the one after the current round if the file changed since that was begun.
    """

    player: str
    file: str
    since: int
    round: int

    def __str__(self) -> str:
        return f"{self.file} of player {self.player} changed since round {self.since} without a new version"


class MatchStored(Event):
    """A match is stored."""

    match: PackedMatch


class MatchVoid(Event):
    """A match failed for a reason outside the bots. It is played again; the second time raises VoidMatch."""

    id: str
    why: str


class RoundComplete(Event):
    """A round is complete and rated; `played` of its matches were played now, in `seconds`."""

    standings: Mapping[str, Any]
    played: int
    seconds: float


class RoundsOver(Event):
    """The requested rounds are played, but not the season: `complete` of `rounds` are complete."""

    complete: int
    rounds: int


class SeasonComplete(Event):
    """All rounds are complete, so the seed may be published."""

    rounds: int
    seed: str


class StopRuleMet(Event):
    """`stop_when` of the season's file allows no further match, for the `reason`; the last event."""

    reason: str


class Stopped(Event):
    """The season stopped as requested; always the last event."""
