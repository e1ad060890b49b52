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

ANNOUNCE, CORRECT, WITHDRAW = "announce", "correct", "withdraw"
CORRECT_ANSWER, WITHDRAW_ANSWER = "correct answer", "withdraw answer"
TEXTS_BEFORE = frozenset({CORRECT, WITHDRAW, CORRECT_ANSWER, WITHDRAW_ANSWER})
"""Audit verbs whose reason is the text before; of an answer the subject is the number of the question."""


class Announcement(NamedTuple):
    """A text in Markdown; with a `question`, which is plain text, it is an answer to it.

    Numbers count from 1 in the order in which they were written. `corrected` is when the visible text was
    last changed, or None.
    """

    number: int
    moment: str
    text: str
    question: str | None
    corrected: str | None = None


class AnnouncementStore(SeasonRows):
    """The stored announcements of one season: each method reads or writes the database."""

    def add(self, text: str, who: str, at: datetime | None = None) -> Announcement:
        """Store an announcement for a moment, by default now, as `announce` does."""
        moment = timestamp() if at is None else at.astimezone(UTC).isoformat(timespec="seconds")
        with self._store.transaction() as connection:
            return announce(connection, self._id, text, who, moment)

    def change(self, number: int, text: str | None, who: str) -> Announcement | None:
        """Correct an announcement, or withdraw it if `text` is None; None if it is unknown or withdrawn.

        The question that it answers gets the same answer, or none.
        """
        with self._store.transaction() as connection:
            return change(connection, self._id, number, text, who)

    def withdrawn(self, most: int) -> list[tuple[int, str]]:
        """Return the numbers of announcements withdrawn when visible, with the moments, newest first."""
        table = db_schema.announcements.c
        query = self._own(table.number, table.withdrawn, published=True).where(table.withdrawn.is_not(None))
        found = self._all(query.order_by(table.withdrawn.desc()).limit(most))
        return [(row.number, row.withdrawn) for row in found]

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
        due = self._own(table.c.number, published=False, withdrawn=None)
        due = due.where(table.c.moment <= timestamp())
        for row in self._all(due.order_by(table.c.moment, table.c.number)):
            with self._store.transaction() as connection:
                mine = sa.update(table).filter_by(season_id=self._id, number=row.number, published=False)
                # Another process may have been faster.
                if connection.execute(mine.values(published=True)).rowcount == 1:
                    log_event(connection, self._id, EventKind.ANNOUNCEMENT, 0, str(row.number))
                    published += 1
        return published

    def one(self, number: int) -> Announcement | None:
        """Return the announcement with this number, visible or not; None if it is unknown or withdrawn."""
        rows = self._all(self._listed().where(db_schema.announcements.c.number == number))
        return Announcement._make(rows[0]) if rows else None

    def _listed(self) -> sa.Select[tuple[int, str, str, str | None, str | None]]:
        """Return a query for all announcements not withdrawn, visible or not, the latest moment first."""
        table = db_schema.announcements.c
        columns = table.number, table.moment, table.text, table.question, table.corrected
        return self._own(*columns, withdrawn=None).order_by(table.moment.desc(), table.number.desc())


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


def change(
    connection: sa.Connection, season: int, number: int, text: str | None, who: str
) -> Announcement | None:
    """Correct or withdraw an announcement within a transaction, with its event if it is visible."""
    table, answers, now = db_schema.announcements, db_schema.clarifications, timestamp()
    mine = {"season_id": season, "number": number, "withdrawn": None}
    row = connection.execute(sa.select(table).filter_by(**mine)).one_or_none()
    if row is None:
        return None
    corrected = now if row.published else None
    values = {"withdrawn": now} if text is None else {"text": text, "corrected": corrected}
    connection.execute(sa.update(table).filter_by(**mine).values(values))
    unlinked = {"public": False, "announcement": None} if text is None else {}
    mine = {"season_id": season, "announcement": number}
    asked = connection.execute(sa.select(answers.c.number).filter_by(**mine)).scalar()
    connection.execute(sa.update(answers).filter_by(**mine).values(changed_answer(text, now) | unlinked))
    if row.published:
        log_event(connection, season, EventKind.ANNOUNCEMENT, 0, str(number))
    verbs = (CORRECT, WITHDRAW) if asked is None else (CORRECT_ANSWER, WITHDRAW_ANSWER)
    log_audit(connection, season, who, verbs[text is None], str(asked or number), row.text)
    return Announcement(number, row.moment, text or row.text, row.question, corrected)


def changed_answer(text: str | None, now: str) -> dict[str, str | None]:
    """Return the columns of a question whose answer is corrected, or withdrawn if `text` is None."""
    if text is None:
        return {"answer": None, "answered": None, "corrected": None, "withdrawn": now}
    return {"answer": text, "corrected": now}


def next_number(connection: sa.Connection, season: int, table: sa.Table) -> int:
    """Lock the season's row until the transaction ends; return the next number of its rows in a table."""
    seasons = db_schema.seasons
    connection.execute(sa.update(seasons).filter_by(id=season).values(events=seasons.c.events))
    last = sa.select(sa.func.max(table.c.number)).filter_by(season_id=season)
    return int(connection.execute(last).scalar() or 0) + 1
