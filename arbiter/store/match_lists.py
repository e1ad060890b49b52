"""Paged queries for a season's matches, by round, players or tag, in the plan's order.

A page is found through the match counts of rounds, which an index holds; only its rounds are read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.database import SeasonRows
from arbiter.store.row_values import plan_order
from arbiter.store.seats import key_of, name_of
from arbiter.store.tags import TagFilter


class MatchRange(NamedTuple):
    """The matches of rounds `first` to `last` with at least one player of each group in `players`.

    With `faulty` only those ended by a fault of the first group; with `tagged` only those with a tag.
    """

    first: int
    last: int
    players: tuple[tuple[str, ...], ...] = ()
    faulty: bool = False
    tagged: TagFilter | None = None


class MatchQueries(SeasonRows):
    """Queries of the database for the ids and players of one season's matches."""

    def counts(self, wanted: MatchRange) -> dict[int, int]:
        """Return the number of wanted matches by round, in order."""
        query, number, _ = self._wanted(wanted)
        query = query.with_only_columns(number, sa.func.count()).group_by(number).order_by(number)
        return dict(map(tuple, self._all(query)))

    def ids(self, wanted: MatchRange, skip: int, limit: int) -> list[str]:
        """Return the ids of wanted matches in the plan's order: `limit` of them after the first `skip`."""
        query, number, match_id = self._wanted(wanted)
        query = query.with_only_columns(match_id).order_by(*plan_order(number, match_id))
        return [row[0] for row in self._all(query.offset(skip).limit(limit))]

    def seated(self, last_round: int) -> list[str]:
        """Return all players of the matches up to a round, by name."""
        table = db_schema.seats.c
        mine = sa.select(sa.func.min(table.player).label("player")).where(table.season_id == self._id)
        # Skips from name to name through the index: there are far fewer names than rows.
        names = mine.cte("names", recursive=True)
        names = names.union_all(
            sa.select(mine.where(table.player > names.c.player).correlate(names).scalar_subquery()).where(
                names.c.player.is_not(None)
            )
        )
        early = sa.exists().where(
            table.season_id == self._id, table.player == names.c.player, table.round <= last_round
        )
        query = sa.select(names.c.player).where(names.c.player.is_not(None), early)
        return sorted(name_of(row[0]) for row in self._all(query))

    def _wanted(self, wanted: MatchRange) -> tuple[sa.Select[Any], Any, Any]:
        """Return a query for the wanted matches, and its round and id columns."""
        there = db_schema.matches.c
        number: Any = there.round
        match_id: Any = there.id
        if not wanted.players and wanted.tagged is None:
            query = sa.select(number).where(there.season_id == self._id)
        else:
            seats: list[Any] = [
                db_schema.seats.alias(f"seat{place}").c for place in range(len(wanted.players))
            ]
            # A tag is the most selective: the seats are looked up from there.
            first = seats[0] if wanted.tagged is None else wanted.tagged.found(self._id).c
            number, match_id = first["round"], first["match_id"]
            query = sa.select(number)
            for own, names in zip(seats, wanted.players, strict=True):
                same = [own.round == number, own.match_id == match_id] if own is not first else []
                query = query.where(
                    own.season_id == self._id, own.player.in_([key_of(name) for name in names]), *same
                )
            if wanted.faulty:
                query = query.where(seats[0].faulty)
            query = query.where(sa.exists().where(there.season_id == self._id, there.id == match_id))
        return query.where(number >= wanted.first, number <= wanted.last), number, match_id
