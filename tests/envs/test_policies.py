"""What plays as a policy: callables, and models with `predict` as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arbiter import envs
from arbiter.envs.policies import policy_of
from tests.envs.forms import to_the_end


class Masked:
    """Takes what MaskablePPO's `predict` takes, and returns what that returns."""

    def __init__(self) -> None:
        self.masks: list[Any] = []

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
        action_masks: Any = None,
    ) -> tuple[Any, Any]:
        self.masks.append(action_masks)
        return np.array(np.flatnonzero(action_masks)[0]), state


class Recurrent(Masked):
    """Counts its decisions in a match, as a recurrent model carries its state on."""

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, *_: Any, **more: Any
    ) -> Any:
        count = 0 if episode_start[0] else state
        self.masks.append(count)
        return np.array([37]), count + 1


def test_a_model_with_predict_is_an_opponent_as_it_is() -> None:
    model = Masked()
    env = envs.single("codepiece", ["random", model, "random"], dealers=[0])
    to_the_end(env, 1)
    assert env._names_by_seat()[2] == "seat_2 Masked"
    assert model.masks
    assert {mask.dtype for mask in model.masks} == {np.dtype(bool)}
    assert all(mask.shape == (63,) and mask.any() for mask in model.masks)


def test_a_model_with_predict_is_a_bot_as_it_is() -> None:
    bot = envs.PolicyBot(Masked(), "planning")
    for line in ("set_deck 23456789TJQKA CDHS", "set_players 4 1", "set_game 1 2 0", "set_cards 2 TD AS"):
        assert bot.answer(line) == "="
    assert bot.answer("gen_declare") == "= 0"


def test_a_state_goes_from_decision_to_decision_and_begins_anew_with_each_match() -> None:
    model = Recurrent()
    policy = policy_of(model)
    seen, mask = np.zeros(3, np.int8), np.ones(64, np.int8)
    assert [policy(seen, mask) for _ in range(3)] == [37] * 3
    policy.begin()  # type: ignore[attr-defined]
    policy(seen, mask)
    assert model.masks == [0, 1, 2, 0]


def test_what_takes_the_observation_alone_gets_no_more() -> None:
    class Plain:
        def predict(self, observation: Any) -> int:
            return int(observation.sum())

    assert policy_of(Plain())(np.ones(5, np.int8), np.ones(9, np.int8)) == 5


@pytest.mark.parametrize("thing", [5, "x", Masked, None])
def test_what_cannot_play_is_refused(thing: Any) -> None:
    with pytest.raises(TypeError, match="a policy is a function"):
        envs.PolicyBot(thing)
