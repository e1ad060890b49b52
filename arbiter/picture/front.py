"""The front page of a season: who leads, what the last round brought, what is played now and next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.frame import said_names
from arbiter.outcome import winners
from arbiter.picture import figures
from arbiter.picture.marks import official_ranks
from arbiter.picture.played import match_in_short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from arbiter.match import MatchSummary
    from arbiter.picture.shapes import Front, Highlight, Mover, Row, StoredRow
    from arbiter.picture.state import SeasonState

    Ranked: TypeAlias = Mapping[str, tuple[int | None, StoredRow]]

TOP = 10
"""Players of the table on the front page."""
MOVERS = 3


def front(state: SeasonState, after: int | None = None) -> Front | None:
    """All of it, after a round, by default the last; None where that round is not complete."""
    if after is not None and after > state.complete:
        return None
    number = state.complete if after is None else after
    found = figures.standings(state, after)
    before = _by_name(state, number - 1)
    now = _by_name(state, number)
    return {
        **figures.season(state),
        "about": state.file.game.about,
        "standings": found,
        "changes": [_change(row, before) for row in found["players"][:TOP]] if before else [],
        "movers": _movers(found["players"], before),
        "last_round": number or None,
        "upset": _upset(state, number, before or now),
        "closest": _closest(state, number, now),
    }


def _by_name(state: SeasonState, number: int) -> Ranked:
    """The rank and the row of each player after a round; of nobody before the first."""
    if not 1 <= number <= state.complete:
        return {}
    rows = state.standings_after(number)["players"]
    ranks = official_ranks(rows, state.players)
    return {row["player"]: (rank, row) for row, rank in zip(rows, ranks, strict=True)}


def _change(row: Row, before: Ranked) -> Mover:
    """Return how far a player has come since the round before; null for who had no rank or rating then."""
    rank, old = before.get(row["player"], (None, None))
    elo = None if old is None else old["elo"]
    climbed = None if rank is None or row["rank"] is None else rank - row["rank"]
    gained = None if elo is None or row["elo"] is None else row["elo"] - elo
    return {"player": row["player"], "ranks": climbed, "elo": gained}


def _movers(rows: Sequence[Row], before: Ranked) -> list[Mover]:
    """Return the players who climbed most by the last round."""
    found = [_change(row, before) for row in rows if row["player"] in before]
    climbed = [one for one in found if (one["ranks"] or 0) > 0]
    return sorted(climbed, key=lambda one: (-(one["ranks"] or 0), one["player"]))[:MOVERS]


def _played(state: SeasonState, number: int) -> list[tuple[MatchSummary, tuple[int, ...]]]:
    """The matches of a round that somebody won by points, with the winners' seats."""
    return [
        (match, won)
        for match in state.matches
        if match.round == number and match.id not in state.annulled and (won := winners(match.points))
    ]


def _upset(state: SeasonState, number: int, rated: Ranked) -> Highlight | None:
    """The match whose winner was rated farthest below somebody it beat, by the ratings before the round."""

    def elo(name: str) -> float:
        return (rated[name][1]["elo"] if name in rated else None) or 0.0

    best: tuple[float, str, MatchSummary, int, int] | None = None
    for match, won in _played(state, number):
        winner = max(won, key=lambda seat: elo(match.players[seat]))
        losers = [seat for seat in range(len(match.players)) if seat not in won]
        beaten = max(losers, key=lambda seat: elo(match.players[seat]))
        gap = elo(match.players[beaten]) - elo(match.players[winner])
        if gap > 0 and (best is None or gap > best[0]):
            best = gap, match.id, match, winner, beaten
    if best is None:
        return None
    gap, _, match, winner, beaten = best
    names = said_names(match.players)
    say = f"{names[winner]} beats {names[beaten]}, rated {gap:.0f} Elo above"
    return {"match": match_in_short(state, match), "say": say}


def _closest(state: SeasonState, number: int, rated: Ranked) -> Highlight | None:
    """The match that was won by least, of equal ones that of the strongest players."""

    def strength(match: MatchSummary) -> float:
        return sum((rated[name][1]["elo"] or 0.0) for name in match.players if name in rated)

    def margin(match: MatchSummary) -> int:
        points = match.points or ()
        return max(points) - max(won for won in points if won != max(points))

    found = [match for match, _ in _played(state, number)]
    if not found:
        return None
    match = min(found, key=lambda one: (margin(one), -strength(one), one.id))
    shown = match_in_short(state, match)
    return {"match": shown, "say": shown["say"]}
