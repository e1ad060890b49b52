"""Standings with what an organiser and spectators must know of each player."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.match import original

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

EQUAL = 1e-6
"""Elo up to which ratings are equal: as they are rounded before pairing."""


def marked(
    standings: dict[str, Any], players: Mapping[str, bool], suspended: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Standings with the `marks` of each row: suspended, withdrawn, house.

    `players` are those of the season's file under the names that they are rated by, True for house bots.
    `suspended` are those of now, where they take the place of those of when the standings were made.
    """
    if suspended is not None:
        then = standings.get("suspended", {})
        over = notices({name: why for name, why in then.items() if name not in suspended})
        warnings = [text for text in standings["warnings"] if text not in over]
        warnings += [f"{name} is suspended: {why}" for name, why in suspended.items() if name not in then]
        standings = {**standings, "suspended": dict(suspended), "warnings": warnings}
    if favours := standings.get("favours"):
        standings = {**standings, "warnings": [*standings["warnings"], *map(favour_in_words, favours)]}
    rows = []
    for row in standings["players"]:
        name = original(row["player"])
        marks = {
            "suspended": name in standings.get("suspended", {}),
            "withdrawn": name not in players,
            "house": players.get(name, False),
        }
        rows.append({**row, "marks": [mark for mark, holds in marks.items() if holds]})
    return {**standings, "players": rows}


def ranked(
    standings: dict[str, Any], players: Mapping[str, bool], suspended: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Marked standings: house and withdrawn players stand last, without rank; equals share one."""
    shape = marked(standings, players, suspended)
    ranks = official_ranks(standings, players)
    rows = [{**row, "rank": rank} for row, rank in zip(shape["players"], ranks, strict=True)]
    return {**shape, "players": sorted(rows, key=lambda row: row["rank"] is None)}


def official_ranks(standings: dict[str, Any], players: Mapping[str, bool]) -> list[int | None]:
    """The rank of each row among those that are neither house bots nor withdrawn; None for these."""
    rows = standings["players"]
    counts = [not players.get(original(row["player"]), True) for row in rows]
    given = iter(_ranks(row["elo"] for row, is_in in zip(rows, counts, strict=True) if is_in))
    return [next(given) if is_in else None for is_in in counts]


def share_ranks(rows: list[dict[str, Any]]) -> None:
    """Give rows, the best first, their ranks; equals share one."""
    for row, rank in zip(rows, list(_ranks(row["elo"] for row in rows)), strict=True):
        row["rank"] = rank


def _ranks(elos: Iterable[float | None]) -> Iterator[int]:
    rank, last = 0, None
    for number, elo in enumerate(elos, 1):
        if number == 1 or not _equal(last, elo):
            rank = number
        last = elo
        yield rank


def favour_in_words(found: Mapping[str, Any]) -> str:
    """What standings warn of where one player's faults favour another: see `rating.favours`."""
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
    """What warnings of standings say of those who are suspended."""
    return {
        text
        for name, why in suspended.items()
        for text in (f"{name} is suspended: {why}", f"{name}: {why}: it is suspended")
    }


def _equal(one: float | None, other: float | None) -> bool:
    return one is other or (one is not None and other is not None and abs(one - other) <= EQUAL)
