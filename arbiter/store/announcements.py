"""Announcements of organisers: texts with a moment, visible to everyone from then on.

The event of one with a later moment is logged by the first process that looks after it, so that sites and
webhooks need no clock of their own.
"""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import log_audit, timestamp
from arbiter.store.database import SeasonRows
from arbiter.store.event_log import EventKind, log_event

if TYPE_CHECKING:
    from datetime import datetime

ANNOUNCE = "announce"
"""Audit verb."""


class Announcement(NamedTuple):
    """A text in Markdown; with a `question`, which is plain text, it is an answer to it.

    Numbers count from 1 in the order in which they were written.
    """

    number: int
    moment: str
    text: str
    question: str | None


class AnnouncementStore(SeasonRows):
    """The stored announcements of one season: each method reads or writes the database."""

    def add(self, text: str, who: str, at: datetime | None = None) -> Announcement:
        """Store an announcement for a moment, by default now, as `announce` does."""
        moment = timestamp() if at is None else at.astimezone(UTC).isoformat(timespec="seconds")
        with self._store.transaction() as connection:
            return announce(connection, self._id, text, who, moment)

    def shown(self, moment: datetime, most: int) -> list[Announcement]:
        """Return the last `most` announcements visible at a moment, newest first."""
        now = moment.astimezone(UTC).isoformat(timespec="seconds")
        table = db_schema.announcements.c
        query = self._listed().where(table.moment <= now).limit(most)
        return [Announcement._make(row) for row in self._all(query)]

    def scheduled(self) -> list[Announcement]:
        """Return the announcements that are not visible yet, the last first."""
        query = self._listed().where(db_schema.announcements.c.moment > timestamp())
        return [Announcement._make(row) for row in self._all(query)]

    def publish_due(self) -> int:
        """Log the event of each due announcement without one, and mark it published; return how many."""
        table, published = db_schema.announcements, 0
        due = self._own(table.c.number, published=False).where(table.c.moment <= timestamp())
        for row in self._all(due.order_by(table.c.moment, table.c.number)):
            with self._store.transaction() as connection:
                mine = sa.update(table).filter_by(season_id=self._id, number=row.number, published=False)
                # Another process may have been faster.
                if connection.execute(mine.values(published=True)).rowcount == 1:
                    log_event(connection, self._id, EventKind.ANNOUNCEMENT, 0, str(row.number))
                    published += 1
        return published

    def one(self, number: int) -> Announcement | None:
        """Return the announcement with this number, visible or not, or None."""
        rows = self._all(self._listed().where(db_schema.announcements.c.number == number))
        return Announcement._make(rows[0]) if rows else None

    def _listed(self) -> sa.Select[tuple[int, str, str, str | None]]:
        """Return a query for all announcements, visible or not, the latest moment first."""
        table = db_schema.announcements.c
        columns = table.number, table.moment, table.text, table.question
        return self._own(*columns).order_by(table.moment.desc(), table.number.desc())


def announce(
    connection: sa.Connection,
    season: int,
    text: str,
    who: str,
    moment: str,
    question: str | None = None,
) -> Announcement:
    """Add an announcement, its audit entry, and its event if its moment has come, within a transaction."""
    number = next_number(connection, season, db_schema.announcements)
    is_due = moment <= timestamp()
    row = {"season_id": season, "number": number, "moment": moment, "text": text, "question": question}
    connection.execute(sa.insert(db_schema.announcements).values(row | {"published": is_due}))
    if is_due:
        log_event(connection, season, EventKind.ANNOUNCEMENT, 0, str(number))
    log_audit(connection, season, who, ANNOUNCE, str(number), "" if is_due else f"at {moment}")
    return Announcement(number, moment, text, question)


def next_number(connection: sa.Connection, season: int, table: sa.Table) -> int:
    """Lock the season's row until the transaction ends; return the next number of its rows in a table."""
    seasons = db_schema.seasons
    connection.execute(sa.update(seasons).filter_by(id=season).values(events=seasons.c.events))
    last = sa.select(sa.func.max(table.c.number)).filter_by(season_id=season)
    return int(connection.execute(last).scalar() or 0) + 1
