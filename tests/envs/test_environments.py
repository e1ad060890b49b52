"""The PettingZoo environments of every game: PettingZoo's own tests, and what ours promise beyond them."""

from __future__ import annotations

import gzip
import json
import pickle
import pkgutil
import subprocess
import sys
from hashlib import sha1
from itertools import pairwise
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, performance_benchmark, seed_test
from pettingzoo.utils import wrappers

from arbiter import envs
from arbiter.envs import dou_dizhu_v4
from arbiter.envs.match_state import Play
from arbiter.envs.observers import observer_of
from arbiter.envs.observers.observer import AnyGameObserver
from arbiter.errors import ConfigError, IllegalAction
from arbiter.games import make
from arbiter.games.cards import Stream
from arbiter.games.codepiece import Codepiece
from arbiter.testing import match_spec, play_by_policy, random_policy
from tests.envs.forms import OPTIONS, made

DATA = Path(__file__).parents[1] / "data"
# PettingZoo warns of observations that are mappings unless the environment is on a list of its own.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Observations are different shapes"),
    pytest.mark.filterwarnings("error:.*seat_"),
]


@pytest.fixture(params=OPTIONS)
def kind(request):
    return request.param


@pytest.fixture(params=[*OPTIONS, "dou_dizhu_v4", "any game"])
def builders(request):
    """How to make the two forms of an environment."""
    kind = request.param
    if kind == "dou_dizhu_v4":
        return dou_dizhu_v4.env, dou_dizhu_v4.parallel_env
    if kind == "any game":
        game = make("codepiece", {"dealers": [0]})
        forms = envs.GameEnv, envs.ParallelGameEnv
        agents = [f"seat_{seat}" for seat in range(4)]
        return tuple(
            lambda form=form, **more: form(Play(game), AnyGameObserver(game), agents, **more)
            for form in forms
        )
    return tuple(lambda build=build, **more: made(kind, build, **more) for build in (envs.aec, envs.parallel))


def to_the_end(env, seed=1, chance=None):
    """Play a match by lot; yields (agent, ids, action) before each action."""
    chance = chance or Random(seed)
    env.reset(seed=seed)
    while not env.terminations[agent := env.agent_selection]:
        ids = env.legal_ids(agent)
        action = chance.choice(ids)
        yield agent, ids, action
        env.step(action)


# PettingZoo's own tests, which draw their actions; a seat without cards may see nothing but zeros.
zeros = pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros")


@zeros
def test_pettingzoos_api_test(builders, capsys):
    api_test(builders[0](), num_cycles=100)


def test_pettingzoos_seed_test(builders):
    seed_test(builders[0], num_cycles=100)


@zeros
def test_pettingzoos_parallel_api_test(builders, capsys):
    parallel_api_test(builders[1](), num_cycles=100)


def test_pettingzoos_parallel_seed_test(builders):
    parallel_seed_test(builders[1], num_cycles=100)


@pytest.mark.parametrize(
    "build", [dou_dizhu_v4.env, lambda: envs.aec("planning")], ids=["dou_dizhu", "planning"]
)
def test_pettingzoos_performance_benchmark_runs(build, capsys, monkeypatch):
    # It plays for five seconds of wall time; a clock that leaps makes it one round.
    clock = iter(range(0, 1000, 4))
    module = sys.modules["pettingzoo.test.performance_benchmark"]
    monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: next(clock)))
    performance_benchmark(build())
    assert "turns per second" in capsys.readouterr().out


# Observations and masks.


