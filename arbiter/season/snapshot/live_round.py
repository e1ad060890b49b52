"""The current round: its matches, stored and to be played, and the time left."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from arbiter.season.snapshot.listings import match_in_short
from arbiter.season.snapshot.pagination import TABLES, at_tables, page_fields, page_of, window
from arbiter.season.snapshot.season_figures import round_in_short
from arbiter.store.event_log import EventKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.season.snapshot.season_state import SeasonState

PACE_OF = 24
"""The last stored matches over which the pace is taken."""


def current_round(state: SeasonState, page: int | None = None) -> Mapping[str, object] | None:
    """Return the current round, else the last one, with a page of its tables' matches, and the time left.

    The page is by default that of the next match; None for an unknown page.
    """
    now = state.begun or (state.rounds[-1] if state.rounds else None)
    if now is None:
        return {"round": None, "left_s": None} if page in (None, 1) else None
    names = state.tables(now.number)
    shown = window(len(names), page or _page_at_work(state, now.number, len(names)), TABLES)
    if shown is None:
        return None
    tables = []
    for table, mine in at_tables(state, now.number, range(shown.first + 1, shown.end + 1)).items():
        rows: dict[str, Mapping[str, object]] = {}
        for rotation, places in enumerate(state.file.game.seatings):
            match_id = f"r{now.number:03d}/t{table:02d}/m{rotation}"
            players = [names[table - 1][place] for place in places]
            nothing = {"points": None, "winners": (), "fault": None, "substitute": None}
            rows[match_id] = {"id": match_id, "players": players, **nothing, "to_do": True}
        for match in mine:
            rows[match.id] = {**match_in_short(state, match), "to_do": False}
        sums = _sums(names[table - 1], rows.values())
        tables.append({"table": table, "matches": list(rows.values()), "sums": sums})
    short = {**round_in_short(state, now), "tables": tables, **page_fields(shown)}
    return {"round": short, "left_s": time_left(state)}


def _sums(names: Sequence[str], matches: Iterable[Mapping[str, Any]]) -> list[Mapping[str, object]]:
    """Return the points of each player of a table over its matches that have points; the most first."""
    sums = dict.fromkeys(names, 0)
    for match in matches:
        if match["points"] is not None and not match.get("annulled"):
            for name, points in zip(match["players"], match["points"], strict=True):
                sums[name] = sums.get(name, 0) + points
    ranked = sorted(sums.items(), key=lambda one: -one[1])
    return [{"player": name, "points": points} for name, points in ranked]


def _page_at_work(state: SeasonState, number: int, tables: int) -> int:
    """Return the page of the next match's table; the first page if all are played."""
    stored, each = state.counts.get(number, 0), len(state.file.game.seatings)
    return page_of(stored // each, TABLES) if stored < tables * each else 1


def time_left(state: SeasonState) -> float | None:
    """Read the seconds left in the current round; None if it is not played or its pace is unknown."""
    begun = state.begun
    if begun is None or state.holder is None:
        return None
    recent = state.stored.events(max(0, state.event - PACE_OF), PACE_OF)
    mine = [event for event in recent if event.kind is EventKind.MATCH and event.round == begun.number]
    # A replayed match counts when it was last stored.
    ids = list(dict.fromkeys(event.subject for event in reversed(mine)))[::-1]
    ends = []
    for match_id in (ids[0], ids[-1]) if len(ids) > 1 else ():
        end = state.end(match_id)
        if end is not None and end.started:
            ends.append(datetime.fromisoformat(end.started).timestamp() + end.wall_ns / 1e9)
    if len(ends) < 2 or ends[1] <= ends[0]:
        return None
    short = round_in_short(state, begun)
    return float((short["matches"] - short["stored"]) * (ends[1] - ends[0]) / (len(ids) - 1))
