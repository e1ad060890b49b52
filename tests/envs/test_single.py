"""One agent and fixed opponents: what Gymnasium expects, what the agent sees and gets, and who sits opposite."""

from __future__ import annotations

import copy
import gc
import os
import signal
import sys
import weakref
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from arbiter import envs
from arbiter.errors import ConfigError
from arbiter.games import make
from arbiter.match.clock import SECOND, TimeControl
from arbiter.match.spec import Limits, Player
from arbiter.testing import ScriptedBot, match_spec, play_in_memory
from tests.envs import forms
from tests.envs.forms import OPTIONS, first, to_the_end

ROOT = Path(__file__).parents[2]
BOTS = ROOT / "bots" / "python"
LIMITS = Limits(TimeControl.parse("60s"), 60 * SECOND, 400_000_000, isolation="plain")
# Gymnasium would rather have a specification to make the environment anew from.
pytestmark = pytest.mark.filterwarnings("ignore:.*alternative render modes:UserWarning")


# What Gymnasium expects.


@pytest.mark.parametrize(("kind", "seat"), [("planning", 0), ("chefs_hat, gym2", "rotate")])
def test_gymnasiums_own_check(kind, seat):
    check_env(forms.made(kind, envs.single, seat=seat))


def test_gymnasium_makes_it_by_name():
    made = gymnasium.make("arbiter/Single-v0", game="planning", opponents=first, seat=2, deals=[[1, 0]])
    env: Any = made.unwrapped
    _, info = env.reset(seed=1)
    assert info["seat"] == 2
    assert env.action_masks().tolist() == [i < 2 for i in range(env.action_space.n)]


# What the agent sees and gets.


@pytest.mark.parametrize("kind", OPTIONS)
def test_the_agent_sees_what_its_seat_sees_among_all_agents(kind):
    """All seats play their first legal action in both."""
    env, together = forms.made(kind, envs.single, opponents=first, seat=1), forms.made(kind)
    together.reset(seed=5)
    last, steps = to_the_end(env, seed=5)
    for seen, info in steps:
        while together.agent_selection != "seat_1":
            together.step(together.legal_ids(together.agent_selection)[0])
        assert np.array_equal(seen, together.vector("seat_1"))
        assert info["legal_ids"] == together.legal_ids("seat_1")
        assert np.flatnonzero(info["action_mask"]).tolist() == info["legal_ids"]
        together.step(info["legal_ids"][0])
    while not together.play.over:
        together.step(together.legal_ids(together.agent_selection)[0])
    assert last[1:4] == (together.rewards["seat_1"], True, False)
    assert last[4]["legal_ids"] == []
    assert not last[4]["action_mask"].any()


def test_the_agents_declaration_is_not_seen_by_opponents_who_decide_after_it():
    shown: dict[int, list[Any]] = {0: [], 3: []}
    for number in shown:

        def seeing(seen, mask, to=shown[number]):
            to.append(seen)
            return first(seen, mask)

        env = envs.single("planning", seeing, seat=1, deals=[[3, 0]])
        _, info = env.reset(seed=1)
        assert {0, 3} <= set(info["legal_ids"])
        env.step(number)
    # Seat 0 before it, seats 2 and 3 after it.
    assert all(np.array_equal(*both) for both in zip(shown[0][:3], shown[3][:3], strict=True))
    assert not np.array_equal(shown[0][3], shown[3][3])


def test_reward_is_nothing_until_the_match_ends():
    env = envs.single("codepiece")
    seen, info = env.reset(seed=1)
    rewards = []
    over = False
    while not over:
        seen, reward, over, _, info = env.step(first(seen, info["action_mask"]))
        rewards.append(reward)
    assert set(rewards[:-1]) == {0.0}
    assert rewards[-1] == env.play.totals[0] != 0


def test_seats_rotate_from_match_to_match_of_a_seed():
    env = envs.single("dou_dizhu", seat="rotate")
    assert [env.reset(seed=1)[1]["seat"], *(env.reset()[1]["seat"] for _ in range(3))] == [0, 1, 2, 0]


def test_the_seat_of_one_match_can_be_asked_for_with_its_deals():
    env = envs.single("planning", seat=1)
    deals = [{"hands": [["2C"], ["3C"], ["4C"], ["5C"]], "starter": 0}]
    _, info = env.reset(options={"seat": 3, "deals": deals})
    assert info["seat"] == 3
    assert env.reset()[1]["seat"] == 1


def test_opponents_sit_clockwise_from_the_agent():
    asked: list[str] = []

    def named(name, seen, mask):
        asked.append(name)
        return first(seen, mask)

    env = envs.single("planning", [partial(named, name) for name in "abc"], seat=2, deals=[[1, 0]])
    to_the_end(env, seed=1)
    # Seats 0 and 1 declare before seat 2; a is in seat 3, b in 0, c in 1.
    assert asked[:3] == ["b", "c", "a"]


