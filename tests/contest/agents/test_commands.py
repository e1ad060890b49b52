"""The loop of a coding agent on the command line, with real programs."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.cli import exit_code
from arbiter.contest.agents.answer_limits import MOST
from tests.contest.agents.mended import SEASON, source
from tests.fixtures.commands import RANDOM, arbiter

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run

__all__ = ["arbiter"]

pytestmark = pytest.mark.process


def run_arena(*words: str | Path) -> dict[str, Any]:
    """What a command of the arena prints, at once and within the bounds."""
    out = io.StringIO()
    with redirect_stdout(out):
        assert exit_code(["arena", *map(str, words)]) == 0
    assert len(out.getvalue().encode()) <= MOST
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@pytest.fixture(scope="module")
def played_arena(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An arena in which a bot that writes a megabyte to standard error in each match has played a round."""
    folder = tmp_path_factory.mktemp("arena")
    (folder / "season.yaml").write_text(SEASON % ("plain", json.dumps(RANDOM.split())))
    (folder / "loud.py").write_text(source(["LOUD"]))
    assert run_arena("submit", folder, folder / "loud.py")["state"] == "accepted"
    assert run_arena("play", folder)["played"] == 2
    return folder


def test_the_standings_name_who_is_not_there(played_arena: Path) -> None:
    found = run_arena("standings", played_arena)
    assert [row["player"] for row in found["opponents"]] == ["random"]
    assert list(found["missing"]) == ["gone"]
    assert found["verdict"] == "undecided"


def test_a_match_is_shown_as_the_bot_knew_it_and_its_log_is_bounded(played_arena: Path) -> None:
    listed = run_arena("match", played_arena)["matches"]
    shown = run_arena("match", played_arena, listed[0]["id"])
    assert f"as seat {listed[0]['seats'][0]} (agent@1) knew it" in shown["text"]
    log = run_arena("log", played_arena, listed[0]["id"])
    assert "> gen_declare" in log["text"]
    assert log["text"].count("loud") > 100


def test_the_same_files_again_are_the_version_that_they_were(played_arena: Path) -> None:
    assert run_arena("submit", played_arena, played_arena / "loud.py")["version"] == 1


def test_a_check_keeps_nothing_and_says_what_is_wrong(played_arena: Path, arbiter: Run) -> None:
    (played_arena / "broken.py").write_text("def f(:\n")
    before = sorted(played_arena.rglob("*"))
    code, out, err = arbiter("arena", "check", played_arena, played_arena / "broken.py")
    failed = json.loads(out)["steps"][-1]
    assert (code, failed["name"], failed["ok"]) == (3, "checked", False)
    assert "SyntaxError" in failed["detail"]
    assert err.startswith("arbiter: refused: checked: starts")
    assert sorted(played_arena.rglob("*")) == before
    assert len(run_arena("standings", played_arena)["versions"]) == 1


def test_the_rules_are_the_terms_the_manual_and_the_protocol(played_arena: Path) -> None:
    text, page = "", 1
    while page <= (found := run_arena("rules", played_arena, "--page", str(page)))["pages"]:
        text, page = text + found["text"], page + 1
        if page > found["pages"]:
            break
    assert "as `agent@VERSION` against random" in text
    assert text.index("# Planning") < text.index("protocol")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("rules", "nowhere"), "nowhere: holds no season.yaml (arbiter init nowhere --ladder writes one)"),
        (("standings", ".", "--name", "random"), "arbiter: the name random is taken (take another one)"),
        (("check", ".", "none.py"), "none.py: there is no such file or folder (name a folder with the program, or a ZIP file)"),
        (("log", ".", "r9"), "arbiter: there is no match 'r9' (without an id `match` lists all)"),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)  # fmt: skip
def test_what_is_wrong_is_one_line(
    words: tuple[str, ...], line: str, played_arena: Path, arbiter: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(played_arena)
    assert arbiter("arena", *words) == (2, "", f"{line}\n")
