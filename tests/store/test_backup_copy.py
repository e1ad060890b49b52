"""A copy of a store's file alone has what was complete when it was taken, or is refused; never a fresh start."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import NoStore, StoreError
from arbiter.store import SeasonStore, Store
from arbiter.store.sqlite import APPLICATION_ID, check_not_hollow
from tests.fixtures.records import record, standings

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def season(file: Path) -> Iterator[SeasonStore]:
    """A season of a store that is open, as if it were played."""
    store = Store(f"sqlite:///{file}")
    yield store.make_season("s", "planning", "1")
    store.close()


def opened(file: Path, create: bool = True) -> Store:
    return Store(f"sqlite:///{file}", create=create)


def copy_of(file: Path) -> SeasonStore:
    """The season in a copy of the file alone."""
    lone = file.with_name("copy.sqlite")
    shutil.copy(file, lone)
    season = opened(lone).season("s")
    assert season is not None
    return season


def play_round(season: SeasonStore, number: int) -> None:
    season.add_round(number, "digest", [["a", "b", "c", "d"]], {})
    season.add_match(record(f"r{number:03d}/t01/m0", number))
    season.complete_round(number, standings(number))


def mark_of(file: Path) -> int:
    connection = sqlite3.connect(file)
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    connection.close()
    return int(mark)


def hollow(file: Path, mark: int, mode: str) -> None:
    """What was copied of a store before any of its contents had been moved into the file."""
    connection = sqlite3.connect(file)
    connection.execute(f"PRAGMA application_id={mark}")
    connection.execute(f"PRAGMA journal_mode={mode}")
    connection.close()


def test_a_copy_of_the_file_alone_has_the_season_and_its_complete_rounds(
    file: Path, season: SeasonStore
) -> None:
    assert copy_of(file).seed == "1"
    for number in (1, 2, 3):
        play_round(season, number)
    found = copy_of(file)
    assert [known.complete for known in found.rounds()] == [True, True, True]
    assert len(list(found.records())) == 3


def test_a_reader_delays_no_round_and_takes_no_harm(file: Path, season: SeasonStore) -> None:
    play_round(season, 1)
    reader = sqlite3.connect(file, isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM matches").fetchone() == (1,)
    play_round(season, 2)
    # What the file has is whole, up to where it could be written without the reader's harm.
    assert [known.complete for known in copy_of(file).rounds()] == [True]
    assert reader.execute("SELECT count(*) FROM matches").fetchone() == (1,)
    reader.close()
    play_round(season, 3)
    assert len(copy_of(file).rounds()) == 3


def test_a_store_is_marked_as_ours(file: Path, season: SeasonStore) -> None:
    play_round(season, 1)
    assert mark_of(file) == APPLICATION_ID


def test_an_older_store_is_marked_when_it_is_opened_to_be_written_to(file: Path) -> None:
    opened(file).close()
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA application_id=0")
    connection.close()
    opened(file, create=False).close()
    assert mark_of(file) == 0
    store = opened(file)
    shutil.copy(file, file.with_name("copy.sqlite"))
    store.close()
    assert mark_of(file.with_name("copy.sqlite")) == APPLICATION_ID


@pytest.mark.parametrize(("mark", "mode"), [(APPLICATION_ID, "wal"), (APPLICATION_ID, "delete"), (0, "wal")])
@pytest.mark.parametrize("create", [True, False])
def test_a_store_without_its_contents_is_refused(file: Path, mark: int, mode: str, create: bool) -> None:
    hollow(file, mark, mode)
    before = file.read_bytes()
    words = r"season\.sqlite is a store whose contents are in the missing file season\.sqlite-wal: copy both"
    with pytest.raises(StoreError, match=words):
        opened(file, create)
    assert file.read_bytes() == before


def test_a_store_that_somebody_has_just_made_has_its_contents(file: Path) -> None:
    opened(file).close()
    with closing(Store(f"sqlite:///{file}")) as store, store.reading() as connection:
        check_not_hollow(connection, str(file))


@pytest.mark.parametrize("left", ["empty", "missing"])
@pytest.mark.parametrize("create", [True, False])
def test_contents_without_their_file_are_refused_and_kept(
    file: Path, season: SeasonStore, left: str, create: bool
) -> None:
    season.add_match(record())
    lone = file.with_name("lone.sqlite")
    contents = shutil.copy(f"{file}-wal", f"{lone}-wal")
    if left == "empty":
        lone.touch()
    with pytest.raises(
        StoreError, match=rf"lone\.sqlite is {left}, but .*-wal has contents of a store: restore"
    ):
        opened(lone, create)
    assert Path(contents).stat().st_size == Path(f"{file}-wal").stat().st_size


def test_an_empty_file_becomes_a_store(file: Path) -> None:
    file.touch()
    with pytest.raises(NoStore):
        opened(file, create=False)
    assert file.stat().st_size == 0
    store = opened(file)
    assert store.seasons() == []
    store.close()
