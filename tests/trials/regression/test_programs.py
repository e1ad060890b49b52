"""What a version is made of: which files change a test's name when they change, and which do not."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.sandbox.player_command import register
from arbiter.store import Store
from arbiter.trials.regression import program_identity
from arbiter.trials.regression.program_identity import Digests

if TYPE_CHECKING:
    from pathlib import Path

FILES = ["bot/run.sh", "bot/engine", "bot/nets/deep/a.bin", "jc/Bot.class", "lib/x.jar", "elsewhere/b.bin"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def digests(
    folder: Path, *command: str, read: tuple[str, ...] = (), apart: tuple[Path, ...] = ()
) -> dict[str, dict[str, str]]:
    return Digests(apart).of(register("bot", command, folder, read=read))


@pytest.mark.parametrize(
    ("command", "read", "name"),
    [
        (["bot/run.sh"], [], "bot/engine"),
        (["bot/run.sh"], [], "bot/new.md"),
        (["bot/run.sh"], [], "bot/nets/deep/a.bin"),
        (["bot/run.sh"], ["elsewhere"], "elsewhere/b.bin"),
        (["bot/run.sh"], ["elsewhere/b.bin"], "elsewhere/b.bin"),
        (["bot/run.sh", "--net=../elsewhere/b.bin"], [], "elsewhere/b.bin"),
        (["java", "-cp", "jc", "Bot"], [], "jc/Bot.class"),
        (["java", "-cp", "lib/x.jar:jc", "Bot"], [], "lib/x.jar"),
        (["python3", "-m", "bot"], [], "bot/engine"),
    ],
    ids=str,
)
def test_a_file_that_the_program_may_use_is_part_of_it(
    command: list[str], read: list[str], name: str, folder: Path
) -> None:
    before = digests(folder, *command, read=tuple(read))
    (folder / name).write_text("other")
    assert digests(folder, *command, read=tuple(read)) != before


APART = [
    "bot/.git/HEAD",
    "bot/.git",
    "bot/__pycache__/run.pyc",
    "bot/nets/__pycache__/x",
    "lib/x.jar",
    "bot/o.json",
    "bot/.cache/old.py",
    "bot/node_modules/x.py",
    "bot/venv/lib/x.py",
]


@pytest.mark.parametrize("name", APART)
def test_what_is_no_part_of_a_program_changes_nothing(name: str, folder: Path) -> None:
    apart = (folder / "bot" / "o.json",)
    (folder / "bot" / "venv").mkdir()
    (folder / "bot" / "venv" / "pyvenv.cfg").touch()
    before = digests(folder, "bot/run.sh", apart=apart)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("other")
    assert digests(folder, "bot/run.sh", apart=apart) == before


def test_stores_change_nothing_while_they_are_written(folder: Path) -> None:
    before = digests(folder, "bot/run.sh")
    with closing(Store(f"sqlite:///{folder / 'bot' / 'part1.sqlite'}")) as store, store.hold("s"):
        assert len(list((folder / "bot").glob("part1*"))) > 1
        assert digests(folder, "bot/run.sh") == before


def test_links_count_by_what_they_lead_to_and_may_lead_in_a_circle(folder: Path) -> None:
    (folder / "bot" / "net").symlink_to(folder / "elsewhere")
    (folder / "bot" / "self").symlink_to(folder / "bot")
    (folder / "bot" / "gone").symlink_to(folder / "nowhere")
    # Nor is opened what is not a regular file.
    os.mkfifo(folder / "bot" / "pipe")
    before = digests(folder, "bot/run.sh")
    (folder / "elsewhere" / "b.bin").write_text("other")
    assert digests(folder, "bot/run.sh") != before


@pytest.mark.parametrize(("bound", "most"), [("MOST_OF_FILE", 15), ("MOST_OF_FOLDER", 25)])
def test_large_files_count_by_size_and_time(
    bound: str, most: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_identity, bound, most)
    data = folder / "bot" / "nets" / "deep" / "a.bin"
    player = register("bot", ["bot/run.sh"], folder)
    looking = Digests()
    before = looking.of(player)
    assert looking.notes == [f"{data}: too large to read; size and time count, not the content"]
    os.utime(data, (1, 1))
    assert Digests().of(player) != before


def test_of_a_folder_with_too_many_files_only_those_directly_in_it_count(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_identity, "MOST_FILES", 3)
    player = register("bot", ["bot/run.sh"], folder)
    looking = Digests()
    before = looking.of(player)
    assert [note.partition(":")[0] for note in looking.notes] == [f"{folder / 'bot'} holds more than 3 files"]
    (folder / "bot" / "nets" / "deep" / "a.bin").write_text("other")
    assert Digests().of(player) == before
    (folder / "bot" / "engine").write_text("other")
    assert Digests().of(player) != before


def test_the_systems_folders_are_no_program(folder: Path) -> None:
    assert list(digests(folder, "/bin/sh", "-c", "exit")["folders"]) == []
