"""The search for Planning: positions with one right answer, decks of any size, no time, hostile commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arbiter.games import make
from arbiter.testing import match_spec, play_in_memory
from tests.bots.planning_referee import Rules, Valued, play
from tests.fixtures.bot_programs import BOTS, Process, values_of

sys.path.append(str(BOTS / "learned"))

import planning_kit
import planning_learned

pytestmark = pytest.mark.process

DECK = "set_deck 23456789TJQKA CDHS"
THIRTEEN_TRUMPS = " ".join(value + "C" for value in "23456789TJQKA")


@pytest.fixture
def search(cpp_bot: Path) -> Iterator[Process]:
    """A search with little work, told of four players with itself on seat 3."""
    player = Process([str(cpp_bot.parent / "planning_search"), "--budget-ms", "1000"])
    with player.process:
        # Its clock is far away, however busy the machine is.
        assert player.ask([DECK, "set_players 4 3", "time_left 600000"]) == ["=", "=", "="]
        yield player


def last_answer(player: Process, *commands: str) -> str:
    """What it says to the last of these commands, when all before were accepted."""
    *replies, answer = player.ask(list(commands))
    assert set(replies) == {"="}, replies
    return answer


@pytest.mark.parametrize(
    ("cards", "declaration"), [("1 AC", "= 1"), ("1 2D", "= 0"), (f"13 {THIRTEEN_TRUMPS}", "= 13")]
)
def test_sure_cards_are_declared(search: Process, cards: str, declaration: str) -> None:
    game = f"set_game 3 {cards.split()[0]} 0 13 1 13 2"  # the match is not won before the last deals
    assert last_answer(search, game, f"set_cards {cards}", "gen_declare") == declaration


@pytest.mark.parametrize(("declared", "card"), [(0, "= 2S"), (1, "= AS")])
def test_the_last_to_play_takes_the_trick_that_it_wants_and_no_other(
    search: Process, declared: int, card: str
) -> None:
    declarations = [f"declare {seat} 0" for seat in range(3)] + [f"declare 3 {declared}"]
    trick = ["play 0 5S", "play 1 6S", "play 2 KS"]
    opening = ["set_game 1 2 0", "set_cards 2 2S AS"]
    assert last_answer(search, *opening, *declarations, *trick, "gen_move") == card


@pytest.mark.parametrize(("declared", "card"), [(0, "= AS"), (1, "= 2S")])
def test_it_wants_every_trick_once_its_declaration_has_failed(
    search: Process, declared: int, card: str
) -> None:
    declarations = [f"declare {seat} 0" for seat in range(3)] + [f"declare 3 {declared}"]
    trick = ["play 0 3C", "play 1 4C", "play 2 5C", "play 3 AC"]
    opening = ["set_game 1 3 0", "set_cards 3 AC 2S AS"]
    assert last_answer(search, *opening, *declarations, *trick, "gen_move") == card


@pytest.mark.parametrize(
    "rules",
    [
        Rules("0123456789abcdefghijklmnopqrstuv", "AB", 2, [(20, 1), (3, 0)]),
        Rules("0123456789abcdefghijklmnopqrstuvw", "AB", 3, [(9, 2), (4, 0)]),
        Rules("23456789TJQKA", "CDHS", 4, [(13, 0), (5, 1)]),
    ],
    ids=["64 cards", "66 cards", "52 cards"],
)
def test_it_plays_legally_when_there_is_no_time(cpp_bot: Path, rules: Rules) -> None:
    bots = [Process([str(cpp_bot.parent / "planning_search")]) for _ in range(rules.seats)]
    play(rules, bots, rules.hands(1), time_left=lambda seat: seat)
    assert [bot.close() for bot in bots] == [0] * rules.seats


def test_hostile_commands_are_refused_and_change_nothing(search: Process) -> None:
    opening = ["set_game 1 2 0", "set_cards 2 2S AS"]
    assert search.ask(opening) == ["=", "="]
    hostile = [
        "set_cards 2 2S AS",
        "set_game 1 99999999999 0",
        "set_game 1 14 0",
        "set_players 5 0",
        "set_players 4 -1",
        "declare 4 0",
        "declare 0 3",
        "play 0 AS",
        "play 0 1X",
        "play 1 5S",
        "time_left soon",
        "gen_move",
        "gen_declare now",
        "x" * 5000,
    ]
    assert all(reply.startswith("? ") for reply in search.ask(hostile))
    assert search.ask(["play 0 5S", "play 1 6S", "play 2 KS", "gen_declare"])[-1].startswith("? ")
    assert search.ask(["play 3 2S"]) == ["="]


class Both:
    """A seat of a search that has no time and of the learned player, whose answers are to be the same."""

    def __init__(self, search: Process) -> None:
        self.search, self.learned = search, planning_kit.Session(planning_learned.Learned())
        self.decided = 0

    def __call__(self, line: str) -> bytes:
        if line.startswith("time_left"):
            line = "time_left 0"
        answer = self.learned.answer(line)
        assert self.search.ask([line]) == [answer], line
        self.decided += line.startswith("gen_")
        return f"{answer}\n\n".encode()


def test_without_time_it_does_what_the_learned_network_does(search: Process) -> None:
    game = make("planning", {})
    both = Both(search)
    others = [planning_kit.Session(planning_learned.Learned(seed)) for seed in (1, 2, 3)]
    bots: list[Callable[[str], bytes]] = [
        *((lambda line, bot=bot: f"{bot.answer(line)}\n\n".encode()) for bot in others),
        both,
    ]
    record = play_in_memory(game, bots, match_spec(game))
    assert record.forfeit is None
    assert both.decided == 13 + 91


THREE = ["set_game 4 3 1 13 2 13 3 13 0", "set_cards 3 2S AS 4C", "time_left 600"]
TOLD = [f"declare {seat} 1" for seat in range(4)]


def test_it_values_every_declaration_and_every_card_within_the_points_that_there_are(search: Process) -> None:
    declarations = values_of(last_answer(search, *THREE, "gen_values"))
    assert list(declarations) == ["0", "1", "2", "3"]
    cards = values_of(last_answer(search, *TOLD, "play 1 5D", "play 2 6D", "gen_values"))
    assert set(cards) == {"2S", "AS", "4C"}
    following = values_of(
        last_answer(
            search, "play 3 4C", "play 0 7D", "play 3 AS", "play 0 3S", "play 1 KS", "play 2 5S", "gen_values"
        )
    )
    assert set(following) == {"2S"}
    for option, (value, win) in (declarations | cards | following).items():
        assert 0 <= value <= 6, option
        assert 0 < win < 1, option
    assert cards["4C"][0] > cards["2S"][0]  # a trump that takes the one trick that is wanted


def test_values_of_the_last_trick_are_what_comes_of_it(search: Process) -> None:
    opening = ["set_game 1 1 0", "set_cards 1 AS", *(f"declare {seat} 0" for seat in range(3))]
    trick = ["declare 3 1", "play 0 5S", "play 1 6S", "play 2 KS"]
    assert last_answer(search, *opening, *trick, "gen_values") == "= AS:2.000:1.0000"
    # With a lower card everybody has one point: three declarations came true, the fourth seat took the trick.
    opening[1:2] = ["set_cards 1 2S"]
    trick[0] = "declare 3 0"
    assert last_answer(search, *opening, *trick, "gen_values") == "= 2S:1.000:0.2500"


def test_the_chances_of_all_seats_come_to_one(cpp_bot: Path) -> None:
    """Nearly: each knows other cards, and hopes to do what is best for it."""
    rules = Rules(deals=[(5, 0), (5, 1)])
    hands = rules.hands(1)[0]
    chances = 0.0
    for seat in range(4):
        player = Process([str(cpp_bot.parent / "planning_search"), "--budget-ms", "600"])
        opening = [
            DECK,
            f"set_players 4 {seat}",
            "set_game 2 5 0 5 1",
            f"set_cards 5 {' '.join(hands[seat])}",
        ]
        found = values_of(last_answer(player, *opening, "gen_values"))
        chances += max(win for _, win in found.values())
        assert player.close() == 0
    assert chances == pytest.approx(1, abs=0.3)


def test_values_are_new_each_time(search: Process) -> None:
    assert last_answer(search, *THREE[:1], "set_cards 3 2S AS 4C", "time_left 600") == "="
    assert len(set(search.ask(["gen_values"] * 3))) == 3


@pytest.mark.parametrize(
    "rules",
    [
        Rules("23456789TJQKA", "CDHS", 4, [(5, 0), (3, 1)]),
        Rules("0123456789", "xyz", 3, [(6, 1), (0, 2), (1, 0)]),
        Rules("12345", "abcdef", 2, [(7, 1), (4, 0)]),
    ],
    ids=["four", "three", "two"],
)
def test_values_change_nothing_that_is_played(cpp_bot: Path, rules: Rules) -> None:
    said = []
    for asked in (False, True):
        command = [str(cpp_bot.parent / "planning_search"), "--budget-ms", "20"]
        bots = [Process(command) for _ in range(rules.seats)]
        said.append(play(rules, [Valued(bot) for bot in bots] if asked else bots, rules.hands(2)))
        assert [bot.close() for bot in bots] == [0] * rules.seats
    assert said[0] == said[1]


@pytest.mark.parametrize(
    "news",
    [
        [],
        ["set_game 1 2 0"],
        ["set_game 1 2 0", "set_cards 2 2S AS", *TOLD],
        ["set_game 1 1 3", "set_cards 1 2S", *TOLD, "play 3 2S"],
        ["set_game 1 1 3", "set_cards 1 2S", *TOLD, "play 3 2S", "play 0 3S", "play 1 4S", "play 2 5S"],
    ],
    ids=["no game", "no cards", "another leads", "played", "the deal is over"],
)
def test_values_are_refused_where_no_answer_is_due(search: Process, news: list[str]) -> None:
    *replies, answer = search.ask([*news, "gen_values"])
    assert set(replies) <= {"="}
    assert answer.startswith("? ")
