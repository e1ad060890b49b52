"""`arbiter regress` with real bots: exit codes, going on."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest

from arbiter.store import Store
from tests.fixtures.commands import BOTS, RANDOM

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run


pytestmark = pytest.mark.process

GREEDY = f"{sys.executable} -S {BOTS / 'planning_greedy.py'}"
# Of a deck of which both know nearly all cards.
QUICK = shlex.split(
    "--game planning --option deals=[[6,0],[6,1],[6,0]] --option seats=2 --option 'deck=123456 AB'"
    " --isolation plain --seed 1"
)
GREEDIES = [*QUICK, "--base", GREEDY, "--candidate", GREEDY]


@pytest.fixture
def regress(tmp_path: Path, arbiter: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in a folder of its own: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    return partial(arbiter, "regress")


def test_a_better_candidate_passes_and_the_same_command_says_so_again(regress: Run, tmp_path: Path) -> None:
    words = [*QUICK, "--base", RANDOM, "--candidate", GREEDY, "--elo1", "100"]
    words += ["--junit", "j.xml", "--json", "o.json", "--report", "https://cards.example.org/"]
    code, out, err = regress(*words)
    assert code == 0, out + err
    page = json.loads((tmp_path / "o.json").read_text())["page"]
    assert page.startswith("https://cards.example.org/tests/regress-")
    assert f"arbiter: its page: {page}\n" in err
    assert page in out
    assert out.startswith("better: ")
    assert "expected are" in err
    assert 'failures="0"' in (tmp_path / "j.xml").read_text()
    code, again, err = regress(*words)
    assert (code, again) == (0, out)
    found = json.loads((tmp_path / "o.json").read_text())
    assert (found["from_store"], found["attempt"]) == (matches_in(tmp_path), 1)
    assert f"decided before, and nothing is played: {matches_in(tmp_path)} matches, " in err


def test_identical_bots_play_identically(regress: Run) -> None:
    code, out, _ = regress(*QUICK, "--base", RANDOM, "--candidate", RANDOM, "--format", "json")
    assert code == 1
    assert json.loads(out)["verdict"] == "identical_play"


def test_variables_may_stand_before_a_command(regress: Run, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("import os\nraise SystemExit(f\"level {os.environ['LEVEL']}\")\n")
    words = [*QUICK, "--base", GREEDY, "--candidate", f"LEVEL=3 {sys.executable} {bot}", "--faults", "fail"]
    code, out, _ = regress(*words)
    assert code == 3
    assert "level 3" in out
    assert f"--bot 'LEVEL=3 {sys.executable}" in out


def test_a_candidate_that_does_not_start_fails(regress: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("raise SystemExit('no engine')\n")
    words = [*QUICK, "--base", GREEDY, "--candidate", f"{sys.executable} {bad}", "--faults", "fail"]
    words += ["--workers", "1", "--summary", "s.md"]
    code, out, _ = regress(*words)
    assert code == 3
    assert out.startswith("candidate faulty: b0001/m0: candidate forfeits (crash)")
    assert "candidate faulty" in (tmp_path / "s.md").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--base", "x", "--candidate", "x"], "--game: is required"),
        (["one.yaml", "two.yaml"], "unexpected extra argument"),
        (["gone.yaml"], "gone.yaml: cannot be read"),
        (["--base", "'", "--game", "planning"], '--base "\'": No closing quotation'),
        (["--junit", "no/such/folder/j.xml"], "there is no such folder"),
        (["--store", "mem", *GREEDIES], "--store: not a store: 'mem'"),
        (["--report", "http://x", *QUICK, "--base", RANDOM, "--candidate", f"a={RANDOM}", "--candidate", f"b={RANDOM}"], "--report: a choice among several candidates has no page"),
        (["--report", "mine", *GREEDIES], "--report: not an address of a site: 'mine'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_wrong_usage_is_one_line(words: list[str], message: str, regress: Run) -> None:
    code, out, err = regress(*words)
    assert code == 2
    assert out == ""
    assert message in err


def test_a_usage_error_fails_in_junit_too(regress: Run, tmp_path: Path) -> None:
    code, _, _ = regress("gone.yaml", "--junit", "j.xml")
    assert code == 2
    assert 'failures="1"' in (tmp_path / "j.xml").read_text()


def test_after_a_kill_the_same_command_goes_on(regress: Run, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "arbiter", "regress", *QUICK, "--base", RANDOM, "--candidate", GREEDY]
    words += ["--elo1", "1000", "--elo0", "990", "--max-blocks", "16", "--json", "o.json"]
    with subprocess.Popen(
        words, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as first:
        assert first.stderr is not None
        next(line for line in first.stderr if "by the first" in line)
        os.killpg(first.pid, signal.SIGKILL)
    before = matches_in(tmp_path)
    code, _, err = regress(*words[4:])
    found = json.loads((tmp_path / "o.json").read_text())
    assert code == found["exit"]
    assert 0 < before <= matches_in(tmp_path)
    assert found["from_store"] == before
    assert f"going on: {before} matches, " in err
    assert found["blocks"] >= 16


def test_the_best_of_several_is_chosen_and_after_a_kill_the_choice_goes_on(
    regress: Run, tmp_path: Path
) -> None:
    words = [
        *QUICK,
        "--base",
        RANDOM,
        "--candidate",
        f"lot={RANDOM} --seed 3",
        "--candidate",
        f"fast={GREEDY}",
    ]
    words += ["--elo1", "60", "--json", "o.json"]
    command = [sys.executable, "-m", "arbiter", "regress", *words]
    with subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as first:
        assert first.stderr is not None
        next(line for line in first.stderr if "2 candidates, each on the same deals" in line)
        while matches_in(tmp_path) < 5:
            assert first.poll() is None
        os.killpg(first.pid, signal.SIGKILL)
    before = matches_in(tmp_path)
    code, out, err = regress(*words)
    found = json.loads((tmp_path / "o.json").read_text())
    assert (code, found["verdict"], found["best"], found["from_store"]) == (0, "best", "fast", before)
    assert out.startswith("best: fast, better than the base")
    assert f"going on: {before} matches, " in err
    assert "lot leaves after " in err
    code, again, err = regress(*words)
    assert (code, again) == (0, out)
    assert "decided before, and nothing is played: " in err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([f"a={RANDOM}", f"a={GREEDY}"], f"--candidate 'a={GREEDY}': a is named twice (give each a name"),
        ([f"base={RANDOM}", f"b={GREEDY}"], "--candidate.base: is the name of the other side"),
        (["me", "you"], "--candidate.me: has no command (write NAME=COMMAND, or give the season's --config)"),
        ([f"{RANDOM} --seed=3", f"b={GREEDY}"], ": has no name (write NAME=COMMAND)"),
        (["a=", f"b={GREEDY}"], "--candidate.a: is empty"),
    ],
)  # fmt: skip
def test_wrong_candidates_are_one_line_each(given: list[str], message: str, regress: Run) -> None:
    words = [word for text in given for word in ("--candidate", text)]
    code, out, err = regress(*QUICK, "--base", RANDOM, *words)
    assert (code, out) == (2, "")
    assert message in err


def matches_in(folder: Path) -> int:
    with sqlite3.connect(f"file:{folder / 'regress.sqlite'}?mode=ro", uri=True) as connection:
        return int(connection.execute("SELECT count(*) FROM matches").fetchone()[0])


def test_a_reader_who_goes_away_does_not_change_the_verdict(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "arbiter", "regress", *QUICK, "--base", RANDOM, "--candidate", RANDOM]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(words, cwd=tmp_path, stdout=write, stderr=subprocess.DEVNULL, check=False)
    os.close(write)
    assert done.returncode == 1


def test_a_decided_test_can_be_begun_anew(regress: Run) -> None:
    words = [*QUICK, "--base", RANDOM, "--candidate", RANDOM, "--format", "json"]
    regress(*words)
    code, out, err = regress(*words, "--fresh")
    found = json.loads(out)
    assert (code, found["attempt"], found["from_store"]) == (1, 2, 0)
    assert f"begun anew as {found['name']}" in err


def test_annulled_matches_are_played_again(regress: Run, arbiter: Run) -> None:
    line = ["--game", "planning", "--candidate", RANDOM, "--base", f"{RANDOM} --seed 7"]
    line += ["--option", "deals=[[1,0]]", "--max-blocks", "2", "--isolation", "plain", "--format", "json"]
    first = json.loads(regress(*line)[1])
    store = Store("sqlite:///regress.sqlite")
    (name,) = store.seasons()
    season = store.season(name)
    assert season is not None
    ids = [match.id for match in season.summaries()]
    code, out, _ = arbiter("annul", name, ids[0], ids[-1], "--because", "cut")
    assert (code, out) == (0, f"annulled: 2 matches, {ids[0]}, {ids[-1]}\n")
    again = json.loads(regress(*line)[1])
    assert (again["matches"], again["blocks"]) == (first["matches"], first["blocks"])
    assert all(len(season.orders.earlier(name)) == 1 for name in (ids[0], ids[-1]))
    assert arbiter("annul", "regress-none", ids[0], "--because", "cut")[2].startswith(
        "arbiter: no test regress-none in "
    )
    store.close()
