"""The matches that authors ask for: a fair queue for each season.

Next is the author with the least time served today, inspections included, and of that author the oldest
request, so that many or long requests delay only their own author. The matches are in a separate store; the
outcomes are here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import is_recent, time_before, timestamp
from arbiter.store.database import SeasonRows
from arbiter.store.event_log import EventKind, log_event
from arbiter.store.row_values import explain_unreadable
from arbiter.store.submissions import DAY, HOUR, RateLimited, seconds_until

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

WAITING, PLAYING, DONE, REFUSED, CANCELLED = "waiting", "playing", "done", "refused", "cancelled"
OPEN = (WAITING, PLAYING)
PACE_OF = 50
"""The number of latest requests that `pace` averages over."""


@dataclass(frozen=True, slots=True)
class Request:
    """An author's request; `wish` has the players and deals, as checked.

    `place` is the name of its matches' season in the store of requests. `played` of at most `most` matches
    are stored, which took `spent_ms`; `outcome` is None before the first; `problem` is why it was refused.
    """

    id: int
    author: str
    place: str
    kind: str
    wish: Mapping[str, Any]
    state: str
    received: str
    ended: str | None
    played: int
    most: int
    spent_ms: int
    outcome: Mapping[str, Any] | None
    problem: str | None

    @property
    def over(self) -> bool:
        """True if it is done, refused or cancelled."""
        return self.state not in OPEN


class RequestStore(SeasonRows):
    """The stored requests of one season: each method reads or writes the database."""

    def add(
        self, author: str, kind: str, wish: Mapping[str, Any], limit: int, per_day: int, per_hour: int
    ) -> Request:
        """Add a request of up to `limit` matches; RateLimited after `per_day` or `per_hour` requests."""
        row = {"season_id": self._id, "author": author, "kind": kind, "wish": json.dumps(dict(wish))}
        row |= {"state": WAITING, "received": timestamp(), "most": limit, "place": f"request-{token_hex(8)}"}
        with self._store.transaction() as connection:
            # Locks the author's row.
            mine = sa.update(db_schema.authors).filter_by(season_id=self._id, name=author)
            connection.execute(mine.values(name=author))
            made = self._times_made(connection, author)
            if seconds := _requests_left(made, per_day, per_hour)[1]:
                raise RateLimited(seconds)
            number = connection.execute(sa.insert(db_schema.requests).values(row)).inserted_primary_key
            assert number is not None
            self._log_state(connection, number[0], author, kind, WAITING)
            return _request(connection.execute(self._own(db_schema.requests, id=number[0])).one())

    def left(self, author: str, per_day: int, per_hour: int) -> tuple[int, int]:
        """Return how many requests an author may make now, and if none the seconds until the next."""
        with self._store.reading() as connection:
            return _requests_left(self._times_made(connection, author), per_day, per_hour)

    def one(self, number: int, author: str | None = None) -> Request | None:
        """Return a request by its id, of this author if one is named."""
        wanted: dict[str, object] = {"id": number} | ({} if author is None else {"author": author})
        return next(iter(self._load_requests(self._own(db_schema.requests, **wanted))), None)

    def last(self, limit: int, author: str | None = None, before: int | None = None) -> list[Request]:
        """Return the last `limit` requests with ids below `before`, of this author if named, newest first."""
        table = db_schema.requests
        query = self._own(table, **({} if author is None else {"author": author}))
        query = query if before is None else query.where(table.c.id < before)
        return self._load_requests(query.order_by(table.c.id.desc()).limit(limit))

    def ended_before(self, when: str) -> list[Request]:
        """Return the requests that ended before a time and whose matches are still stored."""
        table = db_schema.requests
        return self._load_requests(self._own(table).where(table.c.ended < when, table.c.played > 0))

    def next(self, without: Collection[int] = ()) -> Request | None:
        """Return the oldest open request, apart from `without`, of the author least served today, or None."""
        table = db_schema.requests
        first = self._own(table.c.author, sa.func.min(table.c.id).label("id"))
        first = first.where(table.c.state.in_(OPEN)).group_by(table.c.author)
        first = first.where(table.c.id.not_in(without)) if without else first
        heads = {row.id: row.author for row in self._all(first)}
        served = self.served() if len(heads) > 1 else {}
        number = min(heads, key=lambda one: (served.get(heads[one], 0), one), default=None)
        return None if number is None else self.one(number)

    def served(self) -> dict[str, int]:
        """Return the time served today by author, in ms."""
        table = db_schema.served.c
        return dict(map(tuple, self._all(self._own(table.author, table.ms, day=_today()))))

    def count(self, author: str, ms: int) -> None:
        """Add to the time that an author was served today, in ms."""
        with self._store.transaction() as connection:
            self._add_served(connection, author, ms)

    def begin(self, number: int) -> bool:
        """Mark a request as being played; False if it is over."""
        return self._change_request(number, state=PLAYING)

    def keep(self, number: int, author: str, played: int, ms: int, outcome: Mapping[str, Any] | None) -> bool:
        """Record a match that took `ms`, now `played` in all; `outcome` None leaves the outcome unchanged.

        False if the request is over: then the match and its time count all the same.
        """
        new = {} if outcome is None else {"outcome": json.dumps(dict(outcome))}
        spent = db_schema.requests.c.spent_ms + ms
        with self._store.transaction() as connection:
            self._add_served(connection, author, ms)
            mine = sa.update(db_schema.requests).filter_by(season_id=self._id, id=number)
            connection.execute(mine.values(played=played, spent_ms=spent))
            return self._update(connection, {"id": number}, **{"state": PLAYING, **new})

    def finish(self, number: int, outcome: Mapping[str, Any] | None, problem: str | None = None) -> bool:
        """End a request, as refused if there is a `problem`; False if it is over."""
        kept = {} if outcome is None else {"outcome": json.dumps(dict(outcome))}
        state = DONE if problem is None else REFUSED
        return self._change_request(number, state=state, ended=timestamp(), problem=problem, **kept)

    def cancel(self, number: int, author: str) -> bool:
        """Cancel an author's request; False if it is over. A match in progress is still recorded."""
        with self._store.transaction() as connection:
            return self._update(
                connection, {"id": number, "author": author}, state=CANCELLED, ended=timestamp()
            )

    def forget_matches(self, number: int) -> None:
        """Record that the matches of an ended request were deleted; its outcome stays."""
        mine = sa.update(db_schema.requests).filter_by(season_id=self._id, id=number)
        self._write(mine.values(played=0))

    def ahead(self, request: Request) -> tuple[int, int]:
        """Return the number of requests ahead of this one, and of matches until it is over.

        Waiting authors take turns: each other author plays at most as many matches as this one has left.
        """
        table = db_schema.requests.c
        left = sa.func.sum(table.most - table.played)
        waiting = table.state.in_(OPEN)
        own = self._own(sa.func.count().label("many"), left.label("left"), author=request.author).where(
            waiting, table.id <= request.id
        )
        rest = self._own(table.author, left).where(waiting, table.author != request.author)
        row = self._all(own)[0]
        before, mine = row.many, row.left or 0
        others = dict(map(tuple, self._all(rest.group_by(table.author))))
        served = self.served()
        first = sum(served.get(name, 0) < served.get(request.author, 0) for name in others)
        between = sum(min(mine, matches) for matches in others.values())
        return max(before - 1, 0) + first, mine + between

    def number_open(self) -> int:
        """Return the number of requests that are not over, of all authors."""
        table = db_schema.requests.c
        return int(self._scalar(self._own(sa.func.count(table.id)).where(table.state.in_(OPEN))) or 0)

    def pace(self) -> float | None:
        """Return the mean seconds per match of the latest requests; None before the first."""
        table = db_schema.requests.c
        query = self._own(table.played, table.spent_ms).where(table.played > 0)
        rows = self._all(query.order_by(table.id.desc()).limit(PACE_OF))
        played = sum(row.played for row in rows)
        return sum(row.spent_ms for row in rows) / played / 1000 if played else None

    def _times_made(self, connection: sa.Connection, author: str) -> list[str]:
        """Return the times of an author's requests in the last 24 hours, oldest first."""
        column = db_schema.requests.c.received
        query = self._own(column, author=author).where(is_recent(column, DAY)).order_by(column)
        return list(connection.execute(query).scalars())

    def _add_served(self, connection: sa.Connection, author: str, ms: int) -> None:
        """Add to the time served today, as `count`, within a transaction."""
        key = {"season_id": self._id, "author": author, "day": _today()}
        self._store.insert_once(connection, db_schema.served, {**key, "ms": 0})
        mine = sa.update(db_schema.served).filter_by(**key)
        connection.execute(mine.values(ms=db_schema.served.c.ms + ms))

    def _change_request(self, number: int, **values: object) -> bool:
        """Change an open request in a transaction and log a new state; False if it is over."""
        with self._store.transaction() as connection:
            return self._update(connection, {"id": number}, **values)

    def _update(self, connection: sa.Connection, which: Mapping[str, object], **values: object) -> bool:
        """Change a request and log a new state; False if it is over."""
        table = db_schema.requests.c
        found = connection.execute(
            self._own(table.id, table.author, table.kind, table.state, **which)
        ).one_or_none()
        mine = sa.update(db_schema.requests).filter_by(season_id=self._id, **which)
        changed = connection.execute(mine.where(table.state.in_(OPEN)).values(**values)).rowcount == 1
        if changed and found is not None and (state := values.get("state", found.state)) != found.state:
            self._log_state(connection, found.id, found.author, found.kind, str(state))
        return changed

    def _log_state(self, connection: sa.Connection, number: int, author: str, kind: str, state: str) -> None:
        """Log the event of a request's state."""
        which = {"author": author, "kind": kind, "state": state}
        log_event(connection, self._id, EventKind.REQUEST, 0, str(number), **which)

    def _load_requests(self, query: sa.Select[Any]) -> list[Request]:
        return [_request(row) for row in self._all(query)]


