"""A regression test's file and options: defaults, origins of values, mistakes, and what makes it another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import ConfigError
from arbiter.trials.regression.experiment import load_experiment
from tests.fixtures.simulated_regression import COMMAND, experiment

if TYPE_CHECKING:
    from pathlib import Path

FILE = """\
game: {name: planning, deals: [[1, 0]]}
base: [python3, old.py]
candidate: {command: [python3, new.py], env: {LEVEL: 3}, batched: true}
elo1: 5
time: 1s
max_blocks: 40
store: sqlite:///kept.sqlite
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    for name in ("old.py", "new.py"):
        (tmp_path / name).write_text(f"# {name}\n")
    path = tmp_path / "regress.yaml"
    path.write_text(FILE)
    return path


def test_a_file_is_relative_to_its_own_folder(file: Path) -> None:
    test = load_experiment(str(file), {})
    assert test.base.command == ("python3", str(file.parent / "old.py"))
    assert test.candidate.env == {"LEVEL": "3"}
    assert test.candidate.batched
    assert test.store == f"sqlite:///{file.parent / 'kept.sqlite'}"
    assert (test.test.elo0, test.test.elo1, test.test.most_blocks) == (0.0, 5.0, 40)
    assert test.limits.time.budget_ns == 10**9
    assert test.block_size == 4


def test_a_word_of_a_file_names_a_bot_of_the_game(file: Path) -> None:
    file.write_text("game: planning\nbase: [greedy]\ncandidates: [random, greedy]\n")
    test = load_experiment(str(file), {})
    found = [player.command[-1].rpartition("/")[2] for player in (test.base, *test.candidates)]
    assert found == ["planning_greedy.py", "planning_random.py", "planning_greedy.py"]


def test_options_count_in_place_of_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = file.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.py").write_text("")
    monkeypatch.chdir(elsewhere)
    given = {"candidate": ["python3", "mine.py"], "elo1": 7.0, "time": "2s"}
    test = load_experiment(str(file), given, {"seats": 2})
    assert test.candidate.command == ("python3", str(elsewhere / "mine.py"))
    assert (test.test.elo1, test.limits.time.budget_ns, test.block_size) == (7.0, 2 * 10**9, 2)
    assert test.game.options["deals"] == [[1, 0]]


@pytest.mark.parametrize(
    ("keys", "levels"), [({}, (0, 10)), ({"non_regression": True}, (-10, 0)), ({"elo0": 2.0}, (2, 10))]
)
def test_bounds_by_default(keys: dict[str, Any], levels: tuple[int, int]) -> None:
    test = experiment(**keys).test
    assert (test.elo0, test.elo1) == levels


@pytest.mark.parametrize(
    "change",
    [
        {"elo1": 11.0}, {"alpha": 0.1}, {"bounds": "normalized"}, {"time": "9s"}, {"seed": "t"},
        {"game": "planning"}, {"base": [*COMMAND, "older"]}, {"non_regression": True}, {"clock": "wall"},
        {"measure": "points"}, {"max_blocks": 9}, {"workers": 1}, {"faults": "fail"},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_what_changes_scores_or_the_stop_rule_makes_it_another_test(change: dict[str, Any]) -> None:
    free = {"max_blocks", "workers", "faults"}
    assert (experiment(**change).name == experiment().name) == (change.keys() <= free)


def test_what_the_test_writes_and_its_own_file_are_no_part_of_a_program(file: Path) -> None:
    written = [str(file.parent / "j.xml")]
    before = load_experiment(str(file), {}, written=written).name
    (file.parent / "j.xml").write_text("<testsuite/>")
    file.write_text(FILE.replace("max_blocks: 40", "max_blocks: 50"))
    assert load_experiment(str(file), {}, written=written).name == before


def test_a_test_is_the_same_wherever_its_programs_lie(
    file: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("another")
    for name in ("old.py", "new.py", "regress.yaml"):
        (elsewhere / name).write_bytes((file.parent / name).read_bytes())
    assert load_experiment(str(elsewhere / "regress.yaml"), {}).name == load_experiment(str(file), {}).name


def test_the_store_lies_beside_the_file(file: Path) -> None:
    file.write_text(FILE.replace("store: sqlite:///kept.sqlite\n", ""))
    assert load_experiment(str(file), {}).store == f"sqlite:///{file.parent / 'regress.sqlite'}"
    assert load_experiment(str(file), {"store": "sqlite:///mine.sqlite"}).store.endswith("/mine.sqlite")


def lines(error: pytest.ExceptionInfo[ConfigError]) -> list[str]:
    return str(error.value).splitlines()


def test_every_mistake_of_a_file_has_its_place(file: Path) -> None:
    file.write_text("game: planing\nbase: [python3, gone.py]\nelo_1: 5\nalpha: 2\ncandidate: {comand: [x]}\n")
    with pytest.raises(ConfigError) as error:
        load_experiment(str(file), {})
    assert lines(error) == [
        f"{file}:1:1: game: unknown game 'planing' (did you mean planning?)",
        f"{file}:3:1: elo_1: unknown key (did you mean elo1?)",
        f"{file}:4:1: alpha: should be less than 0.5",
        f"{file}:5:1: candidate.command: is required",
        f"{file}:5:13: candidate.comand: unknown key (did you mean command?)",
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"base": None}, "--base: is required"),
        ({"base": []}, "--base: "),
        ({"candidate": ["python3", "gone.py"]}, "--candidate: there is no file gone.py"),
        ({"candidate": ["no-such-program"]}, "--candidate: there is no program no-such-program in PATH"),
        ({"game": None}, "--game: is required"),
        ({"game": {"name": "planning", "sets": 2}}, "--game.sets: unknown option"),
        ({"elo0": 20.0}, "--elo0: 20 is not below elo1, which is 10"),
        ({"elo1": -1.0}, "--elo1: -1 is not above elo0, which is 0"),
        ({"candidate": "python3 x.py"}, "--candidate: is one text, not a command's words (write [python3, bot.py])"),
        ({"non_regression": True, "elo1": 5.0}, "--elo1: expected at most 0 with non_regression, got 5 (write 0, with"),
        ({"alpha": 0.7}, "--alpha: should be less than 0.5"),
        ({"elo1": float("nan")}, "--elo1: "),
        ({"time": "soon"}, "--time: not a time control"),
        ({"field": "gone.yaml"}, "--field: gone.yaml: cannot be read"),
        ({"max_blocks": 0}, "--max-blocks: should be greater than 0"),
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_option_is_named(given: dict[str, Any], words: str) -> None:
    keys: dict[str, Any] = {"game": "planning", **given}
    with pytest.raises(ConfigError) as error:
        experiment(**keys)
    assert any(words in line for line in lines(error)), lines(error)


def test_options_of_a_game_need_a_game() -> None:
    with pytest.raises(ConfigError, match="is required"):
        load_experiment(None, {"base": COMMAND, "candidate": COMMAND}, {"seats": 2})


def test_by_points_a_bound_in_elo_is_none_or_it_hangs_on_what_a_point_is_worth() -> None:
    assert experiment(measure="points").test.measure == "points"
    assert experiment(measure="points", non_regression=True, bounds="normalized").test.elo0 == -10.0
    with pytest.raises(ConfigError) as error:
        experiment(measure="points", non_regression=True)
    assert str(error.value) == (
        "--elo0: expected 0 with measure: points, got -10: the Elo of a point is only estimated"
        " (write elo0: 0, bounds: normalized, or measure: results)"
    )
