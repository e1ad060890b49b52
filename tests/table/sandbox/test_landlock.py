"""What a confined bot may read and run: its own, the system's, the interpreter's, and nothing else."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from arbiter.players import registered
from arbiter.table.conduct import bot_environment
from arbiter.table.sandbox import landlock


@pytest.mark.parametrize(
    ("abi", "numbers"),
    [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3)],
)
def test_what_is_handled_grows_with_the_kernel(abi: int, numbers: int) -> None:
    found = landlock.handled(abi)
    assert len(found) == numbers
    assert bool(found[0] & landlock.REFER) == (abi >= 2)
    assert bool(found[0] & landlock.TRUNCATE) == (abi >= 3)
    assert bool(found[0] & landlock.IOCTL_DEV) == (abi >= 5)


def rules_of(folder: Path, *command: str, read: tuple[str, ...] = ()) -> dict[str, int]:
    player = registered("p", command, folder, read=read)
    own = landlock.confinement(player, bot_environment(player))["confine"]
    return {**dict(landlock.ground()["rules"]), **dict(own)}


def test_own_folder_and_what_is_named_beside_it_may_be_read(tmp_path: Path) -> None:
    for name in ("bot", "data", "rival"):
        (tmp_path / name).mkdir()
    (tmp_path / "bot" / "bot.py").write_text("")
    rules = rules_of(tmp_path, sys.executable, "bot/bot.py", read=("data",))
    assert rules[str(tmp_path / "bot")] == rules[str(tmp_path / "data")] == landlock.RUN
    assert not {str(tmp_path), str(tmp_path / "rival"), "/", "/etc", "/proc", "/tmp", "/home", "/root"} & set(
        rules
    )


def test_nothing_may_be_written_to_but_the_null_device(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, sys.executable)
    reading = landlock.RUN
    assert {path for path, rights in rules.items() if rights & ~reading} == {"/dev/null"}


def test_a_temporary_folder_hides_no_file_of_the_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [tmp_path / name for name in ("missing", "link", "players", "free")]
    (tmp_path / "players" / "alice").mkdir(parents=True)
    (tmp_path / "free").mkdir()
    (tmp_path / "link").symlink_to("free")
    monkeypatch.setattr(landlock, "SCRATCH_PLACES", tuple(map(str, places)))
    alice = str(tmp_path / "players" / "alice")
    assert landlock.scratch_place(alice) == str(tmp_path / "free")
    assert landlock.scratch_place("/srv/bob") == str(tmp_path / "players")
    assert landlock.scratch_place(alice, str(tmp_path / "free")) == ""


def test_a_temporary_folder_takes_files_and_folders_and_runs_nothing(tmp_path: Path) -> None:
    player = registered("p", (sys.executable,), tmp_path)
    _, rights = landlock.confinement(player, bot_environment(player))["scratch"]
    # EXECUTE, MAKE_CHAR, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM, IOCTL_DEV.
    assert not rights & (0b1 | 1 << 6 | 0b1111 << 9 | 1 << 15)


def test_a_command_that_names_no_file_gives_no_folder_to_read(tmp_path: Path) -> None:
    assert str(tmp_path) not in rules_of(tmp_path, "cat")


def test_the_prefix_of_an_interpreter_is_readable_but_no_home_is(tmp_path: Path) -> None:
    for prefix in ("python", "home", "season"):
        (tmp_path / prefix / "bin").mkdir(parents=True)
        (tmp_path / prefix / "lib" / "python3.11").mkdir(parents=True)
        (tmp_path / prefix / "bin" / "tool").write_text("")
    (tmp_path / "python" / "lib" / "python3.11" / "os.py").write_text("")
    (tmp_path / "home" / ".ssh").mkdir()
    assert str(tmp_path / "python") in rules_of(tmp_path, str(tmp_path / "python" / "bin" / "tool"))
    # A bot's own program is no interpreter because something beside its folder is called lib.
    assert str(tmp_path / "season") not in rules_of(tmp_path, str(tmp_path / "season" / "bin" / "tool"))
    rules = rules_of(tmp_path, str(tmp_path / "home" / "bin" / "tool"))
    assert str(tmp_path / "home") not in rules
    assert str(tmp_path / "home" / "bin") in rules


def shims_of(folder: Path) -> Path:
    """A folder with a version manager's script that says, by a file beside it, that it was run."""
    shims = folder / "shims"
    shims.mkdir(parents=True)
    (shims / "python3").write_text(f'#!/bin/sh\ntouch {folder}/was-run\nexec {sys.executable} "$@"\n')
    (shims / "python3").chmod(0o755)
    return shims


def test_a_version_managers_script_is_replaced_by_the_program_that_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"{shims_of(tmp_path)}{os.pathsep}/usr/bin:/bin"
    monkeypatch.setenv("PATH", path)
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").write_text("")
    player = registered("p", ("python3", "bot/bot.py"), tmp_path)
    assert landlock.real_program("python3", player, path) == sys.executable
    assert landlock.real_program("sh", player, path) == shutil.which("sh", path=path)


@pytest.mark.parametrize("how", ["named by its path", "found by a PATH of the player's", "on our PATH"])
def test_a_script_in_a_players_folder_is_not_run_by_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    shims = shims_of(tmp_path / "theirs")
    (tmp_path / "theirs" / "bot.py").write_text("")
    word = "theirs/shims/python3" if how == "named by its path" else "python3"
    path = f"{shims}{os.pathsep}{os.environ['PATH']}"
    if how == "on our PATH":
        monkeypatch.setenv("PATH", path)
    player = registered("p", (word, "theirs/bot.py"), tmp_path, env={"PATH": path})
    assert landlock.real_program(player.command[0], player, path) == str(shims / "python3")
    assert landlock.confinement(player, bot_environment(player))["argv"][0] == str(shims / "python3")
    assert not (tmp_path / "theirs" / "was-run").exists()
