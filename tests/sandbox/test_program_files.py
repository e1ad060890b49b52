"""What a player needs to start is there, or is named."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from arbiter.sandbox.player_command import command_problems, register
from arbiter.sandbox.program_files import WRITE, first_problem, script_problem

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A season's folder with a blank in its name, and a bot in it."""
    made = tmp_path / "my season"
    (made / "bots").mkdir(parents=True)
    (made / "bots" / "bot.py").write_text("")
    (made / "bots" / "bot").write_text("")
    (made / "bots" / "bot").chmod(0o755)
    return made


def test_a_player_whose_files_are_there_lacks_nothing(folder: Path) -> None:
    for command in (["sh", "bots/bot.py"], ["bots/bot"], ["sh"], ["sh", "-c", "/nowhere -x"]):
        assert first_problem(register("p", command, folder)) == ""


def test_what_is_missing_is_named(folder: Path) -> None:
    script, program = (register("p", command, folder) for command in (["sh", "bots/bot.py"], ["bots/bot"]))
    reading = register("p", ["sh"], folder, read=["bots"])
    (folder / "bots" / "bot").chmod(0o644)
    assert first_problem(program).startswith(f"{folder}/bots/bot is not executable")
    (folder / "bots").rename(folder / "moved")
    assert first_problem(script) == f"there is no file {folder}/bots/bot.py"
    assert first_problem(program) == f"there is no program {folder}/bots/bot"
    assert first_problem(reading) == f"there is no file {folder}/bots"


def test_a_program_is_looked_for_on_the_path_that_the_bot_gets(folder: Path) -> None:
    env = {"PATH": str(folder / "bots")}
    assert first_problem(register("p", ["bot"], folder, env=env)) == ""
    assert first_problem(register("p", ["sh"], folder, env=env)) == "there is no program sh in PATH"


@pytest.mark.parametrize(
    ("first", "problem"),
    [
        (b"#!/bin/sh\n", ""),
        (b"#! /usr/bin/env sh -x\n", ""),
        (b"#!/usr/bin/env -S sh -x\n", ""),
        (b"\x7fELF\0", ""),
        (b"#!/nowhere/python3 -u\n", "the first line of run names /nowhere/python3, which does not exist"),
        (b"#!/usr/bin/env nothing9\n", "the first line of run names nothing9, which is not in PATH"),
        (
            b"#!/bin/sh\r\n",
            "the first line of run ends with a carriage return (save it with LF line endings)",
        ),
        (
            b"import sys\n",
            f"the first line of run names no interpreter ({WRITE})",
        ),
    ],
)
def test_a_first_line_by_which_nothing_starts_is_named(first: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(first)
    assert script_problem("run", str(tmp_path)) == problem


def with_jars(folder: Path) -> Path:
    """A folder with a program `bot/bot.jar` and two libraries in `shared`."""
    for name in ("bot/bot.jar", "shared/a.jar", "shared/b.jar"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("")
    return folder


def test_each_part_of_a_list_of_files_is_absolute_and_opened(tmp_path: Path) -> None:
    folder = with_jars(tmp_path)
    player = register("p", ("java", "-cp", "bot/bot.jar:shared/*:shared/a.jar", "Main"), folder)
    shared = f"{folder}/shared"
    assert player.command == ("java", "-cp", f"{folder}/bot/bot.jar:{shared}/*:{shared}/a.jar", "Main")
    assert player.folder == f"{folder}/bot"
    assert player.read == (f"{folder}/bot", shared, f"{shared}/a.jar")
    assert set(player.files) == {f"{folder}/bot/bot.jar", f"{shared}/a.jar", f"{shared}/b.jar"}


def test_a_list_of_files_of_an_authors_opens_nothing_outside(tmp_path: Path) -> None:
    folder = with_jars(tmp_path)
    command = ("java", "-cp", "bot.jar:../shared/*", "Main")
    player = register("p", command, folder / "bot", within=folder / "bot")
    assert (player.command, player.read, player.files) == (command, (), ())


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("bot/bot.jar:shared/a.jar", ""),
        ("bot/bot.jar:shared/c.jar", "there is no file shared/c.jar"),
        ("./shared/*:bot/bot.jar", ""),
        ("./lib/*:bot/bot.jar", "there is no file ./lib/*"),
        ("key:/value", ""),
    ],
)
def test_a_list_of_files_lacks_what_is_missing(word: str, problem: str, tmp_path: Path) -> None:
    found = list(command_problems((sys.executable, word), with_jars(tmp_path)))
    assert found == ([(1, problem)] if problem else [])
