"""Standings with what an organiser and spectators must know of each player, and who stands first.

The first place has, of those who rank officially, neither house bots, rungs nor withdrawn, the highest
rating after the last complete round; equals share it. Nothing else breaks a tie, as nothing else says who is
better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from arbiter.match.spec import original
from rating.ranks import shared_ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arbiter.season.config.settings_diff import Role
    from arbiter.season.snapshot.schema import FavourRow, FirstPlace, Rated, Row, StoredRow, StoredStandings

    Ranked: TypeAlias = Sequence[tuple[StoredRow, int | None]]
    """Rows of standings with the ranks that they are shown with."""

RULE = "rating"
APART = 0.975
"""Probability of being better from which two players are told apart."""


def with_marks(ranked: Ranked, players: Mapping[str, Role], suspended: Mapping[str, str]) -> list[Row]:
    """Ranked rows with their marks; the intervals of their ranks are not known yet.

    `players` are those of the season's file under the names that they are rated by, with their roles.
    """
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
    """The rows of standings with their ranks, in the order in which they are shown.

    Equals share a rank; with `official` house bots, rungs and withdrawn players stand last, without one.
    """
    stored = standings["players"]
    if not official:
        return list(zip(stored, shared_ranks(row["elo"] for row in stored), strict=True))
    ranked = list(zip(stored, official_ranks(stored, players), strict=True))
    return [one for one in ranked if one[1] is not None] + [one for one in ranked if one[1] is None]


def warnings(standings: StoredStandings, suspended: Mapping[str, str]) -> list[str]:
    """Return the warnings of standings now that these are suspended, in place of the first ones."""
    then = standings.get("suspended", {})
    over = notices({name: why for name, why in then.items() if name not in suspended})
    return [
        *(text for text in standings["warnings"] if text not in over),
        *(f"{name} is suspended: {why}" for name, why in suspended.items() if name not in then),
        *map(favour_in_words, standings.get("favours", ())),
    ]


def official_ranks(rows: Sequence[Rated], players: Mapping[str, Role]) -> list[int | None]:
    """The rank of each row among those that are neither house bots, rungs nor withdrawn; None for these."""
    counts = [not players.get(original(row["player"]), "gone") for row in rows]
    given = shared_ranks(row["elo"] for row, is_in in zip(rows, counts, strict=True) if is_in)
    return [next(given) if is_in else None for is_in in counts]


def elo_of(row: Rated) -> float:
    """The rating of somebody who has one."""
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
    """Return the warnings of standings about those who are suspended."""
    return {
        text
        for name, why in suspended.items()
        for text in (f"{name} is suspended: {why}", f"{name}: {why}: it is suspended")
    }


def first_place(
    rows: Sequence[Rated], over: bool, better: Callable[[str, str], float] | None
) -> FirstPlace | None:
    """The first place of ranked rows as JSON values; None before anybody is rated.

    `better` is the probability that one is better than another, None where it is not known. `players` share
    the place; `next` is the best of those behind, `lead` in Elo; `apart` says whether the two are told apart.
    """
    rated = [row for row in rows if row["rank"] is not None and row["elo"] is not None]
    if not rated:
        return None
    first = [row for row in rated if row["rank"] == rated[0]["rank"]]
    behind = rated[len(first)] if len(rated) > len(first) else None
    alone = len(first) == 1 and behind is not None
    chance = better(first[0]["player"], behind["player"]) if alone and behind and better else None
    return {
        "rule": RULE,
        "over": over,
        "players": [row["player"] for row in first],
        "next": None if behind is None else behind["player"],
        "lead": None if behind is None else elo_of(first[0]) - elo_of(behind),
        "better": chance,
        "apart": None if chance is None else chance >= APART,
    }


def in_words(first: FirstPlace) -> str:
    """The first place in one line."""
    names, over = first["players"], first["over"]
    if len(names) > 1:
        return f"{', '.join(names[:-1])} and {names[-1]} share the first place: their ratings are equal"
    said = f"{names[0]} {'wins' if over else 'leads'} by rating"
    if first["next"] is not None:
        said += f", {first['lead']:.0f} Elo ahead of {first['next']}"
    if first["better"] is not None:
        said += "" if first["apart"] else "; the two are not told apart"
        said += f" (better with a probability of {min(first['better'], 0.999):.1%})"
    return said
