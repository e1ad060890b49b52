"""The people of a player: the first one is the author and has his name, others joined later.

Each has a token of his own. Whoever changes them has the player's row to himself until the transaction ends.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from arbiter.errors import ConfigError
from arbiter.store import db_schema

MOST_PEOPLE = 8
"""Of one player."""


class Full(ConfigError):
    """A player has as many people as it may have."""

    def __init__(self, player: str) -> None:
        super().__init__(
            f"{player} has no room for more: at most {MOST_PEOPLE} people share a player",
            hint="one of them leaves first, or arbiter authors remove takes one out",
        )


def holders(season: int) -> sa.Subquery:
    """Everybody with a token: `player`, `member` (null for the first one), `token`, `created`."""
    authors, members = db_schema.authors.c, db_schema.members.c
    first = sa.select(
        authors.name.label("player"), sa.null().label("member"), authors.token, authors.created
    ).where(authors.season_id == season, authors.token.is_not(None))
    others = sa.select(members.player, members.name, members.token, members.created)
    return sa.union_all(first, others.where(members.season_id == season)).subquery("holders")


def lock(connection: sa.Connection, season: int, player: str) -> None:
    """Let nobody else change a player, its people or which version plays until the transaction ends."""
    # A write, since on SQLite nothing that is read first has others wait.
    mine = sa.update(db_schema.authors).filter_by(season_id=season, name=player)
    connection.execute(mine.values(name=player))


def end_token(connection: sa.Connection, season: int, player: str, token: str | None) -> None:
    """End what somebody may have begun with a token: sessions, and the codes of the player not used yet."""
    connection.execute(sa.delete(db_schema.sessions).filter_by(token=token))
    connection.execute(sa.delete(db_schema.invitations).filter_by(season_id=season, player=player))


def tokens_of(connection: sa.Connection, season: int, player: str) -> dict[str | None, str]:
    """By name the SHA-256 of the token of each one of a player; None names the first one."""
    table = holders(season).c
    rows = connection.execute(sa.select(table.member, table.token).where(table.player == player))
    return {row.member: row.token for row in rows}


def person(season: int, player: str, member: str | None) -> tuple[sa.Table, dict[str, Any]]:
    """Return the table in which a person stands, and what tells the row."""
    if member is None:
        return db_schema.authors, {"season_id": season, "name": player}
    return db_schema.members, {"season_id": season, "player": player, "name": member}


def spelled(player: str, member: str | None) -> str:
    """Return how the log names a person: ``alice``, and of those who joined ``alice/bob``."""
    return player if member is None else f"{player}/{member}"
