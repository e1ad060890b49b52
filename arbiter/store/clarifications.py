"""Questions of authors to the organiser, and their answers: to the author alone, or to everyone."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.announcements import (
    CORRECT_ANSWER,
    WITHDRAW_ANSWER,
    announce,
    change,
    changed_answer,
    next_number,
)
from arbiter.store.audit import log_audit, timestamp
from arbiter.store.database import SeasonRows

QUESTION, ANSWER = "question", "answer"
"""Audit verbs."""


class TooManyOpen(Exception):
    """An author has the largest number of questions without an answer."""


class Clarification(NamedTuple):
    """A question of an author, and its answer, None until it is given.

    `public` answers are announced, with the question and without the author. `corrected` is when the answer
    was last changed, `withdrawn` when the one before was withdrawn, while there is no other.
    """

    number: int
    author: str
    asked: str
    text: str
    answer: str | None
    answered: str | None
    public: bool
    corrected: str | None = None
    withdrawn: str | None = None


class ClarificationStore(SeasonRows):
    """The stored questions of one season: each method reads or writes the database."""

    def ask(self, author: str, who: str, text: str, most: int) -> Clarification:
        """Add a question, and an audit entry; TooManyOpen if the author has `most` without an answer."""
        table = db_schema.clarifications
        with self._store.transaction() as connection:
            number = next_number(connection, self._id, table)
            unanswered = self._own(sa.func.count(table.c.number), author=author, answer=None)
            if connection.execute(unanswered).scalar_one() >= most:
                raise TooManyOpen
            row = {"season_id": self._id, "number": number, "author": author, "text": text}
            connection.execute(sa.insert(table).values(row | {"asked": timestamp(), "public": False}))
            log_audit(connection, self._id, who, QUESTION, str(number))
            return _clarification(connection.execute(self._own(table, number=number)).one())

    def of(self, author: str) -> list[Clarification]:
        """Return an author's questions, newest first."""
        return self._load_questions(self._own(db_schema.clarifications, author=author))

    def last(self, most: int) -> list[Clarification]:
        """Return the last questions of all authors: first those without an answer, then newest first."""
        table = db_schema.clarifications
        waiting = sa.case((table.c.answer.is_(None), 0), else_=1)
        return self._load_questions(self._own(table).order_by(waiting).limit(most))

    def open(self) -> int:
        """Return the number of questions without an answer."""
        rows = self._all(self._own(sa.func.count(db_schema.clarifications.c.number), answer=None))
        return int(rows[0][0])

    def answer(self, number: int, text: str, public: bool, who: str) -> Clarification | None:
        """Store an answer, audited, and with `public` announce it; None if it is unknown or answered."""
        table = db_schema.clarifications
        waiting = {"season_id": self._id, "number": number, "answer": None}
        values = {"answer": text, "answered": timestamp(), "public": public, "withdrawn": None}
        with self._store.transaction() as connection:
            if connection.execute(sa.update(table).filter_by(**waiting).values(values)).rowcount != 1:
                return None
            found = _clarification(connection.execute(self._own(table, number=number)).one())
            log_audit(connection, self._id, who, ANSWER, str(number), "to all" if public else found.author)
            if public:
                made = announce(connection, self._id, text, who, timestamp(), found.text)
                asked = sa.update(table).filter_by(season_id=self._id, number=number)
                connection.execute(asked.values(announcement=made.number))
        return found

    def change(self, number: int, text: str | None, who: str) -> Clarification | None:
        """Correct an answer, or withdraw it if `text` is None, so that the question waits for another one.

        A public answer changes with its announcement. None if there is no such answer.
        """
        table = db_schema.clarifications
        with self._store.transaction() as connection:
            row = connection.execute(self._own(table, number=number)).one_or_none()
            if row is None or row.answer is None:
                return None
            if row.announcement is None:
                mine = sa.update(table).filter_by(season_id=self._id, number=number)
                connection.execute(mine.values(changed_answer(text, timestamp())))
                verb = WITHDRAW_ANSWER if text is None else CORRECT_ANSWER
                log_audit(connection, self._id, who, verb, str(number), row.answer)
            else:
                change(connection, self._id, row.announcement, text, who)
            return _clarification(connection.execute(self._own(table, number=number)).one())

    def _load_questions(self, query: sa.Select[tuple[object, ...]]) -> list[Clarification]:
        """Return the questions of a query in its order, and where that is equal newest first."""
        ordered = query.order_by(db_schema.clarifications.c.number.desc())
        return [_clarification(row) for row in self._all(ordered)]


def _clarification(row: sa.Row[tuple[object, ...]]) -> Clarification:
    return Clarification._make(row._mapping[name] for name in Clarification._fields)
