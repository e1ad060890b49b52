"""What a player needs to start is there, or is named."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from arbiter.sandbox.player_command import command_problems, register
from arbiter.sandbox.program_files import WRITE, bundle_problem, first_problem, link_problem, script_problem

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
        (b"#! /usr/bin/env sh \n", ""),
        (
            b"#! /usr/bin/env sh -x\n",
            "the first line of run passes 'sh -x' as one argument (write /usr/bin/env -S sh -x)",
        ),
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


def test_a_link_of_its_own_to_a_program_elsewhere_is_named(tmp_path: Path) -> None:
    own, elsewhere = tmp_path / "own", tmp_path / "elsewhere"
    own.mkdir()
    elsewhere.write_text("")
    (own / "link").symlink_to(elsewhere)
    (own / "file").write_text("")
    (tmp_path / "private").symlink_to(elsewhere)
    (own / "bot").write_text(f"#!{own}/link\n")
    assert f"names {own}/link, a link to {elsewhere}" in link_problem(str(own / "bot"), str(own))
    for named in (own / "file", own / "missing", tmp_path / "private", elsewhere):
        (own / "bot").write_text(f"#!{named}\n")
        assert link_problem(str(own / "bot"), str(own)) == ""


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\x7fELF MEI\x0c\x0b\x0a\x0b\x0e end", "build it as one folder"),
        (b"#!/bin/sh\nPK PEX-INFO end", "unpacks itself into its home"),
        (b"PK _bootstrap/environment.py end", "unpacks itself into its home"),
        (b"\x7fELF", ""),
    ],
)
def test_a_bundle_that_unpacks_itself_is_named(content: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / "bot").write_bytes(content)
    found = bundle_problem(("python3", "bot"), str(tmp_path))
    assert problem in found and bool(problem) == bool(found)
    (tmp_path / "_internal").mkdir()
    assert "one folder" not in bundle_problem(("python3", "bot"), str(tmp_path))


def test_a_folder_with_a_main_program_is_named(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    assert bundle_problem(("python3", "bot"), str(tmp_path)) == ""
    (tmp_path / "bot" / "__main__.py").write_text("")
    assert "name bot/__main__.py" in bundle_problem(("python3", "bot"), str(tmp_path))
