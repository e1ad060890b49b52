"""`arbiter attack`: bots that attack, played where it is run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.trials.sandboxcheck import expectations
from arbiter.trials.sandboxcheck.attack_folder import AttackFolder
from arbiter.trials.sandboxcheck.attack_suite import play_attack
from arbiter.trials.sandboxcheck.expectations import Promise, attacks
from tests.fixtures.commands import arbiter
from tests.fixtures.tiers import need

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fixtures.commands import Run

__all__ = ["arbiter"]
pytestmark = pytest.mark.process
MANY = "many_children starts a hundred children, each of which ends at once"
BY_NAME = {one.name: one for one in attacks()}


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of all that is temporary; nothing is left there."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")


def test_an_attack_is_played_under_each_tier_and_told(
    arbiter: Run, without_compiler: None, tmp_path: Path
) -> None:
    need("landlock")
    file = tmp_path / "attacks.json"
    words = ("--tier", "all", "--only", "many_children", "--only", "raw clone", "--output", file)
    code, out, err = arbiter("attack", *words)
    assert code == 0, err
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "landlock:"
    assert lines[1] == f"stopped {MANY} → crash: PermissionError"
    assert lines[2].startswith(
        "skipped raw clone forks past the C library, and ends before its child → no C compiler"
    )
    assert f"open {MANY} → goes on" in lines
    assert lines[-1].endswith("plain does not protect against these attacks: run only bots that you trust.")
    found = json.loads(file.read_text())
    assert [(one["tier"], one["outcome"]) for one in found["attacks"] if one["name"] == "many_children"] == [
        ("landlock", "stopped"),
        ("plain", "open"),
    ]


def test_json_has_each_attempt_and_nothing_else_is_on_stdout(arbiter: Run, without_compiler: None) -> None:
    code, out, _ = arbiter("attack", "--tier", "plain", "--only", "spy", "--format", "json")
    found: Any = json.loads(out)
    assert (code, found["format"], found["tiers"]["plain"]["counts"]) == (0, "arbiter-attack/1", {"open": 1})
    met = {one["attempt"]: (one["met"], one["outcome"]) for one in found["attacks"][0]["attempts"]}
    assert met["read a rival's file"] == ("allowed", "open")


def test_an_attack_that_gets_through_is_named_and_ends_in_1(
    arbiter: Run, without_compiler: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict = Promise("", dict.fromkeys(expectations.TIERS, "crash: PermissionError"))
    monkeypatch.setattr(
        expectations,
        "attacks",
        lambda: [expectations.Attack("fork_bomb", "starts children", "match", (strict,))],
    )
    code, out, err = arbiter("attack", "--tier", "plain")
    assert code == 1
    assert " ".join(out.splitlines()[1].split()) == "GOT THROUGH fork_bomb starts children → goes on"
    assert "plain breaks its promises." in out
    assert err.splitlines()[-1] == "arbiter: 1 attack got through: fork_bomb (plain)"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--only", "spi"), "arbiter: --only spi: unknown attack (did you mean spy?)"),
        (
            ("--output", "nowhere/attacks.json"),
            "nowhere/attacks.json: cannot be written: there is no folder nowhere (create it, or name another file)",
        ),
        (("--output", ""), "arbiter: empty file name"),
    ],
)
def test_what_cannot_be_played_is_said_in_a_line(words: tuple[str, ...], said: str, arbiter: Run) -> None:
    code, _, err = arbiter("attack", *words)
    assert (code, err.strip()) == (2, said)


def test_an_interrupt_ends_it_when_the_match_is_over(without_compiler: None) -> None:
    words = [sys.executable, "-m", "arbiter", "attack", "--tier", "plain"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "plain:\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert (process.returncode, err.splitlines()[-1]) == (
        130,
        "arbiter: interrupted: run the same command again to start over",
    )


def test_a_table_that_dies_is_told_and_the_next_attack_has_another(without_compiler: None) -> None:
    with AttackFolder() as place:
        assert play_attack(place, "plain", BY_NAME["nul"]).met == {"": "malformed: a NUL byte in a reply"}
        assert place._worker is not None
        place._worker.kill()
        place._worker.wait()
        assert play_attack(place, "plain", BY_NAME["nul"]).harm.startswith("the table's process ended")
        assert play_attack(place, "plain", BY_NAME["nul"]).harm == ""


@pytest.mark.parametrize("name", ["spy", "remember"])
def test_a_match_that_is_void_while_an_attack_looks_about_got_through(
    name: str, without_compiler: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with AttackFolder() as place:
        void: Any = {"void": "the launcher is gone", "record": None, "left": []}
        monkeypatch.setattr(place, "ask", lambda _: void)
        found = play_attack(place, "plain", BY_NAME[name])
    assert found.harm == "the match ended: the launcher is gone"


def test_files_of_an_attack_that_was_cut_off_are_removed(temporary: Path, without_compiler: None) -> None:
    with AttackFolder() as place:
        (temporary / f"arbiter-attack-{place.word}-17").write_text("word")
