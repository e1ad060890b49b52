"""The store: a dozen methods, one transaction each.

A match is written in one transaction when it is complete and never changed, so whatever is
killed at whatever moment, what is stored is whole, and what is not stored is still to do.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError

from arbiter.errors import StoreError
from arbiter.match import MatchRecord, MatchSummary
from arbiter.store import schema
from arbiter.store.packing import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LOCK_SECONDS = 5


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


class Store:
    """One database. Opening it makes or migrates the schema; StoreError with one line if it cannot."""

    def __init__(self, url: str, *, create: bool = True) -> None:
        self.url = url
        try:
            parsed = sa.make_url(url)
        except ArgumentError:
            raise StoreError(f"not a store: {url!r} (write sqlite:///file.sqlite)") from None
        self.name = parsed.database or parsed.render_as_string(hide_password=True)
        sqlite = parsed.get_backend_name() == "sqlite"
        if sqlite and not create and not Path(self.name).is_file():
            raise StoreError(f"there is no store {self.name} yet: play a round first")
        try:
            if sqlite and not create and not os.access(Path(self.name).parent, os.W_OK):
                # SQLite would make files beside the store even to read it.
                parsed = sa.make_url(f"sqlite:///file:{self.name}?immutable=1&uri=true")
            timeout = {"timeout": LOCK_SECONDS} if sqlite else {}
            self._engine = sa.create_engine(parsed, connect_args=timeout)
        except (NoSuchModuleError, ImportError) as error:
            shown = parsed.render_as_string(hide_password=True)
            raise StoreError(f"no driver for the store {shown!r}: {error}") from None
        if sqlite:
            sa.event.listen(self._engine, "connect", _prepare_sqlite)
        with self._explained():
            self._settle_schema()

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    def season(self, name: str) -> SeasonStore | None:
        """The season of this name, None if there is none."""
        with self._explained(), self._engine.connect() as connection:
            row = connection.execute(
                sa.select(schema.seasons).where(schema.seasons.c.name == name)
            ).one_or_none()
        return None if row is None else SeasonStore(self, row.id, row.name, row.game, row.seed)

    def make_season(self, name: str, game: str, seed: str) -> SeasonStore:
        """A new season; StoreError if the name is taken."""
        created = datetime.now(UTC).isoformat(timespec="seconds")
        values = {"name": name, "game": game, "seed": seed, "created": created}
        with self.transaction() as connection:
            connection.execute(sa.insert(schema.seasons).values(values))
        made = self.season(name)
        assert made is not None
        return made

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """One transaction; its failures are StoreErrors of one line."""
        with self._explained(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection for queries."""
        with self._explained(), self._engine.connect() as connection:
            yield connection

    def _settle_schema(self) -> None:
        """Make the tables in an empty database, migrate an older one, refuse a newer one."""
        with self._engine.connect() as connection:
            tables = set(sa.inspect(connection).get_table_names())
            if schema.version.name in tables:
                found = connection.execute(sa.select(schema.version.c.version_num)).scalar()
            elif tables:
                raise StoreError(f"{self.name} is a database of something else: name another store")
            else:
                found = None
        if found == schema.HEAD:
            return
        if found is None:
            self._make_tables()
            return
        # Loaded only when a store is behind: it takes longer than opening one.
        from arbiter.store.migrations import known_revisions, upgrade

        if found not in known_revisions():
            raise StoreError(
                f"{self.name} has schema {found}, newer than this program's {schema.HEAD}: upgrade arbiter"
            )
        upgrade(self._engine)

    def _make_tables(self) -> None:
        with self._engine.begin() as connection:
            if self._engine.dialect.name == "sqlite":
                # Two programs may find it empty at the same time: one makes, the other waits.
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                if sa.inspect(connection).has_table(schema.version.name):
                    return
            schema.metadata.create_all(connection)
            connection.execute(sa.insert(schema.version).values(version_num=schema.HEAD))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Database errors as StoreErrors that say what to do."""
        try:
            yield
        except OperationalError as error:
            raise StoreError(f"{self.name}: {_plain(error)}") from None
        except DBAPIError as error:
            raise StoreError(f"{self.name} is damaged or no store: {error.orig}") from None


class SeasonStore:
    """One season in a store."""

    def __init__(self, store: Store, number: int, name: str, game: str, seed: str) -> None:
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

    def add_round(self, number: int, digest: str, tables: Sequence[Sequence[str]]) -> StoredRound:
        """Keep a planned round before its first match is played."""
        text = json.dumps([list(names) for names in tables])
        values = {
            "season_id": self._id,
            "number": number,
            "digest": digest,
            "tables": text,
            "complete": False,
        }
        with self._store.transaction() as connection:
            connection.execute(sa.insert(schema.rounds).values(values))
        return StoredRound(number, digest, tuple(map(tuple, tables)), False)

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
        if text is None:
            return None
        try:
            shape: dict[str, Any] = json.loads(text)
        except ValueError as error:
            raise StoreError(f"the standings of round {number} cannot be read: {error}") from None
        return shape

    def add_match(self, record: MatchRecord) -> bool:
        """Keep a match; False if one with this id is already there, which then stays."""
        packed = pack(record)
        values = {
            "season_id": self._id,
            "id": record.id,
            "round": record.round,
            "summary": json.dumps(record.summary().to_json()),
            "record": packed,
        }
        table = schema.matches
        with self._store.transaction() as connection:
            there = connection.execute(
                sa.select(table.c.id).where(table.c.season_id == self._id, table.c.id == record.id)
            ).first()
            if there is None:
                connection.execute(sa.insert(table).values(values))
        return there is None

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
            packed = connection.execute(query).scalar()
        return None if packed is None else unpack(packed, match_id)

    def summaries(self, last_round: int | None = None) -> list[MatchSummary]:
        """The matches of all rounds up to one, in the order of their ids."""
        table = schema.matches
        query = sa.select(table.c.id, table.c.summary).where(table.c.season_id == self._id)
        if last_round is not None:
            query = query.where(table.c.round <= last_round)
        found = []
        with self._store.reading() as connection:
            for row in connection.execute(query.order_by(table.c.round, table.c.id)):
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
            for row in connection.execution_options(yield_per=100).execute(
                query.order_by(table.c.round, table.c.id)
            ):
                yield unpack(row.record, row.id)

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
            for row in connection.execution_options(yield_per=100).execute(query.order_by(table.c.id)):
                yield _stored_match(row.id, row.summary, row.record)


def _stored_match(match_id: str, summary: str, packed: bytes) -> StoredMatch:
    short, record, problems = None, None, []
    try:
        short = MatchSummary.from_json(json.loads(summary))
    except (ValueError, TypeError, KeyError) as error:
        problems.append(f"its summary cannot be read: {error!r}")
    try:
        record = unpack(packed, match_id)
    except StoreError as error:
        problems.append(str(error))
    return StoredMatch(match_id, short, record, "; ".join(problems))


def _tables(text: str, number: int) -> tuple[tuple[str, ...], ...]:
    try:
        return tuple(map(tuple, json.loads(text)))
    except (ValueError, TypeError) as error:
        raise StoreError(f"the tables of round {number} cannot be read: {error}") from None


def _prepare_sqlite(connection: Any, _: object) -> None:
    """Readers beside one writer, and a commit that survives a crash, of the machine too."""
    try:
        connection.execute("PRAGMA journal_mode=WAL")
    except sqlite3.OperationalError as error:
        # A read-only store can still be read.
        if "readonly" not in str(error) and "unable to open" not in str(error):
            raise
    connection.execute("PRAGMA synchronous=FULL")


def _plain(error: OperationalError) -> str:
    """What a database says, in words that tell what to do."""
    text = str(error.orig)
    if "locked" in text:
        return "locked by another program; wait for it or end it"
    if "readonly" in text or "read-only" in text:
        return "the store is read-only; make the file and its folder writable"
    if "unable to open" in text:
        return "the store cannot be opened; does its folder exist, and may you write there?"
    if "disk is full" in text:
        return "the disk is full; what was stored before stays"
    return text.splitlines()[0]
