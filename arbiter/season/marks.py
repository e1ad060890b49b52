"""Standings with what an organiser and spectators must know of each player."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.match import original

if TYPE_CHECKING:
    from collections.abc import Mapping

EQUAL = 1e-6
"""Elo up to which ratings are equal: as they are rounded before pairing."""


def marked(
    standings: dict[str, Any],
    players: Mapping[str, bool],
    official: bool = False,
    suspended: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Standings with the `marks` of each row: suspended, withdrawn, house.

    `players` are those of the season's file under the names that they are rated by, True for house bots.
    `official` leaves house and withdrawn players out, and equals share a rank. `suspended` are those of now,
    where they take the place of those that were so when the standings were made.
    """
    if suspended is not None:
        then = standings.get("suspended", {})
        over = notices({name: why for name, why in then.items() if name not in suspended})
        warnings = [text for text in standings["warnings"] if text not in over]
        warnings += [f"{name} is suspended: {why}" for name, why in suspended.items() if name not in then]
        standings = {**standings, "suspended": dict(suspended), "warnings": warnings}
    rows = []
    for row in standings["players"]:
        name = original(row["player"])
        marks = {
            "suspended": name in standings.get("suspended", {}),
            "withdrawn": name not in players,
            "house": players.get(name, False),
        }
        rows.append({**row, "marks": [mark for mark, holds in marks.items() if holds]})
    if official:
        rows = [row for row in rows if not {"withdrawn", "house"} & set(row["marks"])]
        share_ranks(rows)
    return {**standings, "players": rows}


def share_ranks(rows: list[dict[str, Any]]) -> None:
    """Give rows, the best first, their ranks; equals share one."""
    last: dict[str, Any] = {}
    for number, row in enumerate(rows, 1):
        row["rank"] = last["rank"] if last and _equal(last["elo"], row["elo"]) else number
        last = row


def notices(suspended: Mapping[str, str]) -> set[str]:
    """What warnings of standings say of those who are suspended."""
    return {
        text
        for name, why in suspended.items()
        for text in (f"{name} is suspended: {why}", f"{name}: {why}: it is suspended")
    }


def _equal(one: float | None, other: float | None) -> bool:
    return one is other or (one is not None and other is not None and abs(one - other) <= EQUAL)
