"""The Codepiece engine against recorded games of the published one."""

from __future__ import annotations

import json
from hashlib import sha1

import numpy as np
import pytest
from gymnasium.error import InvalidAction

from arbiter.envs.codepiece import BidAction, Engine, PlayAction, TrumpAction, action_of
from arbiter.errors import ConfigError, IllegalAction
from arbiter.games.codepiece import WORDS
from tests.fixtures.recorded_games import games


def plain(state):
    """A state as the fixtures have it."""
    left = {key: value for key, value in state.items() if key not in ("hand_encoded", "legal_actions")}
    return json.loads(json.dumps(left))


def test_every_state_and_observation_is_the_recorded_one() -> None:
    for game in games("codepiece/codepiece_games"):
        engine = Engine(seed=game["seed"])
        state, player = engine.init_game()
        assert state["dealer_id"] == game["dealer"]
        assert [engine.get_state(seat)["hand"] for seat in range(4)] == game["hands"]
        for step in game["steps"]:
            assert player == step["p"]
            assert state["legal_actions"] == step["legal"] == engine.get_legal_actions()
            assert plain(state) == step["state"]
            assert list(state)[6] == "hand_encoded"
            seen = engine.observe(player)
            assert (seen.dtype, seen.shape) == (np.float32, (233,))
            assert sha1(seen.tobytes()).hexdigest()[:16] == step["obs"]
            for waiting in {0, 1, 2, 3} - {player}:
                assert engine.get_state(waiting)["legal_actions"] == []
            state, player = engine.step(step["a"])
        assert engine.is_over()
        assert [plain(engine.get_state(seat)) for seat in range(4)] == game["end"]
        assert engine.get_payoffs() == game["payoffs"]


def test_actions_are_converted_to_and_from_words_and_ids() -> None:
    for number in range(len(WORDS)):
        action = action_of(number)
        assert (action.id, str(action), action_of(str(action)), action_of(action)) == (
            number,
            WORDS[number],
            action,
            action,
        )
        kind = BidAction if number < 7 else TrumpAction if number < 11 else PlayAction
        assert isinstance(action, kind)


def test_a_one_hot_vector_of_any_kind_is_an_action() -> None:
    engine = Engine(seed=1)
    for kind in (np.int8, np.float32, np.bool_):
        engine.init_game()
        engine.step(np.eye(63, dtype=kind)[3])
        engine.step(np.eye(63, dtype=kind)[5].tolist())
        assert [said for _, said in engine.get_state(0)["bidding_actions"]] == ["bid_10", "bid_12"]


@pytest.mark.parametrize(
    "wrong",
    [
        "bid_7",
        "1C",
        [1],
        [1, [2]],
        [0] * 63,
        [1] * 63,
        [0.5] + [0] * 62,
        ["1"] * 63,
    ],
)
def test_what_is_no_action_is_refused_and_changes_nothing(wrong) -> None:
    engine = Engine(seed=1)
    before, _ = engine.init_game()
    with pytest.raises(InvalidAction, match="action"):
        engine.step(wrong)
    assert plain(engine.get_state(before["player_id"])) == plain(before)


def test_what_may_not_be_done_now_is_refused_and_changes_nothing() -> None:
    engine = Engine(seed=1)
    engine.init_game()
    state, player = engine.step("bid_9")
    for wrong in ("bid_8", "bid_9", "trump_S", state["hand"][0]):
        with pytest.raises(IllegalAction):
            engine.step(wrong)
    assert plain(engine.get_state(player)) == plain(state)


def test_a_game_has_to_be_begun_and_ends() -> None:
    engine = Engine(seed=1)
    with pytest.raises(RuntimeError, match=r"init_game\(\)"):
        engine.get_state(0)
    engine.init_game()
    with pytest.raises(RuntimeError, match="not over"):
        engine.get_payoffs()
    with pytest.raises(ValueError, match="not a player"):
        engine.get_state(4)
    with pytest.raises(ValueError, match="not a player"):
        engine.observe(4)
    with pytest.raises(ValueError, match="a seed is an integer from 0 to 4294967295"):
        Engine(seed=2**32)
    while not engine.is_over():
        engine.step(engine.get_legal_actions()[0])
    with pytest.raises(RuntimeError, match="the game is over"):
        engine.step("pass")


def test_given_hands_are_dealt() -> None:
    hands = games("codepiece/codepiece_games")[0]["hands"]
    engine = Engine()
    state, player = engine.init_game(hands, dealer=2)
    assert (player, state["hand"], state["dealer_id"]) == (3, hands[3], 2)
    with pytest.raises(ConfigError, match="13 cards"):
        engine.init_game([hand[:5] for hand in hands], dealer=0)
    with pytest.raises(ValueError, match="both"):
        engine.init_game(hands)
