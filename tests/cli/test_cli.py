"""The command line: help, tables, errors of one line, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.cli import COMMANDS
from arbiter.cli.match_text import print_match
from arbiter.games import make
from arbiter.match.record import Fault, Forfeit
from arbiter.testing import match_spec, play_by_policy, random_policy
from tests.fixtures.commands import BOTS, RANDOM

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fixtures.commands import Run


HEAVY = (
    "arbiter.season.config", "arbiter.table", "asyncio", "multiprocessing", "numpy", "pydantic",
    "mcp", "rich", "scipy", "sqlalchemy", "subprocess", "yaml",
)  # fmt: skip


@pytest.mark.process
def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys\nfrom arbiter.cli import exit_code\nexit_code(['--help'])\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_of_every_command(
    arbiter: Run, golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    pages = []
    for name in ("", *COMMANDS):
        code, out, _ = arbiter(*name.split(), "--help")
        assert code == 0
        assert not name or "Example: arbiter " in out
        pages.append(out)
    golden("cli_help.txt", "\n".join(pages))


def play(*more: str) -> list[str]:
    bots = [word for _ in range(4) for word in ("--bot", RANDOM)]
    return ["play", "--game", "planning", "--isolation", "plain", "--seed", "1", *bots, *more]


SHORT = ("--option", "deals=[[1, 0], [2, 1]]")


@pytest.mark.process
def test_play_prints_a_match_and_writes_its_record(arbiter: Run, tmp_path: Path) -> None:
    code, out, err = arbiter(*play(*SHORT, "--record", str(tmp_path / "m.json")))
    record = json.loads((tmp_path / "m.json").read_text())
    assert (code, err) == (0, "")
    assert record["players"] == ["planning_random", *(f"planning_random-{n}" for n in (2, 3, 4))]
    assert len(record["moves"]) == 8 + 12
    assert len(record["points"]) == 4
    assert "deal 2 (starter 1)" in out
    assert (record["round"], record["table"], record["forfeit"]) == (None, None, None)


@pytest.mark.process
def test_the_same_seed_gives_the_same_match(arbiter: Run) -> None:
    records = [json.loads(arbiter(*play(*SHORT, "--format", "json"))[1]) for _ in range(2)]
    assert records[0]["id"] != records[1]["id"]
    assert records[0]["deals"] == records[1]["deals"]
    first, again = ([move["action"] for move in record["moves"]] for record in records)
    assert first == again


@pytest.mark.process
def test_given_deals_are_played(arbiter: Run, tmp_path: Path) -> None:
    deals = [{"hands": [["2C"], ["3C"], ["AC"], ["TD"]], "starter": 2}]
    path = tmp_path / "deals.json"
    path.write_text(json.dumps(deals))
    code, out, _ = arbiter(*play("--deals", str(path), "--format", "json"))
    record = json.loads(out)
    assert code == 0
    assert record["deals"] == deals
    assert record["options"]["deals"] == [[1, 2]]


@pytest.mark.process
def test_a_forfeit_is_a_result_and_with_strict_an_exit_of_3(arbiter: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("def def")
    line = [f"--bot={RANDOM}"] * 3 + [f"--bot={sys.executable} {bad}", "--isolation", "plain", *SHORT]
    code, out, _ = arbiter("play", "--game", "planning", *line)
    assert code == 0
    assert "bad (seat 3) forfeits: crash" in out
    assert "SyntaxError" in out
    code, _, err = arbiter("play", "--game", "planning", "--strict", *line)
    assert (code, err.splitlines()[-1]) == (3, "arbiter: bad forfeits: crash")


def refused(result: tuple[int, str, str], words: str, code: int = 2) -> None:
    assert (result[0], result[1]) == (code, "")
    assert words in result[2].splitlines()[-1]


def test_bad_arguments_of_play_are_one_line(arbiter: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('[{"hands": [["2C"], ["2C"], ["3C"], ["4C"]]}]')
    wrong = {
        "--option deals=3": "deals: not a list of [cards, starter] pairs",
        "--option colour=red": "colour: unknown option of planning (known: seats, deck, deals)",
        "--option seats": "expected key=value",
        "--option seats=3": "planning: expected 3 bots, got 4",
        "--time soon": "not a time control: 'soon' (write 3m",
        "--memory lots": "not an amount of memory",
        f"--deals {tmp_path}/none.json": "none.json: cannot be read: No such file",
        f"--deals {tmp_path}/bad.json": "without a card twice",
        f"--record {tmp_path}/no/x.json": "cannot be written",
    }
    for words, said in wrong.items():
        refused(arbiter(*play(*words.split())), said)
    refused(arbiter("play", "--game", "bridge", "--bot", "x"), "unknown game 'bridge' (known: planning, ")
    for bot, said in (
        ("./none", "no program ./none"),
        ("'", "No closing quotation"),
        ("", "--bot 1 is empty"),
    ):
        refused(arbiter("play", "--game", "planning", "--bot", bot, "--bot", "x"), said)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    lines = ["game: {name: planning, deals: [[1, 0], [2, 1]]}", "isolation: plain", "rounds: 1", "players:"]
    for number, name in enumerate(("ann", "bob", "cid", "broken")):
        script = tmp_path / "bad.py" if name == "broken" else BOTS / "planning_random.py"
        lines.append(f'  - {{name: {name}, command: [{sys.executable}, "{script}", --seed, "{number}"]}}')
    path.write_text("\n".join(lines))
    (tmp_path / "bad.py").write_text("import nothing_of_that_name")
    return path


@pytest.mark.process
def test_a_round_and_the_tables_of_it(arbiter: Run, config: Path) -> None:
    code, out, err = arbiter("run-round", config)
    assert code == 0
    assert "r001/t01/m0: broken forfeits (crash): it exited with status 1: ModuleNotFoundError" in err
    assert "crash 4" in out

    standings = json.loads(arbiter("standings", config, "--format", "json")[1])
    assert list(standings)[:4] == ["season", "game", "rounds_played", "drawelo"]
    assert standings["intervals"] == "model"
    last = standings["players"][-1]
    assert (last["player"], last["losses"], last["faults"]) == ("broken", 12, {"crash": 4})

    lines = arbiter("standings", config, "--format", "csv")[1].splitlines()
    assert lines[0].startswith("rank,player,elo,low,high,")
    assert lines[-1].startswith("4,broken,")
    lines = arbiter("standings", config, "--format", "markdown", "--after-round", "1")[1].splitlines()
    assert lines[0].endswith("| won | drawn | lost | by faults | faults |")
    assert lines[1] == "|" + " --- |" * 11
    history = json.loads(arbiter("standings", config, "--history", "--format", "json")[1])["history"]
    (after,) = history
    assert (after["round"], [row["rank"] for row in after["players"]]) == (1, [1, 1, 1, 4])
    lines = arbiter("standings", config, "--history", "--format", "csv")[1].splitlines()
    assert (lines[0], len(lines)) == ("round,rank,player,elo,low,high", 5)
    assert "Elo after each round" in arbiter("standings", config, "--history")[1]
    lines = arbiter("standings", config, "--also", "nash", "--format", "csv")[1].splitlines()
    assert lines[0].endswith(",marks,nash_score,nash_low,nash_high,nash_share,rank_low,rank_high,not_apart")
    refused(
        arbiter("standings", config, "--also", "nash", "--history"),
        "--also cannot be combined with --history",
    )
    refused(
        arbiter("standings", config, "--after-round", "2"),
        "--after-round: expected at most 1, the number of complete rounds, got 2",
    )
    lines = arbiter("crosstable", config, "--format", "csv")[1].splitlines()
    assert lines[0] == "player,opponent,wins,draws,losses"
    assert "broken,ann,0,0,4" in lines
    assert "| 4 | broken | 0-0-4 |" in arbiter("crosstable", config, "--format", "markdown")[1]

    table = json.loads(arbiter("crosstable", config, "--format", "json")[1])
    broken = table["players"].index("broken")
    assert sum(cell["losses"] for cell in table["cells"][broken] if cell is not None) == 12
    assert "4-0-0" in arbiter("crosstable", config)[1]

    listed = json.loads(arbiter("matches", config, "--player", "ann", "--format", "json")[1])
    assert [match["id"] for match in listed["matches"]] == [f"r001/t01/m{n}" for n in range(4)]
    assert all(match["fault"]["player"] == "broken" for match in listed["matches"])
    refused(arbiter("matches", config, "--round", "2"), "there is no round 2; the last is 1")
    assert "broken forfeits (crash)" in arbiter("matches", config)[1]

    record: dict[str, Any] = json.loads(arbiter("show", config, "r001/t01/m0", "--format", "json")[1])
    assert record["forfeit"]["command"].startswith("set_deck")
    assert "ModuleNotFoundError" in record["bots"][record["forfeit"]["seat"]]["stderr_tail"]
    shown = arbiter("show", config, "r001/t01/m0")[1]
    assert "standard error of broken:" in shown

    refused(
        arbiter("show", config, "r001/t01/m9"), "there is no match 'r001/t01/m9' (did you mean r001/t01/m"
    )
    refused(arbiter("matches", config, "--player", "anne"), "no player 'anne' (did you mean ann?)")


def test_a_config_is_checked_without_playing(arbiter: Run, config: Path) -> None:
    code, out, _ = arbiter("check-config", config)
    assert (code, out) == (0, f"{config}: ok: Planning, 4 players, 1 round\n")
    shape = json.loads(arbiter("check-config", config, "--format", "json")[1])
    assert (shape["ok"], shape["players"]) == (True, ["ann", "bob", "cid", "broken"])
    config.write_text(config.read_text().replace("rounds: 1", "round: 1"))
    code, out, err = arbiter("check-config", config)
    assert (code, out, err) == (2, "", f"{config}:3:1: round: unknown key (did you mean rounds?)\n")


def test_check_config_finds_what_would_stop_or_surprise_the_run(arbiter: Run, config: Path) -> None:
    text = config.read_text()
    config.write_text(f"{text}\nstore: sqlite:///none/s.sqlite")
    refused(arbiter("check-config", config), "store: there is no folder")
    confined = text.replace("isolation: plain\n", "")
    config.write_text(f"{confined}\nlanguages: {{sh: {{program: /bin/sh, read: [.]}}}}")
    refused(arbiter("check-config", config), f"the config is in {config.parent}, which ann may read")
    config.write_text(f"{text}\nuntil: 2020-01-01")
    code, _, err = arbiter("check-config", config)
    assert code == 0
    assert err == "arbiter: until: 2020-01-01 00:00 is over: beyond `rounds` no round is played\n"


def test_results_of_a_season_that_has_none_are_refused_in_one_line(arbiter: Run, config: Path) -> None:
    for command in ("standings", "crosstable", "matches"):
        refused(arbiter(command, config), "play a round first", code=5)
    assert not list(config.parent.glob("*.sqlite"))


def test_a_missing_bot_is_refused_before_anything_is_played(arbiter: Run, config: Path) -> None:
    (config.parent / "bad.py").unlink()
    refused(arbiter("run-round", config), "broken: there is no file")
    assert not list(config.parent.glob("*.sqlite"))


@pytest.mark.process
def test_games_and_isolation_tell_what_there_is(arbiter: Run) -> None:
    (planning, *_) = json.loads(arbiter("games", "--format", "json")[1])
    assert (planning["name"], set(planning["options"])) == ("planning", {"seats", "deck", "deals"})
    shape = json.loads(arbiter("isolation", "--format", "json")[1])
    assert set(shape["tiers"]) == {"landlock", "plain", "stage", "cgroup"}
    assert shape["tiers"][shape["default"]]["available"]
    assert "planning" in arbiter("games")[1]
    assert "plain" in arbiter("isolation")[1]
    assert "plain: allowed" in arbiter("isolation", "--explain", "socket")[1]
    code, _, error = arbiter("isolation", "--explain", "open_sesame")
    assert (code, error.count("\n")) == (2, 1)
    assert "unknown system call" in error


@pytest.mark.process
def test_a_bot_cannot_steer_the_terminal_of_who_reads_about_it(arbiter: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("import sys\nsys.exit('\\x1b]0;owned\\x07')")
    bots = [f"--bot={RANDOM}"] * 3 + [f"--bot={sys.executable} {bad}"]
    _, out, err = arbiter("play", "--game", "planning", *bots, *SHORT)
    assert "\\x1b]0;owned" in out
    assert "\x1b" not in out + err


def test_an_unknown_command_is_a_usage_error(arbiter: Run) -> None:
    refused(arbiter("standing"), "No such command 'standing' (did you mean standings?)")


def test_of_a_long_reply_that_ended_a_match_the_beginning_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    forfeit = Forfeit(0, "a", Fault.MALFORMED, "a reply starts with = or ?", "gen_move", "x" * 4096)
    game = make("planning", {"deals": [[1, 0]]})
    print_match(replace(play_by_policy(game, random_policy(1), match_spec(game)), forfeit=forfeit))
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  reply")]
    assert line == f"  reply    '{'x' * 200}'... (4096 characters)"


@pytest.mark.process
def test_one_recorded_match_is_exported_too(arbiter: Run, tmp_path: Path) -> None:
    record, rows = tmp_path / "match.json", tmp_path / "rows.csv"
    assert arbiter(*play("--record", str(record)))[0] == 0
    code, _, err = arbiter("export", record, "--as", "events-csv", "--output", rows)
    assert (code, err) == (0, f"arbiter: {rows}.md describes {rows}\n")
    assert rows.read_text().splitlines()[-1].split(",")[7] == "end_match"
    refused(arbiter("export", record, "--as", "csv", "--output", "-", "--round", 1), "is no season")
    record.write_text("{}")
    refused(arbiter("export", record, "--as", "csv", "--output", "-"), "cannot be read", 5)
