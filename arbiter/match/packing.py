"""Match records packed into a few kilobytes, as workers return them and stores keep them.

Theory of operation. Moves and deals are the bulk of a record. Moves become columns, whose similar
values compress well. The time left to a seat is stored as the time granted, which rarely changes.
Deals that follow from the seed are left out, and dealt again on reading. Workers pack, so that
little data crosses to the coordinator, which serves all of them.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.errors import ConfigError, StoreError
from arbiter.games import make
from arbiter.match.position import planned_deals
from arbiter.match.record import BotReport, Forfeit, MatchRecord, Move

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.match.record import MatchSummary

LEVEL = 6
"""Of zlib. Higher levels save a few bytes for 50 % more time."""
PLAIN = ("deal", "seat", "action")
"""Columns stored unchanged."""
TIMES = ("wall_ns", "cpu_ns", "delay_ns", "charged_ns")


MOST_TAGS = 32
"""Tags of a seat by which a match can be found, the first ones."""


class PackedMatch(NamedTuple):
    """A match: its summary, duration and packed record; `tags` are (seat, tag, True if public)."""

    summary: MatchSummary
    wall_ns: int
    record: bytes
    tags: tuple[tuple[int, str, bool], ...] = ()


def pack_match(record: MatchRecord) -> PackedMatch:
    """Return a packed record with its summary, as the store keeps it; nothing is stored."""
    return PackedMatch(record.summary(), record.wall_ns, pack(record), _tags_of_bots(record))


def pack(record: MatchRecord) -> bytes:
    """Return a record as compressed bytes."""
    moves = record.moves
    rows = list(zip(*moves, strict=True)) if moves else [()] * len(Move._fields)
    columns = dict(zip(Move._fields, rows, strict=True))
    names = sorted(set(columns["request"]))
    number = {name: place for place, name in enumerate(names)}
    shape = replace(record, moves=()).to_json()
    shape["moves"] = {
        "deal": columns["deal"],
        "seat": columns["seat"],
        "requests": names,
        "request": [number[name] for name in columns["request"]],
        "action": columns["action"],
        **{name: _time_column(columns[name]) for name in TIMES},
        "granted_ns": _time_column(_granted_ns(record)),
    }
    if _planned_deals(shape)[: len(record.deals)] == tuple(record.deals):
        shape["deals"] = len(record.deals)
    return zlib.compress(json.dumps(shape, separators=(",", ":")).encode(), LEVEL)


def unpack(packed: bytes, match_id: str) -> MatchRecord:
    """Return the record that `pack` was given; StoreError, with the match's id, for other bytes."""
    try:
        shape = json.loads(zlib.decompress(packed))
        columns = shape["moves"]
        if isinstance(columns, dict):
            shape["moves"] = _moves_of_columns(columns)
        if isinstance(shape["deals"], int):
            shape["deals"] = _planned_deals(shape)[: shape["deals"]]
        return MatchRecord.from_json(shape)
    except (zlib.error, ValueError, KeyError, TypeError, IndexError, ConfigError) as error:
        raise StoreError(f"the record of match {match_id} cannot be read: {error}") from None


def _tags_of_bots(record: MatchRecord) -> tuple[tuple[int, str, bool], ...]:
    """Return (seat, tag, public) for the first `MOST_TAGS` tags in the notes of each seat."""
    noted: dict[int, dict[str, None]] = {}
    for number, note in (record.move_notes or {}).items():
        if note.tags and number <= len(record.moves):
            noted.setdefault(record.moves[number - 1].seat, {}).update(dict.fromkeys(note.tags))
    public = record.notes_public
    return tuple(
        (seat, tag, seat in public) for seat, tags in noted.items() for tag in islice(tags, MOST_TAGS)
    )


class MatchEnd(NamedTuple):
    """How a match ended, and its bots' reports; `started` and `wall_ns` as in its record."""

    forfeit: Forfeit | None
    bots: tuple[BotReport, ...]
    started: str
    wall_ns: int


def unpack_end(packed: bytes, match_id: str) -> MatchEnd:
    """Return the end of a packed match without rebuilding its moves; StoreError as in `unpack`."""
    try:
        shape = json.loads(zlib.decompress(packed))
        forfeit = shape["forfeit"] and Forfeit.from_json(shape["forfeit"])
        bots = tuple(map(BotReport.from_json, shape["bots"]))
        return MatchEnd(forfeit, bots, shape["started"], shape["wall_ns"])
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"the record of match {match_id} cannot be read: {error}") from None


def _moves_of_columns(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the moves as JSON values, with `left_ns` from the grants and the charges."""
    names = ("deal", "seat", "action", *TIMES, "granted_ns")
    values = [columns[name] if name in PLAIN else _times_of_column(columns[name]) for name in names]
    requests = [columns["requests"][number] for number in columns["request"]]
    spent: dict[int, int] = {}
    rows = []
    for request, *row in zip(requests, *values, strict=True):
        move = dict(zip(names, row, strict=True), request=request)
        seat = move["seat"]
        spent[seat] = spent.get(seat, 0) + move["charged_ns"]
        move["left_ns"] = move.pop("granted_ns") - spent[seat]
        rows.append(move)
    return rows


def _granted_ns(record: MatchRecord) -> list[int]:
    """Return for each move the seat's time left plus its charges so far, in ns."""
    spent: dict[int, int] = {}
    granted = []
    for move in record.moves:
        spent[move.seat] = spent.get(move.seat, 0) + move.charged_ns
        granted.append(move.left_ns + spent[move.seat])
    return granted


def _time_column(values: Sequence[int]) -> dict[str, Any]:
    """Return nanoseconds as microseconds where all are whole, as stored times are."""
    if all(value % 1000 == 0 for value in values):
        return {"us": [value // 1000 for value in values]}
    return {"ns": list(values)}


def _times_of_column(column: dict[str, Any]) -> list[int]:
    """Return the nanoseconds of what `_time_column` returned."""
    return [value * 1000 for value in column["us"]] if "us" in column else column["ns"]


def _planned_deals(shape: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return the deals that follow from the seed; none where the game is not installed."""
    options = json.dumps(shape["options"], sort_keys=True)
    return _cached_deals(shape["game"], options, shape["seed"], shape["round"] or 1)


@lru_cache(maxsize=8)
def _cached_deals(game: str, options: str, seed: str, round_number: int) -> tuple[dict[str, Any], ...]:
    """Return the planned deals as JSON values; () if there is no such game, or not with these options."""
    try:
        return planned_deals(make(game, json.loads(options)), seed, round_number).shapes
    except (ConfigError, TypeError):
        return ()
