"""The void plays of matches, with their reasons: for the organiser, and for the evidence of a lost match."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from arbiter.match.spec import SITS_OUT
from arbiter.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.match.record import MatchRecord, MatchSummary
    from arbiter.season.snapshot.season_state import SeasonState

MOST_LISTED = 20
"""The latest matches with void plays on the organiser's page."""
PUBLIC_REASON = re.compile(
    r"the bot in seat \d+ got too little of the machine in \d+ s to be judged"
    r"(: others took \d+\.\d s of its cores)?"
    r"|a timeout of \d+ ms was our machine's delay"
    r"|the worker process that played it died"
    r"|the process that starts bots (has died|was ended)",
    re.ASCII,
)
"""Reasons that authors may read; others may name the organiser's or other players' files."""
HIDDEN_REASON = "a reason that only the organiser sees"


class VoidMatchRow(NamedTuple):
    """A match with void plays: how many, their reasons in words, and the player who lost by them, or ""."""

    match: str
    number: int
    reasons: str
    loser: str


def void_matches(state: SeasonState) -> list[VoidMatchRow]:
    """Load the latest matches with void plays, the last first."""
    plays = list(state.stored.voids.reasons().items())[-MOST_LISTED:]
    losers = {match.id: _loser(match) for match in state.matches_of({match_id for match_id, _ in plays})}
    return [
        VoidMatchRow(match_id, len(reasons), reasons_text(reasons), losers.get(match_id, ""))
        for match_id, reasons in reversed(plays)
    ]


def void_words(state: SeasonState, record: MatchRecord) -> str:
    """Return a sentence on the void plays by which a match was lost, "" if it was not.

    The store has void plays without the run that they belong to: they are those of all runs.
    """
    if not _loser(record.summary()):
        return ""
    reasons = state.stored.voids.reasons().get(record.id, [])
    public = [reason if PUBLIC_REASON.fullmatch(reason) else HIDDEN_REASON for reason in reasons]
    return f"The referee decided so after {counted(len(public), 'void play')}: {reasons_text(public)}"


def reasons_text(reasons: Iterable[str]) -> str:
    """Return each reason once, with its number: ``it was killed (2 times); it was late``."""
    found = Counter(reasons).items()
    return "; ".join(reason if number == 1 else f"{reason} ({number} times)" for reason, number in found)


def _loser(match: MatchSummary) -> str:
    return match.players[match.faulty] if match.faulty is not None and match.detail == SITS_OUT else ""
