"""The submissions of authors: immutable versions, their inspection, and the active one.

Each write that changes who plays increments the season's revision, so that a round planned without it is
planned again, and a version joins exactly the round in its row.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import is_recent, log_audit, timestamp
from arbiter.store.database import SeasonRows
from arbiter.store.event_log import EventKind, log_event
from arbiter.store.orders import raise_revision
from arbiter.store.people import lock_player
from arbiter.store.row_values import read_moment
from arbiter.store.versions import (
    ACCEPTED,
    DROPPED,
    OVER,
    RECEIVED,
    REFUSED,
    Submission,
    inspection_order,
    submission,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

DAY, HOUR = timedelta(hours=24), timedelta(hours=1)
NO_LIMIT = 2**31
"""Of what an organiser does for an author."""
SEND, ACTIVATE, INSPECT = "send", "activate", "inspect"
"""Audit verbs: a version was sent, made active, queued for another inspection."""


class RateLimited(Exception):
    """A rate limit is reached; `seconds` until the next use is allowed."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"{seconds} s")
        self.seconds = seconds


class QuotaExceeded(Exception):
    """An author's files would exceed the limit; `bytes_used` are the bytes in use now."""

    def __init__(self, taken: int) -> None:
        super().__init__(f"{taken} bytes")
        self.taken = taken


