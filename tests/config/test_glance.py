"""A season's file at a glance: never taken for unchanged where a whole check finds something."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbiter.config import Config, load
from arbiter.config.glance import Glance, glance
from arbiter.errors import ConfigError
from arbiter.rules import AnyGame

TEXT = """\
game: {name: planning, deals: [[1, 0], [3, 1]]}
seed: a seed that nobody guesses in a hurry
rounds: 4
time: 60s
house_bots: [h]
players:
  - {name: a, command: [python3], version: 2, env: {LEVEL: 1}}
  - {name: b, command: [python3], read: [files]}
  - {name: h, command: [python3], house: true}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    path = tmp_path / "small.yaml"
    path.write_text(TEXT)
    return path


@pytest.fixture
def before(file: Path) -> Config:
    return load(file)


def unchanged(file: Path, before: Config) -> AnyGame | None:
    seen = glance(file)
    return None if seen is None else seen.game_if_unchanged(before.settings)


def test_an_unchanged_file_is_taken_at_a_glance(file: Path, before: Config) -> None:
    seen = glance(file)
    assert isinstance(seen, Glance)
    assert (seen.season, seen.store, seen.rounds) == (before.season, before.store, before.rounds)
    game = seen.game_if_unchanged(before.settings)
    assert game is not None
    assert game.options == before.game.options


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rounds: 4", "rounds: 5"),
        ("rounds: 4", "workers: 1"),
        ("rounds: 4", "season: other"),
        ("rounds: 4", "store: sqlite:///other.sqlite"),
        ("rounds: 4", "store: postgresql://me@here/db"),
        ("time: 60s", ""),
        ("game: {name: planning, ", "game: {seats: 4, name: planning, "),
    ],
)
def test_what_may_change_freely_is_taken_too(old: str, new: str, file: Path, before: Config) -> None:
    file.write_text(TEXT.replace(old, new))
    now, seen = load(file), glance(file)
    assert seen is not None
    assert (seen.season, seen.store, seen.rounds) == (now.season, now.store, now.rounds)
    assert unchanged(file, before) is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rounds: 4", "rounds: 0"),
        ("rounds: 4", "rounds: true"),
        ("rounds: 4", "rounds: 4.0"),
        ("rounds: 4", "round: 4"),
        ("rounds: 4", "rounds: 4\nrounds: 5"),
        ("rounds: 4", "workers: -1"),
        ("rounds: 4", "store: small.sqlite"),
        ("rounds: 4", "ship: [nowhere]"),
        ("rounds: 4", "until: never"),
        ("rounds: 4", "seed_commitment: abc"),
        ("rounds: 4", "opening_rounds: 12.0"),
        ("rounds: 4", "1: 2"),
        ("rounds: 4", "rounds: [4"),
        ("seed: a ", 'seed: "\\a" #'),
        ("seed: a ", "seed: 1.5 #"),
        ("time: 60s", "time: 60"),
        ("house_bots: [h]\n", ""),
        ("house_bots: [h]", "house_bots: [x]"),
        ("game: {name: planning, deals: [[1, 0], [3, 1]]}", "game: bridge"),
        ("game: {name: planning, deals: [[1, 0], [3, 1]]}\n", ""),
        (", house: true", ", house: 1"),
        (", version: 2", ", version: 2.0"),
        (", version: 2", ", version: 2, elo: 3"),
        ("env: {LEVEL: 1}", "env: {LEVEL: true}"),
        ("env: {LEVEL: 1}", "env: {1: 1}"),
        ("name: a, ", ""),
        ("read: [files]", "read: files"),
        ("  - {name: h, command: [python3], house: true}\n", ""),
    ],
)  # fmt: skip
def test_a_file_with_mistakes_is_never_taken(old: str, new: str, file: Path, before: Config) -> None:
    file.write_text(TEXT.replace(old, new))
    with pytest.raises(ConfigError):
        load(file, check_commands=True)
    assert unchanged(file, before) is None


def test_what_a_player_may_read_must_still_be_there(file: Path, before: Config) -> None:
    (file.parent / "files").rmdir()
    assert unchanged(file, before) is None


def test_another_command_is_a_changed_file(file: Path, before: Config) -> None:
    file.write_text(TEXT.replace("command: [python3], version", "command: [sh], version"))
    assert load(file).digest != before.digest
    assert unchanged(file, before) is None


@pytest.mark.parametrize("settings", [{}, {"players": 3}, {"players": [1, 2, 3], "game": None}])
def test_settings_that_are_none_are_of_no_file(settings: dict[str, object], file: Path) -> None:
    seen = glance(file)
    assert seen is not None
    assert seen.game_if_unchanged(settings) is None
