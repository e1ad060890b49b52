"""The audit log: who did what and when, written in the same transaction as the action."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.database import SeasonRows


class AuditLogEntry(NamedTuple):
    """An entry of the log: `who` is an author, an organiser or `CONSOLE`; numbers increase with time."""

    number: int
    moment: str
    who: str
    verb: str
    subject: str
    because: str


MOST_DEEDS = 1000
CONSOLE = "@console"
"""Names the user of commands on the machine itself: no author's name contains @."""


class AuditLog(SeasonRows):
    """The stored audit log of one season: each method reads or writes the database."""

    def add(self, who: str, verb: str, subject: str, because: str = "") -> None:
        """Add an entry in a separate transaction."""
        with self._store.transaction() as connection:
            log_audit(connection, self._id, who, verb, subject, because)

    def last_of(self, *verbs: str) -> AuditLogEntry | None:
        """Return the latest entry with one of these verbs, or None."""
        return next(iter(self._load_entries(1, db_schema.audit.c.verb.in_(verbs))), None)

    def last(
        self, limit: int, before: int | None = None, who: str | None = None, verb: str | None = None
    ) -> list[AuditLogEntry]:
        """Return the last `limit` entries numbered below `before`, by `who` and with `verb`, newest first."""
        table = db_schema.audit.c
        asked = [column == value for column, value in ((table.who, who), (table.verb, verb)) if value]
        return self._load_entries(limit, *asked, *([] if before is None else [table.id < before]))

    def of_versions(self, author: str, *verbs: str) -> list[AuditLogEntry]:
        """Return the last `MOST_DEEDS` entries with these verbs about an author's versions, newest first."""
        mine, table = f"{author}@", db_schema.audit.c
        # No name contains @, so no other author's versions begin like this.
        his = sa.func.substr(table.subject, 1, len(mine)) == mine
        return self._load_entries(MOST_DEEDS, table.verb.in_(verbs), his)

    def _load_entries(self, limit: int, *asked: sa.ColumnElement[bool]) -> list[AuditLogEntry]:
        """Return the last `limit` entries that meet these conditions, newest first."""
        table = db_schema.audit.c
        columns = table.id, table.moment, table.who, table.verb, table.subject, table.because
        query = self._own(*columns).where(*asked).order_by(table.id.desc()).limit(limit)
        return [AuditLogEntry._make(row) for row in self._all(query)]

    def known(self) -> tuple[list[str], list[str]]:
        """Return the distinct persons and verbs of the log, each sorted."""
        who, verbs = (
            sorted(row[0] for row in self._all(self._own(column).distinct()))
            for column in (db_schema.audit.c.who, db_schema.audit.c.verb)
        )
        return who, verbs


def log_audit(
    connection: sa.Connection, season: int, who: str, verb: str, subject: str, because: str = ""
) -> None:
    """Add an audit entry within a transaction."""
    row = {"season_id": season, "moment": timestamp(), "who": who, "verb": verb}
    connection.execute(sa.insert(db_schema.audit).values(row | {"subject": subject, "because": because}))


LONGEST = timedelta(days=30)
"""The longest validity of anything stored with an end time."""


def not_expired(ends: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
    """Return an SQL condition: the end time is ahead, but within `LONGEST`, else it is of a wrong clock."""
    return ends.between(timestamp(), timestamp(LONGEST))


def timestamp(later: timedelta = timedelta()) -> str:
    """Return the time now, or `later`, in the format of the store: ISO 8601, UTC, whole seconds."""
    return (datetime.now(UTC) + later).isoformat(timespec="seconds")


STEP = timedelta(minutes=1)
"""How far the machine's clock may be set back without effect on rate limits."""


def time_before(span: timedelta) -> str:
    """Return the time `span` before now, in the store's format."""
    return timestamp(-span)


def is_recent(column: sa.ColumnElement[Any], span: timedelta) -> sa.ColumnElement[bool]:
    """Return an SQL condition: a time is at most `span` ago, and not in the future by more than `STEP`."""
    return sa.and_(column > time_before(span), column <= timestamp(STEP))
