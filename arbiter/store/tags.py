"""The index of matches by the tags that bots noted.

The rows of a match are written with it, and replaced when the match is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.seats import key_of

if TYPE_CHECKING:
    from arbiter.match.packing import PackedMatch


class TagFilter(NamedTuple):
    """A tag to search for: of all seats, or with `players` only of theirs and public ones."""

    tag: str
    players: tuple[str, ...] | None = None

    def found(self, season: int) -> sa.Subquery:
        """Return a query for the matches with the tag, each once: `round`, `match_id`."""
        table = db_schema.tags.c
        query = sa.select(table["round"], table.match_id).distinct()
        query = query.where(table.season_id == season, table.tag == key_of(self.tag))
        if self.players is not None:
            own = table.player.in_([key_of(name) for name in self.players])
            query = query.where(sa.or_(table.public, own))
        return query.subquery()


def store_tags(connection: sa.Connection, season: int, match: PackedMatch, fresh: bool = True) -> None:
    """Write the tags of a match; replace those of an earlier one unless it is `fresh`."""
    if not match.tags and fresh:
        return
    summary = match.summary
    connection.execute(sa.delete(db_schema.tags).filter_by(season_id=season, match_id=summary.id))
    if match.tags:
        connection.execute(sa.insert(db_schema.tags), [_tag_row(season, match, *tag) for tag in match.tags])


def _tag_row(season: int, match: PackedMatch, seat: int, tag: str, public: bool) -> dict[str, Any]:
    return {
        "season_id": season,
        "tag": key_of(tag),
        "round": match.summary.round or 0,
        "match_id": match.summary.id,
        "seat": seat,
        "player": key_of(match.summary.players[seat]),
        "public": public,
    }
