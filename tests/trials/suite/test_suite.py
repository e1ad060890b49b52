"""`arbiter suite`: each check passes and fails for its own reason; mistakes of the file have their places."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from arbiter.cli import exit_code
from arbiter.errors import ConfigError
from arbiter.trials.suite.suite_file import load_suite
from tests.fixtures import commands
from tests.fixtures.commands import BOTS

if TYPE_CHECKING:
    from tests.fixtures.commands import Run


ROOT = Path(__file__).parents[3]
GREEDY = [sys.executable, "-S", str(BOTS / "planning_greedy.py")]
RANDOM = [*commands.RANDOM.split(), "--seed", "1"]
RECORD = ROOT / "configs" / "records" / "greedy.json"
GAME = {"name": "planning", "deals": [[3, 0], [4, 1]]}
SMALL = {"name": "planning", "seats": 2, "deals": [[1, 0]]}


@pytest.fixture
def suite(tmp_path: Path, arbiter: Run) -> Run:
    """Runs a suite of these checks: exit code, standard output, standard error."""

    def call(*checks: dict[str, Any], words: tuple[str, ...] = (), **keys: Any) -> tuple[int, str, str]:
        file = tmp_path / "suite.yaml"
        shape = {
            "game": SMALL,
            "bot": GREEDY,
            "isolation": "plain",
            "workers": 1,
            "checks": list(checks),
            **keys,
        }
        file.write_text(yaml.safe_dump(shape, sort_keys=False))
        return arbiter("suite", file, *words)

    return call


def bot(folder: Path, body: str) -> list[str]:
    """A Planning bot that answers everything, `body` deciding what `w`, the words of a request, get."""
    path = folder / "bot.py"
    path.write_text(
        f"import sys, time\nfor line in sys.stdin:\n    w = line.split()\n    say = ''\n{body}\n    print('=', say, end='\\n\\n', flush=True)\n"
    )
    return [sys.executable, "-S", str(path)]


@pytest.mark.process
def test_each_check_that_passes_is_a_line(suite: Run, tmp_path: Path) -> None:
    code, out, _ = suite(
        {"check": "beats", "opponent": RANDOM, "at_least": 20, "blocks": 3},
        {"check": "no-faults", "time": "2s", "blocks": 1},
        {"check": "no-faults", "name": "with others", "opponent": RANDOM, "blocks": 1},
        words=("--junit", str(tmp_path / "j.xml")),
    )
    lines = out.splitlines()
    assert code == 0, out
    opponent = " ".join(Path(word).name for word in RANDOM)
    assert lines[0].startswith(f"PASSED beats {opponent}: ")
    assert lines[1].startswith("PASSED no faults in 2s: none in 2 matches; at most ")
    assert lines[2].startswith("PASSED with others: none in 2 matches")
    assert lines[3].startswith("3 passed, 0 failed in ")
    assert [case.get("name") for case in ET.parse(tmp_path / "j.xml").getroot()][2] == "with others"


@pytest.mark.process
def test_a_bot_that_is_too_weak_fails_with_its_score_where_that_check_alone_is_asked_for(suite: Run) -> None:
    checks = [
        {"check": "no-faults", "name": "one", "blocks": 1},
        {"check": "beats", "name": "two", "opponent": GREEDY, "at_least": 51, "blocks": 2},
    ]
    code, out, _ = suite(*checks, words=("--only", "two", "--format", "json"))
    (found,) = json.loads(out)["checks"]
    assert (code, found["name"], found["ok"]) == (1, "two", False)
    # The same program on both sides: exactly level.
    assert found["detail"] == "50.0 % ± 0.0 of 2 blocks; at least 51 % is required"
    code, out, err = suite(*checks, words=("--only", "too"))
    assert (code, out) == (2, "")
    assert "did you mean two?" in err


@pytest.mark.process
def test_a_bot_can_be_tried_in_place_of_the_files(suite: Run, tmp_path: Path) -> None:
    broken = " ".join(bot(tmp_path, "    raise SystemExit(3)"))
    code, out, _ = suite({"check": "no-faults", "blocks": 1}, words=("--bot", broken))
    assert code == 1
    assert out.startswith("FAILED no faults: 2 of 2 matches ended by its fault")
    file = tmp_path / "suite.yaml"
    file.write_text("game: planning\nchecks: [{check: check-bot}]\n")
    with pytest.raises(
        ConfigError, match=r"suite.yaml:1:1: bot: is missing \(name the bot here or with --bot\)"
    ):
        load_suite(str(file))
    assert exit_code(["suite", str(file), "--bot", "python3 gone.py"]) == 2


@pytest.mark.process
def test_a_fault_fails_the_checks_that_meet_it(suite: Run, tmp_path: Path) -> None:
    broken = bot(
        tmp_path, "    if w[0] == 'gen_move': raise SystemExit(3)\n    if w[0] == 'gen_declare': say = '0'"
    )
    code, out, _ = suite(
        {"check": "no-faults", "blocks": 1},
        {"check": "check-bot"},
        {"check": "beats", "opponent": GREEDY, "at_least": 1, "blocks": 1},
        bot=broken,
        words=("--records", str(tmp_path / "worst"), "--junit", str(tmp_path / "j.xml")),
    )
    lines = [line for line in out.splitlines() if not line.startswith(" ")]
    assert code == 1
    assert lines[0].startswith("FAILED no faults: 2 of 2 matches ended by its fault, first b0001/m0: ")
    assert lines[1].startswith("FAILED check-bot: fails ")
    assert "matches lost by faults, first b0001/m0: bot forfeits (crash): " in lines[2]
    records = [json.loads(path.read_text()) for path in (tmp_path / "worst").iterdir()]
    assert {record["forfeit"]["player"] for record in records} == {"bot", "bot-2"}
    assert all(record["id"].startswith("match-") for record in records)
    assert all(f"    again   {again}" in out for again in ("arbiter play ", "arbiter suite "))
    failure = ET.parse(tmp_path / "j.xml").getroot()[0].find("failure")
    assert failure is not None
    assert "again   arbiter play" in str(failure.text)


@pytest.mark.process
def test_of_a_bot_its_words_are_shown_and_of_an_opponent_that_it_is_at_fault(
    suite: Run, tmp_path: Path
) -> None:
    broken = bot(tmp_path, "    print('lost the thread', file=sys.stderr); raise SystemExit(3)")
    code, out, _ = suite({"check": "no-faults", "blocks": 1}, bot=broken, words=("--format", "json"))
    (found,) = json.loads(out)["checks"]
    assert code == 1
    assert found["worst"][0]["stderr"] == ["lost the thread"]
    assert found["worst"][0]["text"].startswith("bot forfeits (crash): ")
    code, out, _ = suite({"check": "beats", "opponent": broken, "at_least": 1, "blocks": 2})
    assert code == 1
    assert "no verdict is possible: the opponent bot made 4 faults" in out


@pytest.mark.process
def test_a_bot_plays_its_own_match_again_and_another_bot_does_not(suite: Run) -> None:
    check = {"check": "replays", "record": str(RECORD), "seat": 0}
    code, out, _ = suite(check, game=GAME)
    assert code == 0, out
    assert "9 moves of seat 0" in out
    code, out, _ = suite(check, game=GAME, bot=RANDOM)
    assert code == 1
    assert "expected " in out
    assert "as in the record, got " in out


@pytest.mark.process
def test_a_bot_that_fails_in_a_recorded_match_is_told(suite: Run, tmp_path: Path) -> None:
    broken = bot(tmp_path, "    if w[0].startswith('gen_'): raise SystemExit('lost')")
    code, out, _ = suite({"check": "replays", "record": str(RECORD)}, game=GAME, bot=broken)
    assert code == 1
    assert "after 0 of its moves it forfeits (crash): it exited with status 1: lost" in out


def test_every_mistake_of_a_file_has_its_place(tmp_path: Path) -> None:
    file = tmp_path / "suite.yaml"
    (tmp_path / "other.json").write_text("{}")
    file.write_text(
        """\
