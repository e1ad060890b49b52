"""The form of observations, masks and infos, and how ended matches of a vector environment begin again."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import NormalizeObservation

from arbiter import envs
from arbiter.errors import ConfigError
from tests.envs.forms import SHORT, last

FORM: dict[str, Any] = {
    "mask": "both", "keys": ("observations", "mask"), "dtype": "float32", "waiting": "all", "infos": "numeric",
}  # fmt: skip


def turns(game: str, **options: Any) -> Any:
    return gymnasium.make("arbiter/Planning-v0", game=game, disable_env_checker=True, **options).unwrapped


def steps(env: Any) -> list[tuple[Any, dict[str, Any], bool]]:
    """Observation, info and whether the match is over, along a match that an illegal move ends."""
    found = [(*env.reset(seed=1), False)]
    for step in range(1000):
        _, info, over = found[-1]
        if over:
            break
        legal = np.flatnonzero(info["mask"])
        action = legal[0] if step < 2 else np.flatnonzero(info["mask"] == 0)[0]
        observation, _, over, cut, info = env.step(int(action))
        assert not cut
        found.append((observation, info, over))
    return found


def all_alike(infos: list[dict[str, Any]]) -> bool:
    """Whether infos have the same keys, and numbers of the same shapes."""
    shapes: list[dict[str, Any]] = infos
    assert all(value.dtype.kind in "if" for info in shapes for value in info.values())
    return len({tuple((key, value.shape) for key, value in info.items()) for info in shapes}) == 1


@pytest.mark.parametrize("make", [turns, envs.single])
@pytest.mark.parametrize("game", SHORT)
def test_gymnasiums_environments_take_a_form(make: Any, game: str) -> None:
    env = make(game, **SHORT[game], **FORM)
    found = steps(env)
    for observation, info, over in found:
        assert env.observation_space.contains(observation)
        assert observation["observations"].dtype == observation["mask"].dtype == np.float32
        assert np.array_equal(observation["mask"], info["mask"])
        assert not over or info["mask"].all()
    assert all_alike([info for _, info, _ in found])
    assert [info["illegal"] for _, info, _ in found] == [*[0] * (len(found) - 1), 1]


@pytest.mark.parametrize("game", SHORT)
def test_pettingzoos_environments_take_a_form(game: str) -> None:
    env, single = envs.parallel(game, **SHORT[game], **FORM), envs.aec(game, **SHORT[game], **FORM)
    observations, infos = env.reset(seed=2)
    single.reset(seed=2)
    for _ in range(5):
        views = {agent: single.observe(agent)["observations"] for agent in env.agents}
        for agent in env.agents:
            assert env.observation_space(agent).contains(observations[agent])
            assert infos[agent]["mask"].all() == (not env.legal_ids(agent))
        assert env.state_space.contains(env.state())
        if env.play.state == single.play.state:
            assert np.array_equal(single.state(), np.concatenate([*views.values()]))
            assert single.infos[single.agent_selection]["mask"].any()
        actions = {agent: (env.legal_ids(agent) or [0])[0] for agent in env.agents}
        for agent in [agent for agent in env.agents if env.legal_ids(agent)]:
            single.step(actions[agent])
        observations, _, over, _, infos = env.step(actions)
        assert all_alike([*infos.values(), *single.infos.values()])
        if any(over.values()):
            break


def test_wrong_options_of_a_form_are_named() -> None:
    wrong: tuple[dict[str, Any], ...] = ({"mask": "obs"}, {"waiting": 1}, {"infos": None}, {"dtype": "int16"})
    for options in (*wrong, {"keys": ["a", "a"]}, {"keys": 3}):
        with pytest.raises(ConfigError, match=next(iter(options))):
            envs.parallel("planning", **options)
    with pytest.raises(ConfigError, match="waiting"):
        envs.batch("planning", 2, waiting="all")
    with pytest.raises(ConfigError, match="autoreset_mode"):
        gymnasium.make_vec("arbiter/Planning-v0", num_envs=1, autoreset_mode="never")


@pytest.mark.parametrize("game", SHORT)
def test_a_batch_returns_the_type_asked_for(game: str) -> None:
    own, floats = (envs.batch(game, 3, dtype=dtype, **SHORT[game]) for dtype in (None, "float32"))
    assert floats.observations().dtype == np.float32
    assert np.array_equal(own.observations(), floats.observations())


@pytest.mark.parametrize("in_c", [True, False])
def test_matches_that_wait_stay_as_they_are(in_c: bool) -> None:
    games = envs.batch("codepiece", 3) if in_c else envs.Batch("codepiece", 3)
    before, turns = games.observations(), games.turns
    games.step([-1, games.legal_ids()[0][0], -1], np.array([True, False, True]))
    same = [np.array_equal(one, other) for one, other in zip(before, games.observations(), strict=True)]
    assert same == [True, False, True] == (games.turns == turns).tolist()
    with pytest.raises(ValueError, match="from 0 to 62"):
        games.step([0, -1, 0], np.array([True, False, True]))


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("game", SHORT)
def test_agents_of_many_matches_play_as_the_one_of_each(game: str, mode: AutoresetMode) -> None:
    """The same observations, masks and rewards, and the next match when Gymnasium's mode begins it."""
    options: Any = {"game": game, "opponents": last, "seat": "rotate", **SHORT[game]}
    together: Any = gymnasium.make_vec("arbiter/DouDizhu-v0", num_envs=2, autoreset_mode=mode, **options)
    alone: list[Any] = [envs.single(**options) for _ in range(2)]
    seen, infos = together.reset(seed=5)
    now, over, ended = [env.reset(seed=5 + number) for number, env in enumerate(alone)], np.zeros(2, bool), 0
    for step in range(90):
        for number, (view, info) in enumerate(now):
            assert np.array_equal(seen[number], view)
            assert np.array_equal(infos["action_mask"][number], info["action_mask"])
        if over.any() and mode is AutoresetMode.DISABLED:
            with pytest.raises(RuntimeError, match="have ended"):
                together.step([0, 0])
            seen, infos = together.reset(options={"reset_mask": over})
            now = [env.reset() if over[k] else now[k] for k, env in enumerate(alone)]
            over[:] = False
            continue
        begins = over if mode is AutoresetMode.NEXT_STEP else np.zeros(2, bool)
        chosen = [0 if begins[k] else now[k][1]["legal_ids"][step % 2 - 1] for k in range(2)]
        seen, rewards, over, _, infos = together.step(chosen)
        for number, env in enumerate(alone):
            if begins[number]:
                now[number], reward, done = env.reset(), 0.0, False
            else:
                view, reward, done, _, info = env.step(chosen[number])
                now[number] = view, info
            assert (rewards[number], over[number]) == (reward, done)
            ended += done
            if done and mode is AutoresetMode.SAME_STEP:
                assert np.array_equal(infos["final_obs"][number], now[number][0])
                now[number] = env.reset()
    assert ended > 3