def test_masks_and_observations_of_all_agents_along_a_match(kind):
    env = made(kind)
    for agent, ids, _ in to_the_end(env):
        assert ids == sorted(set(ids))
        assert ids
        for other in env.agents:
            seen = env.observe(other)
            assert env.observation_space(other).contains(seen)
            assert np.flatnonzero(seen["action_mask"]).tolist() == (ids if other == agent else [])
            assert seen["action_mask"].dtype == np.int8
            assert np.array_equal(seen["observation"], env.vector(other))
            assert env.legal_ids(other) == (ids if other == agent else [])
        assert set(env.rewards.values()) == {0}
    assert list(env.rewards.values()) == list(env.play.totals)
    assert all(not env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
    for agent in env.possible_agents:
        assert env.agent_selection == agent
        assert env.last()[1:4] == (env.play.totals[env.seat_of(agent)], True, False)
        env.step(None)
    assert not env.agents


def test_a_match_is_the_one_that_the_referee_deals(kind):
    """The deals of a seed are those of round 1 of a season, and the points those of the same actions."""
    env = made(kind)
    game = env.play.game
    record = play_by_policy(game, random_policy("envs"), match_spec(game, seed="envs"))
    env.reset(seed="envs")
    while not env.play.over:
        play = env.play
        env.step(Random(len(play.actions)).choice(env.legal_ids(env.agent_selection)))
    # Chef's Hat's later deals depend on play, their cards do not.
    for ours, theirs in zip(env.play.played, record.deals, strict=False):
        assert game.deal_json(ours.deal)["hands"] == theirs["hands"]


def test_the_next_match_without_a_seed_has_other_deals_that_the_seed_decides(kind):
    def deals(env):
        found = []
        env.reset(seed=7)
        for _ in range(3):
            found.append(env.play.deal.hands)
            env.reset()
        return found

    first = deals(made(kind))
    assert first == deals(made(kind))
    assert len(set(first)) == 3
    game = made(kind).play.game
    assert first[1] == game.deal(0, Stream.of_deal(7, 2, 0), None).hands


@pytest.mark.parametrize("name", ["planning", "codepiece", "dou_dizhu", "chefs_hat"])
def test_exchanging_hidden_cards_changes_no_observation(name):
    """What two others hold is swapped at the start: the first observation stays the same."""
    options: dict[str, Any] = {"deals": [[5, 0]]} if name == "planning" else {}
    env = envs.aec(name, **options)
    env.reset(seed=3)
    shape = env.play.game.deal_json(env.play.deal)
    chooser = env.agent_selection
    mine = env.seat_of(chooser)
    one, two = [seat for seat in range(len(env.possible_agents)) if seat != mine][:2]
    before = env.observe(chooser)
    hands = shape["hands"]
    hands[one], hands[two] = hands[two], hands[one]
    shape.pop("golden", None)
    env.reset(options={"deals": [shape]})
    after = env.observe(chooser)
    assert all(np.array_equal(before[key], after[key]) for key in before)


def test_declarations_of_others_are_not_seen_before_the_last():
    env = envs.aec("planning", deals=[[5, 2]])
    env.reset(seed=0)
    unseen = [env.vector(f"seat_{seat}") for seat in range(4)]
    for seat, number in enumerate((1, 2, 0)):
        assert env.agent_selection == f"seat_{seat}"
        env.step(number)
        for other in range(4):
            changed = set(np.flatnonzero(env.vector(f"seat_{other}") != unseen[other]))
            # Its own declaration, and who has yet to declare.
            assert changed - set(range(598, 602)) == ({468 + number} if other == seat else set())
            unseen[other] = env.vector(f"seat_{other}")
    env.step(3)
    shown = env.vector("seat_1")
    assert np.flatnonzero(shown[468:524]).tolist() == [2, 14 + 0, 28 + 3, 42 + 1]
    assert np.flatnonzero(shown[580:603]).tolist() == [5, 14 + 1, 18 + 1]


def test_planning_shows_what_was_played():
    env = envs.aec("planning", deals=[[3, 1]])
    env.reset(seed=4)
    for _ in range(4):
        env.step(0)
    names: dict[str, list[int]] = {}
    for _ in range(6):
        agent = env.agent_selection
        action = env.legal_ids(agent)[0]
        names.setdefault(agent, []).append(action - 14)
        env.step(action)
    state = env.play.state
    for seat in range(4):
        shown = env.vector(f"seat_{seat}")
        assert np.flatnonzero(shown[:52]).tolist() == list(env.play.game.hand(state, seat))
        for place in range(4):
            other = (seat + place) % 4
            played = np.flatnonzero(shown[52 + 52 * place :][:52]).tolist()
            assert played == sorted(names[f"seat_{other}"])
            taken = np.flatnonzero(shown[524 + 14 * place :][:14]).tolist()
            assert taken == [state.taken[other]]
        trick = np.flatnonzero(shown[260:468])
        assert [(at // 52 + seat) % 4 for at in trick] == sorted(
            ((state.leader + i) % 4 for i in range(2)), key=lambda other: (other - seat) % 4
        )


def test_planning_ids_do_not_depend_on_the_programme():
    for deals in ([[1, 0]], [[13, 0]], [[2, 0], [4, 1]]):
        env = envs.aec("planning", deals=deals)
        env.reset(seed=2)
        assert env.action_space("seat_0").n == 66
        assert [env.action_name(i) for i in (0, 13, 14, 65)] == ["0", "13", "2C", "AS"]
        for _ in range(4):
            env.step(0)
        hand = env.play.game.hand(env.play.state, 0)
        assert env.legal_ids("seat_0") == [14 + card for card in hand]
    # What nobody can declare in this programme is an illegal move, not some card.
    for action in (2, 13, 14):
        env = envs.aec("planning", deals=[[1, 0]])
        env.reset(seed=2)
        env.step(action)
        assert env.rewards["seat_0"] == -1


def test_codepiece_shows_what_the_published_engine_shows():
    with gzip.open(DATA / "codepiece" / "codepiece_games.jsonl.gz", "rt") as lines:
        games = [game for game in map(json.loads, lines) if game["type"] == "game"]
    env = envs.aec("codepiece")
    for game in games:
        env.reset(options={"deals": [{"hands": game["hands"], "dealer": game["dealer"]}]})
        for step in game["steps"]:
            agent = env.agent_selection
            assert agent == f"seat_{step['p']}"
            assert sha1(env.vector(agent).tobytes()).hexdigest()[:16] == step["obs"]
            assert env.legal_ids(agent) == step["mask"]
            assert env.action_name(step["id"]) == step["a"]
            env.step(step["id"])
        assert list(env.rewards.values()) == game["payoffs"]


def test_dou_dizhu_shows_roles_and_recent_actions():
    env = envs.aec("dou_dizhu", landlords=[1])
    env.reset(
        options={
            "deals": [{"hands": [["3", "7"], ["3", "B", "4"], ["5", "5"]], "landlord": 1, "extra": ["4"]}]
        }
    )
    for word in ("3", "5", "7"):
        env.step(dou_dizhu_v4.action_id(word))
    cells = {seat: np.flatnonzero(env.vector(f"seat_{seat}")).tolist() for seat in range(3)}
    common = [54 + 16, 108 + 6 * 54, 108 + 7 * 54 + 8, 108 + 8 * 54 + 16]  # 7 to beat; 3, 5, 7
    common += [594, 648 + 8, 702 + 16, 756, 810 + 8, 864 + 16]  # played, last of landlord, down, up
    common += [918 + 1, 938, 958]  # left: two, one, one
    common += [978 + 4]
    assert cells[1] == [4, 52, *common, 1032]
    assert cells[2] == [8, *common, 1033]
    assert cells[0] == [0, *common, 1034]


def test_chefs_hat_decides_the_exchange_in_single_cards():
    env = envs.aec("chefs_hat", matches=1, player_names=["a", "b", "c", "d"])
    hands = [["12", "2", "3", "11"], ["4", "4", "5", "11"], ["6", "6", "7", "11"], ["1", "9", "9", "12"]]
    roles = ["Chef", "Souschef", "Waiter", "Dishwasher"]
    env.reset(options={"deals": [{"hands": hands, "roles": roles}]})
    assert env.agent_selection == "seat_0"
    ids = {name: i for i, name in enumerate(map(env.action_name, range(200)))}
    assert env.legal_ids("seat_0") == sorted(
        ids[n] for n in ("C2;Q1;J0", "C3;Q1;J0", "C11;Q1;J0", "C0;Q0;J1")
    )
    before = {agent: env.vector(agent) for agent in env.agents}
    env.step(ids["C0;Q0;J1"])
    assert env.agent_selection == "seat_0"
    assert ids["C0;Q0;J1"] not in env.legal_ids("seat_0")
    env.step(ids["C2;Q1;J0"])
    assert env.agent_selection == "seat_1"
    assert env.legal_ids("seat_1") == sorted(ids[n] for n in ("C4;Q1;J0", "C5;Q1;J0", "C11;Q1;J0"))
    # Nobody sees a choice before the last is made.
    assert all(np.array_equal(env.vector(a)[:28], before[a][:28]) for a in env.agents)
    env.step(ids["C5;Q1;J0"])
    held = [sorted(env.play.state.hand(seat)) for seat in range(4)]
    assert held == [[1, 3, 9, 11], [4, 4, 6, 11], [5, 6, 7, 11], [2, 9, 12, 12]]
    shown = env.vector("seat_3")[11:28] * 13
    assert shown.round().astype(int).tolist() == [0] * 13 + [2, 9, 12, 12]
    # A card that is not held, or is no single card, is an illegal move.
    for action in ("C9;Q1;J0", "C2;Q2;J0", "pass"):
        env.reset(options={"deals": [{"hands": hands, "roles": roles}]})
        env.step(ids[action])
        assert env.rewards == {"seat_0": -1, "seat_1": 0, "seat_2": 0, "seat_3": 0}


@pytest.mark.parametrize(("declares", "asked_agent"), [(198, "seat_0"), (199, "seat_3")])
def test_chefs_hat_asks_for_the_special_action(declares, asked_agent):
    hands = [["12", "12", "3", "11"], ["4", "4", "5", "11"], ["6", "6", "7", "11"], ["1", "9", "9", "8"]]
    roles = ["Dishwasher", "Waiter", "Souschef", "Chef"]
    env = envs.aec("chefs_hat", matches=1)
    env.reset(options={"deals": [{"hands": hands, "roles": roles}]})
    assert env.agent_selection == "seat_0"
    assert env.legal_ids("seat_0") == [198, 199]
    env.step(declares)
    # A food fight reverses the roles.
    assert env.agent_selection == asked_agent


def test_chefs_hat_vectors_are_those_of_the_published_environment():
    """The encoding, from the recorded board, hand and possible actions; 2 stands for refused ones."""
    env = envs.aec("chefs_hat", rules="gym2", matches=1)
    seen = 0
    with gzip.open(DATA / "chefs_hat" / "chefshat_games.jsonl.gz", "rt") as lines:
        games = [game for game in map(json.loads, lines) if game["type"] == "game"]
    for game in games[:40]:
        match = game["matches"][0]
        hands = [list(map(str, hand)) for hand in match["hands"]]
        env.reset(options={"deals": [{"hands": hands, "opener": match["start"]}]})
        for step in match["steps"]:
            if step["tags"] or env.play.over:
                break
            agent = env.agent_selection
            assert agent == f"seat_{step['p']}"
            assert sha1(env.vector(agent).tobytes()).hexdigest()[:16] == step["obs"]
            env.step(step["a"])
            seen += 1
    assert seen > 200


@pytest.mark.parametrize("rules", ["book", "gym2"])
def test_chefs_hat_infos_are_those_of_the_gymnasium_form(rules):
    """The same deals and actions give the same info to the author, and the hidden form to others."""
    names = ["a", "b", "c", "d"]
    env = envs.aec("chefs_hat", rules=rules, matches=3, player_names=names)
    chance = Random(5)
    env.reset(seed=8)
    while not env.play.over:
        env.step(chance.choice(env.legal_ids(env.agent_selection)))
    game = env.play.game
    deals = [game.deal_record(deal.deal, deal.state) for deal in env.play.played]
    for deal in deals[1:]:
        if rules == "book":
            # To be decided once more, by steps.
            del deal["special"], deal["exchange"]
        deal["opener"] = None
    single: Any = gymnasium.make("arbiter/ChefsHat-v1", rules=rules, matches=3, player_names=names).unwrapped
    if rules == "gym2":
        for deal, played in zip(deals, env.play.played, strict=True):
            deal["opener"] = played.state.setting.opener
            deal.pop("forced", None)
    _, info = single.reset(options={"deals": deals})
    env.reset(options={"deals": deals})
    assert env.last()[4] == info
    steps = 0
    while not single.over:
        assert env.agent_selection == f"seat_{single.player}"
        assert tuple(env.legal_ids(env.agent_selection)) == tuple(single.legal_ids())
        action = chance.choice(single.legal_ids())
        single.step(action)
        env.step(action)
        told = [single.info_for(seat) for seat in range(4)]
        if any(info["Action_Random"] for info in told):
            # The two draw it from sources of their own.
            break
        assert env.last()[4] == told[env.seat_of(env.agent_selection)]
        assert [env.infos[agent] for agent in env.possible_agents] == told
        steps += 1
    assert env.play.over == (rules == "book")
    assert steps > (100 if rules == "book" else 20)


@pytest.mark.parametrize("rules", ["book", "gym2"])
def test_chefs_hat_infos_of_the_parallel_form_are_the_same(rules):
    one = envs.aec("chefs_hat", rules=rules, matches=2)
    all_ = envs.parallel("chefs_hat", rules=rules, matches=2)
    one.reset(seed=4)
    _, infos = all_.reset(seed=4)
    chance = Random(4)
    while True:
        assert infos == one.infos
        if not all_.agents:
            break
        mover = one.agent_selection
        action = chance.choice(one.legal_ids(mover)) if len(one.play.played) < 1 else 198
        one.step(action)
        *_, infos = all_.step(dict.fromkeys(all_.agents, action))
    assert "illegal" in infos[mover]


def test_chefs_hat_tells_the_author_why_a_move_was_illegal():
    env = envs.aec("chefs_hat", matches=1)
    env.reset(seed=1)
    author = env.agent_selection
    env.step(199)
    assert env.infos[author]["illegal"].startswith("pass: ")
    assert [env.infos[agent]["Action_Valid"] for agent in env.agents] == [False] * 4
    assert [env.infos[agent]["Observation_Before"] == "" for agent in env.agents].count(True) == 3


# Wrappers.


@zeros
@pytest.mark.parametrize(
    "wrap",
    [
        wrappers.OrderEnforcingWrapper,
        wrappers.AssertOutOfBoundsWrapper,
        lambda env: wrappers.TerminateIllegalWrapper(env, illegal_reward=-1),
    ],
    ids=["order", "bounds", "illegal"],
)
def test_pettingzoos_wrappers_go_around_it(wrap, builders, capsys):
    env = wrap(builders[0]())
    env.reset(seed=1)
    chance = Random(1)
    for agent in env.agent_iter(2000):
        seen, _, terminated, truncated, _ = env.last()
        ids = env.unwrapped.legal_ids(agent)
        assert np.flatnonzero(seen["action_mask"]).tolist() == ids
        env.step(None if terminated or truncated else chance.choice(ids))
    assert not env.agents
    api_test(wrap(builders[0]()), num_cycles=20)


def test_large_masks_behave_as_other_arrays():
    env = dou_dizhu_v4.env()
    env.reset(seed=1)
    mask = env.observe("landlord_0")["action_mask"]
    plain = np.array(mask)
    assert isinstance(mask, np.ndarray)
    assert type(plain) is np.ndarray
    assert mask.dtype == np.int8
    ids = env.legal_ids("landlord_0")
    for shown in (mask, plain):
        for found in (
            np.flatnonzero(shown),
            np.nonzero(shown)[0],
            np.where(shown)[0],
            np.argwhere(shown)[:, 0],
        ):
            assert found.tolist() == ids
        assert (shown.sum(), shown.max(), shown.any(), int(shown[ids[0]])) == (len(ids), 1, True, 1)
    assert type(mask.sum()) is type(plain.sum())
    assert type(mask == 1) is type(1 - mask) is np.ndarray
    assert np.array_equal(mask, pickle.loads(pickle.dumps(mask)))
    mask[ids[0]] = 7
    assert np.flatnonzero(mask).tolist() == ids
    # Samples are those of Gymnasium's own space.
    ours, theirs = env.action_space("landlord_0"), gymnasium.spaces.Discrete(27472)
    for seed in range(20):
        ours.seed(seed)
        theirs.seed(seed)
        mask = env.observe("landlord_0")["action_mask"]
        one, two = ours.sample(mask), theirs.sample(plain)
        assert (one, type(one)) == (two, type(two))
        assert ours.sample() == theirs.sample()
    assert ours.sample(np.zeros(27472, np.int8)) == ours.sample(env.observe("peasant_0")["action_mask"]) == 0
    assert ours == theirs
    with pytest.raises(AssertionError):
        ours.sample(plain[:5])


# Illegal moves, wrong calls.


def test_who_acts_illegally_pays_and_is_told_why(kind):
    env = made(kind)
    env.reset(seed=3)
    author = env.agent_selection
    env.step(max(set(range(env.action_space(author).n)) - set(env.legal_ids(author))))
    assert env.rewards == {agent: -1.0 if agent == author else 0.0 for agent in env.possible_agents}
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    assert ["illegal" in env.infos[agent] for agent in env.agents] == [
        agent == author for agent in env.agents
    ]
    if kind.startswith(("codepiece", "chefs_hat")):
        # Observations that have legal actions in them agree with the mask.
        cells = slice(156, 219) if kind == "codepiece" else slice(28, 228)
        assert not any(env.vector(agent)[cells].any() for agent in env.agents)


def test_steps_after_the_end(kind):
    env = made(kind)
    for _ in to_the_end(env):
        pass
    with pytest.raises(ValueError, match="seat_0 has terminated: the only step left to it is None"):
        env.step(0)
    for _ in env.possible_agents:
        env.step(None)
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        env.step(None)


def test_nothing_is_there_before_reset():
    env = envs.aec("codepiece")
    for name in ("agents", "agent_selection", "rewards", "terminations", "infos"):
        with pytest.raises(AttributeError, match=r"call reset\(\) first"):
            getattr(env, name)
    for call in (lambda: env.step(0), lambda: env.legal_ids("seat_0"), env.last):
        with pytest.raises(AttributeError, match=r"call reset\(\) first"):
            call()
    assert not hasattr(env, "nonsense")
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        envs.parallel("codepiece").step({})


def test_agents_that_are_none():
    env = envs.aec("codepiece")
    env.reset(seed=0)
    wrongs: tuple[Any, ...] = ("seat_4", 0, None, [])
    for call in (env.observe, env.vector, env.legal_ids, env.observation_space, env.action_space):
        for agent in wrongs:
            with pytest.raises(ValueError, match="agents are seat_0, seat_1, seat_2, seat_3"):
                call(agent)


def test_options_that_cannot_be():
    wrongs: tuple[Any, ...] = (["a"], ["a", "a", "b", "c"], "abcd", [1, 2, 3, 4])
    for build in (envs.aec, envs.parallel):
        with pytest.raises(ConfigError, match="did you mean planning"):
            build("planing")
        with pytest.raises(ConfigError, match="did you mean dealers"):
            build("codepiece", dealer=[0])
        with pytest.raises(ConfigError, match=r"human, ansi.* draws matches of a season"):
            build("codepiece", render_mode="rgb_arrays")
        for names in wrongs:
            with pytest.raises(ConfigError, match="a list of 4 different names"):
                build("codepiece", player_names=names)
        with pytest.raises(ConfigError, match="neither the name of a game nor a Game"):
            build(7)  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="constructor of the game: dealers"):
            build(make("codepiece", {}), dealers=[0])
        game: Any = build(make("codepiece", {"dealers": [2]})).play.game
        assert game.dealers == (2,)


# Given deals.


def test_given_deals_replace_the_programme_for_one_match(kind):
    if "gym2" in kind:
        pytest.skip("its random actions are drawn with the deal")
    env, again = made(kind), made(kind)
    actions = [action for _, _, action in to_the_end(env, seed=11)]
    shapes = [env.play.game.deal_json(deal.deal) for deal in env.play.played]
    again.reset(options={"deals": shapes})
    for action in actions:
        again.step(action)
    assert again.play.over
    assert again.rewards == env.rewards
    again.reset(options={"deals": shapes[:1]})
    while not again.play.over:
        again.step(again.legal_ids(again.agent_selection)[0])
    assert len(again.play.played) == 1
    again.reset(seed=11)
    assert again.play.deal == env.play.played[0].deal


# The parallel form.


def test_declarations_are_one_step_of_all():
    env = envs.parallel("planning", deals=[[3, 2], [1, 0]])
    serial = envs.aec("planning", deals=[[3, 2], [1, 0]])
    seen, infos = env.reset(seed=5)
    serial.reset(seed=5)
    assert all(np.flatnonzero(seen[agent]["action_mask"]).tolist() == [0, 1, 2, 3] for agent in env.agents)
    assert infos == {agent: {} for agent in env.agents}
    numbers = [2, 0, 3, 1]
    result = env.step(dict(zip(env.agents, numbers, strict=True)))
    for number in numbers:
        serial.step(number)
    while env.agents:
        movers = [agent for agent in env.agents if env.legal_ids(agent)]
        if len(movers) == 1:
            assert movers == [serial.agent_selection]
            for agent in env.agents:
                assert np.array_equal(result[0][agent]["observation"], serial.vector(agent))
        actions = {agent: ids[-1] if (ids := env.legal_ids(agent)) else 65 for agent in env.agents}
        for agent in movers:
            serial.step(actions[agent])
        result = env.step(actions)
    _, rewards, terminations, truncations, _ = result
    assert rewards == serial.rewards
    assert terminations == dict.fromkeys(rewards, True)
    assert truncations == dict.fromkeys(rewards, False)


def test_every_author_of_an_illegal_declaration_pays():
    env = envs.parallel("planning", deals=[[3, 2]])
    env.reset(seed=5)
    actions = {"seat_0": 4, "seat_1": 3, "seat_2": 20, "seat_3": 0}
    seen, rewards, terminations, _, infos = env.step(actions)
    assert rewards == {"seat_0": -1, "seat_1": 0, "seat_2": -1, "seat_3": 0}
    assert all(terminations.values())
    assert [bool(infos[agent]) for agent in rewards] == [True, False, True, False]
    assert not any(shown["action_mask"].any() for shown in seen.values())
    assert env.agents == []
    with pytest.raises(RuntimeError, match="reset"):
        env.step(actions)


def test_parallel_steps_that_cannot_be_change_nothing():
    env = envs.parallel("planning")
    env.reset(seed=5)
    state = env.play.state
    with pytest.raises(ValueError, match="no action of seat_3"):
        env.step({"seat_0": 0, "seat_1": 0, "seat_2": 0})
    with pytest.raises(TypeError, match="an action of seat_3"):
        env.step({"seat_0": 0, "seat_1": 0, "seat_2": 0, "seat_3": "0"})
    with pytest.raises(ValueError, match="an action of seat_1"):
        env.step({"seat_0": 0, "seat_1": 66, "seat_2": 0, "seat_3": 0})
    with pytest.raises(ValueError, match="agents are seat_0, seat_1, seat_2, seat_3"):
        env.step({"seat_0": 0, "seat_1": 0, "seat_2": 0, "seat_3": 0, "seat_4": 0})
    wrongs: tuple[Any, ...] = (None, 0, [0, 0, 0, 0])
    for wrong in wrongs:
        with pytest.raises(TypeError, match="a mapping from agents to ids"):
            env.step(wrong)
    assert env.play.state is state


# Rendering, copies, cost.


def test_players_have_their_names_in_words(capsys):
    env = envs.aec("codepiece", render_mode="human", player_names=["ada", "bob", "eve", "joe"])
    env.reset(seed=2)
    assert env.render() is None
    assert all(f"\n{name} " in capsys.readouterr().out for name in ("ada",))


def test_masks_and_vectors_are_not_made_until_asked_for(monkeypatch):
    env = envs.aec("codepiece")
    made: list[int] = []
    whole = type(env.observer).vector

    def vector(*args):
        made.append(1)
        return whole(*args)

    monkeypatch.setattr(type(env.observer), "vector", vector)
    monkeypatch.setattr(sys.modules["arbiter.envs.pettingzoo_base"], "mask_of", lambda *_: made.append(2))
    env.reset(seed=0)
    for _ in range(6):
        env.step(env.legal_ids(env.agent_selection)[0])
    assert made == []
    env.vector(env.agent_selection)
    assert made == [1]
    env.observe(env.agent_selection)
    assert sorted(made) == [1, 1, 2]


def test_a_play_refuses_what_the_game_refuses():
    play = Play(make("codepiece", {}))
    play.reset(seed=1)
    with pytest.raises(IllegalAction, match="not seat 3's turn"):
        play.act(3, 0)
    assert play.turn == 1
    assert play.to_act == (1,)
    assert all(before <= after for before, after in pairwise(play.legal(1)))


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ("nowhere:Observer", "cannot be loaded: No module named 'nowhere'"),
        ("arbiter.games.codepiece:Nothing", "cannot be loaded: module"),
        ("arbiter.games.codepiece:Codepiece", "is not a subclass of Observer"),
    ],
)
def test_an_observer_that_is_none_is_named(named, why):
    class Foreign(Codepiece):
        name = "foreign"
        observer = named

    with pytest.raises(ConfigError, match=f"the observer of foreign, {named}, {why}"):
        envs.aec(Foreign())


