"""The index of players by match: it finds a player's matches without reading all others.

The rows of a match are written with it, and again from the summary of a replacement. Rows of deleted
matches may remain: queries join the match, too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arbiter.match.record import MatchSummary
from arbiter.store import db_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

MANY = 500
"""Matches handled together."""


def key_of(name: str) -> str:
    """Return a name JSON-escaped, as it is stored: no database accepts every text."""
    return json.dumps(name)[1:-1]


def name_of(key: str) -> str:
    """Return the name that `key_of` has escaped."""
    name: str = json.loads(f'"{key}"')
    return name


def seats_of(season: int, match: MatchSummary) -> list[dict[str, Any]]:
    """Return the rows of a match: one for each player, `faulty` if that player's fault ended it."""
    faulty = None if match.faulty is None else match.players[match.faulty]
    return [
        {
            "season_id": season,
            "player": key_of(name),
            "round": match.round or 0,
            "match_id": match.id,
            "faulty": name == faulty,
        }
        for name in dict.fromkeys(match.players)
    ]


def store_seats(connection: sa.Connection, season: int, matches: Iterable[MatchSummary]) -> None:
    """Write the rows of matches, replacing those of the same players."""
    rows = [row for match in matches for row in seats_of(season, match)]
    if rows:
        connection.execute(_DROP, [{f"a_{key}": row[key] for key in _KEY} for row in rows])
        connection.execute(_INSERT, rows)


_KEY = ("season_id", "player", "round", "match_id")
_INSERT = sa.insert(db_schema.seats)
_DROP = sa.delete(db_schema.seats).where(
    *(db_schema.seats.c[key] == sa.bindparam(f"a_{key}") for key in _KEY)
)


def fill(connection: sa.Connection) -> None:
    """Write the rows of all matches of an older store, without damaged ones."""
    table = db_schema.matches.c
    query = sa.select(table.season_id, table.summary).execution_options(yield_per=MANY)
    for some in connection.execute(query).partitions():
        rows: dict[tuple[Any, ...], dict[str, Any]] = {}
        for season, text in some:
            try:
                match = MatchSummary.from_json(json.loads(text))
            except (ValueError, TypeError, KeyError):
                continue
            rows |= {tuple(row[key] for key in _KEY): row for row in seats_of(season, match)}
        if rows:
            connection.execute(sa.insert(db_schema.seats), list(rows.values()))
