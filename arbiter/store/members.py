"""The people of a player: join, leave, remove. A person's sessions end with the token."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from arbiter.errors import ConfigError
from arbiter.store import db_schema
from arbiter.store.audit import log_audit, timestamp
from arbiter.store.database import SeasonRows
from arbiter.store.invitations import InvalidInvitation, use_invitation
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

if TYPE_CHECKING:
    from collections.abc import Sequence


class LastMember(ConfigError):
    """The last person of a player cannot be removed."""

    def __init__(self, player: str) -> None:
        hint = "the organiser revokes the player by arbiter authors revoke"
        super().__init__(f"cannot remove the last person of {player}", hint=hint)


class Member(NamedTuple):
    """A person of a player; `member` is None for the first one, who has the player's name."""

    player: str
    member: str | None
    created: str

    @property
    def name(self) -> str:
        """The person's name within the player."""
        return self.member or self.player


class NewMember(NamedTuple):
    """A person to add to `player`, a new one if `is_new`; `member` is None for the first person.

    `looks` are the keys of the names of player and member; `token` is a SHA-256.
    """

    player: str
    member: str | None
    looks: tuple[str, str]
    token: str
    is_new: bool


class MemberStore(SeasonRows):
    """The stored people of one season's players: each method reads or writes the database."""

    def of(self, player: str) -> list[Member]:
        """Return a player's people with tokens, in the order in which they joined."""
        return self._load_members(player)

    def all(self) -> dict[str, list[Member]]:
        """Return the people with tokens of all players, by player."""
        found: dict[str, list[Member]] = {}
        for one in self._load_members():
            found.setdefault(one.player, []).append(one)
        return found

    def add(self, player: str, name: str, looks: str, token: str, code: str) -> bool:
        """Add a person by one use of an invitation; False if the name, or a look-alike, is taken.

        InvalidInvitation, or PlayerFull if the player has no room. `token` and `code` are SHA-256.
        """
        row = {"season_id": self._id, "player": player, "name": name, "looks": looks, "token": token}
        row["created"] = timestamp()
        with self._store.transaction() as connection:
            lock_player(connection, self._id, player)
            people = tokens_of(connection, self._id, player)
            if not people:
                raise InvalidInvitation
            if not self._store.insert_once(connection, db_schema.members, row):
                return False
            use_invitation(connection, self._id, code, player)
            if len(people) >= MOST_PEOPLE:
                raise PlayerFull(player)
            log_audit(connection, self._id, audit_name(player, name), "join", player)
        return True

    def enrol(self, people: Sequence[NewMember], who: str) -> None:
        """Add people, and their players where these are new, in one transaction, with audit entries.

        ConfigError, and no one is added, if a name or a look-alike is taken; PlayerFull if there is no room.
        """
        created = timestamp()
        first = {one.player: one.token for one in people if one.member is None}
        with self._store.transaction() as connection:
            for one in {one.player: one for one in people}.values():
                row = {"season_id": self._id, "name": one.player, "looks": one.looks[0], "organiser": False}
                row |= {"token": first.get(one.player), "created": created}
                if not one.is_new:
                    lock_player(connection, self._id, one.player)
                elif not self._store.insert_once(connection, db_schema.authors, row):
                    raise _taken(one.player)
                else:
                    log_audit(connection, self._id, who, "add", one.player)
            for one in people:
                if one.member is None:
                    continue
                row = {"season_id": self._id, "player": one.player, "name": one.member, "created": created}
                row |= {"looks": one.looks[1], "token": one.token}
                if not self._store.insert_once(connection, db_schema.members, row):
                    raise _taken(one.member)
                if len(tokens_of(connection, self._id, one.player)) > MOST_PEOPLE:
                    raise PlayerFull(one.player)
                log_audit(connection, self._id, who, "add", audit_name(one.player, one.member))

    def remove(self, player: str, member: str | None, who: str, verb: str = "remove") -> bool:
        """Remove a person with sessions, and the player's open invitations, whose codes that person may know.

        False if there is no such person, LastMember for the last; `member` None is the first one.
        """
        with self._store.transaction() as connection:
            lock_player(connection, self._id, player)
            people = tokens_of(connection, self._id, player)
            if member not in people:
                return False
            if len(people) == 1:
                raise LastMember(player)
            table, which = person_row(self._id, player, member)
            gone = sa.update(table).values(token=None) if member is None else sa.delete(table)
            connection.execute(gone.filter_by(**which))
            end_access(connection, self._id, player, people[member])
            log_audit(connection, self._id, who, verb, audit_name(player, member))
        return True

    def _load_members(self, player: str | None = None) -> list[Member]:
        """Return the people with tokens, of all players or one, in the order in which they joined."""
        table = token_holders(self._id).c
        query = sa.select(table.player, table.member, table.created)
        query = query if player is None else query.where(table.player == player)
        # The first person precedes those who joined in the same second.
        later = sa.case((table.member.is_(None), 0), else_=1)
        return [Member._make(row) for row in self._all(query.order_by(table.created, later, table.member))]


def _taken(name: str) -> ConfigError:
    return ConfigError(f"the name {name} is taken", hint="choose another one")
