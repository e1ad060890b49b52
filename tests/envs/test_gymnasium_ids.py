"""What Gymnasium makes by the names that the package brings."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from arbiter import envs
from arbiter.errors import ConfigError

IDS = [f"arbiter/{name}-v0" for name in envs.GAMES]
SIDE_BY_SIDE = [*IDS, "arbiter/ChefsHat-v1"]
VECTOR = "vector_entry_point"


@pytest.mark.process
def test_a_name_with_its_module_needs_no_import() -> None:
    code = (
        "import gymnasium\n"
        f"for name in {SIDE_BY_SIDE}:\n"
        "    gymnasium.make('arbiter.envs:' + name).reset(seed=1)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_entry_point_makes_all_names_known(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = [point for point in entry_points(group="gymnasium.envs") if "arbiter" in point.value]
    registry: dict[str, object] = {}
    monkeypatch.setattr(gymnasium, "registry", registry)
    monkeypatch.setattr(gymnasium.envs.registration, "registry", registry)
    found.load()()
    assert {*SIDE_BY_SIDE, "arbiter/Single-v0", "chefshat-v1"} == set(registry)


@pytest.mark.parametrize("name", IDS)
def test_gymnasiums_own_check(name: str) -> None:
    check_env(gymnasium.make(name).unwrapped, skip_render_check=True)


def test_options_are_those_of_the_game() -> None:
    env: Any = gymnasium.make("arbiter/Planning-v0", seats=2, deals=[[1, 0]]).unwrapped
    assert env.play.game.seats == 2
    with pytest.raises(ConfigError, match="fishes"):
        gymnasium.make("arbiter/Planning-v0", fishes=2)
    with pytest.raises(ConfigError, match="fishes"):
        gymnasium.make_vec("arbiter/DouDizhu-v0", num_envs=2, fishes=2)


def test_with_opponents_it_is_the_environment_of_one_agent() -> None:
    env = gymnasium.make("arbiter/Codepiece-v0", opponents="random", seat=2).unwrapped
    assert isinstance(env, envs.SingleEnv)
    assert env.reset(seed=1)[1]["seat"] == 2
    with pytest.raises(ConfigError, match='expected "random" or a policy'):
        gymnasium.make_vec("arbiter/Codepiece-v0", num_envs=2, opponents="rules")


def test_matches_are_written_down(tmp_path) -> None:
    file = tmp_path / "games.csv"
    env: Any = gymnasium.make("arbiter/Planning-v0", dataset=str(file), deals=[[1, 0]]).unwrapped
    env.reset(seed=1)
    for _ in range(8):
        _, _, over, _, _ = env.step(int(env.action_masks().argmax()))
    assert over
    env.close()
    assert "end_match" in file.read_text()


@pytest.mark.parametrize("name", SIDE_BY_SIDE)
def test_side_by_side_each_match_is_the_one_made_alone(name: str) -> None:
    together = gymnasium.make_vec(name, num_envs=3, vectorization_mode=VECTOR)
    game = envs.GAMES.get(name.split("/")[1].removesuffix("-v0"), "chefs_hat")
    alone = [gymnasium.make("arbiter/Planning-v0", game=game, disable_env_checker=True) for _ in range(3)]
    observations, infos = together.reset(seed=40)
    starts = [env.reset(seed=40 + number) for number, env in enumerate(alone)]
    now = [info for _, info in starts]
    ended = 0
    for number, (observation, _) in enumerate(starts):
        assert np.array_equal(observations[number], observation)
    for step in range(500):
        for number, info in enumerate(now):
            assert np.flatnonzero(infos["action_mask"][number]).tolist() == info["legal_ids"]
            assert infos["seat"][number] == info["seat"]
        chosen = [info["legal_ids"][step * 7 % len(info["legal_ids"])] for info in now]
        observations, rewards, over, cut, infos = together.step(np.array(chosen))
        assert not cut.any()
        for number, env in enumerate(alone):
            observation, reward, done, _, now[number] = env.step(chosen[number])
            assert (rewards[number], over[number]) == (reward, done)
            if done:
                ended += 1
                assert np.array_equal(infos["final_obs"][number], observation)
                assert np.array_equal(infos["final_info"]["rewards"][number], now[number]["rewards"])
                observation, now[number] = env.reset()
            assert np.array_equal(observations[number], observation)
    assert ended


def test_side_by_side_the_next_match_begins_in_the_same_step() -> None:
    env: Any = gymnasium.make_vec("arbiter/Planning-v0", num_envs=2)
    assert env.autoreset_mode is env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


def test_steps_may_share_their_arrays() -> None:
    env = gymnasium.make_vec("arbiter/DouDizhu-v0", num_envs=2, copy=False)
    observations, infos = env.reset(seed=1)
    mask = infos["action_mask"]
    again, _, _, _, infos = env.step(mask.argmax(axis=1))
    assert again is observations
    assert infos["action_mask"] is mask
    apart = gymnasium.make_vec("arbiter/DouDizhu-v0", num_envs=2)
    first, infos = apart.reset(seed=1)
    assert apart.step(infos["action_mask"].argmax(axis=1))[0] is not first


def test_gymnasiums_wrappers_of_vectors_work() -> None:
    env = RecordEpisodeStatistics(gymnasium.make_vec("arbiter/Codepiece-v0", num_envs=4))
    _, infos = env.reset(seed=3)
    lengths = []
    for _ in range(400):
        _, _, over, _, infos = env.step(infos["action_mask"].argmax(axis=1))
        if over.any():
            lengths += infos["episode"]["l"][over].tolist()
    assert lengths
    assert env.observation_space.contains(env.observation_space.sample())


def test_seeds_of_side_by_side() -> None:
    env: Any = gymnasium.make_vec("arbiter/Planning-v0", num_envs=2)
    with pytest.raises(RuntimeError, match="call reset"):
        env.step([0, 0])
    first, _ = env.reset(seed=[5, 6])
    assert np.array_equal(env.reset(seed=5)[0], first)
    assert not np.array_equal(env.reset()[0], first)
    for wrong, error in (([1], ValueError), (-1, ValueError), (True, TypeError), ("x", TypeError)):
        with pytest.raises(error, match="integer"):
            env.reset(seed=wrong)
    with pytest.raises(ConfigError, match="deals"):
        env.reset(options={"deals": []})
