"""Invitations, by the SHA-256 of their codes: each use creates an author, or adds a person to a player."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from arbiter.errors import ConfigError
from arbiter.store import db_schema
from arbiter.store.audit import is_recent, log_audit, not_expired, timestamp
from arbiter.store.database import SeasonRows
from arbiter.store.people import MOST_PEOPLE, PlayerFull, lock_player, tokens_of
from arbiter.store.submissions import DAY, RateLimited, seconds_until

INVITE = "invite"
"""Audit verb."""


class InvalidInvitation(ConfigError):
    """An invitation that is unknown, used up or expired."""

    def __init__(self) -> None:
        super().__init__("this code is unknown, used up or expired", hint="ask for another one")


class Invitation(NamedTuple):
    """An invitation with a use left: to join `player`, or to become an author if None."""

    player: str | None


class InvitationStore(SeasonRows):
    """The stored invitations of one season: each method reads or writes the database."""

    def add(
        self,
        code: str,
        uses: int,
        who: str,
        player: str | None = None,
        ends: str | None = None,
        per_day: int | None = None,
    ) -> None:
        """Store an invitation with a number of `uses` until it `ends`, by the SHA-256 of its code.

        With `player`, to join that player: PlayerFull if it has no room for that many, RateLimited after
        `per_day` in 24 hours, ConfigError if none of its people has a token.
        """
        row = {"season_id": self._id, "code": code, "uses": uses, "created": timestamp()}
        row |= {"player": player, "ends": ends}
        with self._store.transaction() as connection:
            if player is not None:
                self._make_room(connection, player, uses, per_day)
            connection.execute(sa.insert(db_schema.invitations).values(row))
            log_audit(connection, self._id, who, INVITE, player or "", f"uses: {uses}")

    def find(self, code: str) -> Invitation | None:
        """Return the invitation with this SHA-256; None if unknown, used up or expired."""
        rows = self._all(self._own(db_schema.invitations.c.player, code=code).where(_open_condition()))
        return Invitation(rows[0].player) if rows else None

    def _make_room(self, connection: sa.Connection, player: str, uses: int, per_day: int | None) -> None:
        """Delete a player's expired codes, and the oldest over `MOST_PEOPLE`; the errors of `add`."""
        lock_player(connection, self._id, player)
        people = len(tokens_of(connection, self._id, player))
        if not people:
            raise ConfigError(f"{player} has no token", hint="arbiter authors renew creates one")
        if people + uses > MOST_PEOPLE:
            raise PlayerFull(player)
        if per_day is not None:
            table = db_schema.audit.c
            query = self._own(table.moment, verb=INVITE, subject=player).where(is_recent(table.moment, DAY))
            made = connection.execute(query.order_by(table.moment)).scalars().all()
            if seconds := seconds_until(made, per_day, DAY):
                raise RateLimited(seconds)
        codes = db_schema.invitations
        mine = sa.delete(codes).filter_by(season_id=self._id, player=player)
        connection.execute(mine.where(sa.not_(_open_condition())))
        newest = self._own(codes.c.code, player=player).order_by(codes.c.created.desc(), codes.c.code)
        old = connection.execute(newest.offset(MOST_PEOPLE - 1)).scalars().all()
        connection.execute(mine.where(codes.c.code.in_(old)))


def use_invitation(connection: sa.Connection, season: int, code: str, player: str | None) -> None:
    """Consume one use of an invitation to a player, or to become an author, or raise InvalidInvitation."""
    table = db_schema.invitations
    one = sa.update(table).filter_by(season_id=season, code=code, player=player).where(_open_condition())
    if connection.execute(one.values(uses=table.c.uses - 1)).rowcount != 1:
        raise InvalidInvitation


def _open_condition() -> sa.ColumnElement[bool]:
    """Return an SQL condition: the invitation has a use left and is not expired."""
    table = db_schema.invitations.c
    return sa.and_(table.uses > 0, sa.or_(table.ends.is_(None), not_expired(table.ends)))
