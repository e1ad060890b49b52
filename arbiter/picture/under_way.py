"""The round under way: every match that it has, stored or not, and when it is over at this pace."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from arbiter.picture.figures import round_in_short
from arbiter.picture.played import match_in_short
from arbiter.store.happenings import Happening

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.picture.shapes import Live, LiveTable, PlannedMatch
    from arbiter.picture.state import State

PACE_OF = 24
"""Matches, the last ones stored, whose pace is taken."""


def under_way(state: State) -> Live:
    """The round under way, else the last one: every match that it has, and when it is over at this pace."""
    now = state.begun or (state.rounds[-1] if state.rounds else None)
    if now is None:
        return {"round": None, "left_s": None}
    tables: list[LiveTable] = []
    for number, names in enumerate(now.tables, 1):
        planned = [
            _planned(state, now.number, number, rotation, names)
            for rotation in range(len(state.file.game.seatings))
        ]
        rows = {match["id"]: match for match in planned}
        for match in state.matches:
            if (match.round, match.table) == (now.number, number):
                rows[match.id] = {**match_in_short(state, match), "to_do": False}
        tables.append({"table": number, "players": list(names), "matches": list(rows.values())})
    return {"round": {**round_in_short(state, now), "tables": tables}, "left_s": time_left(state)}


def _planned(state: State, number: int, table: int, rotation: int, names: Sequence[str]) -> PlannedMatch:
    """A match as it is before it is stored."""
    return {
        "id": f"r{number:03d}/t{table:02d}/m{rotation}",
        "round": number,
        "table": table,
        "rotation": rotation,
        "players": [names[place] for place in state.file.game.seatings[rotation]],
        "points": None,
        "fault": None,
        "substitute": None,
        "annulled": None,
        "to_do": True,
    }


def time_left(state: State) -> float | None:
    """Seconds until the round under way is over; None if nobody plays it or its pace is not known yet."""
    begun = state.begun
    if begun is None or state.holder is None:
        return None
    recent = state.stored.events(max(0, state.event - PACE_OF), PACE_OF)
    mine = [event for event in recent if event.kind is Happening.MATCH and event.round == begun.number]
    # One that was played again counts where it was stored last.
    ids = list(dict.fromkeys(event.subject for event in reversed(mine)))[::-1]
    ends = []
    for match_id in (ids[0], ids[-1]) if len(ids) > 1 else ():
        record = state.stored.match(match_id)
        if record is not None and record.started:
            ends.append(datetime.fromisoformat(record.started).timestamp() + record.wall_ns / 1e9)
    if len(ends) < 2 or ends[1] <= ends[0]:
        return None
    short = round_in_short(state, begun)
    return float((short["matches"] - short["stored"]) * (ends[1] - ends[0]) / (len(ids) - 1))
