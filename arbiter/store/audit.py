"""Who did what when: a log that is written in the transaction of what was done."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.store import schema

if TYPE_CHECKING:
    from arbiter.store.database import Database


class Deed(NamedTuple):
    """What somebody did: `who` is an author or organiser, or whoever sat at the machine.

    `number` is that of the entry; later entries have larger ones.
    """

    number: int
    moment: str
    who: str
    verb: str
    subject: str
    because: str


CONSOLE = "@console"
"""Who gave a command on the machine itself: no name has an @."""


class AuditLog:
    """The log of one season."""

    def __init__(self, store: Database, season: int) -> None:
        self._store, self._id = store, season

    def add(self, who: str, verb: str, subject: str, because: str = "") -> None:
        """Log what was done in a transaction of its own."""
        with self._store.transaction() as connection:
            note(connection, self._id, who, verb, subject, because)

    def last_of(self, *verbs: str) -> Deed | None:
        """The last entry of one of these verbs; None where there is none."""
        table = schema.audit
        query = sa.select(table).filter_by(season_id=self._id).where(table.c.verb.in_(verbs))
        with self._store.reading() as connection:
            row = connection.execute(query.order_by(table.c.id.desc()).limit(1)).one_or_none()
        return None if row is None else _deed(row)

    def last(
        self, most: int, before: int | None = None, who: str | None = None, verb: str | None = None
    ) -> list[Deed]:
        """The last `most` entries, the newest first: those before a number, of somebody, of a verb."""
        table = schema.audit
        wanted = {"season_id": self._id} | ({"who": who} if who else {}) | ({"verb": verb} if verb else {})
        query = sa.select(table).filter_by(**wanted).order_by(table.c.id.desc()).limit(most)
        if before is not None:
            query = query.where(table.c.id < before)
        with self._store.reading() as connection:
            return [_deed(row) for row in connection.execute(query)]

    def known(self) -> tuple[list[str], list[str]]:
        """Everybody who did something, and every verb, in order."""
        columns = schema.audit.c.who, schema.audit.c.verb
        with self._store.reading() as connection:
            who, verbs = (
                sorted(
                    connection.execute(sa.select(column).filter_by(season_id=self._id).distinct()).scalars()
                )
                for column in columns
            )
        return who, verbs


def note(
    connection: sa.Connection, season: int, who: str, verb: str, subject: str, because: str = ""
) -> None:
    """Log within a transaction."""
    row = {"season_id": season, "moment": moment(), "who": who, "verb": verb}
    connection.execute(sa.insert(schema.audit).values(row | {"subject": subject, "because": because}))


def _deed(row: sa.Row[Any]) -> Deed:
    return Deed(row.id, row.moment, row.who, row.verb, row.subject, row.because)


def moment() -> str:
    """Now, as the store keeps moments."""
    return datetime.now(UTC).isoformat(timespec="seconds")
