"""A season in which a quarter of the players attack: the honest ones' ratings are as they should be.

The same season is played twice: with two attackers, and with the same two players behaving. Tables
are drawn by lot, so both seasons have the same tables and deals, and all bots are deterministic.
Unharmed means: no honest player forfeits; every match that no fault ended is equal, move for move;
a fault gives the honest players at the table a win over the faulty one and nothing else; and
honest players stand in the order of their strength in both.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.commands import BOTS, RANDOM
from tests.fixtures.round_processes import run

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
ATTACK = ROOT / "bots" / "faulty" / "attack.py"
ROUNDS = 2
SEED = "v" * 32
"""With these deals two rounds are enough to tell the strong from the weak."""
STRONG = ("greedy1", "greedy2")
WEAK = ("random1", "random2", "random3", "house")
ENDS_MATCHES, GOES_ON = "flooder", "thief of time"
ATTACKS = {ENDS_MATCHES: "flood_of_replies", GOES_ON: "spinning_threads"}
BEHAVES = "carriage_returns"


def play_season(folder: Path, attacks: dict[str, str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All records and the standings of the season with these attacks."""
    folder.mkdir()
    greedy = [sys.executable, "-S", f"{BOTS}/planning_greedy.py", "--worlds", "20"]
    honest = {name: [*greedy, "--seed", name[-1]] for name in STRONG}
    honest |= {name: [*RANDOM.split(), "--seed", name[-1]] for name in WEAK[:-1]}
    lines = [
        "season: contest", "game: {name: planning, deals: [[3, 0], [7, 1], [12, 2]]}", f"seed: {SEED}",
        f"rounds: {ROUNDS}", "pairing: random", "suspend_after: 0", "time: 20s", "start_time: 20s",
        "house_bots: [house]", "players:",
        f"  - {{name: house, house: true, command: {json.dumps(RANDOM.split())}}}",
    ]  # fmt: skip
    for name, command in honest.items():
        lines.append(f"  - {{name: {name}, command: {json.dumps(command)}}}")
    for name, attack in attacks.items():
        lines.append(f'  - {{name: {name}, command: [{sys.executable}, -I, -S, "{ATTACK}", {attack}]}}')
    config = folder / "contest.yaml"
    config.write_text("\n".join(lines))
    assert run("run-season", config)[0] == 0
    assert run("export", config, "--as", "jsonl", "--output", folder / "records.jsonl")[0] == 0
    records = [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]
    standings = json.loads(run("standings", config, "--format", "json")[1])["players"]
    return sorted(records, key=lambda record: str(record["id"])), standings


def moves(record: dict[str, Any]) -> list[tuple[object, ...]]:
    return [(move["deal"], move["seat"], move["request"], move["action"]) for move in record["moves"]]


@pytest.mark.nightly
def test_a_quarter_of_attackers_does_not_harm_the_others(tmp_path: Path) -> None:
    attacked, standings = play_season(tmp_path / "attacked", ATTACKS)
    quiet, quiet_standings = play_season(tmp_path / "quiet", dict.fromkeys(ATTACKS, BEHAVES))
    assert len(attacked) == len(quiet) == 8 * ROUNDS
    assert all(record["forfeit"] is None for record in quiet)
    equal = 0
    for mine, theirs in zip(attacked, quiet, strict=True):
        assert (mine["id"], mine["players"], mine["deals"][0]) == (
            theirs["id"],
            theirs["players"],
            theirs["deals"][0],
        )
        if ENDS_MATCHES in mine["players"]:
            forfeit = mine["forfeit"]
            assert (forfeit["player"], forfeit["fault"]) == (ENDS_MATCHES, "out_of_turn")
            continue
        equal += 1
        assert mine["forfeit"] is None
        assert moves(mine) == moves(theirs)
        assert mine["points"] == theirs["points"]
    assert equal == 4 * ROUNDS
    for table in (standings, quiet_standings):
        rank = {row["player"]: row["rank"] for row in table}
        assert max(rank[name] for name in STRONG) < min(rank[name] for name in WEAK)
    rows = {row["player"]: row for row in standings}
    assert not any(rows[name]["faults"] for name in STRONG + WEAK)
    assert rows[ENDS_MATCHES]["faults"] == {"out_of_turn": 4 * ROUNDS}
    assert rows[ENDS_MATCHES]["rank"] == len(rows)
    # A loss to each of the three others, and nothing among them.
    assert rows[ENDS_MATCHES]["losses"] == rows[ENDS_MATCHES]["results"] == 12 * ROUNDS
    for name in STRONG + WEAK:
        with_flooder = sum({name, ENDS_MATCHES} <= set(record["players"]) for record in attacked)
        whole = sum(name in record["players"] for record in attacked) - with_flooder
        assert rows[name]["results"] == with_flooder + 3 * whole
