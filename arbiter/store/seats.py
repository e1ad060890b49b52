"""Who sat in which match: by this a player's matches are found without reading all others'.

The rows of a match are written with it, and made anew of its summary where another takes its place. Those of
a match that is no longer there tell of nothing: whoever asks looks for the match, too.
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
    """How a name is kept: no database takes every text."""
    return json.dumps(name)[1:-1]


def name_of(key: str) -> str:
    """The name that is kept so."""
    name: str = json.loads(f'"{key}"')
    return name


def seats_of(season: int, match: MatchSummary) -> list[dict[str, Any]]:
    """The rows of a match: one for each player, `faulty` where the fault was its own."""
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


def seat(connection: sa.Connection, season: int, matches: Iterable[MatchSummary]) -> None:
    """Write who sat in matches, in place of who did before under the same names."""
    rows = [row for match in matches for row in seats_of(season, match)]
    if rows:
        connection.execute(_DROP, [{f"a_{key}": row[key] for key in _KEY} for row in rows])
        connection.execute(sa.insert(db_schema.seats), rows)


_KEY = ("season_id", "player", "round", "match_id")
_DROP = sa.delete(db_schema.seats).where(
    *(db_schema.seats.c[key] == sa.bindparam(f"a_{key}") for key in _KEY)
)


def fill(connection: sa.Connection) -> None:
    """Write who sat in all stored matches, in a store of an earlier version; what is damaged is left out."""
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
