"""Lists of a season's matches, a part at a time: of a round, of players, with a tag; in the plan's order.

However many matches there are, a part is read by the counts of its rounds, which lie in an index, and then of
these rounds alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.database import Book
from arbiter.store.row_values import in_order
from arbiter.store.seats import key_of, name_of
from arbiter.store.tags import Tagged


class MatchRange(NamedTuple):
    """The matches of the rounds from one to another in which somebody sat of each group of `players`.

    With `faulty` those alone that a fault of the first group's has ended; with `tagged` those with a tag.
    """

    first: int
    last: int
    players: tuple[tuple[str, ...], ...] = ()
    faulty: bool = False
    tagged: Tagged | None = None


class Lists(Book):
    """Which matches there are, and whose."""

    def counts(self, wanted: MatchRange) -> dict[int, int]:
        """By round, in order, how many matches are wanted."""
        query, number, _ = self._wanted(wanted)
        query = query.with_only_columns(number, sa.func.count()).group_by(number).order_by(number)
        return dict(map(tuple, self._all(query)))

    def ids(self, wanted: MatchRange, skip: int, most: int) -> list[str]:
        """The ids of the wanted matches in the order of the plan: `most` of them after the first `skip`."""
        query, number, match_id = self._wanted(wanted)
        query = query.with_only_columns(match_id).order_by(*in_order(number, match_id))
        return [row[0] for row in self._all(query.offset(skip).limit(most))]

    def seated(self, last_round: int) -> list[str]:
        """Everybody who sat in a match of a round up to the last one, by name."""
        table = db_schema.seats.c
        mine = sa.select(sa.func.min(table.player).label("player")).where(table.season_id == self._id)
        # From one name to the next: there are few beside the rows.
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
        """A query of the wanted matches, with the columns of their rounds and ids."""
        there = db_schema.matches.c
        number: Any = there.round
        match_id: Any = there.id
        if not wanted.players and wanted.tagged is None:
            query = sa.select(number).where(there.season_id == self._id)
        else:
            seats: list[Any] = [
                db_schema.seats.alias(f"seat{place}").c for place in range(len(wanted.players))
            ]
            # What is found by a tag is the least: from there the seats are looked up.
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
