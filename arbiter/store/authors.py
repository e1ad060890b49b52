"""The authors who may send programs to a season, and its administrators, by the SHA-256 of their tokens.

A session is kept with the token that it was begun with, and holds as long as that is somebody's.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.errors import ConfigError
from arbiter.store import schema
from arbiter.store.audit import moment, note
from arbiter.store.database import Book
from arbiter.store.shelf import drop_unplayed

if TYPE_CHECKING:
    from collections.abc import Sequence


class Author(NamedTuple):
    """An author, or an organiser; `active` is the version that plays, `alive` is False once revoked."""

    name: str
    organiser: bool
    created: str
    versions: int
    active: int | None
    alive: bool


MOST_SESSIONS = 20
"""Of one token."""


class UsedUp(ConfigError):
    """An invitation that is not known, or has no use left."""

    def __init__(self) -> None:
        super().__init__("this code is not known, or was used up", hint="ask the organiser for another one")


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
            kept = self._store.insert_once(connection, schema.authors, row)
            if kept and code is not None and not self._use(connection, code):
                raise UsedUp
            if kept:
                verb, because = ("add" if code is None else "join"), "organiser" if organiser else ""
                note(connection, self._id, who, verb, name, because)
        return kept

    def invite(self, code: str, uses: int, who: str) -> None:
        """Keep an invitation of so many authors, by the SHA-256 of its code."""
        row = {"season_id": self._id, "code": code, "uses": uses, "created": moment()}
        with self._store.transaction() as connection:
            connection.execute(sa.insert(schema.invitations).values(row))
            note(connection, self._id, who, "invite", "", f"uses: {uses}")

    def is_invited(self, code: str) -> bool:
        """True where an invitation with this SHA-256 has a use left."""
        table = schema.invitations.c
        return self._scalar(self._own(table.uses, code=code).where(table.uses > 0)) is not None

    def _use(self, connection: sa.Connection, code: str) -> bool:
        table = schema.invitations
        one = sa.update(table).filter_by(season_id=self._id, code=code).where(table.c.uses > 0)
        return connection.execute(one.values(uses=table.c.uses - 1)).rowcount == 1

    def all(self) -> list[Author]:
        """Everybody, by name."""
        return [_author(row) for row in self._all(self._own(schema.authors).order_by(schema.authors.c.name))]

    def looking(self, looks: str) -> str | None:
        """Return who has a name that looks so; None if nobody does."""
        found: str | None = self._scalar(self._own(schema.authors.c.name, looks=looks))
        return found

    def named(self, name: str) -> Author | None:
        """The author of this name."""
        return self._one(self._own(schema.authors, name=name))

    def of_token(self, token: str) -> Author | None:
        """Return the author whose token has this SHA-256."""
        rows = self._all(self._own(schema.authors, token=token))
        return _author(rows[0]) if rows and hmac.compare_digest(rows[0].token, token) else None

    def set_token(self, name: str, token: str | None, who: str) -> list[str]:
        """Give an author another token, or none; sessions that were begun with the old one are over.

        With none all versions are dropped that do not play and never did: the names of their files.
        """
        mine = sa.update(schema.authors).filter_by(season_id=self._id, name=name)
        with self._store.transaction() as connection:
            ended = connection.execute(self._own(schema.authors.c.token, name=name)).scalar()
            connection.execute(mine.values(token=token))
            connection.execute(sa.delete(schema.sessions).filter_by(token=ended))
            note(connection, self._id, who, "revoke" if token is None else "renew", name)
            return drop_unplayed(connection, self._id, name) if token is None else []

    def begin_session(self, session: str, token: str, ends: str) -> None:
        """Keep a session, by the SHA-256 of what its cookie holds; sessions that are over are forgotten.

        Where a token has as many as it may have, the oldest one ends.
        """
        table = schema.sessions
        newest = sa.select(table.c.id).filter_by(token=token).order_by(table.c.ends.desc(), table.c.id)
        with self._store.transaction() as connection:
            connection.execute(self._own(schema.authors.c.name, token=token).with_for_update())
            connection.execute(sa.delete(table).where(table.c.ends < moment()))
            old = connection.execute(newest.offset(MOST_SESSIONS - 1)).scalars().all()
            connection.execute(sa.delete(table).where(table.c.id.in_(old)))
            row = {"id": session, "token": token, "ends": ends}
            connection.execute(sa.insert(schema.sessions).values(row))

    def of_session(self, *sessions: str) -> Author | None:
        """Return who of the season has one of these sessions; None where all are over."""
        return self._one(self._with_session(schema.authors, sessions))

    def rename_session(self, sessions: Sequence[str], session: str) -> None:
        """Know one of these sessions that is of the season under another name."""
        table = schema.sessions
        with self._store.transaction() as connection:
            old = connection.execute(self._with_session(table.c.id, sessions)).scalar()
            connection.execute(sa.update(table).filter_by(id=old).values(id=session))

    def end_session(self, *sessions: str) -> None:
        """Forget these sessions."""
        self._write(sa.delete(schema.sessions).where(schema.sessions.c.id.in_(sessions)))

    def _with_session(self, what: Any, sessions: Sequence[str]) -> sa.Select[Any]:
        authors, table = schema.authors, schema.sessions
        query = sa.select(what).join_from(authors, table, table.c.token == authors.c.token)
        query = query.where(table.c.id.in_(sessions), table.c.ends >= moment())
        return query.where(authors.c.season_id == self._id).limit(1)

    def _one(self, query: sa.Select[Any]) -> Author | None:
        return next(map(_author, self._all(query)), None)


def _author(row: sa.Row[Any]) -> Author:
    alive = row.token is not None
    return Author(row.name, row.organiser, row.created, row.versions, row.active, alive)
