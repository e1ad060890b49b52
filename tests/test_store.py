"""The store: what is kept is whole, what cannot be kept is said in one line."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.match import Fault, Forfeit, MatchRecord, Move
from arbiter.store import SeasonStore, Store, schema
from arbiter.store.migrations import known_revisions, upgrade

if TYPE_CHECKING:
    from collections.abc import Iterator


def record(match_id: str = "r001/t01/m0", round_number: int = 1, **changes: object) -> MatchRecord:
    fields: dict[str, object] = {
        "id": match_id,
        "season": "s",
        "round": round_number,
        "table": 1,
        "rotation": 0,
        "game": "planning",
        "options": {"seats": 4},
        "seed": "1",
        "deal_hash": "0" * 64,
        "players": ("a", "b", "c", "d"),
        "deals": ({"hands": [["2C"]], "starter": 0},),
        "moves": (Move(0, 0, "gen_move", "2C", 1000, 0, 0, 1000, 5000),),
        "points": (3, 2, 1, 0),
        "forfeit": None,
    }
    return MatchRecord(**(fields | changes))  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(f"sqlite:///{tmp_path / 'season.sqlite'}")
    yield made
    made.close()


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


def test_rounds_keep_their_tables_and_standings(season: SeasonStore) -> None:
    season.add_round(1, "digest", [["a", "b"], ["c", "d"]])
    (before,) = season.rounds()
    assert (before.tables, before.complete) == ((("a", "b"), ("c", "d")), False)
    season.complete_round(1, {"rounds_played": 1})
    (after,) = season.rounds()
    assert after.complete
    assert season.standings(1) == {"rounds_played": 1}
    assert season.standings(2) is None


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


def columns(store: Store) -> dict[str, list[tuple[str, str, bool]]]:
    with store.reading() as connection:
        inspector = sa.inspect(connection)
        return {
            name: [(c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(name)]
            for name in inspector.get_table_names()
        }


def test_migrations_build_what_the_schema_says(tmp_path: Path, store: Store) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'migrated.sqlite'}")
    upgrade(engine)
    engine.dispose()
    migrated = Store(f"sqlite:///{tmp_path / 'migrated.sqlite'}")
    assert columns(migrated) == columns(store)
    assert known_revisions()[0] == schema.HEAD
    migrated.close()


def refusal(url: str, **options: bool) -> str:
    with pytest.raises(StoreError) as caught:
        Store(url, **options).make_season("x", "planning", "1")
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_a_newer_schema_is_refused(tmp_path: Path, store: Store) -> None:
    with store.transaction() as connection:
        connection.execute(sa.update(schema.version).values(version_num="9999"))
    assert "has schema 9999, newer than this program's" in refusal(store.url)


def test_a_locked_store_is_said_in_one_line(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.store.store.LOCK_SECONDS", 0)
    other = sqlite3.connect(tmp_path / "season.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert "locked by another program" in refusal(store.url)
    other.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.sqlite"
    path.write_text("hello, this is not a database at all\n" * 100)
    assert "damaged or no store" in refusal(f"sqlite:///{path}")


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "else.sqlite"
    sqlite3.connect(path).execute("CREATE TABLE shop (id)")
    assert "a database of something else" in refusal(f"sqlite:///{path}")


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert "does its folder exist" in refusal(f"sqlite:///{tmp_path}/no/such/folder/x.sqlite")


@pytest.mark.parametrize(
    ("url", "words"),
    [("nonsense", "not a store"), ("nosuchdb://x/y", "no driver for the store")],
)
def test_an_address_that_is_none_is_said(url: str, words: str) -> None:
    assert words in refusal(url)


def test_a_store_that_is_only_read_is_not_made(tmp_path: Path) -> None:
    assert "play a round first" in refusal(f"sqlite:///{tmp_path / 'none.sqlite'}", create=False)
    assert not (tmp_path / "none.sqlite").exists()


def test_a_damaged_record_is_named(store: Store, season: SeasonStore) -> None:
    season.add_match(record())
    with store.transaction() as connection:
        connection.execute(sa.update(schema.matches).values(record=b"\x00garbage"))
    with pytest.raises(StoreError, match=r"the record of match r001/t01/m0 cannot be read"):
        season.match("r001/t01/m0")
