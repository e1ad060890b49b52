"""A store: a database and the seasons that it keeps."""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.store import schema
from arbiter.store.database import Database
from arbiter.store.season import SeasonStore


class Store(Database):
    """A database and the seasons in it."""

    def season(self, name: str) -> SeasonStore | None:
        """The season of this name, None if there is none."""
        with self.reading() as connection:
            row = connection.execute(
                sa.select(schema.seasons).where(schema.seasons.c.name == name)
            ).one_or_none()
        return None if row is None else SeasonStore(self, row.id, row.name, row.game, row.seed)

    def seasons(self) -> list[str]:
        """The names of all seasons, in the order in which they were begun."""
        with self.reading() as connection:
            query = sa.select(schema.seasons.c.name).order_by(schema.seasons.c.id)
            return list(connection.execute(query).scalars())

    def begun_from(self, file: str) -> list[str]:
        """The seasons with rounds that were last played from a file, in the order of their beginning."""
        table = schema.seasons.c
        query = sa.select(table.name).where(
            table.file == file, table.id.in_(sa.select(schema.rounds.c.season_id))
        )
        with self.reading() as connection:
            return list(connection.execute(query.order_by(table.id)).scalars())

    def make_season(self, name: str, game: str, seed: str) -> SeasonStore:
        """A new season; StoreError if the name is taken."""
        created = datetime.now(UTC).isoformat(timespec="seconds")
        values = {"name": name, "game": game, "seed": seed, "created": created}
        with self.transaction() as connection:
            if not self.insert_once(connection, schema.seasons, values):
                raise StoreError(f"{self.name} holds a season {name} already")
        self.checkpoint()
        made = self.season(name)
        assert made is not None
        return made
