"""The examples of docs/howto/coming-from-other-environments.md run, and its tables say what is so."""

from __future__ import annotations

import re
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from arbiter.envs import dou_dizhu_v4

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "coming-from-other-environments.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_examples_run_to_the_end(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    exec(compile(BLOCKS[number], PAGE.name, "exec"), names)
    if "play" in names:
        assert sum(names["returns"]) in (1, -1, 3, -3)  # type: ignore[call-overload]
    elif "room" in names:
        assert names["result"].matches == 3  # type: ignore[attr-defined]
    elif "payoffs" in names:
        assert sorted(names["payoffs"]) in ([-1, -1, 1], [-1, 1, 1])  # type: ignore[call-overload]
    else:
        env = names["env"]
        assert getattr(env, "gameFinished", getattr(env, "over", None)) or env.agents == []  # type: ignore[attr-defined]


def test_rlcards_ways_come_back_with_the_flag_and_only_with_it() -> None:
    new, old = (dou_dizhu_v4.env(compat=compat) for compat in (None, "rlcard-1.2.0"))
    for env in (new, old):
        env.reset(seed=0)
    assert (new.infos["peasant_0"], old.infos["peasant_0"]) == ({}, {"legal_moves": []})
    waiting = [env.observe("peasant_1")["action_mask"] for env in (new, old)]
    assert [mask.any() for mask in waiting] == [False, True]


def test_spaces_of_all_agents_are_there_by_their_old_names() -> None:
    env = dou_dizhu_v4.env()
    for agent in env.possible_agents:
        assert env.observation_spaces[agent] is env.observation_space(agent)
        assert env.action_spaces[agent] is env.action_space(agent)


@pytest.mark.parametrize("rules", ["book", "gym2"])
def test_rewards_and_the_end_of_a_match_of_chefs_hat(rules: str) -> None:
    env = gymnasium.make("arbiter/ChefsHat-v1", rules=rules, matches=2).unwrapped
    _, info = env.reset(seed=3)
    assert len(info) == 23
    terminated, rewards, scores = [], [], []
    chance = np.random.default_rng(1)
    while not env.over:
        _, reward, over, _, info = env.step(chance.choice(env.legal_ids()))
        terminated.append(over)
        rewards.append(reward)
        scores.append(max(info["Match_Score"]))
    book = rules == "book"
    assert terminated.count(True) == (1 if book else 2)
    assert book or not any(rewards)
    assert scores.count(3) == (2 if book else 1)
