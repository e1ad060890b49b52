"""The people of a player, each with a token: the first is the author and has its name, others joined later.

A transaction that changes them locks the player's row.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from arbiter.errors import ConfigError
from arbiter.store import db_schema

MOST_PEOPLE = 8
"""Per player."""


class PlayerFull(ConfigError):
    """A player has `MOST_PEOPLE` people."""

    def __init__(self, player: str) -> None:
        super().__init__(
            f"{player} is full: at most {MOST_PEOPLE} people share a player",
            hint="one of them leaves, or is removed by arbiter authors remove",
        )


def token_holders(season: int) -> sa.Subquery:
    """Return a query for people with tokens: `player`, `member` (null for the first), `token`, `created`."""
    authors, members = db_schema.authors.c, db_schema.members.c
    first = sa.select(
        authors.name.label("player"), sa.null().label("member"), authors.token, authors.created
    ).where(authors.season_id == season, authors.token.is_not(None))
    others = sa.select(members.player, members.name, members.token, members.created)
    return sa.union_all(first, others.where(members.season_id == season)).subquery("holders")


def lock_player(connection: sa.Connection, season: int, player: str) -> None:
    """Lock a player's row: its people and active version, until the transaction ends."""
    # By a write, since on SQLite reading a row does not lock it.
    mine = sa.update(db_schema.authors).filter_by(season_id=season, name=player)
    connection.execute(mine.values(name=player))


def end_access(connection: sa.Connection, season: int, player: str, token: str | None) -> None:
    """End the sessions of a token and the open invitations of its player."""
    connection.execute(sa.delete(db_schema.sessions).filter_by(token=token))
    connection.execute(sa.delete(db_schema.invitations).filter_by(season_id=season, player=player))


def tokens_of(connection: sa.Connection, season: int, player: str) -> dict[str | None, str]:
    """Return the SHA-256 of the tokens of a player's people by name; None is the first person."""
    table = token_holders(season).c
    rows = connection.execute(sa.select(table.member, table.token).where(table.player == player))
    return {row.member: row.token for row in rows}


def person_row(season: int, player: str, member: str | None) -> tuple[sa.Table, dict[str, Any]]:
    """Return the table of a person, and the key of the row."""
    if member is None:
        return db_schema.authors, {"season_id": season, "name": player}
    return db_schema.members, {"season_id": season, "player": player, "name": member}


def audit_name(player: str, member: str | None) -> str:
    """Return a person's name in the audit log: ``alice``, or ``alice/bob`` for one who joined."""
    return player if member is None else f"{player}/{member}"
