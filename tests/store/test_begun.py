"""Stores beside another are looked at without a trace; what cannot be read is passed over."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.store import Store
from arbiter.store.begun import MOST, Begun, begun_beside

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.store import SeasonStore

DIGESTS = "a" * 64, "b" * 64


def begin(store: Store, name: str = "s", file: str | None = "/there/s.yaml") -> SeasonStore:
    """A season with two rounds of different settings."""
    season = store.make_season(name, "planning", "1")
    for number, digest in enumerate(DIGESTS, 1):
        season.add_round(number, digest, [["a"]], {})
    if file is not None:
        season.played_from(file)
    return season


def names(folder: Path) -> dict[str, int]:
    """All files, and when they were written."""
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


def test_seasons_with_rounds_are_named_with_file_and_last_digest() -> None:
    with closing(Store("sqlite://")) as store:
        begin(store)
        begin(store, "t", None)
        store.make_season("empty", "planning", "1")
        assert store.begun() == [Begun("s", "/there/s.yaml", DIGESTS[1]), Begun("t", None, DIGESTS[1])]


def test_a_closed_store_is_read_without_a_trace(tmp_path: Path) -> None:
    with closing(Store(f"sqlite:///{tmp_path / 'x.sqlite'}")) as store:
        begin(store)
    before = names(tmp_path)
    assert list(begun_beside(tmp_path)) == [(tmp_path / "x.sqlite", Begun("s", "/there/s.yaml", DIGESTS[1]))]
    assert names(tmp_path) == before


def test_a_store_that_somebody_writes_is_read_up_to_now(tmp_path: Path) -> None:
    with closing(Store(f"sqlite:///{tmp_path / 'x.sqlite'}")) as store:
        season = begin(store)
        season.add_round(3, "c" * 64, [["a"]], {})
        before = set(names(tmp_path))
        assert "x.sqlite-wal" in before
        assert [begun.digest for _, begun in begun_beside(tmp_path)] == ["c" * 64]
        assert set(names(tmp_path)) == before


@pytest.mark.parametrize("content", [b"", b"no database", os.urandom(5000)])
def test_what_is_no_store_is_passed_over(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.sqlite").write_bytes(content)
    (tmp_path / "b.sqlite").mkdir()
    (tmp_path / "c.sqlite").symlink_to("nowhere")
    assert list(begun_beside(tmp_path)) == []


def test_a_store_of_an_earlier_version_tells_no_file(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "old.sqlite")) as old:
        old.execute("CREATE TABLE seasons (id INTEGER, name TEXT)")
        old.execute("CREATE TABLE rounds (season_id INTEGER, number INTEGER, digest TEXT)")
        old.execute("INSERT INTO seasons VALUES (1, 's')")
        old.execute("INSERT INTO rounds VALUES (1, 1, 'd')")
        old.commit()
    assert [begun for _, begun in begun_beside(tmp_path)] == [Begun("s", None, "d")]


def test_only_the_stores_written_last_are_looked_at(tmp_path: Path) -> None:
    with closing(Store(f"sqlite:///{tmp_path / 'first.sqlite'}")) as store:
        begin(store)
    os.utime(tmp_path / "first.sqlite", (1, 1))
    for number in range(MOST):
        (tmp_path / f"{number}.sqlite").touch()
    assert list(begun_beside(tmp_path)) == []
    (tmp_path / "0.sqlite").unlink()
    assert len(list(begun_beside(tmp_path))) == 1
