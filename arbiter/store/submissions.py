"""The submissions of authors: versions that never change, what was found of each, and which one plays.

Each write that changes who plays counts the season's revision up, so that a round that was planned
without it is planned again, and a version joins the very round that its row names.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import moment, note
from arbiter.store.database import Book
from arbiter.store.event_log import Happening, log
from arbiter.store.orders import count_up
from arbiter.store.people import lock
from arbiter.store.row_values import read_moment
from arbiter.store.versions import ACCEPTED, DROPPED, OVER, RECEIVED, REFUSED, Submission, submission

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

DAY, HOUR = timedelta(hours=24), timedelta(hours=1)
STEP = timedelta(minutes=1)
"""By which a clock that is set right may go back without anything being forgotten."""
ACTIVATE = "activate"
"""The verb of the audit log for a version made active by its author."""
SEND = "send"
"""The one for a version sent."""


class TooMany(Exception):
    """An author has done something as often as is allowed; `seconds` until it is allowed once more."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"{seconds} s")
        self.seconds = seconds


class NoRoom(Exception):
    """An author's files would take more than they may; `taken` are the bytes that they take now."""

    def __init__(self, taken: int) -> None:
        super().__init__(f"{taken} bytes")
        self.taken = taken


class SubmissionBook(Book):
    """The submissions of one season."""

    def add(
        self,
        author: str,
        sha256: str,
        file: str,
        per_day: int,
        size: int | None = None,
        most: int | None = None,
        who: str | None = None,
    ) -> tuple[Submission, bool]:
        """Keep an archive, of `size` bytes, that lies whole in its place, as the author's next version.

        The log names `who` of the author's people sent it, by default the first one.
        The same archive again is the version that it was before, with False. TooMany where the author has
        sent `per_day` in 24 hours, NoRoom where all of an author's files would take more than `most` bytes.
        """
        with self._store.transaction() as connection:
            # The first one has the author's row to itself.
            mine = {"season_id": self._id, "name": author}
            count = db_schema.authors.c.versions
            connection.execute(sa.update(db_schema.authors).filter_by(**mine).values(versions=count + 1))
            before = self._find(connection, author=author, sha256=sha256)
            if before is None:
                if seconds := seconds_until(self._sent_today(connection, author), per_day, DAY):
                    raise TooMany(seconds)
                there = taken(connection, self._id, author)
                if most is not None and there + (size or 0) > most:
                    raise NoRoom(there)
                version = connection.execute(sa.select(count).filter_by(**mine)).scalar_one()
                row = {"season_id": self._id, "author": author, "version": version, "sha256": sha256}
                row |= {"file": file, "received": moment(), "state": RECEIVED, "steps": "[]"}
                row |= {"bytes": size}
                connection.execute(sa.insert(db_schema.submissions).values(row))
                made = self._find(connection, author=author, sha256=sha256)
                assert made is not None
                self._tell(connection, made, RECEIVED)
                note(connection, self._id, who or author, SEND, f"{author}@{version}")
                return made, True
            connection.execute(sa.update(db_schema.authors).filter_by(**mine).values(versions=count - 1))
            return before, False

    def left_today(self, author: str, per_day: int) -> tuple[int, int]:
        """Return how many new archives an author may send now, and the seconds until one more if none."""
        with self._store.reading() as connection:
            sent = self._sent_today(connection, author)
            return max(per_day - len(sent), 0), seconds_until(sent, per_day, DAY)

    def of(self, author: str) -> list[Submission]:
        """All that an author sent, the newest first."""
        table = db_schema.submissions
        return self._read(self._own(table, author=author).order_by(table.c.version.desc()))

    def last(self, most: int) -> list[Submission]:
        """The last submissions of all authors, the newest first."""
        table = db_schema.submissions
        return self._read(self._own(table).order_by(table.c.id.desc()).limit(most))

    def one(self, number: int, author: str | None = None) -> Submission | None:
        """A submission by its id, of this author if one is named."""
        wanted: dict[str, object] = {"id": number} | ({} if author is None else {"author": author})
        with self._store.reading() as connection:
            return self._find(connection, **wanted)

    def counts(self) -> dict[str, int]:
        """Return how many submissions are in each state that any is in."""
        state = db_schema.submissions.c.state
        return dict(map(tuple, self._all(self._own(state, sa.func.count()).group_by(state))))

    def files(self) -> set[str]:
        """The names of all archives that are kept, other seasons' too: the folder is that of the store."""
        return {row.file for row in self._all(sa.select(db_schema.submissions.c.file))}

    def next(self, without: Collection[int] = ()) -> Submission | None:
        """Return the submission to inspect now: of the author of whom fewest were inspected in a day.

        None where nothing waits but those of the ids in `without`.
        """
        waiting = [found for found in self.waiting() if found.id not in without]
        table = db_schema.submissions.c
        done = self._own(table.author, sa.func.count()).where(
            table.state.in_(OVER), lately(table.received, DAY)
        )
        counts = dict(map(tuple, self._all(done.group_by(table.author)))) if waiting else {}
        return min(waiting, key=lambda found: (counts.get(found.author, 0), found.id), default=None)

    def waiting(self) -> list[Submission]:
        """All whose inspection has not ended."""
        table = db_schema.submissions
        return self._read(self._own(table).where(table.c.state.not_in(OVER)))

    def _read(self, query: sa.Select[Any]) -> list[Submission]:
        return [submission(row) for row in self._all(query)]

    def begin(self, number: int) -> None:
        """Begin an inspection, from the first step on."""
        self._update(number, state=RECEIVED, steps="[]")

    def fail(self, number: int) -> None:
        """Count an inspection that failed on our side; it is to be begun again."""
        self._update(number, state=RECEIVED, steps="[]", tries=db_schema.submissions.c.tries + 1)

    def again(self, number: int, who: str) -> bool:
        """Have a refused submission inspected again; False for one that is not refused, or has no files."""
        with self._store.transaction() as connection:
            refused = {"season_id": self._id, "id": number, "state": REFUSED}
            there = db_schema.submissions.c.bytes.is_distinct_from(0)
            anew = sa.update(db_schema.submissions).filter_by(**refused).where(there)
            if connection.execute(anew.values(state=RECEIVED, steps="[]", tries=0)).rowcount != 1:
                return False
            found = self._find(connection, id=number)
            assert found is not None
            note(connection, self._id, who, "inspect", f"{found.author}@{found.version}")
        return True

    def tell(self, number: int, state: str, steps: Sequence[Mapping[str, Any]]) -> None:
        """Keep how far an inspection has come."""
        self._update(number, state=state, steps=json.dumps(list(steps)))

    def sent_again(
        self, found: Submission, file: str, size: int, per_day: int, most: int, who: str
    ) -> Submission | None:
        """Have a refused version inspected again by its archive as it was sent again by `who`, whose place is
        `file`; None for one that is not refused.

        TooMany where the author has sent `per_day` in 24 hours, this one and new ones, NoRoom as of `add`.
        """
        with self._store.transaction() as connection:
            lock(connection, self._id, found.author)
            if seconds := seconds_until(self._deeds(connection, found.author, SEND, DAY), per_day, DAY):
                raise TooMany(seconds)
            there = taken(connection, self._id, found.author)
            if there - (found.bytes or 0) + size > most:
                raise NoRoom(there)
            refused = {"season_id": self._id, "id": found.id, "state": REFUSED}
            anew = sa.update(db_schema.submissions).filter_by(**refused)
            values = {"state": RECEIVED, "steps": "[]", "tries": 0, "file": file, "bytes": size}
            if connection.execute(anew.values(**values)).rowcount != 1:
                return None
            made = self._find(connection, id=found.id)
            assert made is not None
            self._tell(connection, made, RECEIVED)
            note(connection, self._id, who, SEND, f"{made.author}@{made.version}")
        return made

    def refuse(self, number: int, steps: Sequence[Mapping[str, Any]], under: str | None = None) -> None:
        """End an inspection with a refusal; `under` is a digest of what it was made under."""
        values = {"state": REFUSED, "steps": json.dumps(list(steps)), "judged": moment(), "under": under}
        with self._store.transaction() as connection:
            kept = self._kept(number).values(**values)
            if connection.execute(kept).rowcount == 1:
                found = self._find(connection, id=number)
                assert found is not None
                self._tell(connection, found, REFUSED)

    def accept(
        self,
        number: int,
        steps: Sequence[Mapping[str, Any]],
        program: Mapping[str, Any],
        size: int | None = None,
    ) -> bool:
        """End an inspection well: the version plays from the next round on, unless a later one does.

        Its files take `size` bytes. False for one that was dropped meanwhile.
        """
        with self._store.transaction() as connection:
            found = self._find(connection, id=number)
            assert found is not None
            lock(connection, self._id, found.author)
            mine = self._kept(number)
            kept: dict[str, Any] = {"steps": json.dumps(list(steps)), "program": json.dumps(dict(program))}
            kept["judged"] = moment()
            kept |= {} if size is None else {"bytes": size}
            if connection.execute(mine.values(state=ACCEPTED, **kept)).rowcount != 1:
                return False
            active = self._active(connection, found.author)
            if active is None or active < found.version:
                self._make_active(connection, found, active)
            self._tell(connection, found, ACCEPTED)
        return True

    def activate(self, number: int, author: str, per_hour: int, who: str | None = None) -> Submission | None:
        """Let an accepted version play from the next round on; None for one that cannot.

        Only what changes who plays is written, and outdates a plan. TooMany where the author's people have
        done so `per_hour` times in an hour. `who` is as of `add`.
        """
        with self._store.transaction() as connection:
            lock(connection, self._id, author)
            found = self._find(connection, id=number, author=author)
            if found is None or found.state != ACCEPTED:
                return None
            active = self._active(connection, author)
            if active != found.version:
                if seconds := seconds_until(self._deeds(connection, author, ACTIVATE, HOUR), per_hour, HOUR):
                    raise TooMany(seconds)
                self._make_active(connection, found, active)
                note(connection, self._id, who or author, ACTIVATE, f"{author}@{found.version}")
            return self._find(connection, id=number)

    def accepted(self) -> list[Submission]:
        """All versions that may play, or have played."""
        return self._read(
            self._own(db_schema.submissions, state=ACCEPTED).order_by(db_schema.submissions.c.id)
        )

    def active(self) -> list[Submission]:
        """The versions that play in the next round to be planned, by author."""
        table, authors = db_schema.submissions, db_schema.authors
        same = sa.and_(authors.c.season_id == table.c.season_id, authors.c.name == table.c.author)
        query = sa.select(table).join(authors, sa.and_(same, authors.c.active == table.c.version))
        query = query.where(table.c.season_id == self._id, table.c.state == ACCEPTED)
        return self._read(query.order_by(table.c.author))

    def _make_active(self, connection: sa.Connection, found: Submission, before: int | None) -> None:
        count_up(connection, self._id, None)
        joins = (connection.execute(self._own(sa.func.max(db_schema.rounds.c.number))).scalar() or 0) + 1
        mine = {"season_id": self._id, "author": found.author}
        table = sa.update(db_schema.submissions)
        if before is not None:
            # One that was to join the same round never does.
            left = table.filter_by(**mine, version=before, joins_round=joins)
            connection.execute(left.values(joins_round=None))
        connection.execute(table.filter_by(**mine, version=found.version).values(joins_round=joins))
        author = sa.update(db_schema.authors).filter_by(season_id=self._id, name=found.author)
        connection.execute(author.values(active=found.version))

    def _active(self, connection: sa.Connection, author: str) -> int | None:
        return connection.execute(self._own(db_schema.authors.c.active, name=author)).scalar()

    def _find(self, connection: sa.Connection, **wanted: object) -> Submission | None:
        row = connection.execute(self._own(db_schema.submissions, **wanted)).one_or_none()
        return None if row is None else submission(row)

    def _sent_today(self, connection: sa.Connection, author: str) -> list[str]:
        """Return when an author sent new archives in the last 24 hours, the oldest first."""
        return self._moments(connection, db_schema.submissions.c.received, DAY, author=author)

    def _deeds(self, connection: sa.Connection, author: str, verb: str, span: timedelta) -> list[str]:
        """Return when something was done with a version of an author within a span, the oldest first."""
        # Whoever of the author's people did it; no name has an @.
        mine = f"{author}@"
        his = sa.func.substr(db_schema.audit.c.subject, 1, len(mine)) == mine
        return self._moments(connection, db_schema.audit.c.moment, span, his, verb=verb)

    def _moments(
        self,
        connection: sa.Connection,
        column: sa.Column[Any],
        span: timedelta,
        *asked: sa.ColumnElement[bool],
        **wanted: str,
    ) -> list[str]:
        query = self._own(column, **wanted).where(lately(column, span), *asked).order_by(column)
        return list(connection.execute(query).scalars())

    def _tell(self, connection: sa.Connection, found: Submission, state: str) -> None:
        which: dict[str, str | int] = {"author": found.author, "version": found.version, "state": state}
        log(connection, self._id, Happening.SUBMISSION, 0, str(found.id), **which)

    def _update(self, number: int, **values: object) -> None:
        self._write(self._kept(number).values(**values))

    def _kept(self, number: int) -> sa.Update:
        """A change of a submission, unless it was dropped."""
        mine = sa.update(db_schema.submissions).filter_by(season_id=self._id, id=number)
        return mine.where(db_schema.submissions.c.state != DROPPED)


def taken(connection: sa.Connection, season: int, author: str) -> int:
    """Return how many bytes an author's files take, within a transaction."""
    total = sa.select(sa.func.sum(db_schema.submissions.c.bytes)).filter_by(season_id=season, author=author)
    return int(connection.execute(total).scalar() or 0)


def seconds_until(done: Sequence[str], most: int, span: timedelta) -> int:
    """Seconds until something may be done again that is allowed `most` times in a span; 0 if it may now.

    `done` is when it was done within the span, the oldest first.
    """
    if len(done) < most:
        return 0
    earliest = read_moment(done[-most], "a moment at which an author did something")
    free = earliest + span - datetime.now(UTC)
    return max(int(free.total_seconds()) + 1, 1)


def ago(span: timedelta) -> str:
    """The moment so long before now, as the store keeps moments."""
    return moment(-span)


def lately(column: sa.ColumnElement[Any], span: timedelta) -> sa.ColumnElement[bool]:
    """True for a moment within a span before now; one that is to come was kept while the clock was wrong."""
    return sa.and_(column > ago(span), column <= moment(STEP))