game: {name: planning, deals: [[1, 0]]}
bot: [no-such-program]
checks:
  - check: beats
    seat: 3
  - check: replays
    record: gone.json
  - check: replays
    record: other.json
  - check: check-bot
  - check: check-bot
  - check: no-faults
    opponent: [python3, gone.py]
"""
    )
    with pytest.raises(ConfigError) as error:
        load_suite(str(file))
    assert str(error.value).splitlines() == [
        f"{file}:2:1: bot: there is no program no-such-program in PATH",
        f"{file}:4:5: checks.0.check: beats needs at_least",
        f"{file}:4:5: checks.0.check: beats needs opponent",
        f"{file}:5:5: checks.0.seat: is not a key of beats (it takes at_least, blocks, opponent, time)",
        f"{file}:7:5: checks.1.record: gone.json cannot be read: No such file or directory",
        f"{file}:9:5: checks.2.record: other.json is not a match record as `arbiter play --record` writes it",
        f"{file}:11:5: checks.4: 'check-bot' is the name of an earlier check (choose another name)",
        f"{file}:13:5: checks.5.opponent: there is no file gone.py",
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"game": "dou_dizhu"}, "greedy.json: expected a match of dou_dizhu, got one of planning"),
        ({"checks": [{"check": "replays", "record": str(RECORD), "seat": 4}]}, "has no seat 4: its seats are 0 to 3"),
        ({"checks": []}, "checks: is empty"),
        ({"checks": [{"check": "wins"}]}, "checks.0.check: 'wins' is not known"),
        ({"cheks": 1}, "cheks: unknown key (did you mean checks?)"),
        ({"time": "soon"}, "time: not a time control"),
    ],
    ids=str,
)  # fmt: skip
def test_what_does_not_fit_is_named(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    file = tmp_path / "suite.yaml"
    shape = {"game": GAME, "bot": GREEDY, "checks": [{"check": "replays", "record": str(RECORD)}], **change}
    file.write_text(yaml.safe_dump(shape, sort_keys=False))
    with pytest.raises(ConfigError) as error:
        load_suite(str(file))
    assert words in str(error.value)


def test_the_shipped_suite_can_be_read() -> None:
    names = [check.name for check in load_suite(str(ROOT / "configs" / "suite.yaml")).checks]
    assert names == ["check-bot", "beats random", "quick enough", "plays as ever"]
