"""The ratings of standings, packed: a page over many rounds reads only these.

Four bytes with the length of the names, the names in the order of the standings as JSON, then as doubles all
ratings, all lower ends and all upper ends of the intervals. NaN: no rating.
"""

from __future__ import annotations

import json
import math
import struct
import sys
from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.store import db_schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEAD = struct.Struct("<I")
COLUMNS = ("elo", "low", "high")


class Brief(NamedTuple):
    """Players in the order of the standings, their ratings and interval ends; NaN for none."""

    players: Sequence[str]
    elo: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


def brief_of(standings: Mapping[str, Any]) -> bytes | None:
    """Pack the ratings of standings; None if these lack columns."""
    try:
        rows = standings["players"]
        names = json.dumps([row["player"] for row in rows]).encode()
        columns = [math.nan if row[key] is None else row[key] for key in COLUMNS for row in rows]
        return HEAD.pack(len(names)) + names + struct.pack(f"<{len(columns)}d", *columns)
    except (KeyError, TypeError, struct.error):
        return None


def brief_in(standings: Mapping[str, Any]) -> Brief:
    """Return the ratings of standings unpacked."""
    rows = standings["players"]
    elo, low, high = ([math.nan if row[key] is None else row[key] for row in rows] for key in COLUMNS)
    return Brief([row["player"] for row in rows], elo, low, high)


def read_brief(packed: bytes, what: str) -> Brief:
    """Unpack ratings; StoreError names `what` if they cannot be read."""
    try:
        (length,) = HEAD.unpack_from(packed)
        names = json.loads(packed[HEAD.size : HEAD.size + length])
        values = array("d", packed[HEAD.size + length :])
    except (ValueError, TypeError, struct.error) as error:
        raise StoreError(f"{what} cannot be read: {error}") from None
    if sys.byteorder == "big":
        values.byteswap()
    size = len(names)
    if len(values) != 3 * size:
        raise StoreError(f"{what} cannot be read: expected {3 * size} numbers, got {len(values)}")
    return Brief(names, values[:size], values[size : 2 * size], values[2 * size :])


def fill(connection: sa.Connection) -> None:
    """Store the packed ratings of all standings of an older store, null for unreadable ones."""
    table = db_schema.ratings
    keys = connection.execute(sa.select(table.c.season_id, table.c.round)).all()
    for season, number in keys:
        one = {"season_id": season, "round": number}
        text = connection.execute(sa.select(table.c.standings).filter_by(**one)).scalar_one()
        try:
            brief = brief_of(json.loads(text))
        except ValueError:
            brief = None
        connection.execute(sa.update(table).filter_by(**one).values(brief=brief))
