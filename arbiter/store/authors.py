"""Authors, who may send programs to a season, and its organisers, by the SHA-256 of their tokens.

An author is a player, for whom several people may act. A session refers to the token it was started with and
ends when that token is replaced or revoked.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import log_audit, not_expired, timestamp
from arbiter.store.database import SeasonRows
from arbiter.store.invitations import use_invitation
from arbiter.store.orders import raise_revision
from arbiter.store.people import (
    MOST_PEOPLE,
    PlayerFull,
    audit_name,
    end_access,
    lock_player,
    person_row,
    token_holders,
    tokens_of,
)
from arbiter.store.submission_files import drop_unplayed_versions

if TYPE_CHECKING:
    from collections.abc import Sequence


class Author(NamedTuple):
    """An author or organiser: `active` is the version that plays, `alive` is False once all are revoked.

    `member` is the person who acts for the player, None for the first one.
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
        """The person's name in the audit log."""
        return audit_name(self.name, self.member)


MOST_SESSIONS = 20
"""Per token."""


class AuthorStore(SeasonRows):
    """The stored authors of one season: each method reads or writes the database."""

    def add(
        self, name: str, looks: str, token: str, organiser: bool, who: str, code: str | None = None
    ) -> bool:
        """Add an author, or an `organiser`, with the SHA-256 of its token; False if the name is taken.

        It is taken also by an equal `looks`, the key of look-alikes.

        With `code`, the SHA-256 of an invitation's code, consume a use of it, or raise InvalidInvitation.
        """
        row = {"season_id": self._id, "name": name, "looks": looks, "token": token}
        row |= {"organiser": organiser, "created": timestamp()}
        with self._store.transaction() as connection:
            kept = self._store.insert_once(connection, db_schema.authors, row)
            if kept and code is not None:
                use_invitation(connection, self._id, code, None)
            if kept:
                verb, because = ("add" if code is None else "join"), "organiser" if organiser else ""
                log_audit(connection, self._id, who, verb, name, because)
        return kept

    def all(self) -> list[Author]:
        """Return all authors and organisers, by name."""
        return [_author(row) for row in self._all(self._select_authors().order_by(db_schema.authors.c.name))]

    def find_look_alike(self, looks: str) -> str | None:
        """Return the author whose name has this `looks` value, or None."""
        found: str | None = self._scalar(self._own(db_schema.authors.c.name, looks=looks))
        return found

    def find(self, name: str) -> Author | None:
        """Return the author or organiser of this name, revoked or not, or None."""
        return self._find_one(self._select_authors().where(db_schema.authors.c.name == name))

    def by_token(self, token: str) -> Author | None:
        """Return the author, with the person who acts, whose token has this SHA-256; None if unknown."""
        table = token_holders(self._id)
        rows = self._all(self._acting(table, table.c.token.label("held")).where(table.c.token == token))
        return _author(rows[0]) if rows and hmac.compare_digest(rows[0].held, token) else None

    def set_token(
        self, name: str, token: str | None, who: str, member: str | None = None, living: bool = False
    ) -> list[str]:
        """Replace the token of one of an author's people; end that person's sessions and the player's open
        invitations.

        `member` None is the first person, who gets a token even after losing it unless `living` is set;
        PlayerFull if the player has no room left. With `token` None revoke the author: remove all tokens and
        members, and drop all versions that neither play nor have played. Return the file names of these.
        """
        with self._store.transaction() as connection:
            lock_player(connection, self._id, name)
            people = tokens_of(connection, self._id, name)
            if token is None:
                self._end_all_access(connection, name, list(people.values()))
                # A suspended author, too, is withdrawn from now on.
                raise_revision(connection, self._id, None)
                log_audit(connection, self._id, who, "revoke", name)
                return drop_unplayed_versions(connection, self._id, name)
            if member not in people:
                if living or member is not None:
                    return []
                if len(people) >= MOST_PEOPLE:
                    raise PlayerFull(name)
            table, which = person_row(self._id, name, member)
            connection.execute(sa.update(table).filter_by(**which).values(token=token))
            end_access(connection, self._id, name, people.get(member))
            if not people:
                raise_revision(connection, self._id, None)
            log_audit(connection, self._id, who, "renew", audit_name(name, member))
            return []

    def _end_all_access(self, connection: sa.Connection, name: str, tokens: list[str]) -> None:
        """Remove the tokens and sessions of all people of an author, and its invitations."""
        _, which = person_row(self._id, name, None)
        connection.execute(sa.update(db_schema.authors).filter_by(**which).values(token=None))
        connection.execute(sa.delete(db_schema.sessions).where(db_schema.sessions.c.token.in_(tokens)))
        for table in (db_schema.members, db_schema.invitations):
            connection.execute(sa.delete(table).filter_by(season_id=self._id, player=name))

    def begin_session(self, session: str, token: str, ends: str) -> None:
        """Store a session by its cookie's SHA-256; delete expired ones, the oldest over `MOST_SESSIONS`."""
        table = db_schema.sessions
        newest = sa.select(table.c.id).filter_by(token=token).order_by(table.c.ends.desc(), table.c.id)
        with self._store.transaction() as connection:
            for people in (db_schema.authors, db_schema.members):
                connection.execute(self._own(people.c.name, token=token).with_for_update())
            connection.execute(sa.delete(table).where(sa.not_(not_expired(table.c.ends))))
            old = connection.execute(newest.offset(MOST_SESSIONS - 1)).scalars().all()
            connection.execute(sa.delete(table).where(table.c.id.in_(old)))
            row = {"id": session, "token": token, "ends": ends}
            connection.execute(sa.insert(db_schema.sessions).values(row))

    def by_session(self, *sessions: str) -> Author | None:
        """Return the season's author with one of these sessions; None if all have expired."""
        table = token_holders(self._id)
        return self._find_one(_with_session(self._acting(table), table, sessions))

    def rename_session(self, sessions: Sequence[str], session: str) -> None:
        """Give the season's session among these the new id `session`; do nothing if none is valid."""
        table = db_schema.sessions
        with self._store.transaction() as connection:
            people = token_holders(self._id)
            old = connection.execute(_with_session(sa.select(table.c.id), people, sessions)).scalar()
            connection.execute(sa.update(table).filter_by(id=old).values(id=session))

    def end_session(self, *sessions: str) -> None:
        """Delete these sessions."""
        self._write(sa.delete(db_schema.sessions).where(db_schema.sessions.c.id.in_(sessions)))

    def _select_authors(self, member: sa.ColumnElement[Any] | None = None) -> sa.Select[Any]:
        """Return a query for authors with `alive` (any of its people has a token) and `member` (who acts)."""
        living = sa.select(token_holders(self._id).c.player)
        alive = db_schema.authors.c.name.in_(living).label("alive")
        acting = (sa.null() if member is None else member).label("member")
        return self._own(db_schema.authors, alive, acting)

    def _acting(self, people: sa.Subquery, *more: sa.ColumnElement[Any]) -> sa.Select[Any]:
        """Return a query for the authors of these people, a row for each person."""
        query = self._select_authors(people.c.member).add_columns(*more)
        return query.join(people, people.c.player == db_schema.authors.c.name)

    def _find_one(self, query: sa.Select[Any]) -> Author | None:
        """Return the author of the query's first row, or None."""
        return next(map(_author, self._all(query)), None)


def _with_session(query: sa.Select[Any], people: sa.Subquery, sessions: Sequence[str]) -> sa.Select[Any]:
    """Restrict a query to the person with one of these sessions, not expired, and to one row."""
    table = db_schema.sessions.c
    mine = table.token == people.c.token, table.id.in_(sessions), not_expired(table.ends)
    return query.where(*mine).limit(1)


def _author(row: sa.Row[Any]) -> Author:
    return Author(row.name, row.organiser, row.created, row.versions, row.active, bool(row.alive), row.member)
