"""The audit log: who did what when, written in the transaction of what was done."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.database import Book


class Deed(NamedTuple):
    """A deed in the log: `who` is an author or organiser, or `CONSOLE`.

    `number` is that of the entry; later entries have larger ones.
    """

    number: int
    moment: str
    who: str
    verb: str
    subject: str
    because: str


CONSOLE = "@console"
"""The author of commands given on the machine itself: no name has an @."""


class AuditLog(Book):
    """The log of one season."""

    def add(self, who: str, verb: str, subject: str, because: str = "") -> None:
        """Log what was done in a transaction of its own."""
        with self._store.transaction() as connection:
            note(connection, self._id, who, verb, subject, because)

    def last_of(self, *verbs: str) -> Deed | None:
        """The last entry of one of these verbs; None where there is none."""
        return next(iter(self._deeds(1, db_schema.audit.c.verb.in_(verbs))), None)

    def last(
        self, most: int, before: int | None = None, who: str | None = None, verb: str | None = None
    ) -> list[Deed]:
        """The last `most` entries, the newest first: those before a number, of somebody, of a verb."""
        table = db_schema.audit.c
        asked = [column == value for column, value in ((table.who, who), (table.verb, verb)) if value]
        return self._deeds(most, *asked, *([] if before is None else [table.id < before]))

    def _deeds(self, most: int, *asked: sa.ColumnElement[bool]) -> list[Deed]:
        table = db_schema.audit.c
        columns = table.id, table.moment, table.who, table.verb, table.subject, table.because
        query = self._own(*columns).where(*asked).order_by(table.id.desc()).limit(most)
        return [Deed._make(row) for row in self._all(query)]

    def known(self) -> tuple[list[str], list[str]]:
        """Everybody who did something, and every verb, in order."""
        who, verbs = (
            sorted(row[0] for row in self._all(self._own(column).distinct()))
            for column in (db_schema.audit.c.who, db_schema.audit.c.verb)
        )
        return who, verbs


def note(
    connection: sa.Connection, season: int, who: str, verb: str, subject: str, because: str = ""
) -> None:
    """Log within a transaction."""
    row = {"season_id": season, "moment": moment(), "who": who, "verb": verb}
    connection.execute(sa.insert(db_schema.audit).values(row | {"subject": subject, "because": because}))


LONGEST = timedelta(days=30)
"""Nothing that is kept until a moment lasts longer."""


def lasts(ends: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
    """True until a stored moment; one too far off was written while the clock was wrong, and is over."""
    return ends.between(moment(), moment(LONGEST))


def moment(later: timedelta = timedelta()) -> str:
    """Now, or some time `later`, as the store keeps moments."""
    return (datetime.now(UTC) + later).isoformat(timespec="seconds")
