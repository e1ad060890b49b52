"""Bots on the command line: names in front, variables, bots that come with a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arbiter.cli.bot_arguments import parse_player, parse_players, split_command
from arbiter.errors import ConfigError
from arbiter.games.samples import bot_words

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, mode in (("run", 0o755), ("bot.py", 0o755), ("plain.py", 0o644)):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(mode)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("given", "name", "env", "words"),
    [
        ("sh run", "", {}, ["sh", "run"]),
        ("LEVEL=3 sh run", "", {"LEVEL": "3"}, ["sh", "run"]),
        ("level=3 sh run", "", {"level": "3"}, ["sh", "run"]),
        ("new=sh run", "new", {}, ["sh", "run"]),
        ("new=sh ./run", "new", {}, ["sh", "./run"]),
        ("new=./run", "new", {}, ["./run"]),
        ("V2=sh plain.py", "V2", {}, ["sh", "plain.py"]),
        ("SHELL=sh ./run", "", {"SHELL": "sh"}, ["./run"]),
        ("deep=LEVEL=3 sh run", "deep", {"LEVEL": "3"}, ["sh", "run"]),
        ("my-2='./run' -x", "my-2", {}, ["./run", "-x"]),
        ("greedy", "greedy", {}, ["python3", *bot_words("planning", "greedy")]),
        ("easy=LEVEL=1 random", "easy", {"LEVEL": "1"}, ["python3", *bot_words("planning", "random")]),
    ],
)
def test_a_name_in_front_is_told_from_a_variable(
    given: str, name: str, env: dict[str, str], words: list[str]
) -> None:
    assert split_command(given, "--bot", "planning") == (name, env, words)


def test_players_have_their_names_and_equal_programs_share_one() -> None:
    names = [
        each.name for each in parse_players(["new=sh run", "new=sh run", "sh bot.py", "random"], "planning")
    ]
    assert names == ["new", "new-2", "bot", "random"]
    with pytest.raises(ConfigError, match="new is the name of another program"):
        parse_players(["new=sh run", "new=sh bot.py"])
    with pytest.raises(ConfigError, match="not a name: 'a#b'"):
        parse_player("a#b=sh run", "--bot")


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("gredy", "did you mean greedy"),
        ("search", "arbiter init ladder --game planning --ladder"),
        ("smallest", "a bot that comes with dou_dizhu"),
        ("zzz", "or one of pimc, greedy, beginner, random"),
    ],
)
def test_a_name_of_no_bot_of_the_game_has_a_hint(word: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=hint):
        parse_player(word, "--bot", "planning")
