"""The searching bot of Chef's Hat: legal and the same again, right where one answer is right, strong."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest

from arbiter.games.chefs_hat import ChefsHat
from arbiter.match.position import Moved, retrace
from arbiter.match.record import MatchRecord
from arbiter.testing import Bot, match_spec, play_in_memory
from tests.bench.measure_bots import maker, places_won
from tests.fixtures.bot_programs import Process, Voice, at_table, values_of

pytestmark = pytest.mark.process
SEED = "jokers 20"
BEGUN = ["set_rules chefs_hat 1", "set_players 4 0", "set_game matches 3"]


@pytest.fixture
def search(cpp_bot: Path) -> list[str]:
    """Its command, with little work whatever time it is told."""
    return [str(cpp_bot.with_name("chefs_hat_search")), "--budget-ms", "300"]


def play_match(command: Sequence[str], game: ChefsHat, seed: str) -> MatchRecord:
    with at_table([command] * 4) as bots:
        return play_in_memory(game, bots, match_spec(game, seed=seed))


@pytest.mark.parametrize("rules", ["book", "gym2"])
def test_all_play_is_legal_under_both_rules(search: list[str], rules: str) -> None:
    record = play_match(search, ChefsHat(rules, points=9), "legal")
    assert record.forfeit is None
    assert {"gen_exchange 1", "gen_exchange 2", "gen_move"} <= {move.request for move in record.moves}


def test_a_seed_gives_its_own_play(search: list[str]) -> None:
    game = ChefsHat(matches=1)
    moves = [play_match([*search, "--seed", seed], game, "seed").moves for seed in ("1", "1", "2")]
    assert moves[0] == moves[1] != moves[2]


def test_more_time_told_first_means_other_play(search: list[str]) -> None:
    game = ChefsHat(matches=1)
    moves = [play_match([search[0], "--budget-ms", ms], game, "time").moves for ms in ("50", "600")]
    assert moves[0] != moves[1]


@pytest.mark.parametrize(
    ("cards", "commands", "answer"),
    [
        # All that is left goes at once, the joker as a card of that value.
        ("9 12", ["play 1 C11;Q1;J0", "play 2 C10;Q2;J0", "play 3 pass"], "= C9;Q1;J1"),
        # Nothing beats a 1, and then the rest is the last discard.
        ("1 11", ["play 3 C11;Q1;J0", "play 0 pass", "play 1 pass", "play 2 pass", "pizza 0"], "= C1;Q1;J0"),
    ],
)
def test_an_end_is_played_right(search: list[str], cards: str, commands: list[str], answer: str) -> None:
    with at_table([search]) as (bot,):
        bot.ask([*BEGUN, f"set_cards {len(cards.split())} {cards}", *commands, "time_left 10000"])
        assert bot.ask(["gen_move"]) == [answer]


@pytest.mark.parametrize(("role", "answer"), [("Dishwasher", "= food_fight"), ("Chef", "= none")])
def test_special_actions_by_a_common_hand(search: list[str], role: str, answer: str) -> None:
    roles = ["Chef", "Souschef", "Waiter", "Dishwasher"]
    roles.remove(role)
    with at_table([search]) as (bot,):
        bot.ask([*BEGUN, "set_cards 17 1 2 2 3 3 3 4 4 4 4 8 8 9 10 11 12 12"])
        bot.ask([f"set_roles {role} {' '.join(roles)}", "time_left 10000"])
        assert bot.ask(["gen_special"]) == [answer]


def test_a_chef_gives_two_single_weak_cards(search: list[str]) -> None:
    with at_table([search]) as (bot,):
        bot.ask([*BEGUN, "set_cards 17 1 2 2 3 3 3 4 4 4 4 5 5 5 5 5 10 11"])
        bot.ask(["set_roles Chef Souschef Waiter Dishwasher", "time_left 10000"])
        assert bot.ask(["gen_exchange 2"]) == ["= 11 10"]


# Values


@pytest.mark.parametrize("rules", ["book", "gym2"])
def test_values_are_of_every_legal_answer_and_change_none(search: list[str], rules: str) -> None:
    game, valued = ChefsHat(rules, matches=4), list[str]()
    search[-1] = "50"

    def judged(process: Process) -> Bot:
        def answer(command: str) -> bytes:
            if command.startswith("gen_"):
                first, second = process.ask(["gen_values"] * 2)
                assert values_of(first).keys() == values_of(second).keys()
                valued.append(first)
            return process(command)

        return answer

    with at_table([search] * 4) as bots:
        record = play_in_memory(game, [judged(bot) for bot in bots], match_spec(game, seed=SEED))
    assert record.moves == play_match(search, game, SEED).moves
    replies, asked, before = iter(valued), set(), ""
    for event in retrace(record, game):
        if isinstance(event, Moved):
            seat, state, values = event.move.seat, event.before, values_of(next(replies))
            words = [
                word if "_served" in word or "_fight" in word else word.replace("_", " ") for word in values
            ]
            assert {game.parse(state, seat, word) for word in words} == set(state.legal(seat))
            assert all(0 <= points <= 3 and 0 <= win <= 1 for points, win in values.values())
            asked.add((before, event.move.request))
            before = event.move.request
    assert next(replies, None) is None
    # Nobody says that no special action was declared before the cards are asked for.
    assert rules == "gym2" or {("gen_special", "gen_exchange 2"), ("gen_special", "gen_move")} <= asked


@pytest.mark.parametrize(
    ("totals", "win"),
    [("3 0 0 0", 1), ("2 0 0 0", 0.5), ("2 0 1 0", 1 / 3), ("2 0 1 3", 0.25), ("1 0 0 0", 0)],
)
def test_what_is_certain_is_exact(search: list[str], totals: str, win: float) -> None:
    """The last card but one of the last deal: it comes third, seat 3 last."""
    begun = [*BEGUN, "set_cards 1 1", f"end_deal {totals}", "set_cards 1 1", "end_deal 0 0 0 0"]
    with at_table([search]) as (bot,):
        assert bot.ask(begun) == ["="] * len(begun)
        told = ["set_cards 1 9", "play 1 C11;Q1;J0", "play 2 C10;Q1;J0", "play 3 pass"]
        values = values_of(bot.ask([*told, "gen_values"])[-1])
        assert values["C9;Q1;J0"] == (1, pytest.approx(win, abs=1e-4))
        assert values.keys() == {"C9;Q1;J0", "pass"}


def test_values_are_refused_where_nothing_is_due(search: list[str]) -> None:
    with at_table([search]) as (bot,):
        assert bot.ask([*BEGUN, "gen_values"])[-1].startswith("?")
        told = ["set_cards 2 11 10", "gen_values", "play 0 C11;Q1;J0", "gen_values"]
        assert [reply[0] for reply in bot.ask(told)] == ["=", "=", "=", "?"]
        told = [
            "play 1 pass",
            "play 2 pass",
            "play 3 pass",
            "pizza 0",
            "gen_values",
            "end_deal 0 1 2 3",
            "gen_values",
        ]
        assert [reply[0] for reply in bot.ask(told)] == ["="] * 6 + ["?"]


@pytest.mark.nightly
def test_it_takes_more_than_60_places_of_100_from_keep_jokers(search: list[str]) -> None:
    game = ChefsHat()
    games = []
    for number in range(12):
        with at_table([search] * 2) as bots:
            ours = [number % 2 == seat % 2 for seat in range(4)]
            players = [
                bots[seat // 2] if mine else Voice(maker("chefs_hat", "keep_jokers")(1))
                for seat, mine in enumerate(ours)
            ]
            record = play_in_memory(
                game, players, match_spec(game, seed=f"strong {number // 4}", rotation=number % 4)
            )
        assert record.points is not None
        games.append(statistics.mean(places_won(record.points, ours)))
    assert statistics.mean(games) > 0.6
