"""The PettingZoo environments of every game: PettingZoo's own tests, and what ours promise beyond them."""

from __future__ import annotations

import pickle
import pkgutil
import subprocess
import sys
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.utils import wrappers

from arbiter import envs
from arbiter.envs import dou_dizhu_v4
from arbiter.envs.match_state import Play
from arbiter.envs.observers import observer_of
from arbiter.envs.observers.observer import AnyGameObserver
from arbiter.errors import ConfigError, IllegalAction
from arbiter.games import make
from arbiter.games.codepiece import Codepiece
from tests.envs.forms import OPTIONS, made

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
@pytest.mark.parametrize(
    "wrap",
    [
        wrappers.OrderEnforcingWrapper,
        wrappers.AssertOutOfBoundsWrapper,
        lambda env: wrappers.TerminateIllegalWrapper(env, illegal_reward=-1),
    ],
    ids=["order", "bounds", "illegal"],
)
def test_pettingzoos_api_test_of_it_in_pettingzoos_wrappers(wrap, builders, capsys):
    api_test(wrap(builders[0]()), num_cycles=30)


def test_pettingzoos_seed_test(builders):
    seed_test(builders[0], num_cycles=100)


@zeros
def test_pettingzoos_parallel_api_test(builders, capsys):
    parallel_api_test(builders[1](), num_cycles=100)


def test_pettingzoos_parallel_seed_test(builders):
    parallel_seed_test(builders[1], num_cycles=100)


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
        with pytest.raises(ConfigError, match="dealers: give these options to the constructor of Codepiece"):
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
        "arbiter.errors.MissingPackage: arbiter.envs needs pettingzoo: pip install 'arbiter-cards[envs]'"
    )


def test_no_module_has_the_name_of_a_function_that_would_give_way_to_it():
    modules = {module.name for module in pkgutil.iter_modules(envs.__path__)}
    assert not modules & set(envs.__all__)
    assert {"aec", "GameEnv"} <= set(dir(envs))
