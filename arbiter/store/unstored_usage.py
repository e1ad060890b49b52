"""The tokens of language models in plays of which nothing else is kept: providers bill them all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from arbiter.match.token_usage import Billed
from arbiter.store import db_schema
from arbiter.store.database import Book
from arbiter.store.seats import key_of, name_of

if TYPE_CHECKING:
    from collections.abc import Mapping


class OutlayBook(Book):
    """Those of one season, by player."""

    def add(self, billed: Mapping[str, tuple[int, int]]) -> None:
        """Add what models used in a play that is not stored."""
        table = db_schema.outlays
        with self._store.transaction() as connection:
            for player, (asked, answered) in billed.items():
                key = {"season_id": self._id, "player": key_of(player)}
                self._store.insert_once(connection, table, key | {"input": 0, "output": 0})
                sums = {"input": table.c.input + asked, "output": table.c.output + answered}
                connection.execute(sa.update(table).filter_by(**key).values(sums))

    def all(self) -> dict[str, Billed]:
        """All of it."""
        table = db_schema.outlays.c
        rows = self._all(self._own(table.player, table.input, table.output))
        return {name_of(row.player): Billed(row.input, row.output) for row in rows}
