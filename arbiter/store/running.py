"""Whether a season goes on: paused by an organiser, closed for good. Whoever plays it looks at this."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from arbiter.store import schema
from arbiter.store.audit import moment, note
from arbiter.store.happenings import Happening, log

if TYPE_CHECKING:
    from arbiter.store.database import Database

PAUSED, CLOSED = "paused", "closed"


class Running(NamedTuple):
    """Since when a season is paused, and since when it is closed; None where it is not."""

    paused: str | None
    closed: str | None


class RunningBook:
    """What organisers wish for one season, and who wished it."""

    def __init__(self, store: Database, season: int) -> None:
        self._store, self._id = store, season

    def read(self) -> Running:
        """How it is now."""
        table = schema.seasons.c
        with self._store.reading() as connection:
            row = connection.execute(sa.select(table.paused, table.closed).filter_by(id=self._id)).one()
        return Running(row.paused, row.closed)

    def pause(self, who: str) -> None:
        """Let matches in flight be the last ones until it is resumed."""
        self._set(who, "pause", "stopping", paused=moment())

    def resume(self, who: str) -> None:
        """Let it go on."""
        self._set(who, "resume", "playing", paused=None)

    def close(self, who: str) -> None:
        """Let the round under way be the last one, and take nothing more, for good; a pause ends with it."""
        self.resume(who)
        self._set(who, "close", "closing", closed=moment())

    def _set(self, who: str, verb: str, word: str, **values: str | None) -> None:
        """Change one moment; nothing where it is so already."""
        ((name, value),) = values.items()
        column = schema.seasons.c[name]
        changes = column.is_not(None) if value is None else column.is_(None)
        update = sa.update(schema.seasons).where(schema.seasons.c.id == self._id, changes)
        with self._store.transaction() as connection:
            if connection.execute(update.values(values)).rowcount:
                log(connection, self._id, Happening.STATE, 0, word)
                note(connection, self._id, who, verb, "")
