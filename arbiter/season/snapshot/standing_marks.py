"""Standings with marks for each player, and the first place.

The first place goes to the highest rating after the last complete round among officially ranked players, who
are neither house bots, rungs nor withdrawn; equals share it. Ties are not broken, as no other figure measures
strength.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from arbiter.match.spec import original
from arbiter.replay.frame import names_in_text
from arbiter.text import counted, joined
from rating.ranks import shared_ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arbiter.season.config.settings_diff import Role
    from arbiter.season.snapshot.schema import FavourRow, FirstPlace, Rated, Row, StoredRow, StoredStandings
    from rating.ratings import Ranking

    Ranked: TypeAlias = Sequence[tuple[StoredRow, int | None]]
    """Rows of standings with their displayed ranks."""

RULE = "rating"
APART = 0.975
"""Probability of being better from which two players are significantly different."""


def with_marks(ranked: Ranked, players: Mapping[str, Role], suspended: Mapping[str, str]) -> list[Row]:
    """Return ranked rows with marks by `suspended` and the roles of `players`, without rank intervals."""
    rows: list[Row] = []
    for row, rank in ranked:
        name = original(row["player"])
        marks = {
            "suspended": name in suspended,
            "withdrawn": name not in players,
            "house": players.get(name) == "house",
            "rung": players.get(name) == "rung",
        }
        held = [mark for mark, holds in marks.items() if holds]
        told = {"rank": rank, "marks": held, "rank_low": None, "rank_high": None, "apart": None}
        rows.append(cast("Row", {**row, **told}))
    return rows


def in_rank(standings: StoredStandings, players: Mapping[str, Role], official: bool) -> Ranked:
    """Return the rows of standings with their ranks, in display order.

    Equals share a rank; with `official` house bots, rungs and withdrawn players come last, without a rank.
    """
    stored = standings["players"]
    if not official:
        return list(zip(stored, shared_ranks(row["elo"] for row in stored), strict=True))
    ranked = list(zip(stored, official_ranks(stored, players), strict=True))
    return [one for one in ranked if one[1] is not None] + [one for one in ranked if one[1] is None]


def warnings(standings: StoredStandings, suspended: Mapping[str, str]) -> list[str]:
    """Return the warnings of standings, updated for the players suspended now."""
    then = standings.get("suspended", {})
    over = notices({name: why for name, why in then.items() if name not in suspended})
    return [
        *(text for text in standings["warnings"] if text not in over),
        *(f"{name} is suspended: {why}" for name, why in suspended.items() if name not in then),
        *map(favour_in_words, standings.get("favours", ())),
    ]


def official_ranks(rows: Sequence[Rated], players: Mapping[str, Role]) -> list[int | None]:
    """Return the official rank of each row; None for house bots, rungs and withdrawn players."""
    counts = [not players.get(original(row["player"]), "gone") for row in rows]
    given = shared_ranks(row["elo"] for row, is_in in zip(rows, counts, strict=True) if is_in)
    return [next(given) if is_in else None for is_in in counts]


class RankSpread(NamedTuple):
    """The 95 % interval of a player's rank, 1 being the best, and the players it is not told apart from.

    The ends are None for a player without rating.
    """

    rank_low: int | None
    rank_high: int | None
    not_apart: tuple[str, ...]


def rank_spreads(ranking: Ranking, names: Sequence[str]) -> dict[str, RankSpread]:
    """Return the spread of each of these rated players among them, in their order."""
    where = {name: place for place, name in enumerate(ranking.fit.table.players)}
    inside = [where[name] for name in names]
    low, high = ranking.intervals.rank_interval(who=inside, of=inside)
    found = {}
    for name, place in zip(names, inside, strict=True):
        # A row at a time: of 10,000 players all together would take 800 MB.
        chances = ranking.intervals.los([place], inside)[0]
        close = tuple(
            other
            for other, chance in zip(names, chances, strict=True)
            if other != name and 1 - APART < chance < APART
        )
        found[name] = RankSpread(int(low[place]), int(high[place]), close)
    return found


def elo_of(row: Rated) -> float:
    """Return the Elo of a row that has one."""
    assert row["elo"] is not None
    return row["elo"]


def favour_in_words(found: FavourRow) -> str:
    """Return the warning that one player's faults favour another: see `rating.favours`."""
    faulty, favoured = found["faulty"], found["favoured"]
    said = (
        f"faults of {faulty} favour {favoured} beyond chance: {found['there']} at {found['together']} tables"
    )
    said += f" with it, {found['elsewhere']} at {found['apart']} without"
    if found["known"]:
        said += (
            f"; {found['behind']} of {found['known']} came when {favoured} was not in the lead,"
            f" {found['expected']:.1f} by chance"
        )
    return f"{said} (p = {found['p']:.0e}): look at these matches"


