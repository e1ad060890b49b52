"""The plays that were void, whoever was at fault: nothing else is kept of them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.database import Book
from arbiter.store.row_values import legible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Voids(NamedTuple):
    """The number of plays that were void, and by player of those in which it sat, most first."""

    all: int
    players: Mapping[str, int]


class VoidBook(Book):
    """Those of one season."""

    def add(self, match: str, why: str, players: Iterable[str]) -> None:
        """Note a void play of a match, and who sat in it."""
        table = db_schema.voids
        with self._store.transaction() as connection:
            last = sa.select(sa.func.max(table.c.number)).filter_by(season_id=self._id)
            number = int(connection.execute(last).scalar() or 0) + 1
            row = {"season_id": self._id, "number": number, "match_id": match}
            row |= {"why": json.dumps(why), "players": json.dumps(sorted(set(players)))}
            connection.execute(sa.insert(table).values(row))

    def count(self) -> Voids:
        """Their numbers."""
        rows = self._all(self._own(db_schema.voids.c.players).order_by(db_schema.voids.c.number))
        with legible("the void plays"):
            sat: Counter[str] = Counter(player for row in rows for player in json.loads(row.players))
        return Voids(len(rows), dict(sorted(sat.items(), key=lambda one: (-one[1], one[0].casefold()))))
