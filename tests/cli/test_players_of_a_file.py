"""`check-bot`, `play` and `console` of players as they stand in a season's file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.trials.botcheck import short_dialogues
from arbiter.trials.botcheck.short_dialogues import Patience
from tests.fixtures.commands import RANDOM

if TYPE_CHECKING:
    from tests.fixtures.commands import Run


pytestmark = pytest.mark.process

RANDOM_PY = Path(__file__).parents[2] / "bots" / "python" / "planning_random.py"
LANDLOCK = pytest.mark.usefixtures("landlock")
PYTHON = ["/usr/bin/python3", "-I", "-S"]
READER = "import sys\nopen({path!r}).read()\n"


def write_season_file(folder: Path, *players: dict[str, Any], **terms: Any) -> Path:
    """A season's file with these players and one who is not there; JSON is YAML, too."""
    file = folder / "season.yaml"
    absent = {"name": "absent", "command": ["python3", "nowhere.py"]}
    given = {"game": {"name": "planning", "seats": 2, "deals": [[1, 0]]}, "isolation": "plain", **terms}
    file.write_text(json.dumps({**given, "players": [*players, absent]}))
    return file


def steps_by_name(result: tuple[int, str, str]) -> dict[str, dict[str, Any]]:
    return {step["name"]: step for step in json.loads(result[1])["steps"]}


def test_an_entry_is_tried_on_the_terms_of_its_season(arbiter: Run, tmp_path: Path) -> None:
    bot = tmp_path / "bots" / "bot.py"
    bot.parent.mkdir()
    lines = RANDOM_PY.read_text().split("import sys\n", 1)
    demands = "import os, sys\nassert os.environ['LEVEL'] == '3' and os.path.samefile('.', os.path.dirname(__file__))\n"
    bot.write_text(demands.join(lines))
    entry = {"name": "alice", "version": 2, "command": [*PYTHON, "bots/bot.py"], "env": {"LEVEL": 3}}
    terms = {"time": "3s", "start_time": "7s", "memory": "123MB"}
    file = write_season_file(tmp_path, entry, **terms)
    for name in ("alice", "alice@2"):
        code, out, err = arbiter("check-bot", "--config", file, "--player", name)
        assert code == 0, out + err
        assert "(limit 7 s), under plain" in out
        assert "s a match (limit 3 s)" in out
        assert "MB (limit 123 MB)" in out
        assert "in each of the 2 seats" in out
    code, out, _ = arbiter("check-bot", "--config", file, "--player", "alice", "--time", "4s")
    assert (code, "s a match (limit 4 s)" in out) == (0, True)


def test_what_the_season_needs_decides_the_exit_code(
    arbiter: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(short_dialogues, "PATIENCE", Patience(asleep=0.3))
    bot = tmp_path / "bot.py"
    bot.write_text(RANDOM_PY.read_text().replace('"quit"', '"leave"'))
    entry = {"name": "alice", "command": [*PYTHON, "bot.py"]}
    words = ("check-bot", "--player", "alice", "--format", "json", "--config")
    kill = arbiter(*words, write_season_file(tmp_path, entry))
    assert (kill[0], steps_by_name(kill)["quit"]["ok"], steps_by_name(kill)["quit"]["required"]) == (
        0,
        False,
        False,
    )
    leave = arbiter(*words, write_season_file(tmp_path, entry, end="quit"))
    assert (leave[0], steps_by_name(leave)["quit"]["ok"], steps_by_name(leave)["quit"]["required"]) == (
        3,
        False,
        True,
    )


@LANDLOCK
def test_a_bot_reads_what_it_is_given_to_read(arbiter: Run, tmp_path: Path) -> None:
    model = tmp_path / "models" / "net"
    model.parent.mkdir()
    model.write_text("weights")
    bot = tmp_path / "bot" / "bot.py"
    bot.parent.mkdir()
    bot.write_text(READER.format(path=str(model)) + RANDOM_PY.read_text())
    words = ("check-bot", "--game", "planning", "--isolation", "landlock", "--option", "deals=[[1, 0]]")
    assert arbiter(*words, "--", *PYTHON, bot)[0] == 3
    code, out, _ = arbiter(*words, "--read", model.parent, "--", *PYTHON, bot)
    assert code == 0, out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--config", "FILE", "--player", "alise"), "no player 'alise' (did you mean alice?)"),
        (("--config", "FILE", "--player", "absent"), "FILE: absent: there is no file nowhere.py"),
        (("--config", "FILE", "--player", "bob"), "'bob' matches 2 players of FILE (name one of bob@1, bob@2)"),
        (("--config", "FILE"), "--config takes the command and the game from the season's file (write --config CONFIG --player NAME, without --game and COMMAND)"),
        (("--player", "alice", "--game", "planning", "--", "true"), "--player names an entry of a season's file (add --config CONFIG)"),
        (("--game", "planning"), "expected --game G -- COMMAND, or --config CONFIG --player NAME"),
        (("--game", "planning", "--read", "/nowhere", "--", "true"), "--read /nowhere: no such file or folder"),
    ],
)  # fmt: skip
def test_what_does_not_name_one_bot_is_one_line(
    words: tuple[str, ...], line: str, arbiter: Run, tmp_path: Path
) -> None:
    bobs = [{"name": "bob", "version": version, "command": RANDOM.split()} for version in (1, 2)]
    file = write_season_file(tmp_path, {"name": "alice", "command": RANDOM.split()}, *bobs)
    code, out, err = arbiter("check-bot", *(word.replace("FILE", str(file)) for word in words))
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].removeprefix("arbiter: ") == line.replace("FILE", str(file))


