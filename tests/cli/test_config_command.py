"""`arbiter config`: the settings of now and of earlier rounds, without the seed."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store, db_schema
from tests.fixtures.executor import Scripted
from tests.fixtures.records import by_name

if TYPE_CHECKING:
    from tests.fixtures.commands import Run


CONFIG = """\
game: planning
rounds: 9
players:
""" + "".join(f"  - {{name: p{n}, command: [python3, bots/p{n}.py]}}\n" for n in range(8))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A season of two rounds, each under settings of its own, whose file has changed again."""
    (tmp_path / "bots").mkdir()
    for number in range(8):
        (tmp_path / "bots" / f"p{number}.py").touch()
    path = tmp_path / "s.yaml"
    for time in ("10s", "20s"):
        path.write_text(CONFIG + f"time: {time}\n")
        with closing(Store(load(path).store)) as store:
            opened_season = Season.open(load(path), store)
            list(opened_season.play(Scripted(by_name), accept_changes=True, only_one=True))
    path.write_text(CONFIG + "time: 30s\n")
    return path


def stored(file: Path) -> list[str]:
    with closing(Store(load(file).store)) as store:
        season = store.season("s")
        assert season is not None
        return [known.digest for known in season.rounds()]


@pytest.mark.parametrize(("options", "number"), [((), 2), (("--round", "1"), 1), (("--round", "2"), 2)])
def test_the_settings_of_a_round_are_a_file_of_its_digest(
    arbiter: Run, file: Path, tmp_path: Path, options: tuple[str, ...], number: int
) -> None:
    code, out, err = arbiter("config", file, "--stored", *options)
    assert (code, err) == (0, "")
    (tmp_path / "elsewhere").mkdir()
    copy = tmp_path / "elsewhere" / "then.yaml"
    copy.write_text(out)
    then = load(copy, check_commands=True)
    assert then.digest == stored(file)[number - 1]
    assert (then.season, then.store, then.rounds) == ("s", load(file).store, 9)
    assert then.entries == load(file).entries


def test_the_file_is_printed_with_all_defaults_but_no_drawn_seed(arbiter: Run, file: Path) -> None:
    code, out, _ = arbiter("config", file)
    assert code == 0
    assert {"time: 30s", "memory: 400MB", "seed: auto", "season: s"} <= set(out.splitlines())
    with closing(Store(load(file).store)) as store:
        season = store.season("s")
        assert season is not None
        seed = season.seed
    out = arbiter("config", file, "--stored")[1]
    assert "seed: auto\n" in out
    assert seed not in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--stored", "--round", "3"), "there is no round 3; the last is 2"),
        (("--round", "1"), "--round and --store need --stored"),
        (("--stored", "--store", "sqlite:///none.sqlite"), "there is no store none.sqlite yet"),
    ],
)
def test_what_is_not_there_is_named(arbiter: Run, file: Path, options: tuple[str, ...], words: str) -> None:
    code, out, err = arbiter("config", file, *options)
    assert (code in (2, 5), out, err.count("\n")) == (True, "", 1)
    assert words in err


def test_settings_that_were_not_kept_are_named(arbiter: Run, file: Path) -> None:
    with closing(Store(load(file).store)) as store, store.transaction() as connection:
        connection.execute(sa.delete(db_schema.configs).filter_by(digest=stored(file)[0]))
    code, out, err = arbiter("config", file, "--stored", "--round", "1")
    assert (code, out) == (5, "")
    assert "the settings of round 1 of s are not stored" in err