def test_a_match_that_ends_before_the_agents_first_decision_takes_one_step():
    env = envs.single("dou_dizhu", first, seat=1)
    deals = [{"hands": [["3"], ["4"], ["5"]], "landlord": 0}]
    _, info = env.reset(options={"deals": deals})
    assert info["legal_ids"] == []
    assert env.step(0)[1:4] == (-1.0, True, False)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)


# What cannot be.


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"opponents": ["random"] * 2}, "2 opponents are given, and there are 3 other seats"),
        ({"opponents": 5}, "5 is not a player"),
        ({"opponents": "no-such-program"}, "there is no program no-such-program"),
        ({"opponents": "python3 no_such_bot.py"}, "there is no file no_such_bot.py"),
        ({"opponents": Player("x", ("no-such-program",))}, "there is no program no-such-program"),
        ({"opponents": 'python3 "'}, "No closing quotation"),
        ({"opponents": ""}, "command is empty"),
        ({"opponents": ["random", [], "random"]}, "command is empty"),
        ({"opponents": "randm"}, r"did you mean random\?"),
        ({"opponents": "gredy"}, r"did you mean greedy\?"),
        ({"opponents": "fewest-turns"}, "there is no program fewest-turns"),
        ({"opponents": ["python3", "bot.py"]}, "a command's words are one string"),
        ({"opponents": b"random"}, "is not a player"),
        ({"opponents": dict}, "is not a player"),
        ({"opponents": "/tmp"}, "there is no program"),
        ({"seat": 4}, "seat is 4, not 0..3"),
        ({"seat": True}, "seat is True, not 0..3"),
        ({"seat": "north"}, "seat is 'north', not 0..3"),
        ({"limits": "10s"}, "limits: expected a mapping"),
        ({"render_mode": "rgb_arrays"}, "render_mode is 'rgb_arrays'"),
        ({"dealer": 1}, "unknown option of planning"),
    ],
)
def test_an_environment_that_cannot_be_says_what_was_expected(more, message):
    with pytest.raises(ConfigError, match=message):
        envs.single("planning", **more)


def test_there_is_no_step_before_the_first_reset_or_after_the_end():
    env = envs.single("planning", deals=[[1, 0]])
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(0)
    to_the_end(env, seed=1)
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(0)
    env.reset()
    env.close()
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(0)


def test_an_opponents_policy_that_is_wrong_is_named():
    def silly(observation, action_mask):
        return 65

    env = envs.single("planning", silly, seat=1)
    with pytest.raises(ValueError, match=r"the opponent silly in seat 0 wants 65 \(AS\): a declaration is"):
        env.reset(seed=1)
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(0)


# Bots.

PARROT = """
import sys
heard = open({file!r}, "a")
hand = []
for line in sys.stdin:
    print(line, end="", file=heard, flush=True)
    words = line.split()
    if words[0] == "set_cards":
        hand = words[2:]
    answer = hand[0] if words[0] == "gen_move" else "0" if words[0] == "gen_declare" else ""
    print("=", answer, end="\\n\\n", flush=True)
"""


@pytest.fixture
def parrot(tmp_path):
    """A bot that writes down what it hears; its command, and the file."""
    (tmp_path / "parrot.py").write_text(PARROT.format(file=str(tmp_path / "heard")))
    return f"{sys.executable} {tmp_path / 'parrot.py'}", tmp_path / "heard"


def ids_of_bots(env):
    return [channel.pid for channel in env._programs._channels]


def are_gone(ids):
    return not any(Path(f"/proc/{number}").exists() for number in ids)


@pytest.mark.process
def test_a_bot_hears_what_it_hears_from_the_referee(parrot):
    command, file = parrot
    options: dict[str, Any] = {"deals": [[1, 0], [1, 2]]}
    env = envs.single("planning", [first, command, first], limits=LIMITS, **options)
    last, _ = to_the_end(env, seed="parrot")
    env.close()
    said = [line.split() for line in file.read_text().splitlines()]
    # The same match between bots in memory, who have one card a deal and declare nothing.
    game = make("planning", options)
    deals = [game.deal(number, _stream(number), None) for number in range(2)]
    hands = [deal.hands for deal in deals if deal is not None]
    words = [
        ["0", game.card_name(hands[0][seat][0]), "0", game.card_name(hands[1][seat][0])] for seat in range(4)
    ]
    bots = [ScriptedBot(of_seat) for of_seat in words]
    record = play_in_memory(game, bots, match_spec(game, seed="parrot"))
    heard = [line.split() for line in bots[2].heard]
    assert [line for line in said if line[0] != "time_left"] == [
        line for line in heard if line[0] != "time_left"
    ]
    assert [line[0] for line in said] == [line[0] for line in heard]
    assert record.points is not None
    assert last[1:4] == (record.points[0], True, False)


def _stream(number):
    from arbiter.games.cards import Stream

    return Stream.of_deal("parrot", 1, number)