def notices(suspended: Mapping[str, str]) -> set[str]:
    """Return the warnings of standings about suspended players."""
    return {
        text
        for name, why in suspended.items()
        for text in (f"{name} is suspended: {why}", f"{name}: {why}: it is suspended")
    }


def leading_rows(ranked: Ranked) -> list[Rated]:
    """Return the rows on the first place, and the next row."""
    found: list[Rated] = []
    for row, rank in ranked:
        elo, low, high = row["elo"], row["low"], row["high"]
        if rank is None or elo is None:
            break
        found.append({"rank": rank, "player": row["player"], "elo": elo, "low": low, "high": high})
        if rank != found[0]["rank"]:
            break
    return found


class WorstRank(NamedTuple):
    """The worst rank that the first player may have, of how many: the end of its 95 % interval."""

    rank: int
    of: int


def first_place(
    rows: Sequence[Rated],
    over: bool,
    better: Callable[[str, str], float] | None,
    rounds: int,
    worst: WorstRank | None = None,
) -> FirstPlace | None:
    """Return the first place of ranked rows as JSON values; None before the first rating.

    `over` is True after the season's end. `better` gives the probability that one is better than another,
    None if unknown. `players` share the place; `next` is the next best, `lead` in Elo; `apart` is whether the
    two differ significantly. `say` is the verdict after the number of `rounds`, by the first player's `worst`
    rank, None if unknown.
    """
    rated = [row for row in rows if row["rank"] is not None and row["elo"] is not None]
    if not rated:
        return None
    first = [row for row in rated if row["rank"] == rated[0]["rank"]]
    behind = rated[len(first)] if len(rated) > len(first) else None
    alone = len(first) == 1 and behind is not None
    chance = better(first[0]["player"], behind["player"]) if alone and behind and better else None
    lead = None if behind is None else elo_of(first[0]) - elo_of(behind)
    players, then = [row["player"] for row in first], None if behind is None else behind["player"]
    return {
        "rule": RULE,
        "over": over,
        "players": players,
        "next": then,
        "lead": lead,
        "better": chance,
        "apart": None if chance is None else chance >= APART,
        "say": _verdict(names_in_text([*players, *([then] if then else [])]), lead, over, rounds, worst),
    }


def _verdict(
    names: Sequence[str], lead: float | None, over: bool, rounds: int, worst: WorstRank | None
) -> str:
    """Return who is first and how sure that is, of the `names` on the first place and the next one if any."""
    *first, behind = names if lead is not None else (*names, "")
    who, does = joined(first), "wins" if over else "leads"
    if len(first) > 1:
        return f"{who} share the first place: their ratings are equal"
    ahead = f", {lead:.0f} Elo ahead of {behind}" if lead is not None else ""
    if worst is None or not ahead:
        return f"{who} {does} by rating{ahead}"
    if worst.rank == 1:
        return f"{who} {does} clearly{ahead}"
    if over and worst.rank < worst.of:
        return f"{who} won; by these results places 1 to {worst.rank} are possible"
    how = f"{who} {does} by rating" if over else f"{who} is ahead after {counted(rounds, 'round')}"
    if worst.rank < worst.of:
        return f"{how}; its true rank is between 1 and {worst.rank} of {worst.of}"
    return f"{how}, but cannot be told apart from any other player"
