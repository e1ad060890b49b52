"""Every shipped bot as a program: refusals, blank lines, `quit`, the end of its input, its options."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.bench.measure_bots import NAMES
from tests.fixtures.bot_programs import BOTS, Process, at_table, dialogue

pytestmark = pytest.mark.process

PROGRAMS = NAMES | {"planning": ("random", "fair_share", "count", "greedy", "pimc")}
"""The bots in Python, by game; each game has a search in C++, too."""
REFUSED = {
    "planning": ["name", "set_cards", "play", "set_players two 0", "12 quit", "gen_move"],
    "codepiece": ["fold", "set_rules bridge 1", "set_players", "gen_move"],
    "dou_dizhu": [
        *(
            "name",
            "set_cards",
            "set_cards 2 3",
            "set_cards 1 1",
            "play",
            "play 0 34",
            "play 0 333344445",
            "gen_move",
        ),
        *("\xff", "set_players two 0", "set_players 4 0", "set_rules chess 1", "12 quit"),
    ],
    "chefs_hat": ["name", "set_cards", "play", "set_players two 0", "12 quit", "gen_move", "gen_exchange 2"],
}
SEARCH_REFUSED = {
    "codepiece": [
        *(
            "set_players 4 9",
            "gen_bid",
            "gen_trump",
            "play 0 AS",
            "bid 0 bid_99",
            "trump 0 X",
            "set_cards 1 AS",
        ),
        "set_cards 13" + 13 * " AS",
    ],
    "dou_dizhu": [
        *("set_players 3 3", "time_left x", "set_game 1 7", "set_game"),
        "set_cards 54 " + "".join(4 * card for card in "3456789TJQKA2") + "BR",
    ],
    "chefs_hat": [
        *("set_cards 2 0 13", "set_cards 3 1 1 1", "set_players 4 4", "play 0 C7;Q2;J1", "play 9 pass", "é"),
        *(
            "play 1 C7;Q2",
            "play 1 C0;Q1;J0",
            "play 1 C1;Q2;J0",
            "exchange 1 2",
            "exchange 1 0 2 5",
            "special x none",
        ),
        *("end_deal 3 2 1", "time_left soon", "set_game points 0"),
    ],
}
OPENING = {
    "planning": b"set_deck 23 AB",
    "codepiece": b"set_rules codepiece 1",
    "dou_dizhu": b"set_rules dou_dizhu 1",
    "chefs_hat": b"set_rules chefs_hat 1",
}
BY_NAME = [f"{game}_{name}" for game, names in PROGRAMS.items() for name in (*names, "search")]


@pytest.fixture(params=[*BY_NAME, "planning_cpp", "planning_js"])
def program(request: pytest.FixtureRequest) -> tuple[str, list[str]]:
    """Game and command of every bot in turn."""
    game = next(game for game in PROGRAMS if request.param.startswith(game))
    match request.param.removeprefix(f"{game}_"):
        case "cpp":
            return game, [str(request.getfixturevalue("cpp_bot"))]
        case "search":
            return game, [str(request.getfixturevalue("cpp_bot").with_name(f"{game}_search"))]
        case "js":
            if not shutil.which("node"):
                pytest.skip("no node: the JavaScript bot cannot run")
            return game, ["node", str(BOTS / "js" / "planning_random.js")]
    return game, [sys.executable, "-S", str(BOTS / "python" / f"{request.param}.py")]


def test_a_bot_refuses_what_it_does_not_know_and_ends_politely(program: tuple[str, list[str]]) -> None:
    game, command = program
    refused = REFUSED[game] + SEARCH_REFUSED.get(game, []) * command[-1].endswith("_search")
    opening = OPENING[game]
    with at_table([command] * 2) as (quits, ends):
        replies = quits.ask(refused)
        assert all(reply.startswith("?") for reply in replies), dict(zip(refused, replies, strict=True))
        quits.write(b"\n\r\n  \n" + opening + b"\r\n" + opening + b"\nquit\n")
        assert [quits.reply() for _ in range(3)] == ["="] * 3
        assert quits.process.wait(30) == 0  # with its input still open
        ends.write(opening)
        assert ends.process.stdin is not None
        ends.process.stdin.close()
        assert ends.reply() == "="


def test_help_names_an_option_and_a_wrong_one_is_refused(program: tuple[str, list[str]]) -> None:
    _, command = program
    option = b"--budget-ms" if command[-1].endswith("_search") else b"--seed"
    helped = Process([*command, "--help"])
    assert helped.process.stdout is not None and option in helped.process.stdout.read()
    assert helped.close() == 0
    assert Process([*command, "--sleep"], stderr=subprocess.DEVNULL).close() == 2


@pytest.mark.parametrize(
    ("page", "bot"),
    [("bots/README.md", "planning_greedy"), ("docs/reference/dou_dizhu.md", "dou_dizhu_smallest")],
)
def test_the_dialogue_of_a_page_is_true(page: str, bot: str) -> None:
    told = dialogue(BOTS.parent / page)
    with at_table([[sys.executable, str(BOTS / "python" / f"{bot}.py")]]) as (player,):
        assert player.ask([command for command, _ in told]) == [reply for _, reply in told]
