"""`arbiter regress` with real bots: exit codes, going on."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import pytest

from arbiter.cli import exit_code
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
    " --isolation plain --seed 1 --workers 1"
)
GREEDIES = [*QUICK, "--base", GREEDY, "--candidate", GREEDY]


def several(*candidates: str) -> list[str]:
    return [*QUICK, "--base", RANDOM, *(word for text in candidates for word in ("--candidate", text))]


@pytest.fixture
def regress(tmp_path: Path, arbiter: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in a folder of its own: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    return partial(arbiter, "regress")


def test_a_better_candidate_passes_and_the_same_command_says_so_again_to_a_reader_or_none(
    regress: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [*QUICK, "--base", RANDOM, "--candidate", GREEDY, "--elo1", "100"]
    words += ["--junit", "j.xml", "--json", "o.json", "--report", "https://cards.example.org/"]
    code, out, err = regress(*words)
    assert code == 0, out + err
    page = json.loads((tmp_path / "o.json").read_text())["page"]
    assert page.startswith("https://cards.example.org/tests/regress-")
    assert f"arbiter: test page: {page}\n" in err
    assert page in out
    assert out.startswith("better: ")
    assert "expected: " in err
    assert 'failures="0"' in (tmp_path / "j.xml").read_text()
    code, again, err = regress(*words)
    assert (code, again) == (0, out)
    found = json.loads((tmp_path / "o.json").read_text())
    assert (found["from_store"], found["attempt"]) == (matches_in(tmp_path), 1)
    assert f"decided before, nothing to play: {matches_in(tmp_path)} matches, " in err
    code, out, err = regress(*words, "--fresh", "--max-blocks", "1")
    found = json.loads((tmp_path / "o.json").read_text())
    assert (code, found["verdict"], found["attempt"], found["from_store"]) == (1, "out_of_budget", 2, 0)
    assert f"started over as {found['name']}" in err
    assert "the budget was spent before: " in regress(*words, "--max-blocks", "1")[2]
    read, write = os.pipe()
    os.close(read)
    with open(write, "w") as unread:
        monkeypatch.setattr(sys, "stdout", unread)
        assert exit_code(["regress", *words, "--max-blocks", "1"]) == 1


def test_a_candidate_that_does_not_start_fails_with_its_variables_in_the_command_that_plays_again(
    regress: Run, tmp_path: Path
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("import os\nraise SystemExit(f\"level {os.environ['LEVEL']}\")\n")
    words = [*QUICK, "--base", GREEDY, "--candidate", f"LEVEL=3 {sys.executable} {bot}", "--faults", "fail"]
    code, out, _ = regress(*words, "--summary", "s.md")
    assert code == 3
    assert out.startswith("candidate faulty: b0001/m0: candidate forfeits (crash)")
    assert "level 3" in out
    assert f"--bot 'candidate=LEVEL=3 {sys.executable}" in out
    assert "candidate faulty" in (tmp_path / "s.md").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--base", "x", "--candidate", "x"], "--game: is required"),
        (["one.yaml", "two.yaml"], "unexpected extra argument"),
        (["gone.yaml"], "gone.yaml: cannot be read"),
        (["--base", "'", "--game", "planning"], '--base "\'": No closing quotation'),
        (["--junit", "no/such/folder/j.xml"], "there is no folder"),
        (["--store", "mem", *GREEDIES], "--store: not a store: 'mem'"),
        (["--report", "http://x", *several(f"a={RANDOM}", f"b={RANDOM}")], "--report: a test of several candidates has no page"),
        (["--report", "mine", *GREEDIES], "--report: expected the address of a site, got 'mine'"),
        (several(f"a={RANDOM}", f"a={GREEDY}"), f"--candidate 'a={GREEDY}': the name a appears twice (use different names)"),
        (several(f"base={RANDOM}", f"b={GREEDY}"), "--candidate.base: is the name of the other side"),
        (several("me", "you"), "--candidate.me: has no command (write NAME=COMMAND, or give the season's --config)"),
        (several(f"{RANDOM} --seed=3", f"b={GREEDY}"), ": expected NAME=COMMAND"),
        (several("a=", f"b={GREEDY}"), "--candidate.a: is empty"),
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


def test_the_best_of_several_is_chosen_and_after_a_kill_the_choice_goes_on(
    regress: Run, tmp_path: Path
) -> None:
    words = [*several(f"lot={RANDOM} --seed 3", f"fast={GREEDY}"), "--elo1", "60", "--json", "o.json"]
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
    assert f"continuing: {before} matches, " in err
    assert "lot is out after " in err
    code, again, err = regress(*words)
    assert (code, again) == (0, out)
    assert "decided before, nothing to play: " in err


def matches_in(folder: Path) -> int:
    with sqlite3.connect(f"file:{folder / 'regress.sqlite'}?mode=ro", uri=True) as connection:
        return int(connection.execute("SELECT count(*) FROM matches").fetchone()[0])


def test_a_match_of_a_test_is_annulled_by_the_name_of_the_test(regress: Run, arbiter: Run) -> None:
    regress(*GREEDIES, "--max-blocks", "1")
    with closing(Store("sqlite:///regress.sqlite")) as store:
        (name,) = store.seasons()
    code, out, _ = arbiter("annul", name, "b0001/m0", "b0001/m1", "--because", "cut")
    assert (code, out) == (0, "annulled: 2 matches, b0001/m0, b0001/m1\n")
    said = arbiter("annul", "regress-none", "b0001/m0", "--because", "cut")[2]
    assert said.startswith("arbiter: no test regress-none in ")
