"""Chef's Hat for Gymnasium: recorded games step by step, the documented info, what is refused."""

from __future__ import annotations

import ast
import copy
import hashlib
import json
import pickle
import random

import gymnasium
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import check_env

import arbiter.envs.chefs_hat as chefs_hat
from arbiter.errors import ConfigError
from arbiter.games import make
from arbiter.games.chefs_hat.actions import STEP_NAMES, step_of_card
from arbiter.testing import match_spec, play_by_policy, random_policy
from tests.envs.forms import KITCHEN
from tests.fixtures.profiles import tries
from tests.fixtures.recorded_games import games

KEYS = [
    "Matches", "Rounds", "Player_Names", "Author_Index", "Author_Possible_Actions", "Observation_Before",
    "Observation_After", "Action_Valid", "Action_Random", "Action_Index", "Action_Decoded", "Is_Pizza",
    "Pizza_Author", "Finished_Players", "Cards_Per_Player", "Last_action_Per_Player", "Next_Player",
    "Board_Before", "Board_After", "Current_Roles", "Match_Score", "Game_Score", "Game_Performance_Score",
]  # fmt: skip
CHEF, SOUSCHEF, WAITER, DISHWASHER = range(4)


def env_of(**options):
    return gymnasium.make("arbiter/ChefsHat-v1", **options).unwrapped


def sha(observation):
    assert (observation.dtype, observation.shape) == (np.float32, (228,))
    return hashlib.sha1(observation.tobytes()).hexdigest()[:16]


def env_for(recorded):
    ends = {"MATCHES": "matches", "POINTS": "points"}[recorded["gameType"]]
    options = {"rules": "gym2", ends: recorded["stopCriteria"], "player_names": ["A", "B", "C", "D"]}
    if recorded["maxRounds"] > 0:
        options["max_rounds"] = recorded["maxRounds"]
    return env_of(**options)


def exchanged(env, observation, match):
    """The first observation of a match, after the exchange of the recorded one."""
    if match["exchange"] is None:
        return observation
    (chef, twice), (souschef, once) = match["exchange"]["chef"], match["exchange"]["souschef"]
    for player, card in [(chef, twice[0]), (chef, twice[1]), (souschef, once)]:
        assert env.player == player
        observation, reward, terminated, truncated, info = env.step(step_of_card(card))
        assert (reward, terminated, truncated, info["Action_Valid"]) == (0, False, False, True)
    return observation