def test_opponents_of_many_matches_depend_on_the_seed_alone() -> None:
    def play(seed: int) -> list[Any]:
        env: Any = gymnasium.make_vec("arbiter/Planning-v0", num_envs=3, opponents="random", deals=[[2, 0]])
        _, infos = env.reset(seed=seed)
        return [infos := env.step(infos["action_mask"].argmax(axis=1))[4] for _ in range(9)]

    masks = [[info["action_mask"].tolist() for info in play(seed)] for seed in (1, 1, 2)]
    assert masks[0] == masks[1] != masks[2]


def test_an_illegal_choice_of_a_policy_is_named() -> None:
    options: Any = {"opponents": lambda *_: 13, "seat": 3}
    env = gymnasium.make_vec("arbiter/Planning-v0", num_envs=2, **options)
    with pytest.raises(ValueError, match="wants 13, which is illegal: match 0, seat 0"):
        env.reset(seed=1)


def test_a_reset_mask_is_as_many_booleans_as_matches() -> None:
    env = gymnasium.make_vec("arbiter/Planning-v0", num_envs=2, autoreset_mode="DISABLED")
    env.reset(seed=1)
    for wrong in ([True], [1, 0], [False, False], "no"):
        with pytest.raises(ConfigError, match="reset_mask"):
            env.reset(options={"reset_mask": wrong})


def test_gymnasiums_wrappers_of_observations_take_the_next_step() -> None:
    env = gymnasium.make_vec("arbiter/Codepiece-v0", num_envs=2, autoreset_mode=AutoresetMode.NEXT_STEP)
    seen, _ = NormalizeObservation(env).reset(seed=1)
    assert seen.shape == (2, 233)


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="PettingZoo has a registry since 1.27")
@pytest.mark.parametrize("kind", ["aec", "parallel"])
def test_pettingzoo_makes_environments_by_name(kind: Any) -> None:
    envs.register()
    env: Any = pettingzoo.make(kind, "arbiter/ChefsHat-v0", matches=1)
    assert env.play.game.options["matches"] == 1
