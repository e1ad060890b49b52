"""The matches that authors ask for: one queue for each season, fairest first.

The author for whom least was done today comes first, and with him the request that he made first. What was
done counts in time, inspections too, so that many requests, or long ones, delay nobody but who made them.
The matches lie in a store of their own; what came of them stands here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import moment
from arbiter.store.database import Book
from arbiter.store.event_log import Happening, log
from arbiter.store.row_values import legible
from arbiter.store.submissions import DAY, HOUR, TooMany, ago, lately, seconds_until

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

WAITING, PLAYING, DONE, REFUSED, CANCELLED = "waiting", "playing", "done", "refused", "cancelled"
OPEN = (WAITING, PLAYING)
PACE_OF = 50
"""Requests, the last ones played, whose pace is taken."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request of an author; `wish` is who is to meet whom, as it was checked.

    `place` is the name of the season that its matches are, in a store of their own.
    `played` of at most `most` matches are stored, which took `spent_ms`; `outcome` is what came of them so
    far, None before the first; `problem` why it was refused.
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
        """True when nothing more is played of it."""
        return self.state not in OPEN


class RequestBook(Book):
    """The requests of one season."""

    def add(
        self, author: str, kind: str, wish: Mapping[str, Any], most: int, per_day: int, per_hour: int
    ) -> Request:
        """Keep a request; TooMany where the author has made as many as he may."""
        row = {"season_id": self._id, "author": author, "kind": kind, "wish": json.dumps(dict(wish))}
        row |= {"state": WAITING, "received": moment(), "most": most, "place": f"request-{token_hex(8)}"}
        with self._store.transaction() as connection:
            # The first one has the author's row to itself.
            mine = sa.update(db_schema.authors).filter_by(season_id=self._id, name=author)
            connection.execute(mine.values(name=author))
            made = self._made(connection, author)
            if seconds := _left(made, per_day, per_hour)[1]:
                raise TooMany(seconds)
            number = connection.execute(sa.insert(db_schema.requests).values(row)).inserted_primary_key
            assert number is not None
            self._tell(connection, number[0], author, kind, WAITING)
            return _request(connection.execute(self._own(db_schema.requests, id=number[0])).one())

    def left(self, author: str, per_day: int, per_hour: int) -> tuple[int, int]:
        """Return how many requests an author may make now, and the seconds until one more if none."""
        with self._store.reading() as connection:
            return _left(self._made(connection, author), per_day, per_hour)

    def one(self, number: int, author: str | None = None) -> Request | None:
        """A request by its id, of this author if one is named."""
        wanted: dict[str, object] = {"id": number} | ({} if author is None else {"author": author})
        return next(iter(self._read(self._own(db_schema.requests, **wanted))), None)

    def last(self, most: int, author: str | None = None, before: int | None = None) -> list[Request]:
        """The last `most` requests, of this author if one is named, the newest first."""
        table = db_schema.requests
        query = self._own(table, **({} if author is None else {"author": author}))
        query = query if before is None else query.where(table.c.id < before)
        return self._read(query.order_by(table.c.id.desc()).limit(most))

    def ended_before(self, when: str) -> list[Request]:
        """The requests that ended before a moment, and whose matches were kept until now."""
        table = db_schema.requests
        return self._read(self._own(table).where(table.c.ended < when, table.c.played > 0))

    def next(self, without: Collection[int] = ()) -> Request | None:
        """The request of which a match is to be played now; None where there is none but `without` these."""
        table = db_schema.requests
        first = self._own(table.c.author, sa.func.min(table.c.id).label("id"))
        first = first.where(table.c.state.in_(OPEN)).group_by(table.c.author)
        first = first.where(table.c.id.not_in(without)) if without else first
        heads = {row.id: row.author for row in self._all(first)}
        served = self.served() if len(heads) > 1 else {}
        number = min(heads, key=lambda one: (served.get(heads[one], 0), one), default=None)
        return None if number is None else self.one(number)

    def served(self) -> dict[str, int]:
        """By author for how many ms something was done for him today."""
        table = db_schema.served.c
        return dict(map(tuple, self._all(self._own(table.author, table.ms, day=_today()))))

    def count(self, author: str, ms: int) -> None:
        with self._store.transaction() as connection:
            self._count(connection, author, ms)

    def begin(self, number: int) -> bool:
        """A match of a request is to be played; False where it is over."""
        return self._change(number, state=PLAYING)

    def keep(self, number: int, author: str, played: int, ms: int, outcome: Mapping[str, Any] | None) -> bool:
        """Keep that another match was played, in `ms`; without an `outcome` the one before stays.

        False where the request is over: then the match is counted, and changes no outcome.
        """
        new = {} if outcome is None else {"outcome": json.dumps(dict(outcome))}
        spent = db_schema.requests.c.spent_ms + ms
        with self._store.transaction() as connection:
            self._count(connection, author, ms)
            mine = sa.update(db_schema.requests).filter_by(season_id=self._id, id=number)
            connection.execute(mine.values(played=played, spent_ms=spent))
            return self._changed(connection, {"id": number}, **{"state": PLAYING, **new})

    def finish(self, number: int, outcome: Mapping[str, Any] | None, problem: str | None = None) -> bool:
        """End a request well, or with the `problem` that keeps it from being played; False if it is over."""
        kept = {} if outcome is None else {"outcome": json.dumps(dict(outcome))}
        state = DONE if problem is None else REFUSED
        return self._change(number, state=state, ended=moment(), problem=problem, **kept)

    def cancel(self, number: int, author: str) -> bool:
        """End an author's request as he wishes; False if it is over. A match under way is still kept."""
        with self._store.transaction() as connection:
            return self._changed(
                connection, {"id": number, "author": author}, state=CANCELLED, ended=moment()
            )

    def forget(self, number: int) -> None:
        """The matches of a request that is over are gone; what came of them stays."""
        mine = sa.update(db_schema.requests).filter_by(season_id=self._id, id=number)
        self._write(mine.values(played=0))

    def ahead(self, request: Request) -> tuple[int, int]:
        """The number of requests whose turn comes before that of this one, and of matches until it is over.

        All authors who wait take turns: of another's matches so many come between as this author has left.
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

    def pace(self) -> float | None:
        """The seconds that a match of the last requests took; None before the first."""
        table = db_schema.requests.c
        query = self._own(table.played, table.spent_ms).where(table.played > 0)
        rows = self._all(query.order_by(table.id.desc()).limit(PACE_OF))
        played = sum(row.played for row in rows)
        return sum(row.spent_ms for row in rows) / played / 1000 if played else None

    def _made(self, connection: sa.Connection, author: str) -> list[str]:
        """Return when an author made requests in the last 24 hours, the oldest first."""
        column = db_schema.requests.c.received
        query = self._own(column, author=author).where(lately(column, DAY)).order_by(column)
        return list(connection.execute(query).scalars())

    def _count(self, connection: sa.Connection, author: str, ms: int) -> None:
        key = {"season_id": self._id, "author": author, "day": _today()}
        self._store.insert_once(connection, db_schema.served, {**key, "ms": 0})
        mine = sa.update(db_schema.served).filter_by(**key)
        connection.execute(mine.values(ms=db_schema.served.c.ms + ms))

    def _change(self, number: int, **values: object) -> bool:
        with self._store.transaction() as connection:
            return self._changed(connection, {"id": number}, **values)

    def _changed(self, connection: sa.Connection, which: Mapping[str, object], **values: object) -> bool:
        """Change a request that is not over; False where it is."""
        table = db_schema.requests.c
        found = connection.execute(
            self._own(table.id, table.author, table.kind, table.state, **which)
        ).one_or_none()
        mine = sa.update(db_schema.requests).filter_by(season_id=self._id, **which)
        changed = connection.execute(mine.where(table.state.in_(OPEN)).values(**values)).rowcount == 1
        if changed and found is not None and (state := values.get("state", found.state)) != found.state:
            self._tell(connection, found.id, found.author, found.kind, str(state))
        return changed

    def _tell(self, connection: sa.Connection, number: int, author: str, kind: str, state: str) -> None:
        which = {"author": author, "kind": kind, "state": state}
        log(connection, self._id, Happening.REQUEST, 0, str(number), **which)

    def _read(self, query: sa.Select[Any]) -> list[Request]:
        return [_request(row) for row in self._all(query)]


def _request(row: sa.Row[Any]) -> Request:
    """A request from its row; StoreError for one that cannot be read."""
    shape = {name: row._mapping[name] for name in Request.__slots__}
    with legible(f"request {row.id}"):
        shape["wish"] = dict(json.loads(row.wish))
        shape["outcome"] = None if row.outcome is None else json.loads(row.outcome, object_hook=_as_named_now)
    return Request(**shape)


def _as_named_now(shape: dict[str, Any]) -> dict[str, Any]:
    return {_EARLIER.get(key, key): value for key, value in shape.items()}


_EARLIER = {"won": "wins", "drawn": "draws", "lost": "losses"}
"""Keys of outcomes that were kept under other names."""


def _left(made: list[str], per_day: int, per_hour: int) -> tuple[int, int]:
    """How many more may be made, and the seconds until one may if none."""
    recent = [when for when in made if when > ago(HOUR)]
    left = min(per_day - len(made), per_hour - len(recent))
    seconds = max(seconds_until(made, per_day, DAY), seconds_until(recent, per_hour, HOUR))
    return max(left, 0), seconds


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


KEPT = timedelta(days=30)
"""How long the matches of a request are kept once it is over."""
