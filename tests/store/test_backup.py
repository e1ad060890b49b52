"""A backup is the whole store at one moment, in one new file, and disturbs nobody."""

from __future__ import annotations

import os
import shlex
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import ConfigError, NoStore, StoreError
from arbiter.store import Store
from arbiter.store.backup import back_up
from tests.fixtures.records import record, standings
from tests.store.failures import SECRET, longest_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fixtures.commands import Run


ROOT = Path(__file__).parents[2]
ROUNDS, MATCHES = 30, 4


@pytest.fixture
def store(file: Path) -> Iterator[Store]:
    """A store that is open, with a match that is not yet in the file itself."""
    made = Store(f"sqlite:///{file}")
    made.make_season("s", "planning", "1").add_match(record())
    yield made
    made.close()


def play(url: str) -> int:
    """Play a season's rounds, as a coordinator does."""
    store = Store(url)
    with store.hold("t"):
        season = store.make_season("t", "planning", "1")
        for number in range(1, ROUNDS + 1):
            season.add_round(number, "digest", [["a", "b", "c", "d"]], {})
            for rotation in range(MATCHES):
                assert season.add_match(record(f"r{number:03d}/t01/m{rotation}", number))
            season.complete_round(number, standings(number))
    store.close()
    return ROUNDS


def rounds_in(copy: Path) -> int:
    """The rounds of a copy, of which all but the last must be whole."""
    store = Store(f"sqlite:///{copy}", create=False)
    season = store.season("t")
    if season is None:
        return 0
    rounds = season.rounds()
    for known in rounds:
        there = len(season.match_ids(known.number))
        assert known.complete == (season.standings(known.number) is not None)
        assert there == MATCHES if known.complete else known is rounds[-1]
    with store.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    store.close()
    return len(rounds)


@pytest.mark.slow
def test_backups_while_a_season_is_played_are_whole_and_disturb_nobody(
    store: Store, file: Path, tmp_path: Path
) -> None:
    with ThreadPoolExecutor(1) as threads:
        playing = threads.submit(play, store.url)
        copies: list[Path] = []
        while not playing.done() or len(copies) < 3:
            copies.append(tmp_path / f"copy{len(copies)}.sqlite")
            back_up(store.url, copies[-1])
        assert playing.result() == ROUNDS
    found = [rounds_in(copy) for copy in copies]
    assert found == sorted(found)
    assert rounds_in(file) == ROUNDS


def test_a_backup_is_one_file_that_can_be_read_and_played_on(store: Store, tmp_path: Path) -> None:
    copy = tmp_path / "folder" / "copy of 'it'.sqlite"
    copy.parent.mkdir()
    back_up(store.url, copy)
    for create in (False, True):
        assert os.listdir(copy.parent) == [copy.name]
        found = Store(f"sqlite:///{copy}", create=create)
        season = found.season("s")
        assert season is not None
        assert (season.seed, list(season.records())) == ("1", [record()])
        found.close()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("there.txt", "there.txt: exists already: name a new file"),
        ("season.sqlite", "season.sqlite: exists already"),
        ("dangling", "dangling: exists already"),
        ("folder", "folder: is a folder"),
        ("none/copy", "there is no folder"),
        ("season.sqlite-journal", "season.sqlite-journal: is a file of the store itself"),
        ("old", "old-wal is left from another store: remove it"),
        ("n" * 300, "cannot be written: File name too long"),
    ],
)
def test_a_bad_target_is_refused_and_nothing_changed(
    name: str, words: str, store: Store, tmp_path: Path
) -> None:
    (tmp_path / "there.txt").write_text("mine")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "folder").mkdir()
    (tmp_path / "old-wal").touch()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ConfigError) as caught:
        back_up(store.url, tmp_path / name)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "there.txt").read_text() == "mine"


def test_a_full_disk_leaves_no_part_of_a_copy(store: Store, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with (
        longest_file(20_000),
        pytest.raises(StoreError, match=r"copy: the disk is full or failed; no copy was made$"),
    ):
        back_up(store.url, tmp_path / "folder" / "copy")
    assert os.listdir(tmp_path / "folder") == []


def test_without_a_store_there_is_no_backup(tmp_path: Path) -> None:
    with pytest.raises(NoStore):
        back_up(f"sqlite:///{tmp_path / 'none.sqlite'}", tmp_path / "copy")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kind", ["postgresql", "postgres", "postgresql+psycopg"])
def test_of_a_server_the_command_is_named_without_a_password(kind: str, tmp_path: Path) -> None:
    url = f"{kind}://me:{SECRET}@db.example:5433/league?password={SECRET}&sslmode=require"
    with pytest.raises(ConfigError) as caught:
        back_up(url, Path("a copy.dump"))
    said = str(caught.value)
    assert SECRET not in said
    words = shlex.split(said[said.index("pg_dump") :].removesuffix(")"))
    address = "postgresql://me@db.example:5433/league?sslmode=require"
    assert words == ["pg_dump", "--format=custom", "--file=a copy.dump", f"--dbname={address}"]


@pytest.mark.process
def test_the_command_named_copies_a_store_on_a_server(postgres: str, tmp_path: Path) -> None:
    with closing(Store(postgres)) as store:
        store.make_season("s", "planning", "1")
    with pytest.raises(ConfigError) as caught:
        back_up(postgres, tmp_path / "copy.dump")
    said = str(caught.value)
    command = shlex.split(said[said.index("pg_dump") :].removesuffix(")"))
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no pg_dump on this machine")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "copy.dump").stat().st_size > 0


BACKUP = """
import os, sys
from contextlib import closing
from pathlib import Path
from arbiter.store import Store
from arbiter.store.backup import back_up
Store("sqlite://").close()
os.setuid(65534)
back_up(sys.argv[1], Path(sys.argv[2]))
"""


@pytest.mark.process
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can try another account")
@pytest.mark.parametrize("left_open", [True, False])
def test_who_may_only_read_the_store_can_copy_it(left_open: bool) -> None:
    with TemporaryDirectory() as folder, TemporaryDirectory() as home:
        Path(folder).chmod(0o755)
        os.chown(home, 65534, 65534)
        store = Store(f"sqlite:///{folder}/season.sqlite")
        store.make_season("s", "planning", "1").add_match(record())
        if not left_open:
            store.close()
        copy = Path(home) / "copy"
        done = subprocess.run(
            [sys.executable, "-c", BACKUP, store.url, copy],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.stderr == ""
        assert sqlite3.connect(copy).execute("SELECT count(*) FROM matches").fetchone() == (1,)
        store.close()


def test_the_command_says_what_it_made_and_exits_with_2_where_it_cannot(
    store: Store, file: Path, arbiter: Run
) -> None:
    config = file.with_suffix(".yaml")
    config.write_text(
        "game: planning\nplayers:\n" + "".join(f"- {{name: p{n}, command: [x]}}\n" for n in "1234")
    )
    copy = file.with_name("copy.sqlite")
    made = arbiter("backup", config, copy)
    assert made == (0, f"{copy}: a copy of the store, {copy.stat().st_size / 1e6:.1f} MB\n", "")
    code, out, err = arbiter("backup", config, copy)
    assert (code, out, err) == (2, "", f"{copy}: exists already: name a new file\n")
    code, _, err = arbiter("backup", config, "x", "--store", "postgresql:///league")
    assert (code, "(pg_dump --format=custom --file=x --dbname=postgresql:///league)" in err) == (2, True)
    assert arbiter("backup", config, "x", "--store", "nonsense")[0] == StoreError.exit_code
