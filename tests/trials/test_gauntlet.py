"""A gauntlet: who meets whom, what it comes to, and that the season knows nothing of it."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import ConfigError
from arbiter.match.record import Fault, MatchSummary
from arbiter.match.spec import original
from arbiter.season.config import load
from arbiter.store import Store
from arbiter.testing import play_by_policy, random_policy
from arbiter.trials.gauntlet import Gauntlet, gauntlet_result
from tests.fixtures.commands import RANDOM

if TYPE_CHECKING:
    from arbiter.match.spec import MatchSpec
    from tests.fixtures.commands import Run


GAMES = {
    "planning": "{name: planning, deals: [[1, 0]]}",
    "planning of two": "{name: planning, seats: 2, deals: [[1, 0]]}",
    "planning of three": "{name: planning, seats: 3, deals: [[1, 0]]}",
    "codepiece": "{name: codepiece, dealers: [0]}",
    "dou_dizhu": "dou_dizhu",
}


def config_file(
    folder: Path, game: str = GAMES["planning"], ordinary: int = 12, command: str = RANDOM
) -> Path:
    path = folder / "season.yaml"
    words = json.dumps(command.split())
    lines = [f"  - {{name: p{k}, command: {words}}}\n" for k in range(ordinary)]
    lines.append(f"  - {{name: house, command: {words}, house: true}}\n")
    path.write_text(
        f"game: {game}\nisolation: plain\nworkers: 1\nhouse_bots: [house]\nplayers:\n{''.join(lines)}"
    )
    return path


def by_strength(spec: MatchSpec, strength: dict[str, float], lot: random.Random) -> MatchSummary:
    """The points of a match by strength and lot."""
    names = tuple(player.name for player in spec.players)
    points = tuple(round(lot.gauss(strength[original(name)], 10.0)) for name in names)
    return MatchSummary(spec.id, spec.round, spec.table, spec.rotation, names, points)


def play_gauntlet(gauntlet: Gauntlet, rounds: int, mine: float = 0.0) -> list[MatchSummary]:
    strength = dict.fromkeys(gauntlet.opponents, 0.0) | {gauntlet.player: mine}
    lot = random.Random(1)
    specs = [spec for number in range(1, rounds + 1) for spec in gauntlet.specs("s", number)]
    return [by_strength(spec, strength, lot) for spec in specs]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("against", [["p1"], ["p1", "p2"], ["p1", "p2", "p3", "p4", "house"], []])
def test_opponents_are_met_equally_often_at_tables_of_one_player_each(
    game: str, against: list[str], tmp_path: Path
) -> None:
    gauntlet = Gauntlet.of(load(config_file(tmp_path, GAMES[game])), "p0", against)
    seats = Counter[str]()
    for number in range(1, 8):
        for table in gauntlet.tables("s", number):
            assert table[0] == "p0"
            assert len(set(table)) == len(table) == gauntlet.config.game.table_size
            seats.update(map(original, table[1:]))
    assert set(seats) == set(against or [f"p{k}" for k in range(1, 12)])
    # Where copies fill tables, each of them is met before any is met again.
    copies = -(-(gauntlet.config.game.table_size - 1) // len(seats))
    assert max(seats.values()) - min(seats.values()) <= copies
    assert len({len(gauntlet.specs("s", number)) for number in range(1, 8)}) == 1


def test_every_seat_is_held_on_the_same_deals(tmp_path: Path) -> None:
    gauntlet = Gauntlet.of(load(config_file(tmp_path)), "p0", ["p1", "p2", "p3"])
    specs = gauntlet.specs("s", 2)
    assert sorted([player.name for player in spec.players].index("p0") for spec in specs) == [0, 1, 2, 3]
    assert {(spec.round, spec.seed, spec.season) for spec in specs} == {(2, "s", gauntlet.name)}


def test_the_tables_of_a_round_do_not_depend_on_how_many_follow(tmp_path: Path) -> None:
    gauntlet = Gauntlet.of(load(config_file(tmp_path)), "p0")
    assert gauntlet.tables("s", 3) == gauntlet.tables("s", 3)
    assert gauntlet.tables("s", 3) != gauntlet.tables("t", 3)


@pytest.mark.parametrize(
    ("player", "against", "words"),
    [
        ("p_1", [], "--player p_1: no such player (did you mean p1?)"),
        ("p1", ["p2", "who"], "--against who: no such player"),
        ("p1", ["p1"], "--against p1: a player cannot meet itself"),
    ],
)
def test_names_that_do_not_fit_are_refused(
    player: str, against: list[str], words: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as error:
        Gauntlet.of(load(config_file(tmp_path)), player, against)
    assert words in str(error.value)


def test_its_name_follows_its_programs_and_settings_and_not_the_pairing(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    bot = tmp_path / "bots" / "bot.py"
    bot.write_text("one")

    def name(change: str = "", **keys: Any) -> str:
        file = config_file(tmp_path, command=f"python3 {bot}")
        file.write_text(file.read_text() + change)
        return Gauntlet.of(load(file), "p0", **keys).name

    first = name()
    assert name("pairing: swiss\nrounds: 7\n") == first
    assert name("time: 1s\n") != first
    assert name(against=["p1"]) != first
    bot.write_text("two")
    assert name() != first


def test_a_changed_program_asks_before_the_matches_of_a_gauntlet_are_left_behind(
    store: Store, tmp_path: Path
) -> None:
    (tmp_path / "bots").mkdir()
    bot = tmp_path / "bots" / "bot.py"
    bot.write_text("one")
    config = load(config_file(tmp_path, command=f"python3 {bot}"))
    first = Gauntlet.of(config, "p0").resume(store, 1)
    season = first.open(store)
    spec = first.specs(season.seed, 1)[0]
    season.add_match(play_by_policy(config.game, random_policy(1), spec))
    (bot.parent / "games.txt").write_text("lost")
    assert Gauntlet.of(config, "p0").resume(store, 1).name == first.name
    bot.write_text("two")
    with pytest.raises(ConfigError, match=rf"bot\.py changed since {first.name} was begun"):
        Gauntlet.of(config, "p0").resume(store, 1)
    assert Gauntlet.of(config, "p0").resume(store, 1, fresh=True).name != first.name
    assert Gauntlet.of(config, "p0").resume(store, 1, accept=True).name == first.name


def test_without_a_season_all_are_fitted_together(tmp_path: Path) -> None:
    gauntlet = Gauntlet.of(load(config_file(tmp_path)), "p0", ["p1", "p2", "p3", "p4"])
    found = gauntlet_result(gauntlet, play_gauntlet(gauntlet, 12, mine=8.0), None)
    assert (found["anchored"], found["rounds"], found["matches"]) == (False, 12, 12 * 8)
    assert found["low"] < found["elo"] < found["high"]
    assert found["elo"] > 50.0
    assert sum(row["elo"] for row in found["opponents"]) == pytest.approx(0.0, abs=1e-6)
    assert all(row["wins"] > row["losses"] for row in found["opponents"])


def test_ratings_of_the_season_hold_the_scale(tmp_path: Path) -> None:
    gauntlet = Gauntlet.of(load(config_file(tmp_path)), "p0", ["p1", "p2"])
    matches = play_gauntlet(gauntlet, 12)
    rows = [{"player": name, "elo": 500.0} for name in gauntlet.opponents]
    found = gauntlet_result(gauntlet, matches, {"players": rows, "drawelo": 10.0})
    assert found["anchored"]
    assert found["low"] < 500.0 < found["high"]
    assert [row["elo"] for row in found["opponents"]] == [500.0, 500.0]
    rows[0]["elo"] = None
    assert not gauntlet_result(gauntlet, matches, {"players": rows, "drawelo": 10.0})["anchored"]


def test_faults_of_both_are_counted(tmp_path: Path) -> None:
    gauntlet = Gauntlet.of(load(config_file(tmp_path)), "p0", ["p1"])
    names = ("p0", "p1", "p1#2", "p1#3")
    lost = [
        MatchSummary(f"r001/t01/m{seat}", 1, 1, seat, names, None, None, seat, Fault.CRASH) for seat in (0, 2)
    ]
    found = gauntlet_result(gauntlet, lost, None)
    assert found["faults"] == {"crash": 1}
    assert found["opponents"][0] | {"elo": None} == {
        "player": "p1", "elo": None, "matches": 2, "wins": 1, "draws": 0, "losses": 3, "score": 0.25, "faults": 1,
    }  # fmt: skip


@pytest.mark.process
def test_the_command_goes_on_and_the_season_knows_nothing_of_it(arbiter: Run, tmp_path: Path) -> None:
    file = config_file(tmp_path, GAMES["planning of two"], ordinary=3)
    line = ["gauntlet", file, "--player", "p0", "--against", "p1", "--against", "house", "--format", "json"]
    code, out, err = arbiter(*line, "--rounds", "1")
    assert (code, json.loads(out)["matches"]) == (0, 4)
    assert "round 1 of 1: Elo " in err
    code, out, err = arbiter(*line, "--rounds", "2")
    assert (code, json.loads(out)["matches"]) == (0, 8)
    assert "continuing: 4 matches from the store" in err
    assert arbiter("run-round", file)[0] == 0
    standings = json.loads(arbiter("standings", file, "--format", "json")[1])
    assert {row["matches"] for row in standings["players"]} == {2}
    code, out, err = arbiter(*line[:-2], "--rounds", "2")
    assert code == 0
    assert "from the season, taken as exact" in out


@pytest.mark.process
def test_with_strict_a_fault_of_the_player_is_an_error(arbiter: Run, tmp_path: Path) -> None:
    file = config_file(tmp_path, GAMES["planning of two"], ordinary=2)
    text = file.read_text().replace(f"p0, command: {json.dumps(RANDOM.split())}", "p0, command: [/bin/false]")
    file.write_text(text)
    line = ["gauntlet", file, "--player", "p0", "--rounds", "1"]
    code, out, _ = arbiter(*line)
    assert (code, "crash 2" in out) == (0, True)
    code, _, err = arbiter(*line, "--strict")
    assert (code, err.splitlines()[-1]) == (3, "arbiter: p0 made faults: crash 2")
