"""The reviews of matches: one for each, which another takes the place of; gone when the match is another."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.store import db_schema
from arbiter.store.database import Book
from arbiter.store.event_log import Happening, log
from arbiter.store.row_values import legible
from arbiter.store.seats import key_of, name_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from arbiter.replay.match_review import Review


class ReviewBrief(NamedTuple):
    """The sums of a match's review: by whom, and `shape` as JSON has it."""

    round: int
    match: str
    by: str
    budget_ms: int
    shape: Mapping[str, Any]


class ReviewBook(Book):
    """The reviews of one season."""

    def keep(
        self, round_number: int, review: Review, brief: Mapping[str, Any], record: bytes, digest: str
    ) -> bool:
        """Keep a review in place of an earlier one; False where the match is not as in `record` by now."""
        match_id = review["match"]
        row = {"season_id": self._id, "round": round_number, "match_id": match_id}
        row |= {"program": key_of(review["by"]), "digest": digest, "budget_ms": review["budget"]}
        row |= {"brief": json.dumps(dict(brief)), "review": pack_review(review)}
        with self._store.transaction() as connection:
            drop_review(connection, self._id, match_id)
            now = self._own(db_schema.matches.c.record, id=match_id)
            if connection.execute(now).scalar() != record:
                return False
            connection.execute(sa.insert(db_schema.reviews).values(row))
            log(connection, self._id, Happening.REVIEW, round_number, match_id)
        return True

    def one(self, match_id: str) -> Review | None:
        """The review of a match, None if there is none."""
        packed = self._scalar(self._own(db_schema.reviews.c.review, match_id=match_id))
        return None if packed is None else unpack_review(packed, match_id)

    def reviewed(self, round_number: int, digest: str, budget_ms: int) -> set[str]:
        """The matches of a round that the program of this digest has reviewed in so much time."""
        mine = self._own(db_schema.reviews.c.match_id, round=round_number, digest=digest, budget_ms=budget_ms)
        return {row.match_id for row in self._all(mine)}

    def briefs(self, matches: Collection[str]) -> Iterator[ReviewBrief]:
        """The sums of the reviews of some matches, in no order."""
        table = db_schema.reviews.c
        query = self._own(table.round, table.match_id, table.program, table.budget_ms, table.brief)
        for row in self._among(query, table.match_id, matches):
            with legible(f"the review of match {row.match_id}"):
                shape = json.loads(row.brief)
            yield ReviewBrief(row.round, row.match_id, name_of(row.program), row.budget_ms, shape)


def drop_review(connection: sa.Connection, season: int, match_id: str) -> None:
    """Remove the review of a match, if there is one."""
    connection.execute(sa.delete(db_schema.reviews).filter_by(season_id=season, match_id=match_id))


def pack_review(review: Review) -> bytes:
    """A review as it is kept."""
    return zlib.compress(json.dumps(review, separators=(",", ":")).encode())


def unpack_review(packed: bytes, match_id: str) -> Review:
    """The review that was packed; StoreError for anything else."""
    try:
        return cast("Review", json.loads(zlib.decompress(packed)))
    except (zlib.error, ValueError) as error:
        raise StoreError(f"the review of match {match_id} cannot be read: {error}") from None