def test_other_games_get_the_plain_observer():
    game = make("codepiece", {})

    class Foreign(Codepiece):
        name = "foreign"

    assert isinstance(observer_of(Foreign()), AnyGameObserver)
    assert not isinstance(observer_of(game), AnyGameObserver)
    env = envs.aec(Foreign([2]))
    env.reset(seed=0)
    assert env.agent_selection == "seat_3"
    cells = env.vector("seat_3")
    assert len(cells) == 52 + 1 + 63
    assert np.flatnonzero(cells[:52]).tolist() == list(env.play.game.hand(env.play.state, 3))
    assert np.flatnonzero(cells[52:]).tolist() == [0, *(1 + i for i in env.legal_ids("seat_3"))]
    assert np.flatnonzero(env.vector("seat_0")[52:]).tolist() == []


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.process
def test_a_missing_package_is_one_line():
    done = run(
        "import importlib.util as u\n"
        "found = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'pettingzoo' else found(name, *rest)\n"
        "import arbiter.envs\n"
    )
    assert done.returncode
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: arbiter.envs needs pettingzoo: pip install 'arbiter-cards[envs]'"
    )


def test_no_module_has_the_name_of_a_function_that_would_give_way_to_it():
    modules = {module.name for module in pkgutil.iter_modules(envs.__path__)}
    assert not modules & set(envs.__all__)
    assert {"aec", "GameEnv"} <= set(dir(envs))
