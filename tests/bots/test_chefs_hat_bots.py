"""Every shipped bot of Chef's Hat: legal games, the same play again, and how strong they are."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import chefs_hat_kit
import pytest

from arbiter.games.chefs_hat import ChefsHat
from arbiter.match.record import MatchRecord
from arbiter.testing import match_spec, play_in_memory
from tests.bench import measure_bots
from tests.bench.measure_bots import maker
from tests.fixtures.bot_programs import BOTS, Voice, at_table

pytestmark = pytest.mark.slow

NAMES = measure_bots.NAMES["chefs_hat"]
SEVENTEEN = "set_cards 17 1 2 3 4 5 6 7 7 8 8 9 9 10 11 11 12 12"


def command_of(name: str) -> list[str]:
    return [sys.executable, str(BOTS / "python" / f"chefs_hat_{name}.py")]


@pytest.fixture(params=NAMES)
def bot(request: pytest.FixtureRequest) -> list[str]:
    return command_of(request.param)


def play_match(command: list[str], game: ChefsHat, seed: str = "1", **options: object) -> MatchRecord:
    with at_table([command] * 4, **options) as bots:
        return play_in_memory(game, bots, match_spec(game, seed=seed))


@pytest.mark.process
def test_a_game_in_all_seats_and_the_same_again(bot: list[str], tmp_path: Path) -> None:
    game = ChefsHat(matches=2)
    record = play_match(bot, game)
    assert record.forfeit is None
    # Another folder and another hash seed: nothing of that may change the play.
    again = play_match(bot, game, cwd=tmp_path, env={**os.environ, "PYTHONHASHSEED": "77"})
    assert again.moves == record.moves
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rules", ["book", "gym2"])
def test_all_play_is_legal_under_both_rules(name: str, rules: str) -> None:
    game = ChefsHat(rules, points=15)
    asked = set()
    for number in range(4):
        bots = [Voice(maker("chefs_hat", name)(seed)) for seed in range(4)]
        record = play_in_memory(game, bots, match_spec(game, seed=str(number)))
        assert record.forfeit is None
        asked |= {move.request for move in record.moves}
    assert asked >= {"gen_exchange 1", "gen_exchange 2", "gen_move"}
    assert ("gen_special" in asked) == (rules == "book")


@pytest.mark.parametrize("name", ["random", "most_cards"])
def test_a_seed_gives_its_own_play(name: str) -> None:
    game = ChefsHat(matches=1)
    moves = []
    for seed in (1, 1, 2):
        bots = [Voice(maker("chefs_hat", name)(seed)) for _ in range(4)]
        moves.append([move.action for move in play_in_memory(game, bots).moves])
    assert moves[0] == moves[1] != moves[2]


@pytest.mark.process
def test_special_actions_fit_the_role(bot: list[str]) -> None:
    with at_table([bot]) as (player,):
        player.ask(["set_rules chefs_hat 1", "set_players 4 0", "set_game matches 3", SEVENTEEN])
        for roles in ("Dishwasher Chef Waiter Souschef", "Waiter Chef Souschef Dishwasher"):
            player.ask([f"set_roles {roles}"])
            word = player.ask(["gen_special"])[0]
            assert word in ("= none", "= food_fight" if roles[0] == "D" else "= dinner_served")


@pytest.mark.process
def test_cards_come_and_go_in_the_exchange(bot: list[str]) -> None:
    with at_table([bot]) as (player,):
        player.ask(["set_rules chefs_hat 1", "set_players 4 3", "set_game matches 3", SEVENTEEN])
        replies = player.ask(["exchange 3 0 2 1 2", "exchange 0 3 2 4 4", "exchange 1 2 1", "exchange 2 1 1"])
        assert replies == ["="] * 4
        given = [player.ask(["gen_exchange 2"])[0] for _ in range(20)]
        assert all(len(answer.split()) == 3 for answer in given)
        assert not {"1", "2"} & {word for answer in given for word in answer.split()}


def test_a_bot_may_tell_what_answers_are_worth() -> None:
    class Judge(chefs_hat_kit.Bot):  # type: ignore[misc]
        def values(self, request: str) -> dict[str, tuple[float, float | None]]:
            return {request: (2, 0.25), "11 10": (1.5, None)}

    def requests(bot: chefs_hat_kit.Bot, *news: str) -> list[str]:
        for line in ("set_rules chefs_hat 1", "set_players 4 0", "set_game matches 3", SEVENTEEN, *news):
            bot.answer(line.split()[0], line.split()[1:])
        found = []
        for _ in range(2):
            found += [
                bot.answer("gen_values", []).split()[0].split(":")[0].removeprefix("gen_") for _ in range(2)
            ]
            bot.answer("time_left", ["5000"])
        return found[::2] if found[::2] == found[1::2] else found

    roles = "set_roles Chef Souschef Waiter Dishwasher"
    assert requests(Judge()) == ["move", "move"]
    assert requests(Judge(), roles) == ["special", "exchange"]
    assert requests(Judge(), "set_roles Waiter Souschef Chef Dishwasher") == ["special", "move"]
    assert requests(Judge(), roles, "special 0 dinner_served") == ["move", "move"]
    turned = "set_roles Dishwasher Waiter Souschef Chef"
    assert requests(Judge(), turned, "special 0 food_fight", roles) == ["exchange", "exchange"]
    assert requests(Judge(), roles, "exchange 3 0 2 1 2") == ["move", "move"]
    assert requests(Judge(), roles, "play 0 C11;Q1;J0") == ["move", "move"]
    bot = Judge()
    assert bot.answer("gen_values", []) is None
    requests(bot, roles)
    assert bot.answer("gen_values", []) == "gen_exchange:2.000:0.2500 11_10:1.500"
    assert requests(bot, roles, "time_left 5000") == ["special", "exchange"]
    plain = maker("chefs_hat", "larger_value")(1)
    plain.answer("set_cards", ["1", "7"])
    assert plain.answer("gen_values", []) is None


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("better", "worse", "games", "least"),
    [
        ("one_by_one", "random", 10, 0.5),
        ("most_cards", "one_by_one", 10, 0.65),
        ("larger_value", "most_cards", 12, 0.6),
        ("keep_jokers", "larger_value", 40, 0.52),
    ],
)
def test_the_better_bot_takes_more_places(better: str, worse: str, games: int, least: float) -> None:
    found = measure_bots.chefs_hat(better, worse, games)
    assert found.games - 2 * found.games_error > least
    assert better != "keep_jokers" or found.matches - 2 * found.matches_error > least
