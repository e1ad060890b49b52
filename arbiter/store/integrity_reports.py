"""The latest integrity report of each season, for the organiser."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.database import SeasonRows
from arbiter.store.row_values import explain_unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping


class IntegrityReportStore(SeasonRows):
    """The stored integrity report of one season: each method reads or writes the database."""

    def keep(self, report: Mapping[str, Any]) -> None:
        """Store a report, replacing an earlier one."""
        with self._store.transaction() as connection:
            connection.execute(sa.delete(db_schema.questions).filter_by(season_id=self._id))
            row = {"season_id": self._id, "report": json.dumps(dict(report), separators=(",", ":"))}
            connection.execute(sa.insert(db_schema.questions).values(row))

    def last(self) -> dict[str, Any] | None:
        """Return the stored report, or None; StoreError if it cannot be read."""
        text = self._scalar(self._own(db_schema.questions.c.report))
        if text is None:
            return None
        with explain_unreadable("the integrity report"):
            report: dict[str, Any] = json.loads(text)
        return report
