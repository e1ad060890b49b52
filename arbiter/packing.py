"""Matches as workers hand them over and stores keep them: a few kilobytes each, the same again unpacked.

Theory of operation. A record's bulk is its moves and its deals. The moves are turned into columns,
since the seats, the requests and most of the figures of one column are much alike, and the
compressor finds that. What a seat has left is kept as what it was granted, which hardly ever
changes. The deals are left out where the seed gives them, and dealt again on reading. Workers do
the packing: what crosses to the coordinator is small, and it has a whole season to look after.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.course import programme
from arbiter.errors import ConfigError, StoreError
from arbiter.games import make
from arbiter.match import MatchRecord, Move

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.match import MatchSummary

LEVEL = 6
"""Above it some bytes fewer cost half as much time again."""
PLAIN = ("deal", "seat", "action")
TIMES = ("wall_ns", "cpu_ns", "delay_ns", "charged_ns")


class PackedMatch(NamedTuple):
    """A match of a season: what is looked at of it, how long it took, and all of it packed."""

    summary: MatchSummary
    wall_ns: int
    record: bytes


def pack_match(record: MatchRecord) -> PackedMatch:
    """A record as it crosses to the coordinator and into the store."""
    return PackedMatch(record.summary(), record.wall_ns, pack(record))


def pack(record: MatchRecord) -> bytes:
    """A record as compressed bytes."""
    moves = record.moves
    rows = list(zip(*moves, strict=True)) if moves else [()] * len(Move._fields)
    columns = dict(zip(Move._fields, rows, strict=True))
    names = sorted(set(columns["request"]))
    number = {name: place for place, name in enumerate(names)}
    shape: dict[str, Any] = {name: getattr(record, name) for name in record.__slots__}
    shape["forfeit"] = asdict(record.forfeit) if record.forfeit else None
    shape["bots"] = [asdict(bot) for bot in record.bots]
    shape["moves"] = {
        "deal": columns["deal"],
        "seat": columns["seat"],
        "requests": names,
        "request": [number[name] for name in columns["request"]],
        "action": columns["action"],
        **{name: _thousandths(columns[name]) for name in TIMES},
        "granted_ns": _thousandths(_granted(record)),
    }
    if _planned(shape)[: len(record.deals)] == tuple(record.deals):
        shape["deals"] = len(record.deals)
    return zlib.compress(json.dumps(shape, separators=(",", ":")).encode(), LEVEL)


def unpack(packed: bytes, match_id: str) -> MatchRecord:
    """The record that `pack` was given; StoreError, with the match's name, for anything else."""
    try:
        shape = json.loads(zlib.decompress(packed))
        columns = shape["moves"]
        if isinstance(columns, dict):
            shape["moves"] = _rows(columns)
        if isinstance(shape["deals"], int):
            shape["deals"] = _planned(shape)[: shape["deals"]]
        return MatchRecord.from_json(shape)
    except (zlib.error, ValueError, KeyError, TypeError, IndexError, ConfigError) as error:
        raise StoreError(f"the record of match {match_id} cannot be read: {error}") from None


def _rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Columns as moves again."""
    names = ("deal", "seat", "action", *TIMES, "granted_ns")
    values = [columns[name] if name in PLAIN else _nanoseconds(columns[name]) for name in names]
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


def _granted(record: MatchRecord) -> list[int]:
    """For each move, what the seat has left and what it was charged so far, together."""
    spent: dict[int, int] = {}
    granted = []
    for move in record.moves:
        spent[move.seat] = spent.get(move.seat, 0) + move.charged_ns
        granted.append(move.left_ns + spent[move.seat])
    return granted


def _thousandths(values: Sequence[int]) -> dict[str, Any]:
    """Nanoseconds as microseconds where they are whole ones, which stored times are."""
    if all(value % 1000 == 0 for value in values):
        return {"us": [value // 1000 for value in values]}
    return {"ns": list(values)}


def _nanoseconds(column: dict[str, Any]) -> list[int]:
    return [value * 1000 for value in column["us"]] if "us" in column else column["ns"]


def _planned(shape: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """The deals that the seed gives; none where the game is not here."""
    options = json.dumps(shape["options"], sort_keys=True)
    return _programme(shape["game"], options, shape["seed"], shape["round"] or 1)


@lru_cache(maxsize=8)
def _programme(game: str, options: str, seed: str, round_number: int) -> tuple[dict[str, Any], ...]:
    try:
        return programme(make(game, json.loads(options)), seed, round_number).shapes
    except (ConfigError, TypeError):
        return ()
