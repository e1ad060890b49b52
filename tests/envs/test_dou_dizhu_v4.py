"""`dou_dizhu_v4` against games recorded from RLCard 1.2.0 and PettingZoo 1.20.1, bit for bit."""

from __future__ import annotations

from base64 import b64decode
from hashlib import sha1
from itertools import zip_longest
from typing import Any

import numpy as np
import pytest

from arbiter import envs
from arbiter.envs import dou_dizhu_v4
from arbiter.envs.dou_dizhu_v4 import AGENTS
from arbiter.errors import ConfigError
from arbiter.games.dou_dizhu.combinations import PASS, table
from tests.fixtures.recorded_games import games

RLCARD = "rlcard-1.2.0"


def packed(vector):
    """Bytes as `numpy.packbits` makes them of cells that are all 0 or 1."""
    assert vector.dtype == np.int8
    assert set(np.unique(vector)) <= {0, 1}
    return np.packbits(vector).tobytes()


def hands_of(env):
    return [env.play.game.hand_text(env.play.game.hand(env.play.state, seat)) for seat in range(3)]


@pytest.fixture(scope="module")
def rlcard_games():
    return games("dou_dizhu/rlcard_games")


@pytest.fixture(scope="module")
def pettingzoo_games():
    return games("dou_dizhu/pettingzoo_games")


def test_deals_observations_and_legal_actions_are_those_of_rlcard(rlcard_games):
    env = dou_dizhu_v4.env(opponents_hand_visible=True, compat=RLCARD)
    for game in rlcard_games:
        env.reset(seed=game["seed"])
        assert hands_of(env) == game["hands"]
        assert sorted(map(env.play.game.card_name, env.play.deal.extra)) == sorted(game["extra"])
        for step in game["steps"]:
            agent = env.agent_selection
            assert agent == AGENTS[step["p"]]
            assert packed(env.vector(agent)) == b64decode(step["obs"])
            assert env.legal_ids(agent) == step["legal"]
            env.step(step["a"])
        assert [packed(env.vector(agent)) for agent in AGENTS] == [b64decode(o) for o in game["end_obs"]]
        won = [1.0 if payoff else -1.0 for payoff in game["payoffs"]]
        assert env.rewards == dict(zip(AGENTS, won, strict=True))


def test_the_default_is_right_where_rlcard_is_not(rlcard_games):
    env = dou_dizhu_v4.env(opponents_hand_visible=True)
    different = 0
    for game in rlcard_games:
        env.reset(seed=game["seed"])
        for step in game["steps"]:
            vector = env.vector(env.agent_selection)
            assert sha1(vector.tobytes()).hexdigest()[:16] == step["fix"]
            different += packed(vector) != b64decode(step["obs"])
            env.step(step["a"])
        # RLCard counts no cards left as the most there can be.
        for seat, agent in enumerate(AGENTS):
            left = env.vector(agent)[864:] if seat else env.vector(agent)[756:]
            places = np.flatnonzero(left).tolist()
            widths = (20, 17) if seat else (17, 17)
            others = (0, 3 - seat) if seat else (2, 1)
            expected = [
                at + game["num_left"][other] - 1
                for other, at in zip(others, (0, widths[0]), strict=True)
                if game["num_left"][other]
            ]
            assert places == expected
    assert different > 1000


def test_the_whole_course_is_that_of_pettingzoo(pettingzoo_games):
    for game in pettingzoo_games:
        env = dou_dizhu_v4.env(opponents_hand_visible=game["visible"], compat=RLCARD)
        env.reset(seed=game["seed"])
        assert hands_of(env) == game["deal"]
        for step, following in zip_longest(game["steps"], game["steps"][1:]):
            agent = env.agent_selection
            assert agent == step["agent"]
            seen, reward, terminated, truncated, info = env.last()
            assert np.flatnonzero(seen["action_mask"]).tolist() == step["mask"]
            assert len(seen["observation"]) == step["len"]
            assert packed(seen["observation"]) == b64decode(step["obs"])
            assert (reward, terminated, truncated) == (step["reward"], step["done"], False)
            assert info == step["info"]
            if step["others_mask_equal"] is not None:
                waiting = [other for other in env.agents if other != agent]
                same = [np.array_equal(env.observe(o)["action_mask"], seen["action_mask"]) for o in waiting]
                assert all(same) == step["others_mask_equal"]
            env.step(step["a"])
            assert env.rewards == step["rewards_after"]
            assert env._cumulative_rewards == step["cum_after"]
            assert env.terminations == step["dones_after"]
            assert env.agents == step["agents"]
            if following:
                assert env.agent_selection == step["next"] == following["agent"]


def test_hidden_hands_are_left_out(rlcard_games):
    game = rlcard_games[0]
    hidden, visible = (dou_dizhu_v4.env(opponents_hand_visible=visible) for visible in (False, True))
    for env in (hidden, visible):
        env.reset(seed=game["seed"])
    for step in game["steps"]:
        for agent in AGENTS:
            shown = visible.vector(agent)
            assert hidden.vector(agent).tolist() == [*shown[:54], *shown[108:]]
        for env in (hidden, visible):
            env.step(step["a"])
    sizes = [
        [env.observation_space(agent)["observation"].shape for agent in AGENTS] for env in (hidden, visible)
    ]
    assert sizes == [[(736,), (847,), (847,)], [(790,), (901,), (901,)]]
    assert {env.action_space(agent).n for env in (hidden, visible) for agent in AGENTS} == {27472}


