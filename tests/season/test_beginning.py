"""Whoever renames a season is asked before another one begins; whoever renames its file goes on."""

from __future__ import annotations

from contextlib import closing, nullcontext
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import ConfigError
from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from tests.fixtures.made_up_seasons import play as play_on
from tests.fixtures.made_up_seasons import players

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = f"game: planning\nisolation: plain\nrounds: 9\nseed: abc\nplayers:\n{players(8)}"


def write(path: Path, text: str = "") -> Path:
    path.write_text(CONFIG + text)
    return path


def play(file: Path, store: Store | None = None) -> None:
    """A round of a file's season, in a store or in its own."""
    config = load(file)
    with nullcontext(store) if store else closing(Store(config.store)) as kept:
        play_on(Season.open(config, kept), only_one=True)


def complete(file: Path) -> int:
    """How many rounds of a file's season are complete."""
    config = load(file)
    with closing(Store(config.store)) as store:
        return Season.open(config, store).stored.complete


def test_another_name_in_the_same_file_is_asked_about(tmp_path: Path, store: Store) -> None:
    play(write(tmp_path / "s.yaml", "season: spring\n"), store)
    now = load(write(tmp_path / "s.yaml", "season: sprnig\ntime: 5s\n"))
    with pytest.raises(ConfigError) as caught:
        Season.open(now, store)
    assert str(caught.value) == (
        f"{tmp_path / 's.yaml'}: :memory: holds the season spring, which was played from this file: under this"
        " name a new season begins, with round 1"
        " (write season: spring to go on with it, or give --accept-changes to begin sprnig)"
    )
    assert store.seasons() == ["spring"]
    assert Season.open(now, store, accept_changes=True).stored.complete == 0
    assert Season.open(now, store).stored.name == "sprnig"


def test_seasons_of_files_of_their_own_share_a_store_unasked(tmp_path: Path, store: Store) -> None:
    for name in ("s", "t"):
        play(write(tmp_path / f"{name}.yaml"), store)
    assert store.seasons() == ["s", "t"]


def test_a_season_that_no_round_was_planned_of_is_not_asked_about(tmp_path: Path, store: Store) -> None:
    Season.open(load(write(tmp_path / "s.yaml", "season: spring\n")), store)
    now = load(write(tmp_path / "s.yaml", "season: summer\n"))
    assert Season.open(now, store).stored.name == "summer"


def test_a_moved_folder_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    play(write(tmp_path / "a" / "s.yaml"))
    (tmp_path / "a").rename(tmp_path / "b")
    assert complete(tmp_path / "b" / "s.yaml") == 1


def test_a_renamed_file_of_a_named_season_goes_on(tmp_path: Path) -> None:
    play(write(tmp_path / "s.yaml", "season: spring\n"))
    assert (tmp_path / "spring.sqlite").exists()
    assert complete((tmp_path / "s.yaml").rename(tmp_path / "t.yaml")) == 1


def test_a_store_named_after_the_file_by_an_earlier_version_is_gone_on_with(tmp_path: Path) -> None:
    file = write(tmp_path / "s.yaml", "season: spring\n")
    play(file)
    (tmp_path / "spring.sqlite").rename(tmp_path / "s.sqlite")
    assert complete(file) == 1
    assert not (tmp_path / "spring.sqlite").exists()


@pytest.mark.parametrize("name", ["a/b", "what?x=1", "two words"])
def test_a_season_whose_name_no_file_has_is_kept_under_its_files_name(tmp_path: Path, name: str) -> None:
    file = write(tmp_path / "s.yaml", f"season: '{name}'\n")
    play(file)
    assert {path.name for path in tmp_path.iterdir()} == {"s.yaml", "s.sqlite"}
    assert complete(file) == 1
