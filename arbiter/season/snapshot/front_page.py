"""The front page of a season: leaders, highlights of the last round, the current and next rounds."""

from __future__ import annotations

from contextlib import suppress
from math import isnan
from typing import TYPE_CHECKING, NamedTuple, cast

from arbiter.errors import ArbiterError
from arbiter.replay.frame import names_in_text
from arbiter.replay.result_text import winners
from arbiter.season.snapshot import season_figures
from arbiter.season.snapshot.history import ratings_after
from arbiter.season.snapshot.listings import match_in_short
from arbiter.season.snapshot.live_round import time_left
from arbiter.season.snapshot.pagination import PageWindow

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from arbiter.match.record import MatchSummary
    from arbiter.season.snapshot.page_schema import AnnouncementRow, Front, Highlight, Mover, SeasonCard
    from arbiter.season.snapshot.schema import Rated
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.store import Order

    Won: TypeAlias = tuple[MatchSummary, tuple[int, ...]]
    """A match, and its winners' seats."""

TOP = 10
"""Players in the table on the front page."""
MOVERS = 3
LAST, MOST_KNOWN = 20, 100
"""Rounds whose highlights are computed in advance, and rounds whose highlights are cached."""


def front(state: SeasonState, after: int | None = None) -> Front | None:
    """Return the front page after a round, by default the last; None if that round is not complete.

    It has the first page of the standings.
    """
    if after is not None and after > state.complete:
        return None
    number = state.complete if after is None else after
    found = season_figures.standings_page(state, after)
    assert found is not None
    before, now = (_by_name(state, of) for of in (number - 1, number))
    news = highlights(state, number)
    return {
        **season_figures.season(state),
        "about": state.file.game.about,
        "standings": found,
        "changes": [_change(row, before) for row in found["players"][:TOP]] if before else [],
        "movers": _movers(now.values(), before),
        "last_round": number or None,
        "upset": news.upset,
        "closest": news.closest,
        "announcements": announcements(state),
    }


def card(state: SeasonState) -> SeasonCard:
    """Return what the list of seasons shows of one."""
    first = None
    # One season that cannot be rated does not hide the others.
    with suppress(ArbiterError):
        first = season_figures.standings(state, shown=PageWindow(0, 1, 1, 1))["first"]
    return {
        **season_figures.season(state),
        "say": None if first is None else first["say"],
        "left_s": time_left(state),
        "announcements": announcements(state, 1),
    }


def announcements(state: SeasonState, most: int = LAST) -> list[AnnouncementRow]:
    """Load the last announcements, newest first, also while results are held back."""
    found = state.stored.announcements.shown(state.moment, most)
    return [cast("AnnouncementRow", one._asdict()) for one in found]


class Highlights(NamedTuple):
    """The leaders after a round and its notable matches; `under` is their cache key: the orders on its
    matches, and the unranked players."""

    under: tuple[tuple[Order, ...], Collection[str]]
    leaders: list[str]
    upset: Highlight | None
    closest: Highlight | None


def highlights(state: SeasonState, number: int) -> Highlights:
    """Return a round's leaders, upset and closest match, from the cache unless an order has changed them."""
    mine = f"r{number:03d}/"
    under = tuple(order for order in state.given if order.subject.startswith(mine)), state.unranked
    known: dict[int, Highlights] = state.known_highlights
    found = known.get(number)
    if found is None or found.under != under:
        played, now = _matches_with_winners(state, number), _elo_after(state, number)
        upset = _upset(state, played, _elo_after(state, number - 1) or now)
        found = known[number] = Highlights(
            under, _leaders(state, number), upset, _closest(state, played, now)
        )
    return found


def _leaders(state: SeasonState, number: int) -> list[str]:
    """Return the players on the first place after a round; the first row if no player is ranked."""
    if not 1 <= number <= state.complete:
        return []
    rows = ratings_after(state, [number], None)[0]["players"]
    ranked = [row["player"] for row in rows if row["rank"] == 1 and row["elo"] is not None]
    return ranked or [rows[0]["player"]]


