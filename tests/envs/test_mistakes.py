"""One rule for seeds and errors in all environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded

from arbiter import envs
from arbiter.envs import dou_dizhu_v4
from arbiter.envs.chefs_hat import Room
from arbiter.envs.codepiece import Engine

if TYPE_CHECKING:
    from collections.abc import Callable


def chefs_hat() -> Any:
    return gymnasium.make(envs.CHEFS_HAT, matches=1).unwrapped


def room_played(seed: Any) -> object:
    def first(seen: Any, info: Any) -> int:
        return int(np.flatnonzero(seen[28:] == 1)[0])

    return Room(dict.fromkeys("abcd", first), rules="gym2", matches=1).play(seed=seed)


SEEDED: dict[str, Callable[[Any], object]] = {
    "aec": lambda seed: envs.aec("planning").reset(seed=seed),
    "parallel": lambda seed: envs.parallel("planning").reset(seed=seed),
    "single": lambda seed: envs.single("planning").reset(seed=seed),
    "batch": lambda seed: envs.batch("planning", n=2, seed=seed),
    "ChefsHat-v1": lambda seed: chefs_hat().reset(seed=seed),
    "Room": room_played,
    "dou_dizhu_v4": lambda seed: dou_dizhu_v4.env().reset(seed=seed),
    "Engine": lambda seed: Engine(seed=seed),
}
NUMBERS_ALONE = ("dou_dizhu_v4", "Engine")


@pytest.mark.parametrize("name", SEEDED)
def test_a_seed_is_an_integer_from_0_of_any_kind_or_none(name: str) -> None:
    for seed in (0, np.int64(7), np.array(7), None):
        SEEDED[name](seed)
    for wrong in (True, 1.5, [1], b"x"):
        with pytest.raises(TypeError, match=r"a seed .*is an integer from 0"):
            SEEDED[name](wrong)
    with pytest.raises(ValueError, match=r"a seed .*is an integer from 0"):
        SEEDED[name](-1)


@pytest.mark.parametrize("name", SEEDED)
def test_a_seed_may_be_a_string_but_where_the_source_of_chance_takes_none(name: str) -> None:
    if name in NUMBERS_ALONE:
        with pytest.raises(TypeError, match=r"a seed .*is an integer from 0"):
            SEEDED[name]("spring")
    else:
        SEEDED[name]("spring")


def test_a_seed_of_numpy_deals_the_same_as_the_number() -> None:
    vectors = []
    for seed in (3, np.uint8(3)):
        env = envs.aec("codepiece")
        env.reset(seed=seed)
        vectors.append(env.vector("seat_0").tolist())
    assert vectors[0] == vectors[1]


def stepped(env: Any) -> Callable[[Any], object]:
    env.reset(seed=0)
    return env.step  # type: ignore[no-any-return]


def of_all_who_act(env: Any) -> Callable[[Any], object]:
    env.reset(seed=0)
    return lambda action: env.step(dict.fromkeys(env.agents, action))


def begun(engine: Engine) -> Callable[[Any], object]:
    engine.init_game()
    return engine.step


STEPPED: dict[str, Callable[[], Callable[[Any], object]]] = {
    "aec": lambda: stepped(envs.aec("planning")),
    "parallel": lambda: of_all_who_act(envs.parallel("planning")),
    "single": lambda: stepped(envs.single("planning")),
    "batch": lambda: lambda action: envs.batch("planning", n=1).step([action]),
    "ChefsHat-v1": lambda: stepped(chefs_hat()),
    "dou_dizhu_v4": lambda: stepped(dou_dizhu_v4.env()),
    "Engine": lambda: begun(Engine(seed=1)),
}


@pytest.mark.parametrize("name", STEPPED)
def test_an_action_of_another_type_is_a_type_error_and_one_that_is_none_a_value_error(name: str) -> None:
    step = STEPPED[name]()
    for wrong in (1.5, True, {}, object()):
        with pytest.raises(TypeError, match="action") as caught:
            step(wrong)
        assert isinstance(caught.value, InvalidAction)
    for wrong in (-1, 10**6):
        with pytest.raises(ValueError, match="action") as caught_too:
            step(wrong)
        assert isinstance(caught_too.value, InvalidAction)


EARLY: dict[str, Callable[[], object]] = {
    "aec": lambda: envs.aec("planning").step(0),
    "parallel": lambda: envs.parallel("planning").step({}),
    "single": lambda: envs.single("planning").step(0),
    "ChefsHat-v1": lambda: chefs_hat().step(0),
    "dou_dizhu_v4": lambda: dou_dizhu_v4.env().step(0),
    "Engine": lambda: Engine().step(0),
}


@pytest.mark.parametrize("name", EARLY)
def test_a_step_without_a_match_is_a_runtime_error(name: str) -> None:
    with pytest.raises(RuntimeError, match=r"call (reset|init_game)") as caught:
        EARLY[name]()
    assert isinstance(caught.value, ResetNeeded)
