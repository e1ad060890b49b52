"""Invitations by the SHA-256 of their codes: each use makes an author, or somebody of a player."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from arbiter.errors import ConfigError
from arbiter.store import db_schema
from arbiter.store.audit import lasts, moment, note
from arbiter.store.database import Book
from arbiter.store.people import MOST_PEOPLE, Full, lock, tokens_of
from arbiter.store.submissions import DAY, TooMany, lately, seconds_until

INVITE = "invite"
"""The verb of the audit log."""


class UsedUp(ConfigError):
    """An invitation that is not known, has no use left, or has ended."""

    def __init__(self) -> None:
        super().__init__("this code is not known, or was used up, or has ended", hint="ask for another one")


class Invitation(NamedTuple):
    """An invitation with a use left: to a `player`, or None for one that makes authors."""

    player: str | None


class InvitationBook(Book):
    """The invitations of one season."""

    def add(
        self,
        code: str,
        uses: int,
        who: str,
        player: str | None = None,
        ends: str | None = None,
        per_day: int | None = None,
    ) -> None:
        """Keep an invitation that so many may use until it `ends`, by the SHA-256 of its code.

        One to a `player` is for its people: Full where it has no room for so many, TooMany where that was
        done `per_day` times in 24 hours, ConfigError where nobody of it has a token.
        """
        row = {"season_id": self._id, "code": code, "uses": uses, "created": moment()}
        row |= {"player": player, "ends": ends}
        with self._store.transaction() as connection:
            if player is not None:
                self._make_room(connection, player, uses, per_day)
            connection.execute(sa.insert(db_schema.invitations).values(row))
            note(connection, self._id, who, INVITE, player or "", f"uses: {uses}")

    def find(self, code: str) -> Invitation | None:
        """Return the invitation with this SHA-256; None where it has no use left, or has ended."""
        rows = self._all(self._own(db_schema.invitations.c.player, code=code).where(_open()))
        return Invitation(rows[0].player) if rows else None

    def _make_room(self, connection: sa.Connection, player: str, uses: int, per_day: int | None) -> None:
        """Forget what is over, and the oldest of too many codes of a player."""
        lock(connection, self._id, player)
        people = len(tokens_of(connection, self._id, player))
        if not people:
            raise ConfigError(f"{player} has no token", hint="arbiter authors renew gives one")
        if people + uses > MOST_PEOPLE:
            raise Full(player)
        if per_day is not None:
            table = db_schema.audit.c
            query = self._own(table.moment, verb=INVITE, subject=player).where(lately(table.moment, DAY))
            made = connection.execute(query.order_by(table.moment)).scalars().all()
            if seconds := seconds_until(made, per_day, DAY):
                raise TooMany(seconds)
        codes = db_schema.invitations
        mine = sa.delete(codes).filter_by(season_id=self._id, player=player)
        connection.execute(mine.where(sa.not_(_open())))
        newest = self._own(codes.c.code, player=player).order_by(codes.c.created.desc(), codes.c.code)
        old = connection.execute(newest.offset(MOST_PEOPLE - 1)).scalars().all()
        connection.execute(mine.where(codes.c.code.in_(old)))


def use(connection: sa.Connection, season: int, code: str, player: str | None) -> None:
    """Use an invitation to a player, or for a new author, once; UsedUp where that cannot be."""
    table = db_schema.invitations
    one = sa.update(table).filter_by(season_id=season, code=code, player=player).where(_open())
    if connection.execute(one.values(uses=table.c.uses - 1)).rowcount != 1:
        raise UsedUp


def _open() -> sa.ColumnElement[bool]:
    table = db_schema.invitations.c
    return sa.and_(table.uses > 0, sa.or_(table.ends.is_(None), lasts(table.ends)))
