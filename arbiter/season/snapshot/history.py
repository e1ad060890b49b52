"""Ratings after earlier rounds, of some rounds and players, from stored briefs."""

from __future__ import annotations

from bisect import bisect_left
from math import isnan
from typing import TYPE_CHECKING

from rating.ranks import EQUAL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from arbiter.season.snapshot import schema
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.store.rating_briefs import Brief

MOST_RATINGS = 2500
"""Ratings in one answer."""
FEW = 4
MOST_ROUNDS = 100
"""Rounds in one answer, and in one chart."""


def ratings_after(
    state: SeasonState, rounds: Iterable[int], players: Collection[str] | None, official: bool = True
) -> list[schema.RoundRatings]:
    """Return the ratings of some players, by default of all, after each of some rounds, the best first.

    Players without an official rank have no `rank`.
    """
    out = state.unranked if official else None
    return [
        {"round": number, "players": list(_rows(brief, players, out))}
        for number, brief in state.briefs(list(rounds))
    ]


def _not_nan(value: float) -> float | None:
    return None if isnan(value) else value


def _rows(
    brief: Brief, players: Collection[str] | None, out: Collection[str] | None
) -> Iterator[schema.Rated]:
    """Yield the rows of some players, in order; players `out` have no rank and are not counted in others'."""
    names, elo = brief.players, brief.elo
    wanted = {*(players or ()), *(out or ())}
    # For a few names a linear search is faster than a map.
    find = names.index if len(wanted) <= FEW else dict(zip(names, range(len(names)), strict=True)).__getitem__
    known = wanted.intersection(names) if len(wanted) > FEW else [name for name in wanted if name in names]
    place_of = {name: find(name) for name in known}
    away = sorted(place_of[name] for name in out or () if name in place_of)
    chosen: Iterable[int] = range(len(names))
    if players is not None:
        chosen = sorted(place_of[name] for name in players if name in place_of)
    for place in chosen:
        rank = _rank(elo, place, away)
        rated, low, high = _not_nan(elo[place]), _not_nan(brief.low[place]), _not_nan(brief.high[place])
        yield {"rank": rank, "player": names[place], "elo": rated, "low": low, "high": high}


def _rank(elo: Sequence[float], place: int, away: Sequence[int]) -> int | None:
    """Return the rank at a place, None if it is `away`, which are not counted; equals share the best."""
    behind = bisect_left(away, place)
    if behind < len(away) and away[behind] == place:
        return None
    best, mine = place, elo[place]
    for before in range(place - 1, -1, -1):
        if behind and away[behind - 1] == before:
            behind -= 1
            continue
        theirs = elo[before]
        if not (abs(theirs - mine) <= EQUAL or (isnan(theirs) and isnan(mine))):
            break
        best, mine = before, theirs
    return best - bisect_left(away, best) + 1