def test_under_gym2_a_recorded_game_comes_out_the_same_from_its_seed():
    recordings = games("chefs_hat/chefshat_games")
    for recorded in recordings[:: len(recordings) // tries(len(recordings))]:
        env = env_for(recorded)
        observation, _ = env.reset(seed=recorded["seed"])
        for match in recorded["matches"]:
            observation = exchanged(env, observation, match)
            for step in match["steps"]:
                assert (env.player, sha(observation)) == (step["p"], step["obs"])
                before = observation
                observation, reward, terminated, truncated, info = env.step(step["try"])
                assert list(info) == KEYS
                assert {key: info[key] for key in step["info"]} == step["info"]
                assert (reward, terminated, truncated) == (0, step["over"], False)
                assert info["Observation_Before"] == before.tolist()
                assert info["Observation_After"] == observation.tolist() or step is match["steps"][-1]
        assert env.over
        assert list(env.scores) == list(recorded["end"]["score"].values())
        assert list(env.performance) == list(recorded["end"]["perf"].values())


@pytest.mark.parametrize("options", [{}, {"rules": "gym2"}, {"points": 4}], ids=str)
def test_gymnasium_finds_nothing_to_object_to(options, recwarn):
    check_env(env_of(**options, render_mode="ansi"))
    assert [str(warning.message) for warning in recwarn if "not within" in str(warning.message)] == []


@pytest.mark.parametrize("rules", ["book", "gym2"])
def test_a_pizza_empties_the_last_actions_of_those_who_hold_cards_in_its_own_info(rules):
    env, choice, seen = env_of(rules=rules, matches=2), random.Random(1), set()
    for seed in range(4):
        env.reset(seed=seed)
        while not env.over:
            *_, match_over, _, info = env.step(choice.choice(env.legal_ids()))
            if info["Is_Pizza"] and not match_over:
                for finished, said in zip(
                    info["Finished_Players"], info["Last_action_Per_Player"], strict=True
                ):
                    assert bool(said) == finished
                    seen.add(finished)
    assert seen == {False, True}


def test_under_gym2_who_leads_after_four_passes_at_once_is_left_from_before():
    env = env_of(rules="gym2", matches=2)
    env.reset(seed=1026)
    opener = env.player
    *_, info = [env.step(199) for _ in range(4)][-1]
    assert (opener, info["Is_Pizza"], info["Pizza_Author"], env.player) == (2, True, 0, 0)
    while info["Matches"] == 1:
        *_, info = env.step(env.legal_ids()[0])
    last = info["Author_Index"]
    for _ in range(3 + 4):
        *_, info = env.step(199 if 199 in env.legal_ids() else env.legal_ids()[0])
    assert (info["Is_Pizza"], info["Pizza_Author"], env.player) == (True, last, last)


# The rule book


def play_game(env, seed, options=None, policy=None):
    """The steps of a game: (player, info, reward, terminated, observation)."""
    env.reset(seed=seed, options=options)
    choose = np.random.default_rng(seed)
    steps = []
    while not env.over:
        player, legal = env.player, env.legal_ids()
        seen = env.vector(player)
        assert env.observation_space.contains(seen)
        assert (env.legal_ids(player), env.legal_ids((player + 1) % 4)) == (legal, ())
        assert tuple(np.flatnonzero(seen[28:])) == legal == tuple(np.flatnonzero(env.action_masks()))
        action = policy(env, legal) if policy else choose.choice(legal)
        observation, reward, terminated, _, info = env.step(action)
        assert list(info) == KEYS
        steps.append((player, info, reward, terminated, observation))
    return steps


def test_a_game_of_the_book_terminates_once_and_rewards_the_last_step_of_a_match():
    env = env_of(matches=3)
    steps = play_game(env, 5)
    assert [terminated for *_, terminated, _ in steps] == [False] * (len(steps) - 1) + [True]
    last = [(player, info, reward) for player, info, reward, *_ in steps if max(info["Match_Score"]) >= 0]
    assert [info["Matches"] for _, info, _ in last] == [1, 2, 3]
    assert [reward for *_, reward in last] == [info["Match_Score"][player] for player, info, _ in last]
    assert sum(reward for _, _, reward, *_ in steps) == sum(reward for *_, reward in last)
    assert [sorted(info["Match_Score"]) for _, info, _ in last] == [[0, 1, 2, 3]] * 3


def test_the_last_step_of_a_match_describes_that_match():
    env = env_of(matches=2)
    steps = play_game(env, 6)
    (end, (_, info, *_)) = next((i, step) for i, step in enumerate(steps) if max(step[1]["Match_Score"]) >= 0)
    assert (info["Matches"], info["Current_Roles"]) == (1, [""] * 4)
    assert sum(info["Finished_Players"]) == 3
    assert [number == 0 for number in info["Cards_Per_Player"]] == info["Finished_Players"]
    assert info["Game_Score"] == info["Match_Score"]
    expected = [10 * points / info["Rounds"] for points in info["Match_Score"]]
    assert info["Game_Performance_Score"] == pytest.approx(expected)
    assert info["Next_Player"] == steps[end + 1][0]
    assert steps[end + 1][1]["Matches"] == 2
    assert steps[-1][1]["Next_Player"] == -1
    roles = ["Chef", "Souschef", "Waiter", "Dishwasher"]
    assert steps[-1][1]["Current_Roles"] == [roles[3 - points] for points in info["Match_Score"]]


def test_the_game_and_its_deals_are_those_of_a_match_with_that_seed():
    game = make("chefs_hat", {"matches": 3})
    record = play_by_policy(game, random_policy("deals"), match_spec(game, seed="42"))
    env = env_of(matches=3)
    env.reset(seed=42)
    for hand, dealt in zip(range(4), record.deals[0]["hands"], strict=True):
        assert np.round(env.vector(hand)[11:28] * 13).tolist() == sorted(map(int, dealt))
    assert env.player == record.deals[0]["opener"]


def test_a_recorded_match_replays_through_given_deals():
    game = make("chefs_hat", {"matches": 4})
    record = play_by_policy(game, random_policy("again"), match_spec(game, seed="again"))
    env = env_of(matches=1)
    env.reset(seed=0, options={"deals": list(record.deals)})
    for move in record.moves:
        if move.request == "gen_move":
            assert env.player == move.seat
            _, _, terminated, _, info = env.step(STEP_NAMES.index(move.action))
            assert info["Action_Valid"]
    assert terminated
    assert env.scores == record.points
    env.reset(seed=0)
    assert not env.over


def test_the_observation_after_is_the_authors_own_and_the_board_that_before_a_pizza():
    env = env_of()
    pizzas = 0
    for player, info, *_ in play_game(env, 8)[:60]:
        before, after = (info[f"Observation_{when}"] for when in ("Before", "After"))
        held = [sum(1 for card in cells[11:28] if card) for cells in (before, after)]
        assert held[1] == info["Cards_Per_Player"][player]
        assert player == info["Author_Index"]
        assert [round(cell * 13) for cell in before[:11]] == info["Board_Before"]
        if info["Is_Pizza"]:
            pizzas += 1
            assert info["Board_After"] != [round(cell * 13) for cell in after[:11]] == [13] + [0] * 10
        assert [STEP_NAMES[i] for i, cell in enumerate(before[28:]) if cell] == info[
            "Author_Possible_Actions"
        ]
    assert pizzas


def test_others_see_all_keys_but_not_what_is_the_authors():
    env = env_of()
    env.reset(seed=3)
    author = env.player
    *_, own = env.step(env.legal_ids()[0])
    assert env.info_for(author) == own
    seen = env.info_for((author + 1) % 4)
    assert list(seen) == KEYS
    assert {key for key in KEYS if seen[key] != own[key]} == {
        "Observation_Before", "Observation_After", "Author_Possible_Actions", "Action_Random"
    }  # fmt: skip
    assert {seen[key] for key in KEYS if seen[key] != own[key]} == {""}


def names_of(env):
    return [STEP_NAMES[action] for action in env.legal_ids()]


def test_the_exchange_is_three_steps_that_nobody_else_sees():
    env = env_of()
    env.reset(options={"deals": [KITCHEN | {"special": None}]})
    assert (env.player, names_of(env)) == (CHEF, ["C1;Q1;J0", "C2;Q1;J0", "C11;Q1;J0"])
    *_, info = env.step(0)
    assert (list(info), info["Action_Decoded"], info["Next_Player"]) == (KEYS, "C1;Q1;J0", CHEF)
    seen = env.info_for(SOUSCHEF)
    assert (seen["Action_Index"], seen["Action_Decoded"], seen["Author_Index"]) == ("", "", CHEF)
    assert (env.player, names_of(env)) == (CHEF, ["C2;Q1;J0", "C11;Q1;J0"])
    *_, info = env.step(0)
    assert (info["Action_Valid"], env.player) == (False, CHEF)
    env.step(3)
    # Nobody has got a card yet.
    assert np.round(env.vector(DISHWASHER)[11:28] * 13).tolist() == [0] * 14 + [4, 12, 12]
    assert (env.player, names_of(env)) == (SOUSCHEF, ["C3;Q1;J0", "C9;Q1;J0"])
    env.step(STEP_NAMES.index("C9;Q1;J0"))
    hands = [sorted(np.round(env.vector(seat)[11:28] * 13).astype(int).tolist())[-3:] for seat in range(4)]
    assert hands == [[4, 11, 12], [3, 3, 5], [6, 7, 9], [1, 2, 12]]
    assert env.player == CHEF


def test_a_special_action_is_a_step_of_its_own():
    env = env_of()
    env.reset(options={"deals": [KITCHEN]})
    assert (env.player, names_of(env)) == (DISHWASHER, ["C0;Q0;J1", "pass"])
    *_, info = env.step(198)
    assert info["Current_Roles"] == ["Dishwasher", "Waiter", "Souschef", "Chef"]
    assert (info["Next_Player"], env.player) == (3, 3)


def test_nobody_hears_of_a_special_action_that_is_not_declared():
    env = env_of()
    env.reset(options={"deals": [KITCHEN]})
    *_, info = env.step(199)
    assert info["Author_Index"] == DISHWASHER
    seen = env.info_for(CHEF)
    assert (seen["Author_Index"], seen["Action_Index"], seen["Action_Decoded"]) == (-1, "", "")
    assert env.player == CHEF


def test_dinner_is_served_leaves_the_cards():
    env = env_of()
    env.reset(options={"deals": [KITCHEN | {"roles": ["Chef", "Dishwasher", "Waiter", "Souschef"]}]})
    env.step(198)
    assert (env.player, names_of(env)) == (0, ["C11;Q1;J0"])


def test_a_deal_with_its_exchange_asks_nobody():
    gifts = [[3, 0, ["4", "12"]], [0, 3, ["2", "11"]], [2, 1, ["5"]], [1, 2, ["9"]]]
    env = env_of(rules="gym2")
    env.reset(options={"deals": [KITCHEN | {"exchange": gifts, "opener": 2}]})
    assert env.player == 2
    assert np.round(env.vector(2)[11:14] * 13).tolist() == [9, 6, 7]


def test_a_vector_means_its_greatest_value():
    env = env_of()
    env.reset(seed=9)
    wanted = env.legal_ids()[-1]
    row = np.zeros(200)
    row[wanted] = 0.5
    for form in (row, row.tolist(), row > 0):
        env.reset(seed=9)
        assert env.step(form)[4]["Action_Index"] == wanted


WRONG = ["pass", np.zeros(199), np.zeros((1, 200)), [1, [2]], np.full(200, np.nan)]


@pytest.mark.parametrize("action", WRONG, ids=lambda action: repr(action)[:12])
def test_what_is_no_action_is_said_and_changes_nothing(action):
    env = env_of()
    env.reset(seed=9)
    position = env._play.moment
    with pytest.raises(InvalidAction, match="an action is a number from 0 to 199"):
        env.step(action)
    assert env._play.moment is position


def test_a_step_after_the_end_is_an_error():
    env = env_of(matches=1)
    for early in (
        lambda: env.step(0),
        lambda: env.vector(0),
        lambda: env.info_for(0),
        lambda: env.scores,
        env_of(render_mode="ansi").render,
    ):
        with pytest.raises(ResetNeeded, match="call reset"):
            early()
    play_game(env, 2)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(0)
    assert (env.player, env.legal_ids()) == (-1, ())


@pytest.mark.parametrize(
    "options",
    [
        {"rules": "boook"}, {"matches": 0}, {"matches": 2, "points": 3}, {"max_rounds": 4},
        {"player_names": ["a", "b", "c"]}, {"player_names": ["a", "a", "b", "c"]}, {"player_names": "abcd"},
        {"render_mode": "rgb_arrays"},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_options_are_refused(options):
    with pytest.raises(ConfigError):
        chefs_hat.ChefsHatEnv(**options)


@pytest.mark.parametrize("rules", ["book", "gym2"])
def test_a_refused_action_is_named_in_words(rules):
    env = env_of(rules=rules, matches=2, render_mode="ansi", player_names=["ada", "bob", "eve", "joe"])
    env.reset(seed=4)
    assert env.render().startswith("Chef's Hat, deal 1   points  ada: 0")
    env.step(env.legal_ids()[0])
    env.step(197)
    assert f"{env.player_names[env.player]}: C11;Q11;J2 is not possible" in env.render()
    assert "\nseat  " in env.render()


def test_four_passes_at_once_are_shown_too():
    env = env_of(rules="gym2", render_mode="ansi")
    env.reset(seed=1026)
    for _ in range(5):
        env.step(199 if 199 in env.legal_ids() else env.legal_ids()[0])
    for _ in range(30):
        env.step(env.legal_ids()[0])
        assert "points" in env.render()


# The info is built when it is read.


READERS = {
    "dict": dict,
    "unpacked": lambda info: {**info},
    "keywords": lambda info: (lambda **keys: keys)(**info),
    "json": lambda info: json.loads(json.dumps(info)),
    "pickle": lambda info: pickle.loads(pickle.dumps(info)),
    "deepcopy": copy.deepcopy,
    "copy": lambda info: info.copy(),
    "items": lambda info: dict(info.items()),
    "zip": lambda info: dict(zip(info.keys(), info.values(), strict=True)),
    "or": lambda info: {} | info,
    "get": lambda info: {key: info.get(key) for key in info},
    "repr": lambda info: ast.literal_eval(repr(info)),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_an_unread_info_is_a_dictionary_whoever_reads_it(read):
    env = env_of()
    env.reset(seed=3)
    player = env.player
    *_, info = env.step(env.legal_ids()[0])
    assert isinstance(info, dict)
    assert read(info) == env.info_for(player)


def test_an_info_does_not_change_when_the_game_goes_on():
    env = env_of(rules="gym2")
    env.reset(seed=3)
    kept, told = [], []
    while not env.over:
        author = env.player
        *_, info = env.step(env.legal_ids()[0])
        kept.append(info)
        told.append(env.info_for(author))
    assert kept == told


def test_what_is_put_into_an_info_stays():
    env = env_of()
    env.reset(seed=3)
    *_, info = env.step(0)
    info["Rounds"] = "mine"
    info["episode"] = 1
    assert (info["Rounds"], info["episode"], len(info)) == ("mine", 1, 24)
