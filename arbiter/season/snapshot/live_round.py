"""The current round: its matches, stored, in play and to be played, its top tables, and the time left."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from arbiter.replay.frame import names_in_text
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

    The page is by default that of the next match; None for an unknown page. `top` are its tables with a match
    in play, else those partly played, with the highest ratings first; `began` and `ends`, an estimate, are
    moments or None.
    """
    now = state.begun or (state.rounds[-1] if state.rounds else None)
    if now is None:
        return {"round": None, "left_s": None, "top": []} if page in (None, 1) else None
    names = state.tables(now.number)
    at_work = _page_at_work(state, now.number, len(names))
    shown = window(len(names), page or at_work, TABLES)
    if shown is None:
        return None
    tables: list[dict[str, Any]] = []
    for table, mine in at_tables(state, now.number, range(shown.first + 1, shown.end + 1)).items():
        rows: dict[str, Mapping[str, object]] = {}
        for rotation, places in enumerate(state.file.game.seatings):
            match_id = f"r{now.number:03d}/t{table:02d}/m{rotation}"
            players = [names[table - 1][place] for place in places]
            nothing = {"points": None, "winners": (), "fault": None, "substitute": None}
            rows[match_id] = {"id": match_id, "players": players, **nothing, "to_do": True, "in_play": False}
        for match in mine:
            rows[match.id] = {**match_in_short(state, match), "to_do": False, "in_play": False}
        tables.append({"table": table, "matches": list(rows.values())})
    if state.holder is not None and state.begun is not None:
        workers = getattr(state.file, "workers", None) or 1
        matches = [match for one in tables for match in one["matches"]]
        _mark_in_play(matches, workers if shown.page == at_work else 0)
    for one in tables:
        one["sums"] = _sums(names[one["table"] - 1], one["matches"])
        one["say"] = _say_lead(one["sums"])
    left = time_left(state)
    return {
        "round": {**round_in_short(state, now), "tables": tables, **page_fields(shown)},
        "left_s": left,
        "began": None if now.planned is None else now.planned.isoformat(),
        "ends": None if left is None else (state.moment + timedelta(seconds=left)).isoformat(),
        "top": _top_tables(state, tables),
    }


def _mark_in_play(matches: Sequence[dict[str, Any]], workers: int) -> None:
    """Mark matches in play: those before a stored one, then the next ones, as many as `workers`."""
    stored = [place for place, match in enumerate(matches) if not match["to_do"]]
    places, passed = count(1), max(stored, default=-1)
    for place, match in enumerate(matches):
        if match["to_do"] and (next(places) <= workers or place < passed):
            match["in_play"] = True


def _top_tables(state: SeasonState, tables: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the tables with a match in play, else those partly played, the highest sum of Elo first."""
    rows = () if state.last_standings is None else state.last_standings["players"]
    elo = {row["player"]: row["elo"] or 0.0 for row in rows}
    in_play = [one for one in tables if any(match["in_play"] for match in one["matches"])]
    begun = [one for one in tables if len({match["to_do"] for match in one["matches"]}) == 2]
    return sorted(in_play or begun, key=lambda one: -sum(elo.get(row["player"], 0.0) for row in one["sums"]))


def _sums(names: Sequence[str], matches: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the points of each player of a table by match, and over all that have points; the most first."""
    by_match: dict[str, list[int | None]] = {name: [] for name in names}
    for at, match in enumerate(matches):
        if match["points"] is not None and not match.get("annulled"):
            for name, points in zip(match["players"], match["points"], strict=True):
                row = by_match.setdefault(name, [])
                row += [None] * (at - len(row)) + [points]
    sums = [
        {"player": name, "points": sum(won or 0 for won in row), "by_match": row}
        for name, row in by_match.items()
    ]
    return sorted(sums, key=lambda one: -one["points"])


def _say_lead(sums: Sequence[Mapping[str, Any]]) -> str | None:
    """Return who is ahead at a table, and how far; None without points, or if the first are equal."""
    ahead = sums[0]["points"] - sums[1]["points"] if len(sums) > 1 else 0
    if ahead <= 0 or not any(row["by_match"] for row in sums):
        return None
    first, second = names_in_text([row["player"] for row in sums[:2]])
    return f"{first} leads with {sums[0]['points']} points, {ahead} ahead of {second}"


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