class SubmissionStore(SeasonRows):
    """The stored submissions of one season: each method reads or writes the database.

    A `number` is the id of a submission, not its version.
    """

    def add(
        self,
        author: str,
        sha256: str,
        file: str,
        per_day: int,
        size: int | None = None,
        quota: int | None = None,
        who: str | None = None,
    ) -> tuple[Submission, bool]:
        """Add an archive of `size` bytes, stored under `file`, as the author's next version.

        Return the version and True, or the earlier version of the same archive and False. RateLimited after
        `per_day` in 24 hours, QuotaExceeded if the author's files would exceed `quota` bytes. `who` is the
        person in the audit log, by default the author.
        """
        with self._store.transaction() as connection:
            # Locks the author's row.
            mine = {"season_id": self._id, "name": author}
            count = db_schema.authors.c.versions
            connection.execute(sa.update(db_schema.authors).filter_by(**mine).values(versions=count + 1))
            before = self._find(connection, author=author, sha256=sha256)
            if before is None:
                if seconds := seconds_until(self._sent_today(connection, author), per_day, DAY):
                    raise RateLimited(seconds)
                there = bytes_used(connection, self._id, author)
                if quota is not None and there + (size or 0) > quota:
                    raise QuotaExceeded(there)
                version = connection.execute(sa.select(count).filter_by(**mine)).scalar_one()
                row = {"season_id": self._id, "author": author, "version": version, "sha256": sha256}
                row |= {"file": file, "received": timestamp(), "state": RECEIVED, "steps": "[]"}
                row |= {"bytes": size}
                connection.execute(sa.insert(db_schema.submissions).values(row))
                made = self._find(connection, author=author, sha256=sha256)
                assert made is not None
                self._log_state(connection, made, RECEIVED)
                log_audit(connection, self._id, who or author, SEND, f"{author}@{version}")
                return made, True
            connection.execute(sa.update(db_schema.authors).filter_by(**mine).values(versions=count - 1))
            return before, False

    def left_today(self, author: str, per_day: int) -> tuple[int, int]:
        """Return how many new archives an author may send now, and if none the seconds until the next."""
        with self._store.reading() as connection:
            sent = self._sent_today(connection, author)
            return max(per_day - len(sent), 0), seconds_until(sent, per_day, DAY)

    def of(self, author: str) -> list[Submission]:
        """Return an author's submissions, newest first."""
        table = db_schema.submissions
        return self._load_submissions(self._own(table, author=author).order_by(table.c.version.desc()))

    def last(self, limit: int, author: str | None = None) -> list[Submission]:
        """Return the last submissions of all authors, or of this one, newest first."""
        table, wanted = db_schema.submissions, {} if author is None else {"author": author}
        return self._load_submissions(self._own(table, **wanted).order_by(table.c.id.desc()).limit(limit))

    def one(self, number: int, author: str | None = None) -> Submission | None:
        """Return a submission by its id, of this author if one is named."""
        wanted: dict[str, object] = {"id": number} | ({} if author is None else {"author": author})
        with self._store.reading() as connection:
            return self._find(connection, **wanted)

    def counts(self) -> dict[str, int]:
        """Return the number of submissions by state."""
        state = db_schema.submissions.c.state
        return dict(map(tuple, self._all(self._own(state, sa.func.count()).group_by(state))))

    def files(self) -> set[str]:
        """Return the names of all archives, of all seasons: the folder is the store's."""
        return {row.file for row in self._all(sa.select(db_schema.submissions.c.file))}

    def next(self, without: Collection[int] = ()) -> Submission | None:
        """Return the first of `queue`: what to inspect now, also if that was begun; None if it is empty."""
        return next(iter(self.queue(without)), None)

    def queue(self, without: Collection[int] = ()) -> list[Submission]:
        """Return `waiting` in `inspection_order` by the last 24 hours, apart from the ids in `without`."""
        waiting = [found for found in self.waiting() if found.id not in without]
        table = db_schema.submissions.c
        done = self._own(table.author, sa.func.count()).where(
            table.state.in_(OVER), is_recent(table.received, DAY)
        )
        counts = dict(map(tuple, self._all(done.group_by(table.author)))) if waiting else {}
        return inspection_order(waiting, counts)

    def waiting(self) -> list[Submission]:
        """Return all submissions not yet accepted, refused or dropped, those under inspection too."""
        table = db_schema.submissions
        return self._load_submissions(self._own(table).where(table.c.state.not_in(OVER)))

    def _load_submissions(self, query: sa.Select[Any]) -> list[Submission]:
        return [submission(row) for row in self._all(query)]

    def begin(self, number: int) -> None:
        """Reset a submission to "received" without steps, unless dropped: its inspection begins."""
        self._update(number, state=RECEIVED, steps="[]")

    def count_failure(self, number: int) -> None:
        """Record an inspection that failed through no fault of the program; it will be repeated."""
        self._update(number, state=RECEIVED, steps="[]", tries=db_schema.submissions.c.tries + 1)

    def inspect_again(self, number: int, who: str) -> bool:
        """Queue a refused submission for another inspection; False if it is not refused or has no files."""
        with self._store.transaction() as connection:
            refused = {"season_id": self._id, "id": number, "state": REFUSED}
            there = db_schema.submissions.c.bytes.is_distinct_from(0)
            update = sa.update(db_schema.submissions).filter_by(**refused).where(there)
            if connection.execute(update.values(state=RECEIVED, steps="[]", tries=0)).rowcount != 1:
                return False
            found = self._find(connection, id=number)
            assert found is not None
            log_audit(connection, self._id, who, INSPECT, f"{found.author}@{found.version}")
        return True

    def record_steps(self, number: int, state: str, steps: Sequence[Mapping[str, Any]]) -> None:
        """Record the state and steps of an inspection in progress."""
        self._update(number, state=state, steps=json.dumps(list(steps)))

    def resubmit(
        self, found: Submission, file: str, size: int, per_day: int, quota: int, who: str
    ) -> Submission | None:
        """Queue a refused version whose archive `who` sent again, stored under `file`; None if not refused.

        RateLimited after `per_day` archives in 24 hours, repeated ones included; QuotaExceeded as for `add`.
        """
        with self._store.transaction() as connection:
            lock_player(connection, self._id, found.author)
            if seconds := seconds_until(self._times(connection, found.author, SEND, DAY), per_day, DAY):
                raise RateLimited(seconds)
            there = bytes_used(connection, self._id, found.author)
            if there - (found.bytes or 0) + size > quota:
                raise QuotaExceeded(there)
            refused = {"season_id": self._id, "id": found.id, "state": REFUSED}
            update = sa.update(db_schema.submissions).filter_by(**refused)
            values = {"state": RECEIVED, "steps": "[]", "tries": 0, "file": file, "bytes": size}
            if connection.execute(update.values(**values)).rowcount != 1:
                return None
            made = self._find(connection, id=found.id)
            assert made is not None
            self._log_state(connection, made, RECEIVED)
            log_audit(connection, self._id, who, SEND, f"{made.author}@{made.version}")
        return made

    def refuse(self, number: int, steps: Sequence[Mapping[str, Any]], under: str | None = None) -> None:
        """Record the refusal that ends an inspection, and log it, unless the version was dropped.

        `under` is a digest of the inspection's machine and terms.
        """
        values = {"state": REFUSED, "steps": json.dumps(list(steps)), "judged": timestamp(), "under": under}
        with self._store.transaction() as connection:
            kept = self._undropped_update(number).values(**values)
            if connection.execute(kept).rowcount == 1:
                found = self._find(connection, id=number)
                assert found is not None
                self._log_state(connection, found, REFUSED)

    def accept(
        self,
        number: int,
        steps: Sequence[Mapping[str, Any]],
        program: Mapping[str, Any],
        size: int | None = None,
    ) -> bool:
        """Accept a version: it plays from the next round on, unless a later one does; False if dropped."""
        with self._store.transaction() as connection:
            found = self._find(connection, id=number)
            assert found is not None
            lock_player(connection, self._id, found.author)
            mine = self._undropped_update(number)
            kept: dict[str, Any] = {"steps": json.dumps(list(steps)), "program": json.dumps(dict(program))}
            kept["judged"] = timestamp()
            kept |= {} if size is None else {"bytes": size}
            if connection.execute(mine.values(state=ACCEPTED, **kept)).rowcount != 1:
                return False
            active = self._active_version(connection, found.author)
            if active is None or active < found.version:
                self._make_active(connection, found, active)
            self._log_state(connection, found, ACCEPTED)
        return True

    def activate(self, number: int, author: str, per_hour: int, who: str | None = None) -> Submission | None:
        """Let an accepted version play from the next round on; None if it is not accepted.

        Writes nothing, and outdates no plan, if it is active already. RateLimited after `per_hour` changes in
        an hour by the author's people. `who` is as for `add`.
        """
        with self._store.transaction() as connection:
            lock_player(connection, self._id, author)
            found = self._find(connection, id=number, author=author)
            if found is None or found.state != ACCEPTED:
                return None
            active = self._active_version(connection, author)
            if active != found.version:
                if seconds := seconds_until(self._times(connection, author, ACTIVATE, HOUR), per_hour, HOUR):
                    raise RateLimited(seconds)
                self._make_active(connection, found, active)
                log_audit(connection, self._id, who or author, ACTIVATE, f"{author}@{found.version}")
            return self._find(connection, id=number)

    def accepted(self) -> list[Submission]:
        """Return all accepted versions, which may play or have played."""
        return self._load_submissions(
            self._own(db_schema.submissions, state=ACCEPTED).order_by(db_schema.submissions.c.id)
        )

    def active(self) -> list[Submission]:
        """Return the versions that play in the next round to be planned, by author."""
        table, authors = db_schema.submissions, db_schema.authors
        same = sa.and_(authors.c.season_id == table.c.season_id, authors.c.name == table.c.author)
        query = sa.select(table).join(authors, sa.and_(same, authors.c.active == table.c.version))
        query = query.where(table.c.season_id == self._id, table.c.state == ACCEPTED)
        return self._load_submissions(query.order_by(table.c.author))

    def _make_active(self, connection: sa.Connection, found: Submission, before: int | None) -> None:
        """Let a version play from the next round on, instead of `before`; outdates plans made meanwhile."""
        raise_revision(connection, self._id, None)
        joins = (connection.execute(self._own(sa.func.max(db_schema.rounds.c.number))).scalar() or 0) + 1
        mine = {"season_id": self._id, "author": found.author}
        table = sa.update(db_schema.submissions)
        if before is not None:
            # The version that would have joined the same round does not.
            left = table.filter_by(**mine, version=before, joins_round=joins)
            connection.execute(left.values(joins_round=None))
        connection.execute(table.filter_by(**mine, version=found.version).values(joins_round=joins))
        author = sa.update(db_schema.authors).filter_by(season_id=self._id, name=found.author)
        connection.execute(author.values(active=found.version))

    def _active_version(self, connection: sa.Connection, author: str) -> int | None:
        return connection.execute(self._own(db_schema.authors.c.active, name=author)).scalar()

    def _find(self, connection: sa.Connection, **wanted: object) -> Submission | None:
        """Return the season's one submission with these column values, or None."""
        row = connection.execute(self._own(db_schema.submissions, **wanted)).one_or_none()
        return None if row is None else submission(row)

    def _sent_today(self, connection: sa.Connection, author: str) -> list[str]:
        """Return the times of an author's new archives in the last 24 hours, oldest first."""
        return self._recent_times(connection, db_schema.submissions.c.received, DAY, author=author)

    def _times(self, connection: sa.Connection, author: str, verb: str, span: timedelta) -> list[str]:
        """Return the times of an action on an author's versions within a span, oldest first."""
        # By any of the author's people; no name contains @.
        mine = f"{author}@"
        his = sa.func.substr(db_schema.audit.c.subject, 1, len(mine)) == mine
        return self._recent_times(connection, db_schema.audit.c.moment, span, his, verb=verb)

    def _recent_times(
        self,
        connection: sa.Connection,
        column: sa.Column[Any],
        span: timedelta,
        *asked: sa.ColumnElement[bool],
        **wanted: str,
    ) -> list[str]:
        """Return a column's times within `span` before now, of the rows wanted, oldest first."""
        query = self._own(column, **wanted).where(is_recent(column, span), *asked).order_by(column)
        return list(connection.execute(query).scalars())

    def _log_state(self, connection: sa.Connection, found: Submission, state: str) -> None:
        """Log the event of a submission's state."""
        which: dict[str, str | int] = {"author": found.author, "version": found.version, "state": state}
        log_event(connection, self._id, EventKind.SUBMISSION, 0, str(found.id), **which)

    def _update(self, number: int, **values: object) -> None:
        """Change a submission in a transaction, unless it was dropped."""
        self._write(self._undropped_update(number).values(**values))

    def _undropped_update(self, number: int) -> sa.Update:
        """Return an SQL update of a submission, unless it was dropped."""
        mine = sa.update(db_schema.submissions).filter_by(season_id=self._id, id=number)
        return mine.where(db_schema.submissions.c.state != DROPPED)


def bytes_used(connection: sa.Connection, season: int, author: str) -> int:
    """Return the bytes of an author's files, within a transaction."""
    total = sa.select(sa.func.sum(db_schema.submissions.c.bytes)).filter_by(season_id=season, author=author)
    return int(connection.execute(total).scalar() or 0)


def seconds_until(done: Sequence[str], limit: int, span: timedelta) -> int:
    """Return the seconds until an action limited to `limit` in a span is allowed; 0 if it is now.

    `done` are the times of the action within the span, oldest first.
    """
    if len(done) < limit:
        return 0
    earliest = read_moment(done[-limit], "the time of an author's action")
    free = earliest + span - datetime.now(UTC)
    return max(int(free.total_seconds()) + 1, 1)