@pytest.mark.process
def test_bots_of_every_kind_of_command_play_a_match_to_its_end():
    program = str(BOTS / "chefs_hat_random.py")
    player = Player("third", (sys.executable, program), str(BOTS))
    opponents = [f"{sys.executable} {program}", [sys.executable, program, "--seed", "2"], player]
    env = envs.single("chefs_hat", opponents, limits=LIMITS, matches=2)
    last, _ = to_the_end(env, seed=1)
    assert last[1:4] == (env.play.totals[0], True, False)
    env.close()


@pytest.mark.process
def test_shipped_bots_are_named_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    env = envs.single("codepiece", ["rules", "random", "beginner"], limits=LIMITS, dealers=[0])
    last, _ = to_the_end(env, seed=1)
    assert last[2:4] == (True, False)
    assert env._names_by_seat() == ["seat_0 agent", "seat_1 rules", "seat_2 random", "seat_3 beginner"]
    env.close()


@pytest.mark.process
def test_a_bot_is_confined_by_default(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "secret").write_text("seed")
    spy = tmp_path / "own" / "spy.py"
    spy.write_text(f"input()\nopen({str(tmp_path / 'secret')!r})\n")
    env = envs.single("planning", ["random", "random", f"{sys.executable} {spy}"])
    assert env._programs is not None
    if env._programs._limits.isolation == "plain":
        pytest.skip("nothing confines bots here")
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert "secret" in info["fault"]
    env.close()


FAULTY = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == {word!r}:
        {what}
    print("= 0" if word == "gen_declare" else "=", end="\\n\\n", flush=True)
"""
FAULTS = {
    "illegal": ("gen_declare", 'print("= 9\\n", flush=True); continue', "illegal: 9: a declaration is"),
    "malformed": ("declare", 'print("hello\\n", flush=True); continue', "malformed: a reply starts with"),
    "crash": ("set_cards", 'sys.exit("I give up")', "crash: it exited with status 1: I give up"),
    "timeout": ("gen_declare", "sys.stdin.read()", "timeout: no reply"),
}


@pytest.mark.process
@pytest.mark.parametrize("kind", FAULTS)
def test_a_bots_fault_ends_the_match(kind, tmp_path):
    word, what, message = FAULTS[kind]
    (tmp_path / "faulty.py").write_text(FAULTY.format(word=word, what=what))
    limits = Limits(
        TimeControl.parse("300ms/request" if kind == "timeout" else "60s"), 60 * SECOND, 400_000_000
    )
    command = f"{sys.executable} {tmp_path / 'faulty.py'}"
    env = envs.single("planning", ["random", command, "random"], limits=limits, deals=[[1, 0]])
    _, info = env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["fault"].startswith(f"faulty in seat 2: {message}")
    assert not info["action_mask"].any()
    assert env._programs is not None
    assert not env._programs._channels
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(0)
    env.reset()
    env.close()


@pytest.mark.process
def test_no_process_is_left_behind_by_reset_close_or_neglect(parrot):
    env = envs.single("planning", [first, parrot[0], first], limits=LIMITS, deals=[[1, 0]])
    env.reset(seed=1)
    before = ids_of_bots(env)
    env.reset()
    assert are_gone(before)
    now = ids_of_bots(env)
    env.close()
    assert are_gone(now)
    env.reset()
    last, watched = ids_of_bots(env), weakref.ref(env)
    del env
    gc.collect()
    assert watched() is None
    assert are_gone(last)


@pytest.mark.process
def test_processes_start_anew_when_the_one_that_starts_them_was_killed(parrot):
    env = envs.single("planning", [first, parrot[0], first], limits=LIMITS, deals=[[1, 0]])
    env.reset(seed=1)
    assert env._programs is not None and env._programs._launcher is not None
    (slim,) = env._programs._launcher._processes.values()
    launcher = slim._process
    assert launcher is not None
    os.kill(launcher.pid, signal.SIGKILL)
    launcher.wait()
    last, _ = to_the_end(env, seed=1)
    assert last[2]
    env.close()


@pytest.mark.process
def test_an_environment_with_processes_is_not_copied(parrot):
    env = envs.single("planning", parrot[0], limits=LIMITS)
    with pytest.raises(TypeError, match="cannot be copied"):
        copy.deepcopy(env)


def test_a_policy_that_raises_is_named() -> None:
    def broken(observation: Any, mask: Any) -> int:
        raise KeyError("lost")

    env = envs.single("planning", broken, seat=3)
    with pytest.raises(KeyError) as error:
        env.reset(seed=1)
        env.step(0)
    assert error.value.__notes__ == ["raised by the opponent broken in seat 0"]


def test_numpy_numbers_are_seats() -> None:
    env = envs.single("planning", seat=np.int64(2))  # type: ignore[arg-type]
    assert env.reset(seed=1)[1]["seat"] == 2
    assert env.reset(options={"seat": np.int8(1)})[1]["seat"] == 1
    with pytest.raises(ConfigError, match=r"did you mean seat\?"):
        env.reset(options={"seats": 1})
