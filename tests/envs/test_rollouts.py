"""Values of answers by rollouts, and the player that gives the best."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from arbiter import envs
from arbiter.envs.protocol_bot import KnownPlay
from arbiter.envs.rollouts import Rolled
from arbiter.games import hearing_of, make
from arbiter.testing import match_spec, play_by_policy, play_in_memory, random_policy
from arbiter.trials.review.gen_values import read_values
from arbiter.trials.review.review_match import review_match
from tests.envs.forms import SHORT
from tests.envs.test_policy_bot import Foreign, in_memory

pytestmark = pytest.mark.slow

TWO = make("planning", {"deck": "23456 CD", "seats": 2, "deals": [[2, 0]]})


def leading(cards="6C 2D", **options: Any):
    """Seat 0 leads: it declared one trick, and the other none."""
    match = hearing_of(TWO, 0)
    for line in (f"set_cards 2 {cards}", "declare 0 1", "declare 1 0"):
        match.hear(line)
    match.asked("gen_move")
    return envs.Rollouts(match, **options)


def by_card(rollouts, *asked, **options):
    return {
        TWO.action_text(rollouts.hearing.state, 0, action): value
        for action, value in rollouts.values(*asked, **options).items()
    }


def test_values_are_the_mean_points_of_the_deal_and_the_chance_to_win_it_if_it_is_the_last():
    # The highest trump takes a trick whenever it is played, and any other card beats 2D.
    values = by_card(leading(), 400)
    assert values["6C"].points == pytest.approx(3, abs=0.001)
    assert values["2D"].points == pytest.approx(3, abs=0.001)
    assert values["6C"].win == 1


def test_no_chance_to_win_is_told_before_the_last_deal():
    match = hearing_of(make("planning", {"deck": "23456 CD", "seats": 2, "deals": [[1, 0], [1, 0]]}), 0)
    match.hear("set_cards 1 6C")
    match.asked("gen_declare")
    assert [value.win for value in envs.Rollouts(match).values(20).values()] == [None, None]


def test_the_same_seed_gives_the_same_values_and_each_question_has_worlds_of_its_own():
    assert leading("3C 4D", seed=1).values(100) == leading("3C 4D", seed=1).values(100)
    assert leading("3C 4D", seed=1).values(100) != leading("3C 4D", seed=2).values(100)
    again = leading("3C 4D")
    assert again.values(100) != again.values(100)


def test_a_policy_plays_the_rollouts():
    seen = []

    def first(observations, ids, starts):
        seen.append(observations.shape)
        return ids[starts[:-1]]

    assert len(leading("3C 4D", policy=first).values(20)) == 2
    assert seen
    assert {shape[1] for shape in seen} == {envs.batch(TWO, 1).size}


def test_halving_gives_most_rollouts_to_what_is_best():
    match = hearing_of(TWO, 0)
    match.hear("set_cards 2 3C 4D")
    match.asked("gen_declare")
    rollouts: Any = envs.Rollouts(match)
    played, play = [], rollouts._play_out

    def noted(plays, answers, times):
        played.append(len(answers))
        return play(plays, answers, times)

    rollouts._play_out = noted
    assert len(rollouts.values(60, halving=True)) == 3
    assert played == [3, 2]


def test_a_number_of_rollouts_that_is_none_is_refused():
    with pytest.raises(ValueError, match="a number of rollouts is an integer from 1"):
        leading().values(0)


def test_the_two_cards_of_the_chef_are_one_answer():
    match = hearing_of(make("chefs_hat", {}), 0)
    match.hear("set_cards 17 11 11 11 11 11 10 10 10 10 10 9 9 9 9 8 8 7")
    match.hear("set_roles Chef Souschef Waiter Dishwasher")
    match.asked("gen_exchange 2")
    rollouts = envs.Rollouts(match)
    assert list(rollouts.answers()) == sorted(match.state.legal(0), key=list(rollouts.answers()).index)
    assert set(rollouts.values(30)) == set(match.state.legal(0))


def test_the_answers_of_a_seat_are_the_legal_ones():
    match = leading().hearing
    assert sorted(envs.Rollouts(match).answers()) == list(KnownPlay(match).legal(0))


@pytest.mark.parametrize(
    "game", [make("planning", SHORT["planning"]), Foreign([1])], ids=lambda game: game.name
)
def test_a_whole_match_is_played_by_the_protocol(game):
    bots = [in_memory(envs.RolloutBot(game, rollouts=1, seed=seat)) for seat in range(game.seats)]
    assert play_in_memory(game, bots, match_spec(game, seed="1")).forfeit is None


def test_the_clock_says_how_many_rollouts_there_are():
    asked: list[int] = []
    bot: Any = envs.RolloutBot(TWO)
    told = ("set_deck 23456 CD", "set_players 2 0", "set_game 1 2 0", "set_cards 2 3C 4D")
    for line in (*told, "declare 0 1", "declare 1 0"):
        assert bot.answer(line) == "="

    def noted(number, **_):
        asked.append(number)
        return {0: Rolled(0, None)}

    bot._search.values = noted
    for left in (0, 1000, 100_000):
        bot._cost = 1e-4
        bot.answer(f"time_left {left}")
        bot._value_answers(bot._match, halving=False)
    assert asked[0] == 20
    assert asked[1] < asked[2] / 10


class Beside:
    """The player as the program that reviews, in this process."""

    name = "rollouts"

    def __init__(self, game):
        self.game = game

    def begin(self, _=1):
        self.bots = [envs.RolloutBot(self.game, rollouts=4, seed=seat) for seat in range(self.game.seats)]

    def send_news(self, seat, command):
        assert self.bots[seat].answer(command) == "=", command

    def send_time(self, seat):
        self.send_news(seat, "time_left 100")

    def value(self, game, state, seat, times=1, *, again=False):
        if not again:
            self.send_time(seat)
        said = [self.bots[seat].answer("gen_values") for _ in range(min(times, 1))]
        return [read_values(game, state, seat, text.removeprefix("= ")) for text in said]


@pytest.mark.parametrize("name", SHORT)
def test_every_decision_of_every_seat_is_valued(name):
    game = make(name, SHORT[name])
    record = play_by_policy(game, random_policy("4"))
    beside: Any = Beside(game)
    review = review_match(record, beside, 1000)
    assert len(review["decisions"]) == len(record.moves)
    assert all(decision["loss"] is not None for decision in review["decisions"])
    assert None not in review["luck"]


@pytest.mark.process
def test_the_program_says_what_is_wrong_with_its_words():
    words = [sys.executable, "-m", "arbiter.envs.rollout_bot", "--game", "codepiece", "--rollouts", "0"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "a number of rollouts is an integer from 1, not 0\n")
