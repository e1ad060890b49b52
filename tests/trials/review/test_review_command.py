"""The command: a real program that values answers, what is kept, and what is wrong with one."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from arbiter.cli import exit_code
from tests.fixtures.commands import RANDOM

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run


pytestmark = pytest.mark.process

REFERENCE = """
import sys

hand = []
for line in sys.stdin:
    words = line.split()
    answer = "="
    if words[0] == "set_cards":
        hand, declares = words[2:], True
    elif words[0] == "declare":
        declares = False
    elif words[0] == "play" and words[2] in hand:
        hand.remove(words[2])
    elif words[0] == "gen_values":
        {asked}
        options = range(len(hand) + 1) if declares else {cards}
        answer = "= " + " ".join(f"{{option}}:{{k}}{win}" for k, option in enumerate(options))
    print(answer, end="\\n\\n", flush=True)
"""
"""Its own cards are all legal, since each deal has one."""


def reference(
    folder: Path, name: str = "values", answer: str = "pass", cards: str = "hand", win: str = ":0.25"
) -> str:
    path = folder / name / f"{name}.py"
    path.parent.mkdir()
    path.write_text(REFERENCE.format(asked=answer, cards=cards, win=win))
    return f"python3 -I -S {path}"


@pytest.fixture(scope="module")
def played_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a season that nobody changes."""
    path = tmp_path_factory.mktemp("played") / "season.yaml"
    players = "".join(f"  - {{name: p{k}, command: {json.dumps(RANDOM.split())}}}\n" for k in range(4))
    game = "{name: planning, deals: [[1, 0], [1, 1]]}"
    path.write_text(
        f"game: {game}\nseed: {'x' * 20}\nisolation: plain\nworkers: 1\nrounds: 1\nplayers:\n{players}"
    )
    assert exit_code(["run-season", str(path)]) == 0
    return path.parent


@pytest.fixture
def season_file(played_folder: Path, tmp_path: Path) -> Path:
    shutil.copytree(played_folder, tmp_path, dirs_exist_ok=True)
    return tmp_path / "season.yaml"


def test_a_match_is_reviewed_kept_and_read_again(season_file: Path, tmp_path: Path, arbiter: Run) -> None:
    asked = tmp_path / "asked"
    by = reference(tmp_path, answer=f"open({str(asked)!r}, 'a').write('.')")
    told = ["review", season_file, "r001/t01/m1", "--by", by, "--format", "json"]
    code, out, _ = arbiter(*told)
    found = json.loads(out)
    assert (code, found["format"], found["by"]) == (0, "arbiter-review/1", "values")
    assert [decision["i"] for decision in found["decisions"]] == list(range(16))
    times = asked.stat().st_size
    assert arbiter(*told)[1] == out and asked.stat().st_size == times
    code, out, _ = arbiter(*told, "--seat", "2")
    assert {decision["seat"] for decision in json.loads(out)["decisions"]} == {2}
    assert asked.stat().st_size == times


@pytest.mark.parametrize(("win", "lines"), [(":0.25", 0), ("", 1)])
def test_a_program_without_chances_to_win_is_named_once(
    win: str, lines: int, season_file: Path, tmp_path: Path, arbiter: Run
) -> None:
    code, out, _ = arbiter("review", season_file, "r001/t01/m1", "--by", reference(tmp_path, win=win))
    assert (code, out.count("values gives no winning chances")) == (0, lines)


def test_rollouts_review_where_no_player_can(season_file: Path, arbiter: Run) -> None:
    told = ["--seat", "0", "--by", "rollouts", "--budget", "100ms", "--format", "json"]
    code, out, _ = arbiter("review", season_file, "r001/t01/m1", *told)
    found = json.loads(out)
    assert (code, found["by"], len(found["decisions"])) == (0, "rollouts", 4)
    assert all(decision["loss"] is not None for decision in found["decisions"])


def test_another_program_of_the_same_name_is_asked_anew(
    season_file: Path, tmp_path: Path, arbiter: Run
) -> None:
    by = reference(tmp_path)
    told = ["review", season_file, "r001/t01/m1", "--by", by, "--format", "json"]
    first = json.loads(arbiter(*told)[1])
    path = tmp_path / "values" / "values.py"
    path.write_text(path.read_text().replace(":0.25", ":0.75"))
    second = json.loads(arbiter(*told)[1])
    assert (first["by"], first["decisions"][0]["win"][0]) == ("values", 0.25)
    assert (second["by"], second["decisions"][0]["win"][0]) == ("values", 0.75)


def test_players_whose_programs_are_gone_keep_nobody_from_a_review(
    season_file: Path, tmp_path: Path, arbiter: Run
) -> None:
    season_file.write_text(season_file.read_text().replace(json.dumps(RANDOM.split()), '["/nowhere/bot"]'))
    assert arbiter("review", season_file, "r001/t01/m1", "--by", reference(tmp_path))[0] == 0
    code, _, err = arbiter("review", season_file, "r001/t01/m2", "--by", "p1")
    assert code == 2 and "p1: " in err and "/nowhere/bot" in err
    code, _, err = arbiter("review", season_file, "r001/t01/m2")
    assert code == 3 and "no player of the season can review" in err and "--by" in err


def test_a_round_goes_on_where_it_was(season_file: Path, tmp_path: Path, arbiter: Run) -> None:
    by = reference(tmp_path)
    assert arbiter("review", season_file, "r001/t01/m2", "--by", by)[0] == 0
    code, out, err = arbiter("review", season_file, "--round", "1", "--by", by, "--format", "json")
    found = json.loads(out)
    assert code == 0 and "1 match of 4 from the store" in err
    assert (found["by"], found["matches"]) == ("values", 4)
    assert {row["player"]: row["decisions"] for row in found["players"]} == dict.fromkeys(
        ("p0", "p1", "p2", "p3"), 8
    )
    text = arbiter("review", season_file, "--round", "1", "--by", by)
    assert text[0] == 0 and "4 matches of 4 from the store" in text[2]
    assert [line.split()[0] for line in text[1].splitlines() if line.startswith(" p")] != []


def test_what_a_program_cannot_do_is_one_line(season_file: Path, tmp_path: Path, arbiter: Run) -> None:
    wrong = reference(tmp_path, "wrong", cards='["2C", "ZZ"]')
    ends = reference(tmp_path, "ends", answer="sys.exit('out of ideas')")
    for by, said in {
        RANDOM: "does not answer gen_values: ?",
        wrong: "wrong answers gen_values for gen_move:",
        ends: "out of ideas",
    }.items():
        code, _, err = arbiter("review", season_file, "r001/t01/m0", "--by", by)
        assert code == 3 and said in err and len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "expected a match id"),
        (["r001/t01/m0", "--round", "1"], "expected a match id"),
        (["--round", "7"], "no match of round 7"),
        (["r009/t01/m0"], "there is no match"),
        (["r001/t01/m0", "--seat", "4"], "--seat: expected 0 to 3, got 4"),
        (["--round", "1", "--seat", "0"], "--seat needs a match id"),
        (["r001/t01/m0", "--budget", "soon"], "not a duration"),
        (["r001/t01/m0", "--budget", "1ms"], "expected at least 100ms"),
        (["r001/t01/m0", "--by", "p9"], "unknown player"),
    ],
)
def test_what_is_asked_wrongly_is_named(words: list[str], said: str, season_file: Path, arbiter: Run) -> None:
    code, out, err = arbiter("review", season_file, *words)
    assert code == 2 and said in err and not out