def fill_caches(state: SeasonState) -> None:
    """Compute in advance what front page and feed show of the last rounds."""
    for number in range(max(state.complete - LAST + 1, 1), state.complete + 1):
        highlights(state, number)
    for number in (state.complete - 1, state.complete):
        _by_name(state, number)
    season_figures.lines(state)
    for number in [known for known in state.known_highlights if known <= state.complete - MOST_KNOWN]:
        state.known_highlights.pop(number, None)


def _elo_after(state: SeasonState, number: int) -> Mapping[str, float]:
    """Return all ratings after a round; empty before the first."""
    if not 1 <= number <= state.complete:
        return {}
    _, brief = next(state.briefs([number]))
    return {name: elo for name, elo in zip(brief.players, brief.elo, strict=True) if not isnan(elo)}


def _by_name(state: SeasonState, number: int) -> Mapping[str, Rated]:
    """Return the row of each player after a round; empty before the first."""
    if not 1 <= number <= state.complete:
        return {}
    known: dict[int, Mapping[str, Rated]] = state.known_rows
    if number not in known:
        found = {row["player"]: row for row in ratings_after(state, [number], None)[0]["players"]}
        if number < state.complete - 1:
            return found
        known[number] = found
    return known[number]


def _change(row: Rated, before: Mapping[str, Rated]) -> Mover:
    """Return a player's change of rank and rating since the last round; None if it had none then."""
    old = before.get(row["player"])
    rank, elo = (None, None) if old is None else (old["rank"], old["elo"])
    climbed = None if rank is None or row["rank"] is None else rank - row["rank"]
    gained = None if elo is None or row["elo"] is None else row["elo"] - elo
    return {"player": row["player"], "ranks": climbed, "elo": gained}


def _movers(rows: Iterable[Rated], before: Mapping[str, Rated]) -> list[Mover]:
    """Return the `MOVERS` players who gained most ranks in the last round."""
    found = [_change(row, before) for row in rows if row["player"] in before]
    climbed = [one for one in found if (one["ranks"] or 0) > 0]
    return sorted(climbed, key=lambda one: (-(one["ranks"] or 0), one["player"]))[:MOVERS]


def _matches_with_winners(state: SeasonState, number: int) -> list[Won]:
    """Load the counted matches of a round with winners by points, and the winners' seats."""
    return [
        (match, won)
        for match in state.as_shown(state.stored.summaries(number, number))
        if match.id not in state.annulled and (won := winners(match.points))
    ]


def _upset(state: SeasonState, played: Iterable[Won], rated: Mapping[str, float]) -> Highlight | None:
    """Return the match whose winner was rated farthest below a loser by `rated`, None without any.

    A player who is not in `rated` counts as 0.
    """
    best: tuple[float, str, MatchSummary, int, int] | None = None
    for match, won in played:
        elo = [rated.get(name, 0.0) for name in match.players]
        winner = max(won, key=elo.__getitem__)
        beaten = max((seat for seat in range(len(elo)) if seat not in won), key=elo.__getitem__)
        gap = elo[beaten] - elo[winner]
        if gap > 0 and (best is None or gap > best[0]):
            best = gap, match.id, match, winner, beaten
    if best is None:
        return None
    gap, _, match, winner, beaten = best
    names = names_in_text(match.players)
    say = f"{names[winner]} beats {names[beaten]}, who was rated {gap:.0f} Elo higher"
    return {"match": match_in_short(state, match), "say": say}


def _closest(state: SeasonState, played: Iterable[Won], rated: Mapping[str, float]) -> Highlight | None:
    """Return the match with the smallest lead, among equals that of the strongest players."""

    def margin(points: Sequence[int]) -> int:
        """Return how far the winners are ahead of the next."""
        most = max(points)
        return most - max(won for won in points if won != most)

    found = [(margin(match.points or ()), match) for match, _ in played]
    if not found:
        return None
    least = min(lead for lead, _ in found)

    def strength(match: MatchSummary) -> float:
        return sum(rated.get(name, 0.0) for name in match.players)

    match = min((one for lead, one in found if lead == least), key=lambda one: (-strength(one), one.id))
    shown = match_in_short(state, match)
    return {"match": shown, "say": shown["say"]}
