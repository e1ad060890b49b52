"""The round under way: every match that it has, stored or not, and when it is over at this pace."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from arbiter.picture.figures import round_in_short, round_page
from arbiter.store.happenings import Happening

if TYPE_CHECKING:
    from arbiter.picture.state import State

PACE_OF = 24
"""Matches, the last ones stored, whose pace is taken."""


def under_way(state: State) -> dict[str, Any]:
    """The round under way, else the last one: every match that it has, and when it is over at this pace.

    A match that is not stored yet has a null `points` and is `to_do`; `left_s` is null where nobody knows.
    """
    now = state.begun or (state.rounds[-1] if state.rounds else None)
    page = None if now is None else round_page(state, now.number)
    if page is not None:
        for table in page["tables"]:
            stored = {match["id"]: {**match, "to_do": False} for match in table["matches"]}
            planned = [
                {
                    "id": f"r{page['round']:03d}/t{table['table']:02d}/m{rotation}",
                    "players": [table["players"][place] for place in places],
                    "points": None,
                    "fault": None,
                    "substitute": None,
                    "annulled": None,
                    "to_do": True,
                }
                for rotation, places in enumerate(state.config.game.seatings)
            ]
            rows = {match["id"]: match for match in planned} | stored
            table["matches"] = list(rows.values())
    return {"round": page, "left_s": time_left(state)}


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
