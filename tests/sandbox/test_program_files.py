"""What a player needs to start is there, or is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arbiter.sandbox.player_command import register
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
