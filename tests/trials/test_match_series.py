"""`play --matches`: who sits where on which deals, and what the tally counts."""

from __future__ import annotations

import json
import sys
from collections import Counter
from io import StringIO
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.cli.play_series import _print_tally, _RecordLines
from arbiter.errors import ConfigError
from arbiter.games import make
from arbiter.match.limits import USUAL
from arbiter.match.position import planned_deals
from arbiter.match.record import Fault, MatchRecord, MatchSummary
from arbiter.match.spec import Player, original
from arbiter.trials.match_series import MatchSeries, name_copies, series_tally
from tests.fixtures.commands import BOTS, RANDOM
from tests.fixtures.records import record

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run

PAIR = [
    "--game",
    "planning",
    "--option",
    "seats=2",
    "--option",
    "deals=[[1,0],[2,1]]",
    "--isolation",
    "plain",
    "--seed",
    "1",
]
OTHER = f"{sys.executable} -I -S {BOTS / 'planning_random.py'} --seed 7"


def series(game: str = "planning") -> MatchSeries:
    rules = make(game, {})
    programs = ("a", "b", *"b" * (rules.seats - 2))
    players = name_copies([Player(f"{name}{n}", (name,)) for n, name in enumerate(programs)])
    return MatchSeries(rules, players, USUAL.limits(), "s")


@pytest.mark.parametrize("game", ["planning", "codepiece", "dou_dizhu", "chefs_hat"])
def test_a_block_is_one_set_of_deals_in_all_seatings(game: str) -> None:
    of = series(game)
    size = len(of.game.seatings)
    blocks = list(of.blocks(2 * size + 1))
    assert [len(block) for block in blocks] == [size, size, 1]
    for number, block in enumerate(blocks, 1):
        assert {(spec.seed, spec.round) for spec in block} == {("s", number)}
    seats = Counter((seat, p.name) for spec in blocks[0] for seat, p in enumerate(spec.players))
    assert len(set(seats.values())) == 1, "a player sits in some seats more often than in others"


def test_bots_with_an_equal_command_are_one_player() -> None:
    bots = [
        Player("x", ("x",)),
        Player("x-2", ("x",)),
        Player("y", ("x",), env={"K": "1"}),
        Player("z", ("z",)),
    ]
    assert [player.name for player in name_copies(bots)] == ["x", "x#2", "y", "z"]


def played(of: MatchSeries, number: int, points: tuple[int, ...], fault: int | None = None) -> MatchSummary:
    names = tuple(player.name for player in of.players)
    kind = None if fault is None else Fault.CRASH
    scores = None if fault is not None else (points, points)
    shown = None if fault is not None else points
    return MatchSummary(f"r{number}", number, 1, 0, names, shown, faulty=fault, fault=kind, scores=scores)


def test_the_tally_has_mean_points_of_a_players_seats_by_match_and_by_deal() -> None:
    of = series()
    rows = series_tally(of, [played(of, 1, (8, 1, 2, 3)), played(of, 2, (4, 4, 2, 0))])["players"]
    assert [row["player"] for row in rows] == ["a0", "b1"]
    assert [row["points_a_match"] for row in rows] == [6.0, 2.0]
    assert [row["points_a_deal"] for row in rows] == [3.0, 1.0]
    assert (rows[0]["wins"], rows[0]["draws"], rows[0]["losses"]) == (5, 1, 0)
    low, high = rows[0]["points_a_match_interval"]
    # Student's t with one degree of freedom: 12.706 standard errors of 2.
    assert (low, high) == pytest.approx((6 - 25.412, 6 + 25.412), abs=1e-2)


def test_matches_on_the_same_deals_are_one_observation() -> None:
    of = series()
    rows = series_tally(of, [played(of, 1, (8, 1, 2, 3)), played(of, 1, (4, 4, 2, 0))])["players"]
    assert rows[0]["points_a_match"] == 6.0
    assert rows[0]["points_a_match_interval"] is None


