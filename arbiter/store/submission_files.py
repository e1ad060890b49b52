"""The disk use of submissions, and their removal.

Only a version that has never played may be dropped: played rounds are verified and replayed with its files.
Files are marked as removed in the store first, then deleted; if the process is killed in between, a later
`sweep` deletes them.
"""

from __future__ import annotations

import json
from typing import NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import log_audit
from arbiter.store.database import SeasonRows
from arbiter.store.people import lock_player
from arbiter.store.row_values import read_tables
from arbiter.store.submissions import bytes_used
from arbiter.store.versions import DROPPED, REFUSED


class VersionInUse(Exception):
    """A version cannot be dropped: it is `active`, or has played."""

    def __init__(self, active: bool) -> None:
        super().__init__("it is active" if active else "it has played")
        self.active = active


class RemovedFiles(NamedTuple):
    """The names of archives and programs in the folder of submissions that may be deleted."""

    archives: set[str]
    programs: set[str]


class SubmissionFiles(SeasonRows):
    """What the database holds about the files of one season's submissions; no file itself is touched.

    A `number` is the id of a submission, not its version.
    """

    def taken(self, author: str) -> int:
        """Return how many bytes an author's files take."""
        with self._store.reading() as connection:
            return bytes_used(connection, self._id, author)

    def has_played(self, author: str, version: int) -> bool:
        """Return True if a version sat at a table of any round."""
        with self._store.reading() as connection:
            return _has_played(connection, self._id, f"{author}@{version}")

    def drop(self, number: int, author: str, who: str | None = None) -> None:
        """Mark a submission as dropped, before its files are deleted; VersionInUse if it plays or has played.

        `who` is the person in the audit log, by default the author.
        """
        with self._store.transaction() as connection:
            lock_player(connection, self._id, author)
            plays = connection.execute(self._own(db_schema.authors.c.active, name=author)).scalar()
            row = connection.execute(self._own(db_schema.submissions, id=number, author=author)).one_or_none()
            if row is None or row.state == DROPPED:
                return
            rated = f"{author}@{row.version}"
            if row.version == plays or _has_played(connection, self._id, rated):
                raise VersionInUse(active=row.version == plays)
            _mark_dropped(connection, [row.id])
            log_audit(connection, self._id, who or author, "drop", rated)

    def without_size(self) -> dict[int, str]:
        """Return the file names by id of submissions whose size is not recorded."""
        table = db_schema.submissions.c
        return dict(map(tuple, self._all(self._own(table.id, table.file, bytes=None))))

    def count(self, number: int, size: int) -> None:
        """Record the size of a submission in bytes, unless it was dropped meanwhile."""
        table = db_schema.submissions
        self._write(sa.update(table).filter_by(id=number).where(table.c.state != DROPPED).values(bytes=size))

    def expire_archives(self, before: str) -> None:
        """Set the bytes of refused submissions received before a time to 0, so that `gone` has them."""
        table = db_schema.submissions
        old = sa.update(table).filter_by(season_id=self._id, state=REFUSED).where(table.c.received < before)
        self._write(old.values(bytes=0))

    def gone(self) -> RemovedFiles:
        """Return the files that may be deleted, of all seasons, since the folder is the store's.

        Programs are those of dropped and refused versions, archives those of them with `bytes` 0.
        """
        table = db_schema.submissions.c
        rows = self._all(sa.select(table.file, table.bytes).where(table.state.in_((DROPPED, REFUSED))))
        return RemovedFiles({row.file for row in rows if row.bytes == 0}, {row.file for row in rows})


def drop_unplayed_versions(connection: sa.Connection, season: int, author: str) -> list[str]:
    """Mark an author's versions that neither play nor have played as dropped, as `_mark_dropped` does.

    Return their file names, for the caller to delete. The author's row is locked until the transaction ends.
    """
    table = db_schema.submissions
    lock_player(connection, season, author)
    playing = sa.select(db_schema.authors.c.active).filter_by(season_id=season, name=author)
    active = connection.execute(playing).scalar()
    query = sa.select(table).filter_by(season_id=season, author=author).where(table.c.state != DROPPED)
    rows = [
        row
        for row in connection.execute(query.order_by(table.c.id)).all()
        if row.version != active and not _has_played(connection, season, f"{author}@{row.version}")
    ]
    _mark_dropped(connection, [row.id for row in rows])
    return [row.file for row in rows]


def _mark_dropped(connection: sa.Connection, numbers: list[int]) -> None:
    """Set submissions to state "dropped", `bytes` 0 and `joins_round` None; no row is deleted."""
    mine = sa.update(db_schema.submissions).where(db_schema.submissions.c.id.in_(numbers))
    connection.execute(mine.values(state=DROPPED, bytes=0, joins_round=None))


def _has_played(connection: sa.Connection, season: int, rated: str) -> bool:
    """Read from the stored tables of all rounds whether a version sat at one."""
    table = db_schema.rounds
    query = sa.select(table.c.number, table.c.tables).filter_by(season_id=season)
    # A prefilter: databases may compare without case here.
    rows = connection.execute(query.where(table.c.tables.contains(json.dumps(rated), autoescape=True)))
    return any(rated in names for row in rows for names in read_tables(row.tables, row.number))
