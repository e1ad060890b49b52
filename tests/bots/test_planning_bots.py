"""Every shipped bot of Planning as a process: legal matches, and the same play again."""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.bots.planning_referee import Result, Rules, play
from tests.fixtures.bot_programs import BOTS, at_table

# The search takes seconds of the core, and minutes beside others.
pytestmark = [pytest.mark.process, pytest.mark.timeout(600)]

RULES = [
    Rules(),
    Rules("9TJQKA", "SHDC", 4, [(6, 3), (0, 1), (1, 0), (6, 2)]),
    Rules("0123456789", "xyz", 3, [(10, 1), (4, 2), (1, 0)]),
    Rules("12345", "abcdef", 2, [(7, 1), (15, 0)]),
    Rules("123456789", "T", 4, [(2, 1), (2, 0)]),
]


def matches(
    command: list[str], every: Sequence[Rules], batched: bool = False, **options: Any
) -> list[Result]:
    """Matches one after the other by the same processes."""
    with at_table([command] * max(rules.seats for rules in every), **options) as bots:
        return [play(rules, bots[: rules.seats], rules.hands(1), batched) for rules in every]


def test_matches_of_any_deck_and_number_of_players_are_legal_and_the_same_again(
    bot: list[str], tmp_path: Path
) -> None:
    strict = matches(bot, RULES, cwd=tmp_path)
    assert sum(strict[0].points) >= 91
    # Another folder, another hash seed, commands in batches: nothing of that may change the play.
    assert matches(bot, RULES, batched=True, env={**os.environ, "PYTHONHASHSEED": "77"}) == strict
    assert not list(tmp_path.iterdir())


def test_a_seed_gives_its_own_play(bot: list[str]) -> None:
    rules = [Rules(seats=2, deals=[(9, 0), (9, 1), (9, 0), (9, 1)])]
    default = matches(bot, rules)
    assert matches([*bot, "--seed", "1"], rules) == default
    assert matches([*bot, "--seed", "2"], rules) != default


def test_same_cards_in_another_seat_same_declaration(bot: list[str]) -> None:
    rules = Rules(deals=[(7, 2)])
    dealt = rules.hands(3)
    turned = Rules(deals=[(7, 3)])
    with at_table([bot] * 4) as bots:
        here = play(rules, bots, dealt)
        there = play(turned, bots, [dealt[0][-1:] + dealt[0][:-1]])
    assert there.answers == here.answers[-1:] + here.answers[:-1]


def test_commands_in_pieces_and_in_one_lump(bot: list[str]) -> None:
    lines = ["set_deck 23456789TJQKA CDHS", "set_players 4 0", "set_game 1 1 0", "", "\r", "set_cards 1 TD\r"]
    raw = "\n".join([*lines, "time_left 900000", "gen_declare", "nonsense 1 2", "gen_move", ""]).encode()
    cuts = random.Random(1)
    with at_table([bot] * 2) as (whole, pieces):
        whole.write(raw)
        start = 0
        while start < len(raw):
            end = start + cuts.randrange(1, 9)
            pieces.write(raw[start:end])
            start = end
        replies = [[bot.reply() for _ in range(8)] for bot in (whole, pieces)]
    assert replies[0] == replies[1]
    assert replies[0][:5] == ["="] * 5
    assert replies[0][5] in ("= 0", "= 1")
    assert replies[0][6].startswith("? ")
    assert replies[0][7] == "= TD"


def test_cpp_and_js_play_alike(cpp_bot: Path) -> None:
    if not shutil.which("node"):
        pytest.skip("no node: the JavaScript bot cannot run")
    js = ["node", str(BOTS / "js" / "planning_random.js")]
    assert matches(js, RULES[:1]) == matches([str(cpp_bot)], RULES[:1])


def test_pimc_with_no_time_left_still_plays(tmp_path: Path) -> None:
    """Started from a copy of the folder, which must be as it was afterwards."""
    folder = tmp_path / "own"
    shutil.copytree(BOTS / "python", folder, ignore=shutil.ignore_patterns("__pycache__"))
    before = sorted(path.name for path in folder.iterdir())
    rules = Rules(deals=[(13, 0), (5, 1)])
    with at_table([[sys.executable, str(folder / "planning_pimc.py")]] * 4, cwd=tmp_path) as bots:
        play(rules, bots, rules.hands(1), time_left=lambda seat: seat)
    assert sorted(path.name for path in folder.iterdir()) == before
