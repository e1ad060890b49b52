"""The interpreter of a bot, as check-bot names it, and warns where the site has another."""

from __future__ import annotations

import json
import os
import platform
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.cli.interpreter import BotInterpreter, differences, interpreter_of
from arbiter.sandbox.player_command import register
from tests.fixtures.commands import BOTS

if TYPE_CHECKING:
    from tests.fixtures.commands import Run

HERE = BotInterpreter("python3", os.path.realpath(sys.executable), platform.python_version())


def executable(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def python3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The tests' interpreter as the only python3."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    return f"{tmp_path}/bin/python3"


def found(*command: str, folder: Path) -> BotInterpreter | None:
    return interpreter_of(register("bot", command, folder))


@pytest.mark.parametrize("first", ["#!/usr/bin/env python3", "#!/usr/bin/env -S python3 -I"])
def test_it_is_that_of_the_command_or_of_the_first_line(python3: str, tmp_path: Path, first: str) -> None:
    (tmp_path / "own").mkdir()
    bot = executable(tmp_path / "own" / "bot", f"{first}\n")
    assert found("python3", str(bot), folder=tmp_path) == HERE
    assert found(str(bot), folder=tmp_path) == HERE
    assert found(python3, str(bot), folder=tmp_path / "own") == HERE


def test_a_program_of_its_own_has_none(tmp_path: Path) -> None:
    bot = executable(tmp_path / "bot", "\x7fELF")
    assert found(str(bot), folder=tmp_path) is None


def test_a_program_in_the_bots_folder_is_not_started(tmp_path: Path) -> None:
    trap = executable(tmp_path / "python3", f"#!/bin/sh\ntouch {tmp_path}/started\n")
    assert found(str(trap), "bot.py", folder=tmp_path) is None
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("word", "here", "site", "warned"),
    [
        ("python3", "3.11.2", "3.11.9", False),
        ("python3", "3.11.2", "3.12.0", True),
        ("java", "17.0.1", "17.0.8", False),
        ("java", "17.0.1", "21.0.1", True),
        ("node", "20.20.2", "20.1.0", False),
        ("node", "", "20.1.0", False),
        ("node", "20.20.2", "", False),
    ],
)
def test_another_version_on_the_site_is_warned_of(word: str, here: str, site: str, warned: bool) -> None:
    assert bool(list(differences(BotInterpreter(word, "/x", here), {word: site}, {}))) is warned


@pytest.mark.process
def test_check_bot_names_it_and_warns(arbiter: Run, python3: str, tmp_path: Path) -> None:
    words = ("check-bot", "--game", "planning", "--option", "deals=[[1, 0]]", "--isolation", "plain")
    bot = ("--", "python3", str(BOTS / "planning_random.py"))
    code, out, err = arbiter(*words, "--site-version", "python3=2.7.18", *bot)
    assert (code, out.splitlines()[0]) == (0, f"interpreter: {HERE.text()}")
    assert f"python3 has version {HERE.version} here and 2.7.18 on the site" in err
    code, out, err = arbiter(*words, "--site-version", f"python3={HERE.version}", "--format", "json", *bot)
    assert (code, json.loads(out)["interpreter"]) == (0, HERE._asdict())
    assert "on the site" not in err
    code, _, err = arbiter(*words, "--site-version", "python3", *bot)
    assert code == 2
    assert "expected WORD=VERSION" in err


@pytest.mark.process
def test_a_first_line_that_leads_to_another_than_the_seasons_is_warned_of(
    arbiter: Run, python3: str, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    executable(own / "bot.py", "#!/usr/bin/env python3\n" + (BOTS / "planning_random.py").read_text())
    other = executable(tmp_path / "bin" / "other", f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    file = tmp_path / "season.yaml"
    file.write_text(
        f"game: {{name: planning, deals: [[1, 0]]}}\nisolation: plain\nlanguages: {{python3: {{program: {other}}}}}\n"
        "players: [{name: a, command: [own/bot.py]}, {name: b, command: [own/bot.py]}, {name: c, command: [own/bot.py]},"
        " {name: d, command: [own/bot.py]}]\n"
    )
    code, _, err = arbiter("check-bot", "--config", file, "--player", "a")
    assert code == 0, err
    assert f"the bot's first line starts {HERE.path}, but python3 of the season is {other}" in err
