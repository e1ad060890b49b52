"""Every shipped bot of Planning as a process: legal matches, the same play again, a polite end."""

from __future__ import annotations

import os
import random
import shutil
import sys
from pathlib import Path

import pytest

from tests.bots.planning_referee import BOTS, Result, Rules, assert_options_are_told, at_table, play

# The search takes seconds of the core, and minutes beside others.
pytestmark = [pytest.mark.process, pytest.mark.timeout(600)]

TOURNAMENT = Rules()
RULES = [
    Rules("9TJQKA", "SHDC", 4, [(6, 3), (0, 1), (1, 0), (6, 2)]),
    Rules("0123456789", "xyz", 3, [(10, 1), (4, 2), (1, 0)]),
    Rules("12345", "abcdef", 2, [(7, 1), (15, 0)]),
    Rules("123456789", "T", 4, [(2, 1), (2, 0)]),
]


def match(
    command: list[str], rules: Rules, batched: bool = False, seed: int = 1, **options: object
) -> Result:
    with at_table([command] * rules.seats, **options) as bots:
        return play(rules, bots, rules.hands(seed), batched)


def test_tournament_match_in_all_seats_strict_and_batched(bot: list[str]) -> None:
    strict = match(bot, TOURNAMENT)
    assert sum(strict.points) >= 91
    assert match(bot, TOURNAMENT, batched=True) == strict


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"{rules.values}-{rules.suits}-{rules.seats}")
def test_other_decks_and_numbers_of_players(bot: list[str], rules: Rules, tmp_path: Path) -> None:
    strict = match(bot, rules, cwd=tmp_path)
    # Another folder, another hash seed, commands in batches: nothing of that may change the play.
    assert match(bot, rules, batched=True, env={**os.environ, "PYTHONHASHSEED": "77"}) == strict
    assert not list(tmp_path.iterdir())


def test_a_seed_gives_its_own_play(bot: list[str]) -> None:
    rules = Rules(deals=[(9, 0), (9, 1), (9, 2), (9, 3)])
    default = match(bot, rules)
    assert match([*bot, "--seed", "1"], rules) == default
    assert match([*bot, "--seed", "2"], rules) != default


def test_same_cards_in_another_seat_same_declaration(bot: list[str]) -> None:
    rules = Rules(deals=[(7, 2)])
    dealt = rules.hands(3)
    turned = Rules(deals=[(7, 3)])
    with at_table([bot] * 4) as bots:
        here = play(rules, bots, dealt)
    with at_table([bot] * 4) as bots:
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


def test_quit_is_answered_and_ends_the_program(bot: list[str]) -> None:
    with at_table([bot]) as (player,):
        assert player.ask(["set_deck 23 AB", "quit"]) == ["=", "="]
        assert player.process.wait() == 0  # with its input still open


def test_unknown_and_malformed_commands_are_refused(bot: list[str]) -> None:
    with at_table([bot]) as (player,):
        replies = player.ask(["name", "set_cards", "play", "set_players two 0", "12 quit", "gen_move"])
        assert all(reply.startswith("?") for reply in replies), replies


def test_an_unended_last_command_is_answered(bot: list[str]) -> None:
    with at_table([bot]) as (player,):
        player.write(b"set_deck 23 AB")
        assert player.process.stdin is not None
        player.process.stdin.close()
        assert player.reply() == "="


def test_help_and_wrong_options(bot: list[str]) -> None:
    assert_options_are_told(bot, "--seed")


def test_cpp_and_js_play_alike(cpp_bot: Path) -> None:
    if not shutil.which("node"):
        pytest.skip("no node: the JavaScript bot cannot run")
    js = ["node", str(BOTS / "js" / "planning_random.js")]
    assert match(js, TOURNAMENT) == match([str(cpp_bot)], TOURNAMENT)


def test_pimc_with_no_time_left_still_plays(tmp_path: Path) -> None:
    """Started from a copy of the folder, which must be as it was afterwards."""
    folder = tmp_path / "own"
    shutil.copytree(BOTS / "python", folder, ignore=shutil.ignore_patterns("__pycache__"))
    before = sorted(path.name for path in folder.iterdir())
    rules = Rules(deals=[(13, 0), (5, 1)])
    with at_table([[sys.executable, str(folder / "planning_pimc.py")]] * 4, cwd=tmp_path) as bots:
        play(rules, bots, rules.hands(1), time_left=lambda seat: seat)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_the_dialogue_in_the_readme_is_true() -> None:
    text = (BOTS / "README.md").read_text().split("```text\n")[1].split("```")[0]
    exchanges = [tuple(block.split("\n")) for block in text.removeprefix("> ").strip().split("\n\n> ")]
    with at_table([[sys.executable, str(BOTS / "python" / "planning_greedy.py")]] * 1) as (player,):
        assert player.ask([command for command, _ in exchanges]) == [reply for _, reply in exchanges]
