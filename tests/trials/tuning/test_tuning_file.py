"""A tuning's file: where its numbers stand, what makes it another one, every mistake with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import ConfigError
from arbiter.trials.tuning.tuning_file import load_tuning
from tests.fixtures.simulated_regression import COMMAND
from tests.fixtures.simulated_tuning import SKILL, tuning

if TYPE_CHECKING:
    from pathlib import Path


def test_numbers_stand_in_words_in_values_and_else_as_variables(tmp_path: Path) -> None:
    names = ("skill", "depth", "LEVEL")
    parameters = [{"name": name, "start": 0.5, "min": 0, "max": 8} for name in names]
    base = {"command": [*COMMAND, "--s={skill}/{skill}", "{other}"], "env": {"D": "<{depth}>", "KEEP": 1}}
    player = tuning(tmp_path, base=base, parameters=parameters).player(
        "candidate", {"skill": 0.333333, "depth": 7, "LEVEL": 1e-7}
    )
    assert player.name == "candidate"
    assert player.command[-2:] == ("--s=0.333333/0.333333", "{other}")
    assert player.env == {"LEVEL": "1e-07", "D": "<7>", "KEEP": "1"}


def test_the_bot_may_be_one_that_comes_with_the_game(tmp_path: Path) -> None:
    player = tuning(tmp_path, base=["greedy"], game="planning").player("base", {"skill": 1})
    assert player.command[-1].endswith("/planning_greedy.py")


def test_the_store_lies_beside_the_file_unless_it_is_named(tmp_path: Path) -> None:
    assert tuning(tmp_path).store == f"sqlite:///{tmp_path / 'tune.sqlite'}"
    file = str(tmp_path / "tune.yaml")
    given = {"store": "sqlite:///mine.sqlite", "iterations": 3}
    assert load_tuning(file, given).store.endswith("/mine.sqlite")
    assert load_tuning(file, given).iterations == 3


@pytest.mark.parametrize(
    ("change", "another"),
    [
        ({"iterations": 99}, False),
        ({"workers": 1}, False),
        ({"test": {"elo1": 3}}, False),
        ({"blocks": 2}, True),
        ({"seed": "t"}, True),
        ({"time": "9s"}, True),
        ({"parameters": [{**SKILL, "step": 3}]}, True),
        ({"base": [*COMMAND, "x{skill}"]}, True),
        ({"game": "planning"}, True),
    ],
    ids=str,
)
def test_what_changes_numbers_or_matches_makes_it_another_tuning(
    change: dict[str, Any], another: bool, tmp_path: Path
) -> None:
    assert (tuning(tmp_path, **change).name != tuning(tmp_path).name) == another


def test_a_changed_program_makes_it_another_tuning_and_the_picture_does_not(tmp_path: Path) -> None:
    (tmp_path / "bot.sh").write_text("exit 0")
    before = tuning(tmp_path, base=["/bin/sh", "bot.sh"])
    file, drawn = str(tmp_path / "tune.yaml"), tmp_path / "way.svg"
    drawn.touch()
    assert load_tuning(file, {}, [str(drawn)]).name == before.name
    (tmp_path / "bot.sh").write_text("exit 1")
    assert load_tuning(file, {}, [str(drawn)]).name != before.name


def test_every_mistake_has_its_place(tmp_path: Path) -> None:
    file = tmp_path / "tune.yaml"
    file.write_text("""\
game: planing
base: [/bin/sh, gone.sh]
iterations: many
block: 2
parameters:
  - {name: a, start: 9, min: 0, max: 8}
  - {name: a, start: 1, min: 4, max: 4}
  - {name: b, start: 1.5, min: 0, max: 8, integer: true, step: 0.2}
  - {name: c-d, start: 1, min: 0, max: 8}
  - {name: e, start: 1, min: 0, max: 8, stop: 1}
  - {name: f, start: 1, min: 0, max: 8, step: 9}
test: {elo0: 5}
""")
    with pytest.raises(ConfigError) as error:
        load_tuning(str(file), {})
    assert [line.removeprefix(f"{file}:") for line in str(error.value).splitlines()] == [
        "1:1: game: unknown game 'planing' (did you mean planning?)",
        "3:1: iterations: should be a valid integer",
        "4:1: block: unknown key (did you mean blocks?)",
        "6:15: parameters.0.start: 9 is not within 0 to 8",
        "7:6: parameters.1.name: 'a' is the name of an earlier parameter (choose another name)",
        "7:33: parameters.1.max: 4 is not above min, which is 4",
        "8:15: parameters.2.start: expected a whole number for an integer parameter, got 1.5",
        "8:58: parameters.2.step: 0.2 is less than 0.5: both sides would often have the same integer",
        "9:6: parameters.3.name: expected a name, got 'c-d' (use letters, digits and _)",
        "10:41: parameters.4.stop: unknown key (did you mean step?)",
        "11:41: parameters.5.step: 9 is more than the range of 8",
    ]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"base": ["/bin/sh", "gone.sh"]}, "base: there is no file gone.sh"),
        ({"base": ["/bin/sh", "{skill}.sh"]}, "base: there is no file 1.sh"),
        ({"base": None}, "base: is required"),
        ({"game": None}, "game: is required (arbiter games lists them)"),
        ({"iterations": None}, "iterations: is required"),
        ({"parameters": []}, "parameters: is empty"),
        ({"test": {"elo0": 5.0}}, "test.elo0: expected 0 with measure: points, got 5"),
        ({"test": {"elo0": 30.0, "measure": "results"}}, "test.elo0: 30 is not below elo1, which is 10"),
        ({"base": {"command": COMMAND, "env": {"skill": "3"}}}, "parameters.0.name: env sets skill to something else (write skill: '{skill}' there"),
        ({"field": "gone.yaml"}, "gone.yaml: cannot be read"),
        ({"store": "mem"}, "store: not a store: 'mem'"),
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_key_is_named(keys: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        tuning(tmp_path, **keys)
    assert any(words in line for line in str(error.value).splitlines()), str(error.value)