def _request(row: sa.Row[Any]) -> Request:
    """Return the request of a row; StoreError if it cannot be read."""
    shape = {name: row._mapping[name] for name in Request.__slots__}
    with explain_unreadable(f"request {row.id}"):
        shape["wish"] = dict(json.loads(row.wish))
        shape["outcome"] = None if row.outcome is None else json.loads(row.outcome, object_hook=_rename_keys)
    return Request(**shape)


def _rename_keys(shape: dict[str, Any]) -> dict[str, Any]:
    """Return a stored outcome with the present names of its keys."""
    return {_EARLIER.get(key, key): value for key, value in shape.items()}


_EARLIER = {"won": "wins", "drawn": "draws", "lost": "losses"}
"""Current keys of outcomes by those of earlier versions."""


def _requests_left(made: list[str], per_day: int, per_hour: int) -> tuple[int, int]:
    """Return how many more requests may be made, and if none the seconds until the next."""
    recent = [when for when in made if when > time_before(HOUR)]
    left = min(per_day - len(made), per_hour - len(recent))
    seconds = max(seconds_until(made, per_day, DAY), seconds_until(recent, per_hour, HOUR))
    return max(left, 0), seconds


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


KEPT = timedelta(days=30)
"""How long the matches of an ended request are kept."""