def test_two_programs_of_one_file_name_are_told_apart_by_their_commands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    row: dict[str, Any] = {
        "matches": 2, "wins": 1, "draws": 0, "losses": 1, "score": 0.5, "elo": None, "faults": {},
        "points_a_match": 0.0, "points_a_match_interval": None, "points_a_deal": 0.0, "points_a_deal_interval": None,
    }  # fmt: skip
    players = [{**row, "player": name, "command": ["./bot", name]} for name in ("bot", "bot-2")]
    _print_tally({"game": "planning", "matches": 2, "seed": "1", "players": players}, {})
    assert "\nbot: ./bot bot\nbot-2: ./bot bot-2\n" in capsys.readouterr().out


def test_records_are_written_in_the_order_of_the_matches_even_after_an_interrupt() -> None:
    file = StringIO()
    lines = _RecordLines(file, series().blocks(4))
    for number in (1, 0, 3):
        lines.add(record(id=f"r001/t01/m{number}"))
    before = file.getvalue().count("\n")
    lines.close()
    ids = [json.loads(line)["id"] for line in file.getvalue().splitlines()]
    assert (before, ids) == (2, ["r001/t01/m0", "r001/t01/m1", "r001/t01/m3"])


def test_a_fault_is_counted_and_has_no_points() -> None:
    of = series()
    rows = series_tally(of, [played(of, 1, (8, 1, 2, 3)), played(of, 2, (), fault=2)])["players"]
    by_name = {row["player"]: row for row in rows}
    assert by_name["b1"]["faults"] == {"crash": 1}
    assert by_name["a0"]["faults"] == {}
    assert by_name["a0"]["points_a_match"] == 8.0
    assert by_name["a0"]["wins"] == 4


@pytest.mark.process
def test_matches_are_played_recorded_and_summed_up(arbiter: Run, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    words = ["play", *PAIR, "--matches", "3", "--bot", RANDOM, "--bot", OTHER, "--records", path]
    code, out, err = arbiter(*words, "--workers", "1", "--format", "json")
    found, records = (
        json.loads(out),
        [MatchRecord.from_json(json.loads(line)) for line in path.read_text().splitlines()],
    )
    assert code == 0
    assert "--matches 4" in err
    assert [record.id for record in records] == ["r001/t01/m0", "r001/t01/m1", "r002/t01/m0"]
    first, second, third = records
    assert first.deals == second.deals != third.deals
    assert first.players == second.players[::-1]
    game = make("planning", first.options)
    assert first.deal_hash == planned_deals(game, "1", 1).hash
    mine = found["players"][0]
    points = [dict(zip(record.players, record.points or (), strict=True)) for record in records]
    means = [(points[0][mine["player"]] + points[1][mine["player"]]) / 2, points[2][mine["player"]]]
    assert mine["points_a_match"] == pytest.approx(fmean(means))
    assert {original(name) for name in first.players} == {row["player"] for row in found["players"]}


@pytest.mark.process
def test_strict_exits_with_3_after_a_fault_in_any_match(arbiter: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def def")
    words = [
        *PAIR,
        "--matches",
        "2",
        "--workers",
        "1",
        "--bot",
        RANDOM,
        "--bot",
        f"{sys.executable} {tmp_path}/bad.py",
    ]
    code, out, err = arbiter("play", "--strict", *words)
    assert (code, err.splitlines()[-1]) == (3, "arbiter: 2 of 2 matches ended by a fault")
    assert "bad: crash 2" in out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--records", "r.jsonl"], "--records needs --matches N"),
        (["--workers", "2"], "--workers needs --matches N"),
        (["--matches", "2", "--record", "r.json"], "--records FILE writes those of --matches"),
        (["--matches", "2", "--records", "/no/such/r.jsonl"], "cannot be written"),
    ],
)
def test_options_of_one_match_and_of_many_are_not_mixed(arbiter: Run, more: list[str], said: str) -> None:
    code, _, err = arbiter("play", *PAIR, "--bot", RANDOM, "--bot", RANDOM, *more)
    assert code == ConfigError.exit_code
    assert said in err