def test_a_deal_that_was_refused_takes_nothing_from_the_source():
    one, two = dou_dizhu_v4.env(), dou_dizhu_v4.env()
    for env in (one, two):
        env.reset(seed=5)
    with pytest.raises(ConfigError):
        one.reset(options={"deals": []})
    for env in (one, two):
        env.reset()
    assert hands_of(one) == hands_of(two)


@pytest.mark.parametrize("compat", [None, RLCARD])
def test_an_illegal_move_ends_it_also_as_the_first_one(compat):
    env = dou_dizhu_v4.env(compat=compat)
    env.reset(seed=0)
    legal = env.legal_ids("landlord_0")
    env.step(PASS)
    assert env.rewards == {"landlord_0": -1.0, "peasant_0": 0.0, "peasant_1": 0.0}
    assert all(env.terminations.values())
    # RLCard's wrapper leaves everybody with the mask of the move that was refused.
    left = legal if compat else []
    for agent in AGENTS:
        assert env.agent_selection == agent
        assert np.flatnonzero(env.last()[0]["action_mask"]).tolist() == left
        assert env.legal_ids(agent) == []
        info: dict[str, object] = (
            {"legal_moves": []}
            if compat
            else {"illegal": "pass: the seat that leads may not pass"}
            if agent == "landlord_0"
            else {}
        )
        assert env.infos[agent] == info
        env.step(None)
    assert env.agents == []


def test_given_deals_have_their_landlord_in_the_first_place():
    env = dou_dizhu_v4.env()
    deal = {"hands": [["5"], ["3", "4"], ["6", "7"]], "landlord": 1}
    env.reset(options={"deals": [deal]})
    assert hands_of(env) == ["34", "67", "5"]
    env.step(dou_dizhu_v4.action_id("3"))
    env.step(dou_dizhu_v4.action_id("7"))
    env.step(dou_dizhu_v4.action_id("pass"))
    env.step(dou_dizhu_v4.action_id("pass"))
    env.step(dou_dizhu_v4.action_id("6"))
    assert env.rewards == {"landlord_0": -1.0, "peasant_0": 1.0, "peasant_1": 1.0}
    env.reset(seed=0)
    assert hands_of(env)[0] == "33444679TTJQQKKAA2BR"


def test_names_of_actions():
    assert dou_dizhu_v4.action_name(379) == "34567"
    assert dou_dizhu_v4.action_id("44433") == dou_dizhu_v4.action_id("33444")
    assert [dou_dizhu_v4.action_id(dou_dizhu_v4.action_name(i)) for i in range(0, 27472, 97)] == list(
        range(0, 27472, 97)
    )
    ids: tuple[Any, ...] = (np.int64(27470), np.int64(27471))
    assert [dou_dizhu_v4.action_name(i) for i in ids] == ["BR", "pass"]
    assert dou_dizhu_v4.action_id(table().names[0]) == 0
    wrongs: tuple[Any, ...] = ("35", "X", "", 7, None)
    for wrong in wrongs:
        with pytest.raises(ValueError, match="not a combination"):
            dou_dizhu_v4.action_id(wrong)
    with pytest.raises(ValueError, match="0 to 27471"):
        dou_dizhu_v4.action_name(27472)


@pytest.mark.parametrize("build", [dou_dizhu_v4.env, dou_dizhu_v4.raw_env, dou_dizhu_v4.parallel_env])
def test_whether_hands_are_visible_may_be_said_without_its_name(build):
    sizes = [build(visible).observation_space("landlord_0")["observation"].shape for visible in (False, True)]
    assert sizes == [(736,), (790,)]


def test_options_that_cannot_be():
    with pytest.raises(ConfigError, match=r"rlcard-1\.2\.0"):
        dou_dizhu_v4.env(compat="rlcard")


def test_observations_may_be_written_to():
    env = dou_dizhu_v4.env()
    env.reset(seed=0)
    seen = env.observe("landlord_0")
    seen["observation"][:] = 0
    seen["action_mask"][:] = 0
    assert env.observe("landlord_0")["observation"].any()
    assert env.observe("landlord_0")["action_mask"].any()


def test_side_by_side_refuses_what_cannot_be() -> None:
    assert type(envs.batch("dou_dizhu_v4", n=2, seed=1)) is type(dou_dizhu_v4.batch(2))
    for wrong, error in ((0, ValueError), (True, TypeError)):
        with pytest.raises(error, match="number of matches"):
            dou_dizhu_v4.batch(wrong)
    with pytest.raises(TypeError, match="a seed of dou_dizhu_v4 is an integer"):
        dou_dizhu_v4.batch(2, seed="x")  # type: ignore[arg-type]
