"""Whoever renames a season, or its file, is asked before another season begins in its place."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from arbiter.config import load
from arbiter.errors import ConfigError
from arbiter.season.beginning import refuse_renamed_file
from arbiter.season.season import Season
from arbiter.store import Store, schema
from tests.builders import Scripted, by_name
from tests.commands import arbiter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["arbiter"]

CONFIG = "game: planning\nrounds: 9\nseed: abc\nplayers:\n" + "".join(
    f"  - {{name: p{n}, command: [python3]}}\n" for n in range(8)
)
ANEW = "under this name a new season begins, with round 1"


@pytest.fixture
def store() -> Iterator[Store]:
    with closing(Store("sqlite://")) as made:
        yield made


def write(path: Path, text: str = "") -> Path:
    path.write_text(CONFIG + text)
    return path


def play(file: Path, store: Store | None = None) -> None:
    """A round of a file's season, in a store or in its own."""
    config = load(file)
    if store is not None:
        list(Season.open(config, store).play(Scripted(by_name), only_one=True))
        return
    with closing(Store(config.store)) as own:
        play(file, own)


def test_another_name_in_the_same_file_is_asked_about(tmp_path: Path, store: Store) -> None:
    play(write(tmp_path / "s.yaml", "season: spring\n"), store)
    now = load(write(tmp_path / "s.yaml", "season: sprnig\ntime: 5s\n"))
    with pytest.raises(ConfigError) as caught:
        Season.open(now, store)
    assert str(caught.value) == (
        f"{tmp_path / 's.yaml'}: :memory: holds the season spring, which was played from this file: {ANEW}"
        " (write season: spring to go on with it, or give --accept-changes to begin sprnig)"
    )
    assert store.seasons() == ["spring"]
    assert Season.open(now, store, accept_changes=True).stored.complete == 0
    assert Season.open(now, store).stored.name == "sprnig"


def test_a_renamed_file_is_asked_about_where_both_seasons_have_one_store(
    tmp_path: Path, store: Store
) -> None:
    play(write(tmp_path / "s.yaml"), store)
    renamed = (tmp_path / "s.yaml").rename(tmp_path / "t.yaml")
    with pytest.raises(ConfigError) as caught:
        Season.open(load(renamed), store)
    assert f"the season s, of the same settings, whose file {tmp_path / 's.yaml'} is gone: {ANEW}" in str(
        caught.value
    )


def test_seasons_of_files_of_their_own_share_a_store_unasked(tmp_path: Path, store: Store) -> None:
    for name in ("s", "t"):
        play(write(tmp_path / f"{name}.yaml"), store)
    assert store.seasons() == ["s", "t"]


def test_another_season_of_other_settings_whose_file_is_gone_is_none_of_ours(
    tmp_path: Path, store: Store
) -> None:
    play(write(tmp_path / "s.yaml"), store)
    (tmp_path / "s.yaml").unlink()
    play(write(tmp_path / "t.yaml", "time: 5s\n"), store)
    assert store.seasons() == ["s", "t"]


def test_a_season_that_no_round_was_planned_of_is_nobodys(tmp_path: Path, store: Store) -> None:
    Season.open(load(write(tmp_path / "s.yaml")), store)
    renamed = (tmp_path / "s.yaml").rename(tmp_path / "t.yaml")
    assert Season.open(load(renamed), store).stored.name == "t"


def test_a_moved_folder_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    play(write(tmp_path / "a" / "s.yaml"))
    (tmp_path / "a").rename(tmp_path / "b")
    config = load(tmp_path / "b" / "s.yaml")
    refuse_renamed_file(config)
    with closing(Store(config.store)) as store:
        assert Season.open(config, store).stored.complete == 1
        assert store.begun()[0].file == str(tmp_path / "b" / "s.yaml")


def test_a_renamed_file_with_a_store_of_its_name_is_asked_about_before_one_is_made(
    tmp_path: Path, arbiter: Callable[..., tuple[int, str, str]]
) -> None:
    play(write(tmp_path / "s.yaml"))
    renamed = (tmp_path / "s.yaml").rename(tmp_path / "t.yaml")
    before = {path.name for path in tmp_path.iterdir()}
    for command in (
        ["run-round"],
        ["run-season"],
    ):
        code, out, err = arbiter(command[0], renamed, *command[1:])
        assert (code, out) == (2, "")
        assert err.splitlines()[-1] == (
            f"{renamed}: {tmp_path / 's.sqlite'} holds the season s, of the same settings, whose file"
            f" {tmp_path / 's.yaml'} is gone: {ANEW} (rename this file back to s.yaml, or write season: s and"
            " store: sqlite:///s.sqlite to go on with it, or give --accept-changes to begin t)"
        )
    assert {path.name for path in tmp_path.iterdir()} == before
    renamed.write_text(renamed.read_text() + "season: s\nstore: sqlite:///s.sqlite\n")
    config = load(renamed)
    refuse_renamed_file(config)
    with closing(Store(config.store)) as store:
        assert Season.open(config, store).stored.complete == 1


def test_a_copied_file_and_a_store_elsewhere_are_not_asked_about(tmp_path: Path) -> None:
    play(write(tmp_path / "s.yaml"))
    refuse_renamed_file(load(write(tmp_path / "t.yaml")))
    (tmp_path / "s.yaml").unlink()
    refuse_renamed_file(load(write(tmp_path / "t.yaml", "store: sqlite:///fresh.sqlite\n")))
    refuse_renamed_file(load(write(tmp_path / "t.yaml", "time: 5s\n")))


def test_a_season_of_an_earlier_version_had_a_file_of_its_stores_name(tmp_path: Path) -> None:
    play(write(tmp_path / "s.yaml"))
    with closing(Store(load(tmp_path / "s.yaml").store)) as store, store.transaction() as connection:
        connection.execute(sa.update(schema.seasons).values(file=None))
    refuse_renamed_file(load(write(tmp_path / "t.yaml")))
    (tmp_path / "s.yaml").unlink()
    with pytest.raises(ConfigError, match="the season s, of the same settings: under this name"):
        refuse_renamed_file(load(tmp_path / "t.yaml"))
