"""The room that submissions take on the disk: what each author's files come to, and which of them go.

A version that never played may go, one that has played never does: rounds are checked and played again with
its files. The store says first that files are gone, then they are removed; a process killed in between
leaves files of which the store says so, and a later `sweep` removes them.
"""

from __future__ import annotations

import json
from typing import NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import note
from arbiter.store.database import Book
from arbiter.store.people import lock
from arbiter.store.row_values import read_tables
from arbiter.store.submissions import taken
from arbiter.store.versions import DROPPED, REFUSED


class Stays(Exception):
    """A version cannot be dropped: it is `active`, or else has played."""

    def __init__(self, active: bool) -> None:
        super().__init__("it is active" if active else "it has played")
        self.active = active


class Gone(NamedTuple):
    """The names of what lies in the folder of all submissions for nobody any more."""

    archives: set[str]
    programs: set[str]


class Shelf(Book):
    """The space that the submissions of one season take."""

    def taken(self, author: str) -> int:
        """Return how many bytes an author's files take."""
        with self._store.reading() as connection:
            return taken(connection, self._id, author)

    def has_played(self, author: str, version: int) -> bool:
        """True where a version sat at a table of any round."""
        with self._store.reading() as connection:
            return _has_played(connection, self._id, f"{author}@{version}")

    def drop(self, number: int, author: str, who: str | None = None) -> None:
        """Say that a submission's files are gone, which the caller then removes; Stays where they may not.

        The log names `who` of the author's people does it, by default the first one.
        """
        with self._store.transaction() as connection:
            lock(connection, self._id, author)
            plays = connection.execute(self._own(db_schema.authors.c.active, name=author)).scalar()
            row = connection.execute(self._own(db_schema.submissions, id=number, author=author)).one_or_none()
            if row is None or row.state == DROPPED:
                return
            rated = f"{author}@{row.version}"
            if row.version == plays or _has_played(connection, self._id, rated):
                raise Stays(active=row.version == plays)
            _drop(connection, [row.id])
            note(connection, self._id, who or author, "drop", rated)

    def uncounted(self) -> dict[int, str]:
        """By id the names of submissions of which nobody has counted what they take."""
        table = db_schema.submissions.c
        return dict(map(tuple, self._all(self._own(table.id, table.file, bytes=None))))

    def count(self, number: int, size: int) -> None:
        """Keep how many bytes a submission takes, unless it was dropped meanwhile."""
        table = db_schema.submissions
        self._write(sa.update(table).filter_by(id=number).where(table.c.state != DROPPED).values(bytes=size))

    def expire(self, before: str) -> None:
        """Say that the archives are gone of what was sent before a moment and refused."""
        table = db_schema.submissions
        old = sa.update(table).filter_by(season_id=self._id, state=REFUSED).where(table.c.received < before)
        self._write(old.values(bytes=0))

    def gone(self) -> Gone:
        """Return what the store says is gone, of other seasons too: the folder is that of the store."""
        table = db_schema.submissions.c
        rows = self._all(sa.select(table.file, table.bytes).where(table.state.in_((DROPPED, REFUSED))))
        return Gone({row.file for row in rows if row.bytes == 0}, {row.file for row in rows})


def drop_unplayed(connection: sa.Connection, season: int, author: str) -> list[str]:
    """Drop all of an author's versions that do not play and never did; the names of their files."""
    table = db_schema.submissions
    lock(connection, season, author)
    playing = sa.select(db_schema.authors.c.active).filter_by(season_id=season, name=author)
    active = connection.execute(playing).scalar()
    query = sa.select(table).filter_by(season_id=season, author=author).where(table.c.state != DROPPED)
    rows = [
        row
        for row in connection.execute(query.order_by(table.c.id)).all()
        if row.version != active and not _has_played(connection, season, f"{author}@{row.version}")
    ]
    _drop(connection, [row.id for row in rows])
    return [row.file for row in rows]


def _drop(connection: sa.Connection, numbers: list[int]) -> None:
    mine = sa.update(db_schema.submissions).where(db_schema.submissions.c.id.in_(numbers))
    connection.execute(mine.values(state=DROPPED, bytes=0, joins_round=None))


def _has_played(connection: sa.Connection, season: int, rated: str) -> bool:
    table = db_schema.rounds
    query = sa.select(table.c.number, table.c.tables).filter_by(season_id=season)
    # No database need tell capitals apart here.
    rows = connection.execute(query.where(table.c.tables.contains(json.dumps(rated), autoescape=True)))
    return any(rated in names for row in rows for names in read_tables(row.tables, row.number))
