"""The report of who plays with whom, as it was last made for the organiser: one a season."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.database import Book
from arbiter.store.row_values import legible

if TYPE_CHECKING:
    from collections.abc import Mapping


class QuestionBook(Book):
    """The report of one season."""

    def keep(self, report: Mapping[str, Any]) -> None:
        """Keep a report in place of an earlier one."""
        with self._store.transaction() as connection:
            connection.execute(sa.delete(db_schema.questions).filter_by(season_id=self._id))
            row = {"season_id": self._id, "report": json.dumps(dict(report), separators=(",", ":"))}
            connection.execute(sa.insert(db_schema.questions).values(row))

    def last(self) -> dict[str, Any] | None:
        """The report that is kept, None where there is none; StoreError where it cannot be read."""
        text = self._scalar(self._own(db_schema.questions.c.report))
        if text is None:
            return None
        with legible("the report of who plays with whom"):
            report: dict[str, Any] = json.loads(text)
        return report
