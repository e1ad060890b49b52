"""The store, on SQLite and on PostgreSQL: what is kept is whole, and the same on both."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.match.packing import pack
from arbiter.match.record import Fault, Forfeit
from arbiter.store import EventKind, LoggedEvent, OrderKind, SeasonStore, Store, db_schema
from arbiter.store.database import FETCHED
from arbiter.store.dialect import COMPILED
from tests.fixtures.records import record, standings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

ADDED = {
    "0002": ("configs", "seasons.stop_asked", "matches.wall_ns"),
    "0003": ("annulments", "suspensions", "seasons.revision", "seasons.file", "seasons.seed_told", "rounds.programs"),
    "0004": ("events", "seasons.events"),
    "0005": ("annulments.programs",),
    "0006": ("authors", "sessions", "submissions", "audit", "seasons.paused", "seasons.closed"),
    "0007": ("rounds.planned",),
    "0008": ("submissions.bytes",),
    "0009": (),
    "0010": ("ratings.brief", "rankings", "seats"),
    "0011": ("invitations",),
    "0014": ("requests", "served"),
    "0015": ("tags",),
    "0016": ("deliveries", "events.shown", "events.moment", "events.detail"),
    "0017": ("members", "invitations.player", "invitations.ends"),
    "0018": ("reviews",),
    "0019": ("reviews.digest",),
    "0020": ("outlays", "questions"),
    "0021": ("voids",),
    "0022": ("submissions.judged", "submissions.under"),
    "0023": ("announcements", "clarifications"),
    "0024": ("announcements.corrected", "announcements.withdrawn", "clarifications.announcement"),
    "0025": ("clarifications.corrected", "clarifications.withdrawn"),
    "0026": ("outages",),
}  # fmt: skip
"""What each version of the schema added to the one before it."""


def older(database: str, number: str, **rows: Iterable[dict[str, Any]]) -> None:
    """Make a store without what versions of the schema added after this one, with these rows by table."""
    Store(database).close()
    later = [name for version, names in ADDED.items() if version > number for name in names]
    with closing_engine(database) as engine, engine.begin() as connection:
        for name in later:
            table, _, column = name.partition(".")
            if not column:
                connection.exec_driver_sql(f"DROP TABLE {table}")
            elif table not in later:
                connection.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.execute(sa.update(db_schema.version).values(version_num=number))
        for name, values in rows.items():
            for row in values:
                connection.execute(sa.insert(sa.table(name, *map(sa.column, row))).values(row))


@contextmanager
def closing_engine(database: str) -> Iterator[sa.Engine]:
    engine = sa.create_engine(database)
    yield engine
    engine.dispose()


SEASON = {"id": 1, "name": "s", "game": "planning", "seed": "1", "created": "2026"}


@contextmanager
def only_season(database: str) -> Iterator[SeasonStore]:
    with closing(Store(database)) as store:
        found = store.season("s")
        assert found is not None
        yield found


@pytest.fixture
def season(store: Store) -> SeasonStore:
    return store.make_season("s", "planning", "1")


def test_a_record_comes_back_as_it_was_stored(season: SeasonStore) -> None:
    forfeit = Forfeit(2, "c", Fault.TIMEOUT, "no reply", "gen_move", "")
    stored = [record(), record("r001/t01/m1", points=None, forfeit=forfeit)]
    for one in stored:
        assert season.add_match(one)
    assert list(season.records()) == stored
    assert season.match("r001/t01/m1") == stored[1]
    assert season.summaries() == [one.summary() for one in stored]


def test_a_match_is_stored_once_and_never_changed(season: SeasonStore) -> None:
    assert season.add_match(record())
    assert not season.add_match(record(points=(0, 0, 0, 9)))
    assert season.match("r001/t01/m0") == record()
    assert season.match_ids(1) == {"r001/t01/m0"}


def test_of_two_that_store_a_match_at_the_same_moment_one_does(database: str) -> None:
    stores = [Store(database) for _ in range(4)]
    stores[0].make_season("s", "planning", "1")
    seasons = [found for store in stores if (found := store.season("s"))]
    ready = Barrier(len(seasons))

    def add(number: int) -> list[bool]:
        ready.wait()
        season = seasons[number]
        return [season.add_match(record(f"r001/t{table:02d}/m0", wall_ns=number)) for table in range(20)]

    with ThreadPoolExecutor(len(seasons)) as threads:
        added = list(threads.map(add, range(len(seasons))))
    kept = [found.wall_ns for found in seasons[0].records()]
    assert [[answers.index(True)] for answers in zip(*added, strict=True)] == [[number] for number in kept]
    assert all(answers.count(True) == 1 for answers in zip(*added, strict=True))
    for store in stores:
        store.close()


@pytest.mark.parametrize("there", [None, "0001"], ids=["an empty database", "an older store"])
def test_of_two_that_open_it_at_once_one_makes_the_tables(database: str, there: str | None) -> None:
    if there is not None:
        older(database, there)
    ready = Barrier(4)

    def opened(_: int) -> Store:
        ready.wait()
        return Store(database)

    with ThreadPoolExecutor(4) as threads:
        for store in threads.map(opened, range(4)):
            assert store.season("s") is None
            store.close()


def test_matches_stand_in_the_order_of_tables_and_rotations_whatever_the_collation(
    season: SeasonStore,
) -> None:
    ids = [
        "R001/t01/m0",
        "r001/T01/m0",
        "r001/t01/m2",
        "r001/t01/m2+",
        "r001/t01/m11",
        "r001/t02-m0",
        "r001/t02/m1",
        "r001/t100/m0",
    ]
    for one in reversed(ids):
        season.add_match(record(one))
    assert [match.id for match in season.records()] == ids
    assert [match.id for match in season.summaries()] == ids
    assert [match.id for match in season.stored_matches(1)] == ids


def test_large_figures_and_odd_texts_come_back(store: Store) -> None:
    season = store.make_season("Söngur ♠ \U0001f0a1", "planning", "π")
    odd = record(wall_ns=2**62, players=("a\x00b", "é", "\ud800", "d"))
    assert season.add_match(odd)
    assert list(season.records()) == [odd]
    assert season.wall_ns(1) == 2**62
    found = store.season("Söngur ♠ \U0001f0a1")
    assert found is not None
    assert found.seed == "π"


def test_readers_see_whole_matches_while_one_writes(database: str, season: SeasonStore) -> None:
    reader = Store(database, create=False)
    found = reader.season("s")
    assert found is not None
    for number in range(FETCHED + 10):
        season.add_match(record(f"r001/t{number:03d}/m0"))
    reading = found.records()
    next(reading)
    for number in range(FETCHED + 10, FETCHED + 20):
        season.add_match(record(f"r001/t{number:03d}/m0"))
    assert len(list(reading)) == FETCHED + 9
    assert len(found.summaries()) == FETCHED + 20
    reader.close()


def test_a_season_is_made_once(store: Store, season: SeasonStore) -> None:
    with pytest.raises(StoreError, match="holds a season s already"):
        store.make_season("s", "planning", "2")


def test_rounds_keep_their_tables_and_standings(season: SeasonStore) -> None:
    season.add_round(1, "digest", [["a", "b"], ["c", "d"]], {"time": "10s"})
    (before,) = season.rounds()
    assert (before.tables, before.complete) == ((("a", "b"), ("c", "d")), False)
    season.complete_round(1, standings(1))
    (after,) = season.rounds()
    assert after.complete
    assert season.standings(1) == standings(1)
    assert season.standings(2) is None
    assert (season.settings("digest"), season.settings("other")) == ({"time": "10s"}, None)


@pytest.mark.parametrize(
    ("planned", "said"),
    [
        ("yesterday", "expected a time with a zone, got 'yesterday'"),
        ("2026-01-01T00:00:00", "expected a time with a zone"),
    ],
)
def test_a_round_s_moment_that_cannot_be_read_is_named(season: SeasonStore, planned: str, said: str) -> None:
    season.add_round(2, "digest", [["a", "b"], ["c", "d"]], {})
    season._write(sa.update(db_schema.rounds).values(planned=planned))
    with pytest.raises(StoreError, match=f"the time at which round 2 was planned cannot be read: .*{said}"):
        season.rounds()
    season.running.ask("mark", "time: 10s -> 9s")
    with pytest.raises(StoreError, match=f"the time at which round 2 was planned cannot be read: .*{said}"):
        season.running.question()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda shape: [shape], ' cannot be read: .* is not a mapping'),
        (lambda _: {}, " cannot be read: it has no season"),
        (lambda shape: shape | {"players": 3}, " cannot be read: its players is '3'"),
        (lambda shape: shape | {"players": [*shape["players"], "b"]}, ", row 2, cannot be read: it has no rank"),
        (lambda shape: shape | {"players": [shape["players"][0] | {"elo": "high"}]},
         ", row 1, cannot be read: its elo is 'high'"),
    ],
)  # fmt: skip
def test_standings_that_cannot_be_read_are_named(season: SeasonStore, damage: Any, said: str) -> None:
    season.add_round(1, "digest", [["a", "b", "c", "d"]], {})
    season.complete_round(1, damage(standings(1)))
    with pytest.raises(StoreError, match=f"^the standings of round 1{said}"):
        season.standings(1)


def test_summaries_go_up_to_a_round(season: SeasonStore) -> None:
    for number in (1, 2, 3):
        season.add_match(record(f"r{number:03d}/t01/m0", number))
    assert [match.round for match in season.summaries(2)] == [1, 2]


def test_seasons_in_one_store_are_apart(store: Store) -> None:
    one, two = store.make_season("one", "planning", "1"), store.make_season("two", "planning", "2")
    one.add_match(record())
    assert two.match_ids(1) == set()
    found = store.season("two")
    assert found is not None
    assert found.seed == "2"
    assert store.season("three") is None


def made(engine: sa.Engine) -> dict[str, object]:
    """What a database's tables are: columns, keys, indexes."""
    inspector = sa.inspect(engine)
    return {
        name: (
            sorted((c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(name)),
            inspector.get_pk_constraint(name)["constrained_columns"],
            sorted(
                (key["constrained_columns"], key["referred_table"])
                for key in inspector.get_foreign_keys(name)
            ),
            sorted(key["column_names"] for key in inspector.get_unique_constraints(name)),
            sorted((str(index["name"]), index["column_names"]) for index in inspector.get_indexes(name)),
        )
        for name in inspector.get_table_names()
    }


@pytest.mark.parametrize("number", ["0001", "0009", "0016"])
def test_a_store_of_an_earlier_schema_gets_what_it_lacks(database: str, number: str) -> None:
    Store(database).close()
    with closing_engine(database) as engine:
        fresh = made(engine)
    older(database, number)
    Store(database).close()
    with closing_engine(database) as engine:
        assert made(engine) == fresh
        with engine.connect() as connection:
            assert connection.execute(sa.select(db_schema.version)).scalar_one() == db_schema.HEAD


def test_events_of_an_earlier_schema_keep_their_numbers(database: str) -> None:
    event = {"season_id": 1, "number": 1, "kind": "round", "round": 1, "subject": ""}
    older(database, "0015", seasons=[SEASON | {"events": 1}], events=[event])
    with only_season(database) as kept:
        assert kept.events(0, 9) == [LoggedEvent(1, EventKind.ROUND, 1, "")]


def test_a_new_store_has_every_table_and_index(database: str, store: Store) -> None:
    there = sa.inspect(sa.create_engine(database))
    for table in db_schema.metadata.sorted_tables:
        assert {column["name"] for column in there.get_columns(table.name)} == set(table.c.keys())
        wanted = {index.name for index in table.indexes}
        assert {index["name"] for index in there.get_indexes(table.name)} >= wanted


def test_a_statement_is_compiled_once_for_all_files(tmp_path: Path) -> None:
    def read(name: str) -> None:
        with closing(Store(f"sqlite:///{tmp_path / name}")) as store:
            store.make_season("small", "planning", "s").summaries()

    read("one")
    before = list(COMPILED)
    read("other")
    assert list(COMPILED) == before


def test_every_version_of_the_schema_is_known_here() -> None:
    assert list(ADDED)[-1] == db_schema.HEAD


def test_a_store_of_the_first_schema_keeps_what_it_holds(database: str) -> None:
    kept = record()
    match = {"season_id": 1, "id": kept.id, "round": 1, "record": pack(kept)}
    older(
        database,
        "0001",
        seasons=[SEASON],
        matches=[match | {"summary": json.dumps(kept.summary().to_json())}],
    )
    with only_season(database) as found:
        assert list(found.records()) == [kept]
        assert (found.wall_ns(1), found.is_asked_to_stop()) == (0, False)


def test_suspensions_of_an_earlier_schema_are_told_apart_by_their_words(database: str) -> None:
    order = {"season_id": 1, "moment": "2026", "planned": 0, "complete": 0, "verb": "suspend"}
    reasons = ("failed qualification: rules: broken", "it Failed qualification: ", "failed qualification:")
    rows = [order | {"number": n, "player": f"p{n}", "because": because} for n, because in enumerate(reasons)]
    older(database, "0008", seasons=[SEASON], suspensions=rows)
    with only_season(database) as found:
        given = [(order.verb, order.because) for order in found.orders.read().given]
    assert given == list(zip((OrderKind.FAILED, OrderKind.SUSPEND, OrderKind.SUSPEND), reasons, strict=True))


def test_the_time_that_a_round_took_is_known(season: SeasonStore) -> None:
    for number in range(3):
        season.add_match(record(f"r001/t01/m{number}", wall_ns=5_000_000_000))
    assert (season.wall_ns(1), season.wall_ns(2)) == (15_000_000_000, 0)


def test_a_damaged_record_is_named(store: Store, season: SeasonStore) -> None:
    season.add_match(record())
    with store.transaction() as connection:
        connection.execute(sa.update(db_schema.matches).values(record=b"\x00garbage"))
    with pytest.raises(StoreError, match=r"the record of match r001/t01/m0 cannot be read"):
        season.match("r001/t01/m0")


def test_what_happens_is_logged_in_order_with_what_happened(season: SeasonStore) -> None:
    season.add_round(1, "digest", [["a", "b", "c", "d"]], {})
    for _ in range(2):
        season.add_match(record())
    season.complete_round(1, {"rounds_played": 1})
    for asked in (True, True, False):
        season.ask_to_stop(asked)
    found = season.events(0, 9)
    assert [(event.number, str(event.kind), event.round, event.subject) for event in found] == [
        (1, "round", 1, ""),
        (2, "match", 1, "r001/t01/m0"),
        (3, "standings", 1, ""),
        (4, "state", 0, "stopping"),
        (5, "state", 0, "playing"),
    ]
    assert season.last_event() == 5
    assert season.events(2, 2) == found[2:4]


def test_what_follows_a_freeze_is_told_of_the_season_alone_and_numbered_on(season: SeasonStore) -> None:
    for number in (1, 2):
        season.add_round(number, "digest", [["a", "b", "c", "d"]], {})
        season.complete_round(number, {"players": []})
        if number == 1:
            season.freeze(1)
    assert season.frozen_after() == 1
    season.ask_to_stop()
    frozen, since = season.events_frozen(1)
    assert (frozen, season.last_event()) == (3, 6)
    assert [(event.number, event.kind, event.subject) for event in since] == [(4, "state", "stopping")]
    season.publish_seed(2)
    assert season.frozen_after() is None
