"""The matches of a season in a store.

A match is written in one transaction when it is complete and never changed, so whatever is
killed at whatever moment, what is stored is whole, and what is not stored is still to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arbiter.match.packing import PackedMatch, pack_match, unpack
from arbiter.store import db_schema
from arbiter.store.database import LostConnection
from arbiter.store.event_log import Happening, log
from arbiter.store.match_lists import Lists
from arbiter.store.row_values import StoredMatch, in_order, place_of, read_summary, row_of, stored_match
from arbiter.store.seats import seat
from arbiter.store.tags import keep_tags

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from arbiter.match.record import MatchRecord, MatchSummary


class Matches(Lists):
    """The matches of one season."""

    def add_match(self, record: MatchRecord) -> bool:
        """Keep a match; False if one with this id is already there, which then stays."""
        return self.add_packed(pack_match(record))

    def add_packed(self, match: PackedMatch) -> bool:
        """Keep a match that was packed where it was played; False as with `add_match`."""
        row = {"season_id": self._id, "id": match.summary.id, "round": match.summary.round, **row_of(match)}
        try:
            return self._insert_match(match, row)
        except LostConnection:
            # It may have been stored: then it stays.
            return self._insert_match(match, row)

    def _insert_match(self, match: PackedMatch, row: Mapping[str, Any]) -> bool:
        with self._store.transaction() as connection:
            kept = self._store.insert_once(connection, db_schema.matches, row)
            if kept:
                seat(connection, self._id, [match.summary])
                keep_tags(connection, self._id, match)
            if kept and match.summary.table is not None:
                log(connection, self._id, Happening.MATCH, match.summary.round or 0, match.summary.id)
        return kept

    def match_ids(self, round_number: int) -> set[str]:
        return {row.id for row in self._rows(self._own(db_schema.matches.c.id, round=round_number))}

    def match(self, match_id: str) -> MatchRecord | None:
        """One match, None if it is not there."""
        found = self.packed(match_id)
        return None if found is None else unpack(found, match_id)

    def packed(self, match_id: str) -> bytes | None:
        """A match's record as it is kept."""
        found: bytes | None = self._scalar(self._own(db_schema.matches.c.record, id=match_id))
        return found

    def summaries(self, last_round: int | None = None, first_round: int = 1) -> list[MatchSummary]:
        """The matches of all rounds from one to another, in the order of their ids."""
        table = db_schema.matches.c
        query = self._matches(table.id, table.summary).where(table.round >= first_round)
        if last_round is not None:
            query = query.where(table.round <= last_round)
        return [read_summary(row.summary, f"the record of match {row.id}") for row in self._rows(query)]

    def summaries_of(self, ids: Collection[str]) -> list[MatchSummary]:
        """The matches of these ids that are there, in the order of the plan."""
        table = db_schema.matches.c
        rows = self._among(self._own(table.id, table.summary), table.id, ids)
        # Sorted here: a database that is to sort them may read the season in that order instead.
        found = [read_summary(row.summary, f"the record of match {row.id}") for row in rows]
        return sorted(found, key=place_of)

    def records(self, round_number: int | None = None) -> Iterator[MatchRecord]:
        """Stored matches in the order of their ids, one at a time."""
        query = self._matches(db_schema.matches.c.id, db_schema.matches.c.record)
        if round_number is not None:
            query = query.filter_by(round=round_number)
        for row in self._rows(query):
            yield unpack(row.record, row.id)

    def wall_ns(self, round_number: int) -> int:
        """The sum of the times, in ns, that a round's stored matches took."""
        return int(self._scalar(self._own(sa.func.sum(db_schema.matches.c.wall_ns), round=round_number)) or 0)

    def match_rounds(self) -> list[int]:
        """The rounds that have stored matches, planned or not, in order."""
        column = db_schema.matches.c.round
        return [row.round for row in self._rows(self._own(column).distinct().order_by(column))]

    def stored_matches(self, round_number: int) -> Iterator[StoredMatch]:
        """A round's matches, one at a time; what cannot be read is named."""
        table = db_schema.matches.c
        for row in self._rows(
            self._matches(table.id, table.summary, table.record).filter_by(round=round_number)
        ):
            yield stored_match(row.id, row.summary, row.record)

    def _matches(self, *columns: sa.Column[Any]) -> sa.Select[Any]:
        """Columns of the season's matches in the order of their ids."""
        return self._own(*columns).order_by(*in_order())
