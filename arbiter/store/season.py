"""One season in a store: its rounds, its matches, its standings; one transaction a change.

A match is written in one transaction when it is complete and never changed, so whatever is
killed at whatever moment, what is stored is whole, and what is not stored is still to do.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.match import MatchSummary
from arbiter.packing import PackedMatch, pack_match, unpack
from arbiter.store import schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.match import MatchRecord
    from arbiter.store.database import Database


@dataclass(frozen=True, slots=True)
class StoredRound:
    """A round as planned: its tables, the config's digest, and whether all of it was played."""

    number: int
    digest: str
    tables: tuple[tuple[str, ...], ...]
    complete: bool


class StoredMatch(NamedTuple):
    """A match as it lies in the store; what of it cannot be read is None, and `problem` says why."""

    id: str
    summary: MatchSummary | None
    record: MatchRecord | None
    problem: str


class SeasonStore:
    """One season in a store."""

    def __init__(self, store: Database, number: int, name: str, game: str, seed: str) -> None:
        self.name, self.game, self.seed = name, game, seed
        self._store, self._id = store, number

    def rounds(self) -> list[StoredRound]:
        """All rounds planned so far, in order."""
        table = schema.rounds
        query = sa.select(table).where(table.c.season_id == self._id).order_by(table.c.number)
        with self._store.reading() as connection:
            return [
                StoredRound(row.number, row.digest, _tables(row.tables, row.number), row.complete)
                for row in connection.execute(query)
            ]

    def add_round(
        self, number: int, digest: str, tables: Sequence[Sequence[str]], settings: Mapping[str, Any]
    ) -> StoredRound:
        """Keep a planned round, and what its config's digest covers, before its first match is played."""
        text = json.dumps([list(names) for names in tables])
        values = {
            "season_id": self._id,
            "number": number,
            "digest": digest,
            "tables": text,
            "complete": False,
        }
        with self._store.transaction() as connection:
            self._keep(connection, digest, settings)
            connection.execute(sa.insert(schema.rounds).values(values))
        return StoredRound(number, digest, tuple(map(tuple, tables)), False)

    def drop_round(self, number: int) -> None:
        """Forget the plan of a round that no match was played of."""
        table = schema.rounds
        with self._store.transaction() as connection:
            connection.execute(
                sa.delete(table).where(table.c.season_id == self._id, table.c.number == number)
            )

    def keep_settings(self, digest: str, settings: Mapping[str, Any]) -> None:
        """Keep what a config says whose matches are planned without rounds; nothing where it is there."""
        with self._store.transaction() as connection:
            self._keep(connection, digest, settings)

    def _keep(self, connection: sa.Connection, digest: str, settings: Mapping[str, Any]) -> None:
        kept = {"season_id": self._id, "digest": digest, "settings": json.dumps(dict(settings))}
        self._store.insert_once(connection, schema.configs, kept)

    def digests(self) -> list[str]:
        """Of all configs that are kept with it."""
        table = schema.configs
        with self._store.reading() as connection:
            query = sa.select(table.c.digest).where(table.c.season_id == self._id)
            return list(connection.execute(query).scalars())

    def settings(self, digest: str) -> dict[str, Any] | None:
        """What the config of this digest said, None if it was not kept."""
        table = schema.configs
        query = sa.select(table.c.settings).where(table.c.season_id == self._id, table.c.digest == digest)
        with self._store.reading() as connection:
            text = connection.execute(query).scalar()
        return None if text is None else _json(text, "a config")

    def last_settings(self) -> dict[str, Any] | None:
        """What the config of the last round said, None if there is no round or it was not kept."""
        rounds, kept = schema.rounds, schema.configs
        query = (
            sa.select(kept.c.settings)
            .join(rounds, sa.and_(rounds.c.season_id == kept.c.season_id, rounds.c.digest == kept.c.digest))
            .where(kept.c.season_id == self._id)
            .order_by(rounds.c.number.desc())
            .limit(1)
        )
        with self._store.reading() as connection:
            text = connection.execute(query).scalar()
        return None if text is None else _json(text, "a config")

    def complete_round(self, number: int, standings: dict[str, Any]) -> None:
        """All matches of a round are stored: mark it, and keep the standings after it."""
        rounds, ratings = schema.rounds, schema.ratings
        with self._store.transaction() as connection:
            connection.execute(
                sa.update(rounds)
                .where(rounds.c.season_id == self._id, rounds.c.number == number)
                .values(complete=True)
            )
            connection.execute(
                sa.delete(ratings).where(ratings.c.season_id == self._id, ratings.c.round == number)
            )
            connection.execute(
                sa.insert(ratings).values(season_id=self._id, round=number, standings=json.dumps(standings))
            )

    def standings(self, number: int) -> dict[str, Any] | None:
        """The standings kept after a round, None if there are none."""
        table = schema.ratings
        query = sa.select(table.c.standings).where(table.c.season_id == self._id, table.c.round == number)
        with self._store.reading() as connection:
            text = connection.execute(query).scalar()
        return None if text is None else _json(text, f"the standings of round {number}")

    def add_match(self, record: MatchRecord) -> bool:
        """Keep a match; False if one with this id is already there, which then stays."""
        return self.add_packed(pack_match(record))

    def add_packed(self, match: PackedMatch) -> bool:
        """The same for a match that was packed where it was played."""
        values = {
            "season_id": self._id,
            "id": match.summary.id,
            "round": match.summary.round,
            "wall_ns": match.wall_ns,
            "summary": json.dumps(match.summary.to_json()),
            "record": match.record,
        }
        with self._store.transaction() as connection:
            return self._store.insert_once(connection, schema.matches, values)

    def match_ids(self, round_number: int) -> set[str]:
        """The ids of a round's stored matches."""
        table = schema.matches
        query = sa.select(table.c.id).where(table.c.season_id == self._id, table.c.round == round_number)
        with self._store.reading() as connection:
            return set(connection.execute(query).scalars())

    def match(self, match_id: str) -> MatchRecord | None:
        """One match, None if it is not there."""
        table = schema.matches
        query = sa.select(table.c.record).where(table.c.season_id == self._id, table.c.id == match_id)
        with self._store.reading() as connection:
            found = connection.execute(query).scalar()
        return None if found is None else unpack(found, match_id)

    def summaries(self, last_round: int | None = None, first_round: int = 1) -> list[MatchSummary]:
        """The matches of all rounds from one to another, in the order of their ids."""
        table = schema.matches
        query = sa.select(table.c.id, table.c.summary).where(
            table.c.season_id == self._id, table.c.round >= first_round
        )
        if last_round is not None:
            query = query.where(table.c.round <= last_round)
        found = []
        with self._store.reading() as connection:
            for row in connection.execute(query.order_by(*in_order())):
                try:
                    found.append(MatchSummary.from_json(json.loads(row.summary)))
                except (ValueError, TypeError, KeyError) as error:
                    raise StoreError(f"the record of match {row.id} cannot be read: {error}") from None
        return found

    def records(self, round_number: int | None = None) -> Iterator[MatchRecord]:
        """Stored matches in the order of their ids, one at a time."""
        table = schema.matches
        query = sa.select(table.c.id, table.c.record).where(table.c.season_id == self._id)
        if round_number is not None:
            query = query.where(table.c.round == round_number)
        with self._store.reading() as connection:
            for row in connection.execution_options(yield_per=100).execute(query.order_by(*in_order())):
                yield unpack(row.record, row.id)

    def wall_ns(self, round_number: int) -> int:
        """How long a round's stored matches took, one after the other."""
        table = schema.matches
        query = sa.select(sa.func.sum(table.c.wall_ns)).where(
            table.c.season_id == self._id, table.c.round == round_number
        )
        with self._store.reading() as connection:
            return int(connection.execute(query).scalar() or 0)

    def ask_to_stop(self, asked: bool = True) -> None:
        """Leave whoever plays the season a wish to stop, or take it back."""
        moment = datetime.now(UTC).isoformat(timespec="seconds") if asked else None
        table = schema.seasons
        with self._store.transaction() as connection:
            connection.execute(sa.update(table).where(table.c.id == self._id).values(stop_asked=moment))

    def asked_to_stop(self) -> bool:
        """Whether somebody wishes that the season stop."""
        table = schema.seasons
        query = sa.select(table.c.stop_asked).where(table.c.id == self._id)
        with self._store.reading() as connection:
            return connection.execute(query).scalar() is not None

    def packed_matches(self) -> Iterator[PackedMatch]:
        """All matches as they are kept, one at a time."""
        table = schema.matches
        query = sa.select(table.c.id, table.c.summary, table.c.wall_ns, table.c.record).where(
            table.c.season_id == self._id
        )
        with self._store.reading() as connection:
            for row in connection.execution_options(yield_per=100).execute(
                query.order_by(table.c.round, table.c.id)
            ):
                summary = MatchSummary.from_json(_json(row.summary, f"the record of match {row.id}"))
                yield PackedMatch(summary, row.wall_ns, row.record)

    def match_rounds(self) -> list[int]:
        """The rounds that matches are stored of, planned or not, in order."""
        table = schema.matches
        query = sa.select(table.c.round).distinct().where(table.c.season_id == self._id)
        with self._store.reading() as connection:
            return list(connection.execute(query.order_by(table.c.round)).scalars())

    def stored_matches(self, round_number: int) -> Iterator[StoredMatch]:
        """All that is stored of a round's matches, one at a time; what cannot be read is named."""
        table = schema.matches
        query = sa.select(table.c.id, table.c.summary, table.c.record).where(
            table.c.season_id == self._id, table.c.round == round_number
        )
        with self._store.reading() as connection:
            for row in connection.execution_options(yield_per=100).execute(query.order_by(*in_order())):
                yield _stored_match(row.id, row.summary, row.record)


def _stored_match(match_id: str, summary: str, kept: bytes) -> StoredMatch:
    short, record, problems = None, None, []
    try:
        short = MatchSummary.from_json(json.loads(summary))
    except (ValueError, TypeError, KeyError) as error:
        problems.append(f"its summary cannot be read: {error!r}")
    try:
        record = unpack(kept, match_id)
    except StoreError as error:
        problems.append(str(error))
    return StoredMatch(match_id, short, record, "; ".join(problems))


def _json(text: str, what: str) -> dict[str, Any]:
    try:
        shape: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise StoreError(f"{what} cannot be read: {error}") from None
    return shape


def _tables(text: str, number: int) -> tuple[tuple[str, ...], ...]:
    try:
        return tuple(map(tuple, json.loads(text)))
    except (ValueError, TypeError) as error:
        raise StoreError(f"the tables of round {number} cannot be read: {error}") from None


def in_order() -> tuple[sa.ColumnElement[Any], ...]:
    """Matches by round, table and rotation: as text, ``m10`` of Codepiece would stand before ``m2``."""
    match = schema.matches.c
    place = sa.func.rtrim(match.id, "0123456789")
    return match.round, sa.func.length(place), place, sa.func.length(match.id), match.id
