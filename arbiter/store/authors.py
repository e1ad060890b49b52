"""The authors who may send programs to a season, and its administrators, by the SHA-256 of their tokens.

An author is a player, for whom several people may act. A session is kept with the token that it was begun
with, and holds as long as that is somebody's.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import lasts, moment, note
from arbiter.store.database import Book
from arbiter.store.invitations import use
from arbiter.store.orders import count_up
from arbiter.store.people import MOST_PEOPLE, Full, end_token, holders, lock, person, spelled, tokens_of
from arbiter.store.submission_files import drop_unplayed

if TYPE_CHECKING:
    from collections.abc import Sequence


class Author(NamedTuple):
    """An author, or an organiser; `active` is the version that plays, `alive` is False once revoked.

    `member` is which of the player's people it is who acts, None for the first one.
    """

    name: str
    organiser: bool
    created: str
    versions: int
    active: int | None
    alive: bool
    member: str | None

    @property
    def who(self) -> str:
        """The person, as the log names it."""
        return spelled(self.name, self.member)


MOST_SESSIONS = 20
"""Of one token."""


class AuthorBook(Book):
    """The authors of one season."""

    def add(
        self, name: str, looks: str, token: str, organiser: bool, who: str, code: str | None = None
    ) -> bool:
        """Keep a new author with the SHA-256 of its token; False where the name, or its look, is taken.

        With the SHA-256 of a `code` that is one use of an invitation; UsedUp where there is none left.
        """
        row = {"season_id": self._id, "name": name, "looks": looks, "token": token}
        row |= {"organiser": organiser, "created": moment()}
        with self._store.transaction() as connection:
            kept = self._store.insert_once(connection, db_schema.authors, row)
            if kept and code is not None:
                use(connection, self._id, code, None)
            if kept:
                verb, because = ("add" if code is None else "join"), "organiser" if organiser else ""
                note(connection, self._id, who, verb, name, because)
        return kept

    def all(self) -> list[Author]:
        """Everybody, by name."""
        return [_author(row) for row in self._all(self._authors().order_by(db_schema.authors.c.name))]

    def looking(self, looks: str) -> str | None:
        """Return who has a name that looks so; None if nobody does."""
        found: str | None = self._scalar(self._own(db_schema.authors.c.name, looks=looks))
        return found

    def named(self, name: str) -> Author | None:
        return self._one(self._authors().where(db_schema.authors.c.name == name))

    def of_token(self, token: str) -> Author | None:
        """Return whose token has this SHA-256, as one of the author's people."""
        table = holders(self._id)
        rows = self._all(self._acting(table, table.c.token.label("held")).where(table.c.token == token))
        return _author(rows[0]) if rows and hmac.compare_digest(rows[0].held, token) else None

    def set_token(
        self, name: str, token: str | None, who: str, member: str | None = None, living: bool = False
    ) -> list[str]:
        """Give one of an author's people another token; sessions begun with the old one are over, and so are
        open invitations to the player.

        `member` None is the first one, who may have none now unless it must be `living`; Full where there is
        no room for him any more. Without a token nobody of the author has one, those who joined are
        forgotten, and all versions are dropped that do not play and never did: the names of their files.
        """
        with self._store.transaction() as connection:
            lock(connection, self._id, name)
            people = tokens_of(connection, self._id, name)
            if token is None:
                self._end(connection, name, list(people.values()))
                # Who is suspended, too, is withdrawn from now on.
                count_up(connection, self._id, None)
                note(connection, self._id, who, "revoke", name)
                return drop_unplayed(connection, self._id, name)
            if member not in people:
                if living or member is not None:
                    return []
                if len(people) >= MOST_PEOPLE:
                    raise Full(name)
            table, which = person(self._id, name, member)
            connection.execute(sa.update(table).filter_by(**which).values(token=token))
            end_token(connection, self._id, name, people.get(member))
            if not people:
                count_up(connection, self._id, None)
            note(connection, self._id, who, "renew", spelled(name, member))
            return []

    def _end(self, connection: sa.Connection, name: str, tokens: list[str]) -> None:
        """Take away the tokens and sessions of all people of an author, and the invitations to it."""
        _, which = person(self._id, name, None)
        connection.execute(sa.update(db_schema.authors).filter_by(**which).values(token=None))
        connection.execute(sa.delete(db_schema.sessions).where(db_schema.sessions.c.token.in_(tokens)))
        for table in (db_schema.members, db_schema.invitations):
            connection.execute(sa.delete(table).filter_by(season_id=self._id, player=name))

    def begin_session(self, session: str, token: str, ends: str) -> None:
        """Keep a session, by the SHA-256 of what its cookie holds; sessions that are over are forgotten.

        Where a token has as many as it may have, the oldest one ends.
        """
        table = db_schema.sessions
        newest = sa.select(table.c.id).filter_by(token=token).order_by(table.c.ends.desc(), table.c.id)
        with self._store.transaction() as connection:
            for people in (db_schema.authors, db_schema.members):
                connection.execute(self._own(people.c.name, token=token).with_for_update())
            connection.execute(sa.delete(table).where(sa.not_(lasts(table.c.ends))))
            old = connection.execute(newest.offset(MOST_SESSIONS - 1)).scalars().all()
            connection.execute(sa.delete(table).where(table.c.id.in_(old)))
            row = {"id": session, "token": token, "ends": ends}
            connection.execute(sa.insert(db_schema.sessions).values(row))

    def of_session(self, *sessions: str) -> Author | None:
        """Return who of the season has one of these sessions; None where all are over."""
        table = holders(self._id)
        return self._one(_within(self._acting(table), table, sessions))

    def rename_session(self, sessions: Sequence[str], session: str) -> None:
        """Know one of these sessions that is of the season under another name."""
        table = db_schema.sessions
        with self._store.transaction() as connection:
            people = holders(self._id)
            old = connection.execute(_within(sa.select(table.c.id), people, sessions)).scalar()
            connection.execute(sa.update(table).filter_by(id=old).values(id=session))

    def end_session(self, *sessions: str) -> None:
        self._write(sa.delete(db_schema.sessions).where(db_schema.sessions.c.id.in_(sessions)))

    def _authors(self, member: sa.ColumnElement[Any] | None = None) -> sa.Select[Any]:
        """A query for authors, and whether anybody of each has a token; `member` says who acts."""
        living = sa.select(holders(self._id).c.player)
        alive = db_schema.authors.c.name.in_(living).label("alive")
        acting = (sa.null() if member is None else member).label("member")
        return self._own(db_schema.authors, alive, acting)

    def _acting(self, people: sa.Subquery, *more: sa.ColumnElement[Any]) -> sa.Select[Any]:
        """The same for each of these people."""
        query = self._authors(people.c.member).add_columns(*more)
        return query.join(people, people.c.player == db_schema.authors.c.name)

    def _one(self, query: sa.Select[Any]) -> Author | None:
        return next(map(_author, self._all(query)), None)


def _within(query: sa.Select[Any], people: sa.Subquery, sessions: Sequence[str]) -> sa.Select[Any]:
    """What a query finds of who has one of these sessions."""
    table = db_schema.sessions.c
    mine = table.token == people.c.token, table.id.in_(sessions), lasts(table.ends)
    return query.where(*mine).limit(1)


def _author(row: sa.Row[Any]) -> Author:
    return Author(row.name, row.organiser, row.created, row.versions, row.active, bool(row.alive), row.member)
