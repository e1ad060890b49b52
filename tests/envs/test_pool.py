"""Past policies as opponents, drawn by their ratings."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from arbiter import envs
from arbiter.errors import ConfigError
from tests.envs.forms import first, last, to_the_end


def pool_of(*policies: Any) -> envs.Pool:
    pool = envs.Pool()
    for policy in policies:
        pool.add(policy, policy.__name__)
    return pool


def test_without_results_all_members_are_as_likely() -> None:
    assert pool_of(first, last).odds() == {"first": 0.5, "last": 0.5}


def test_those_who_are_as_strong_as_the_learner_are_drawn_most() -> None:
    pool = pool_of(first, last)
    for number in range(60):
        pool.note([pool.learner, "first"], [number % 2, 1 - number % 2])
        pool.note([pool.learner, "last"], [1, 0])
    odds, elo = pool.odds(), pool.ratings()
    assert sum(odds.values()) == pytest.approx(1)
    assert odds["first"] > 4 * odds["last"] > 0
    assert elo["first"] > elo["last"]
    drawn = [pool.draw(str(seed))[0] for seed in range(300)]
    assert drawn.count("first") / 300 == pytest.approx(odds["first"], abs=0.08)


def test_an_illegal_move_of_the_learners_is_lost_to_all() -> None:
    pool = pool_of(first, last)
    for _ in range(5):
        pool.note([pool.learner, "first", "last"], None, faulty=0)
    elo = pool.ratings()
    assert elo[pool.learner] < min(elo["first"], elo["last"])


def test_members_sit_at_the_table_under_their_names_and_get_results() -> None:
    pool = pool_of(first, last)
    env = envs.single("chefs_hat", pool, seat="rotate", matches=1)
    seen = set()
    for number in range(8):
        to_the_end(env, seed=1 if number == 0 else None)
        seen |= {name.split()[1] for name in env._names_by_seat()}
    assert seen == {"agent", "first", "last"}
    assert set(pool.ratings()) == {"first", "last", "learner-2"}
    assert any(pool.ratings().values())


def test_others_at_the_table_are_rated_with_the_members() -> None:
    pool = pool_of(first)
    env = envs.single("chefs_hat", [pool, "random", pool], matches=1)
    for seed in range(3):
        to_the_end(env, seed)
    assert set(pool.ratings()) == {"first", "random", "learner-1"}


def test_the_learner_has_a_new_name_with_each_member() -> None:
    pool = pool_of(first)
    assert (len(pool), pool.learner) == (1, "learner-1")
    assert pool.add(last) == "past-2"
    assert (len(pool), pool.learner) == (2, "learner-2")


def test_the_same_seed_draws_the_same_members() -> None:
    names = []
    for _ in range(2):
        env = envs.single("chefs_hat", pool_of(first, last), matches=1)
        env.reset(seed=4)
        names.append(env._names_by_seat())
    assert names[0] == names[1]


def test_a_copied_environment_has_a_pool_of_its_own() -> None:
    pool = pool_of(first)
    env = copy.deepcopy(envs.single("chefs_hat", pool, matches=1))
    to_the_end(env, 1)
    assert not any(pool.ratings().values())


def test_what_cannot_be_is_refused() -> None:
    pool = pool_of(first)
    with pytest.raises(ConfigError, match="a member 'first' already"):
        pool.add(last, "first")
    with pytest.raises(TypeError, match="a policy is a function"):
        pool.add(5)
    with pytest.raises(ConfigError, match="the pool is empty"):
        envs.single("codepiece", envs.Pool()).reset()
