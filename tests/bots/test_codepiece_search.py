"""The search bot of Codepiece: legal, the same with the same seed, quick with little time, right where one card is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from codepiece_random import Bot as Random

from arbiter.games.codepiece import Codepiece
from arbiter.testing import match_spec, play_in_memory
from tests.fixtures.bot_programs import Voice, at_table, values_of

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def search(cpp_bot: Path) -> list[str]:
    return [str(cpp_bot.with_name("codepiece_search"))]


def play_match(command: list[str], seats: tuple[int, ...], seed: str = "search"):
    """A match of two deals in memory, with the search bot in some seats and random ones in the others."""
    with at_table([command] * len(seats)) as bots:
        searches = iter(bots)
        table = [next(searches) if seat in seats else Voice(Random(seat)) for seat in range(4)]
        return play_in_memory(Codepiece([3, 0]), table, match_spec(Codepiece([3, 0]), seed=seed))


@pytest.mark.parametrize("seats", [(0,), (1, 3), (0, 1, 2, 3)], ids=str)
def test_it_plays_legally(search, seats) -> None:
    record = play_match([*search, "--budget-ms", "200"], seats)
    assert record.forfeit is None, record.forfeit


def test_the_same_seed_plays_the_same(search) -> None:
    one, other = (play_match([*search, "--budget-ms", "200", "--seed", "7"], (0, 1, 2, 3)) for _ in range(2))
    assert one.moves == other.moves


def ask(command: list[str], *lines: str) -> list[str]:
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split("\n\n")[:-1]


def great_hand() -> list[str]:
    """Seat 0 plays 13 with the ace of clubs and all trumps but the two."""
    return [
        "set_rules codepiece 1",
        "set_deck 23456789TJQKA CDHS",
        "set_players 4 0",
        "set_game 1 3",
        "set_cards 13 AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S AC",
        "bid 0 bid_13",
        *(f"bid {seat} pass" for seat in (1, 2, 3)),
        "trump 0 trump_S",
    ]


def test_it_draws_the_last_trump_before_it_leads_its_ace(search) -> None:
    chosen = ask(search, *great_hand(), "time_left 60000", "gen_move")[-1]
    assert chosen.endswith("S")


def test_it_bids_thirteen_where_thirteen_are_sure(search) -> None:
    sure = "set_cards 13 AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
    assert ask(search, *great_hand()[:4], sure, "time_left 1000", "gen_bid", "gen_trump")[-2:] == [
        "= bid_13",
        "= trump_S",
    ]


def checked(answer: str) -> dict[str, tuple[float, float]]:
    """By option what it is worth, in the range of the points of a side."""
    found = values_of(answer)
    assert all(-26 <= points <= 26 and 0 <= win <= 1 for points, win in found.values())
    return found


BIDDING = [
    *("set_rules codepiece 1", "set_deck 23456789TJQKA CDHS", "set_players 4 2", "set_game 2 0 1"),
    *("set_cards 13 AS KS QS JS 4S AH KH 2H 3D 4D 2C 3C 4C", "time_left 600", "bid 1 bid_8"),
]
TRUMP = ["bid 2 bid_9", "bid 3 pass", "bid 0 pass"]


def test_it_values_every_bid_trump_and_card_that_may_be_given(search) -> None:
    first = [
        "trump 2 trump_S",
        "gen_values",
        "play 2 AS",
        "play 3 2S",
        "play 0 3S",
        "play 1 5S",
        "gen_values",
    ]
    following = ["play 2 2C", "play 3 5C", "play 0 9C", "play 1 6C", "play 0 QH", "play 1 3H", "gen_values"]
    answers = ask(search, *BIDDING, "gen_values", *TRUMP, "gen_values", *first, *following)
    bids, trumps, lead, second, third = (checked(line) for line in answers if len(line) > 9)
    assert list(bids) == ["pass", *(f"bid_{bid}" for bid in range(9, 14))]
    assert bids["bid_9"][0] > bids["bid_13"][0]
    assert set(trumps) == {"trump_S", "trump_H", "trump_D", "trump_C"}
    assert max(trumps, key=trumps.__getitem__) == "trump_S"
    hand = set(BIDDING[4].split()[2:])
    assert set(lead) == hand
    assert set(second) == hand - {"AS"}
    assert set(third) == {"AH", "KH", "2H"}  # the partner is ahead


def last_trick(dealers: str, card: str, *news: str) -> list[str]:
    """Seat 0 plays 13 with spades as trump and holds all of them: one card of its twelve tricks is left."""
    spades = [value + "S" for value in "AKQJT98765432"]
    plays = []
    for value, spade in zip("23456789TJQK", spades, strict=False):
        plays += [f"play 0 {spade}", f"play 1 {value}C", f"play 2 {value}D", f"play 3 {value}H"]
    hand = ["set_players 4 0", f"set_game {dealers}", f"set_cards 13 {' '.join(spades)}", "time_left 600"]
    return [*hand, *(f"bid {seat} {bid}" for seat, bid in enumerate(news)), "trump 0 trump_S", *plays, card]


def test_values_of_a_last_trick_are_what_comes_of_it(search) -> None:
    bids = ("bid_13", "pass", "pass", "pass")
    assert ask(search, *last_trick("1 3", "gen_values", *bids))[-1] == "= 2S:13.000:1.0000"
    chance = checked(ask(search, *last_trick("2 3 0", "gen_values", *bids))[-1])["2S"]
    assert chance[0] == 13
    assert 0.7 < chance[1] < 1  # a deal is to come


def test_values_change_nothing_that_is_played_and_are_new_each_time(search) -> None:
    # Its clock is far away, however busy the machine is.
    command, begun = [*search, "--budget-ms", "600"], [*BIDDING[:5], "time_left 600000", *BIDDING[6:]]

    def said(*asked: str) -> list[str]:
        trump = [*TRUMP, *asked, "gen_trump", "trump 2 trump_S"]
        return ask(command, *begun, *asked, "gen_bid", *trump, *asked, "gen_move")

    plain, valued = said(), said("gen_values", "gen_values")
    values = [line for line in valued if line.count(":") > 1]
    assert [line for line in valued if line.count(":") < 2] == plain
    assert len(values) == len(set(values)) == 6


@pytest.mark.parametrize(
    "news",
    [
        [],
        BIDDING[:4],
        BIDDING[:-1],
        [*BIDDING, *TRUMP[:1]],
        [*BIDDING, "bid 2 pass", "bid 3 bid_9", "bid 0 pass"],
        [*BIDDING, "bid 2 pass", "bid 3 bid_9", "bid 0 pass", "trump 3 trump_S"],
        [*BIDDING, *TRUMP, "trump 2 trump_S", "end_deal 9 -9 9 -9"],
    ],
    ids=["nothing", "no cards", "another bids", "it has bid", "another names trump", "another leads", "over"],
)
def test_values_are_refused_where_no_answer_is_due(search, news) -> None:
    *replies, answer = ask(search, *news, "gen_values")
    assert answer == "?"
    assert set(replies) <= {"="}
