"""The commands of an arena, on matches that no program played."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.agents import agent_programs
from arbiter.season.roster import folder_of
from arbiter.store import Store
from tests.contest.agents.standing_in import AGES, arena_of, giving, play

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.season.config import Config
    from tests.fixtures.commands import Run


@pytest.mark.process
def test_a_check_keeps_nothing_and_says_what_is_wrong(tmp_path: Path, arbiter: Run) -> None:
    arena = arena_of(tmp_path)
    play(arena, giving(lambda _: [0, 0]), 1, AGES)
    (tmp_path / "broken.py").write_text("def f(:\n")
    folder_of(arena.config).mkdir()
    before = sorted(tmp_path.rglob("*"))
    code, out, err = arbiter("arena", "check", tmp_path, tmp_path / "broken.py")
    failed = json.loads(out)["steps"][-1]
    assert (code, failed["name"], failed["ok"]) == (3, "checked", False)
    assert "SyntaxError" in failed["detail"]
    assert err.startswith("arbiter: refused: checked: starts")
    assert sorted(tmp_path.rglob("*")) == before
    assert len(json.loads(arbiter("arena", "standings", tmp_path)[1])["versions"]) == 1


def test_the_same_files_again_are_the_version_that_they_were(
    tmp_path: Path, arbiter: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena_of(tmp_path, versions=0)
    (tmp_path / "bot.py").touch()

    def accept(config: Config, number: int) -> None:
        with closing(Store(config.store)) as store:
            stored = store.season(config.season)
            assert stored is not None
            stored.submissions.accept(number, [], {"command": ["sh"], "read": [], "files": {}})

    monkeypatch.setattr(agent_programs, "inspect_one", accept)
    sent = [json.loads(arbiter("arena", "submit", tmp_path, tmp_path / "bot.py")[1]) for _ in range(2)]
    assert [one["version"] for one in sent] == [1, 1]


def test_the_rules_are_the_terms_the_manual_and_the_protocol(tmp_path: Path, arbiter: Run) -> None:
    arena_of(tmp_path)
    first = json.loads(arbiter("arena", "rules", tmp_path)[1])
    more = [arbiter("arena", "rules", tmp_path, "--page", n)[1] for n in range(2, first["pages"] + 1)]
    text = "".join([first["text"], *(json.loads(page)["text"] for page in more)])
    assert "as `agent@VERSION` against strong, weak" in text
    assert text.index("# Planning") < text.index("protocol")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("rules", "nowhere"), "nowhere: has no season.yaml (arbiter init nowhere --ladder writes one)"),
        (("standings", ".", "--name", "weak"), "arbiter: the name weak is taken (choose another one)"),
        (("check", ".", "none.py"), "none.py: no such file or folder (name a folder with the program, or a ZIP file)"),
        (("log", ".", "r9"), "arbiter: no match 'r9' (without an id `match` lists all)"),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)  # fmt: skip
def test_what_is_wrong_is_one_line(
    words: tuple[str, ...], line: str, tmp_path: Path, arbiter: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(arena_of(tmp_path), giving(lambda _: [0, 0]), 1, AGES)
    monkeypatch.chdir(tmp_path)
    assert arbiter("arena", *words) == (2, "", f"{line}\n")