def test_players_of_a_season_play_a_match_on_its_terms(arbiter: Run, tmp_path: Path) -> None:
    alice, bob, house = ({"name": name, "command": RANDOM.split()} for name in ("alice", "bob", "house"))
    terms = {
        "time": "3s",
        "game": {"name": "planning", "deals": [[1, 0]]},
        "house_bots": ["house"],
        "clock": "cpu",
    }
    file = write_season_file(tmp_path, {**alice, "version": 2}, bob, {**house, "house": True}, **terms)
    words = ("play", "--format", "json", "--config", file)
    code, out, err = arbiter(*words, "--player", "bob", "--player", "alice", "--bot", f"A=1 {RANDOM}")
    record = json.loads(out)
    assert code == 0, err
    assert record["players"] == ["bob", "alice@2", Path(RANDOM.split()[-1]).stem, "house"]
    assert (record["options"]["deals"], record["clock"]) == ([[1, 0]], "cpu")
    assert record["moves"][0]["left_ns"] + record["moves"][0]["charged_ns"] == 3 * 10**9
    code, out, _ = arbiter(*words, "--player", "bob", "--player", "bob", "--clock", "wall")
    assert json.loads(out)["players"] == ["bob", "bob-2", "house", "house-2"]
    assert json.loads(out)["clock"] == "wall"


@pytest.mark.parametrize(("batched", "delivery"), [([True, True], "batched"), ([True, False], "strict")])
def test_batches_need_the_word_of_every_player_s_entry(
    batched: list[bool], delivery: str, arbiter: Run, tmp_path: Path
) -> None:
    players = [
        {"name": name, "command": RANDOM.split(), "batched": said}
        for name, said in zip(("alice", "bob"), batched, strict=True)
    ]
    file = write_season_file(
        tmp_path, *players, {"name": "carol", "command": RANDOM.split()}, delivery="batched"
    )
    _, out, _ = arbiter("play", "--format", "json", "--config", file, "--player", "alice", "--player", "bob")
    assert json.loads(out)["delivery"] == delivery


def test_players_of_a_season_sit_down_at_the_console(arbiter: Run, tmp_path: Path) -> None:
    players = ({"name": name, "command": RANDOM.split()} for name in ("alice", "bob"))
    file = write_season_file(
        tmp_path, *players, game={"name": "planning", "seats": 3, "deals": [[1, 0]]}, time="3s"
    )
    seats = ("--player", "bob", "--seat", "random", "--seat", "2=human")
    code, out, err = arbiter("console", "--config", file, *seats, script="clock\nquit\n")
    assert code == 0, err
    shown = [line.split(": ")[0] for line in out.splitlines()[1:4]]
    assert shown == ["  0  bob", "  1  random", "  2  human"]
    assert "left of 3 s" in out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("play", "--config", "FILE", "--player", "alice", "--game", "planning"), "--config takes the game from the season's file (leave out --game)"),
        (("play", "--config", "FILE"), "--config needs players of the season (add --player NAME)"),
        (("play", "--config", "FILE", "--player", "alice"), "FILE: planning: expected 2 players, got 1 (name more with --player or --bot)"),
        (("play", "--game", "planning", "--player", "alice"), "--player names an entry of a season's file (add --config CONFIG)"),
        (("play",), "expected --game G --bot COMMAND ..., or --config CONFIG --player NAME ..."),
        (("play", "--config", "FILE", "--player", "absent"), "FILE: absent: there is no file nowhere.py"),
        (("console", "--config", "FILE", "--player", "alice", "--seat", "0=human"), "--seat 0: a --player sits there (name another seat, or fewer players)"),
        (("console", "--config", "FILE", "--player", "alice", "--seat", "human", "--seat", "human"), "--seat: expected 0 to 1, got 2"),
        (("console", "--config", "FILE"), "--config needs --player NAME or --from MATCH_ID; --player needs --config"),
    ],
)  # fmt: skip
def test_what_does_not_fill_the_seats_is_one_line(
    words: tuple[str, ...], line: str, arbiter: Run, tmp_path: Path
) -> None:
    file = write_season_file(tmp_path, {"name": "alice", "command": RANDOM.split()})
    code, out, err = arbiter(*(word.replace("FILE", str(file)) for word in words))
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].removeprefix("arbiter: ") == line.replace("FILE", str(file))
