"""Standings with what an organiser and spectators must know of each player."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.match import original

if TYPE_CHECKING:
    from collections.abc import Mapping

EQUAL = 1e-6
"""Elo up to which ratings are equal: as they are rounded before pairing."""


def marked(standings: dict[str, Any], players: Mapping[str, bool]) -> dict[str, Any]:
    """Standings with the `marks` of each row: suspended, withdrawn, house.

    `players` are those of the season's file under the names that they are rated by, True for house bots.
    """
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


def ranked(standings: dict[str, Any], players: Mapping[str, bool]) -> dict[str, Any]:
    """Marked standings: house and withdrawn players stand last, without rank; equals share one."""
    shape = marked(standings, players)
    out = [bool({"withdrawn", "house"} & set(row["marks"])) for row in shape["players"]]
    official = [row for row, is_out in zip(shape["players"], out, strict=True) if not is_out]
    share_ranks(official)
    others = [{**row, "rank": None} for row, is_out in zip(shape["players"], out, strict=True) if is_out]
    return {**shape, "players": [*official, *others]}


def share_ranks(rows: list[dict[str, Any]]) -> None:
    """Give rows, the best first, their ranks; equals share one."""
    last: dict[str, Any] = {}
    for number, row in enumerate(rows, 1):
        row["rank"] = last["rank"] if last and _equal(last["elo"], row["elo"]) else number
        last = row


def _equal(one: float | None, other: float | None) -> bool:
    return one is other or (one is not None and other is not None and abs(one - other) <= EQUAL)
