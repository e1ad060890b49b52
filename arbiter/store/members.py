"""Who joins a player, leaves it, or is taken out of it: each one's sessions end with his token."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from arbiter.errors import ConfigError
from arbiter.store import db_schema
from arbiter.store.audit import moment, note
from arbiter.store.database import Book
from arbiter.store.invitations import UsedUp, use
from arbiter.store.people import MOST_PEOPLE, Full, end_token, holders, lock, person, spelled, tokens_of


class LastOne(ConfigError):
    """The last person of a player stays."""

    def __init__(self, player: str) -> None:
        hint = "the organiser's arbiter authors revoke takes away its last token"
        super().__init__(f"{player} would have nobody left", hint=hint)


class Member(NamedTuple):
    """One of a player's people; `member` is None for the first one, who has the player's name."""

    player: str
    member: str | None
    created: str

    @property
    def name(self) -> str:
        """The name, within the player."""
        return self.member or self.player


class MemberBook(Book):
    """The people of one season's players."""

    def of(self, player: str) -> list[Member]:
        """Everybody of a player who has a token, since when, in the order in which they came."""
        return self._found(player)

    def all(self) -> dict[str, list[Member]]:
        """The same of all players, by name."""
        found: dict[str, list[Member]] = {}
        for one in self._found():
            found.setdefault(one.player, []).append(one)
        return found

    def add(self, player: str, name: str, looks: str, token: str, code: str) -> bool:
        """Keep somebody who joins by one use of an invitation; False where the name, or its look, is taken.

        UsedUp where the invitation is over, Full where the player has no room. `token` and `code` are
        SHA-256.
        """
        row = {"season_id": self._id, "player": player, "name": name, "looks": looks, "token": token}
        row["created"] = moment()
        with self._store.transaction() as connection:
            lock(connection, self._id, player)
            people = tokens_of(connection, self._id, player)
            if not people:
                raise UsedUp
            if not self._store.insert_once(connection, db_schema.members, row):
                return False
            use(connection, self._id, code, player)
            if len(people) >= MOST_PEOPLE:
                raise Full(player)
            note(connection, self._id, spelled(player, name), "join", player)
        return True

    def remove(self, player: str, member: str | None, who: str, verb: str = "remove") -> bool:
        """Take somebody's place and sessions away, and end the player's open codes, which he may know.

        False where there is no such person, LastOne for the last; None is the first one.
        """
        with self._store.transaction() as connection:
            lock(connection, self._id, player)
            people = tokens_of(connection, self._id, player)
            if member not in people:
                return False
            if len(people) == 1:
                raise LastOne(player)
            table, which = person(self._id, player, member)
            gone = sa.update(table).values(token=None) if member is None else sa.delete(table)
            connection.execute(gone.filter_by(**which))
            end_token(connection, self._id, player, people[member])
            note(connection, self._id, who, verb, spelled(player, member))
        return True

    def _found(self, player: str | None = None) -> list[Member]:
        table = holders(self._id).c
        query = sa.select(table.player, table.member, table.created)
        query = query if player is None else query.where(table.player == player)
        # The first one before those who came in the same second.
        later = sa.case((table.member.is_(None), 0), else_=1)
        return [Member._make(row) for row in self._all(query.order_by(table.created, later, table.member))]
