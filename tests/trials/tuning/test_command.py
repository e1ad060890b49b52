"""`arbiter tune` with real bots: what it prints, its test, going on after a kill, exit codes."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.fixtures.commands import BOTS, RANDOM

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run


pytestmark = pytest.mark.process

GREEDY = [sys.executable, "-S", str(BOTS / "planning_greedy.py"), "--worlds", "3", "--tilt", "{tilt}"]
TINY = {"name": "planning", "seats": 2, "deck": "123456 AB", "deals": [[1, 0]]}
FILE = {
    "game": {**TINY, "deals": [[3, 0]]},
    "base": GREEDY,
    "parameters": [{"name": "tilt", "start": 2.0, "min": -2, "max": 2}],
    "iterations": 5,
    "seed": "s",
    "isolation": "plain",
    "workers": 1,
    "test": {"max_blocks": 3},
}


def write(folder: Path, **keys: Any) -> str:
    file = folder / "tune.yaml"
    file.write_text(yaml.safe_dump({**FILE, **keys}, sort_keys=False))
    return str(file)


@pytest.fixture
def tune(tmp_path: Path, arbiter: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in a folder of its own: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    return partial(arbiter, "tune")


def test_a_tuning_ends_with_an_estimate_its_way_and_a_test(tune: Run, tmp_path: Path) -> None:
    file = write(tmp_path)
    code, out, err = tune(file, "--picture", "way.svg", "--format", "json")
    assert code == 0, err
    found = json.loads(out)
    assert (found["iteration"], found["matches"], found["start"]) == (5, 10, {"tilt": 2.0})
    assert found["values"].keys() == found["estimate"].keys() == {"tilt"}
    assert found["test"]["verdict"] == "out_of_budget"
    assert found["test"]["candidate"][-1] == f"{found['estimate']['tilt']:.6g}"
    assert "tilt: from 2 within -2 to 2, first step 1" in err
    assert found["worth"].keys() == {"tilt"}
    assert (tmp_path / "way.svg").read_text().startswith("<svg ")
    code, out, err = tune(file)
    assert code == 0
    assert "continuing: 10 matches from the store (tune-" in err
    assert "decided before, nothing to play" not in out
    assert out.splitlines()[1].split() == ["iteration", "tilt"]
    assert f"estimate {found['estimate']['tilt']:.4g}".split() in [line.split() for line in out.splitlines()]
    assert "undecided after 3 blocks: the budget is spent" in out


def test_a_bot_that_fails_in_all_its_matches_is_an_exit_of_3(tune: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("raise SystemExit('no engine')\n")
    code, out, err = tune(write(tmp_path, base=[sys.executable, "bad.py"]))
    assert (code, out) == (3, "")
    assert "arbiter: every match of 3 iterations in a row ended by a fault, the last " in err
    assert "no engine" in err


def test_a_bot_that_does_not_read_its_numbers_is_asked_about(tune: Run, tmp_path: Path) -> None:
    unread = [{"name": "TILT", "start": 1, "min": 0, "max": 4}]
    file = write(tmp_path, base=RANDOM.split(), parameters=unread, iterations=8, game=TINY)
    code, out, err = tune(file, "--no-test", "--format", "json")
    assert (code, json.loads(out)["estimate"]) == (0, {"TILT": 1.0})
    assert "TILT as a variable: from 1 within 0 to 4, first step 1" in err
    assert "all of 8 iterations ended level: does the bot read its numbers?" in err


def test_a_mistake_has_its_place_and_is_an_exit_of_2(tune: Run, tmp_path: Path) -> None:
    file = write(tmp_path, iteration=3)
    code, _, err = tune(file)
    assert code == 2
    assert err == f"{file}:27:1: iteration: unknown key (did you mean iterations?)\n"
    assert tune("gone.yaml")[2].startswith("gone.yaml: cannot be read")
    assert "there is no folder" in tune(write(tmp_path), "--picture", "no/way.svg")[2]
