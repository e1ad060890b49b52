"""A policy as a bot: it sees what the environment shows, though a bot hears less."""

from __future__ import annotations

import io
import subprocess
import sys
from random import Random
from typing import Any

import numpy as np
import pytest

from arbiter import envs
from arbiter.cli import exit_code
from arbiter.envs.protocol_bot import BadAnswer
from arbiter.errors import ConfigError
from arbiter.games import make
from arbiter.games.codepiece import Codepiece
from arbiter.testing import match_spec, play_in_memory
from tests.envs.forms import OPTIONS, last, name_of
from tests.fixtures.commands import RANDOM

MATCHES = OPTIONS | {
    "planning of three": {"seats": 3, "deck": "89TJQKA SHC"},
    "codepiece, every dealer": {"dealers": [0, 3, 1, 2, 0, 1]},
    "chefs_hat, points": {"points": 7},
    "chefs_hat, gym2 in few rounds": {"rules": "gym2", "matches": 6, "max_rounds": 2},
}


class Foreign(Codepiece):
    """A game of another package, as far as anybody can tell; it reads no options in its greeting."""

    name = "foreign"

    @classmethod
    def options_told(cls, said):  # noqa: ARG003
        return {}


def game_of(kind):
    return make(name_of(kind), MATCHES[kind])


def by_lot(seed, seen, habit=0.0):
    """A policy that keeps (seed, observation, ids, answer), and with probability `habit` takes the last id."""
    chance = Random(seed)

    def policy(observation, action_mask):
        ids = np.flatnonzero(action_mask).tolist()
        chosen = ids[-1] if chance.random() < habit else chance.choice(ids)
        seen.append((seed, observation, ids, chosen))
        return chosen

    return policy


def in_memory(bot):
    """The bot as one for `play_in_memory`, none of whose replies may be a refusal."""

    def say(command):
        reply = bot.answer(command)
        assert reply.startswith("="), (command, reply)
        return f"{reply}\n\n".encode()

    return say


def what_bots_see(game, bots_game, seed, habit=0.0):
    """One match between policy bots: all that they saw, in order."""
    seen: list[Any] = []
    bots = [envs.PolicyBot(by_lot(seat, seen, habit), bots_game) for seat in range(game.seats)]
    record = play_in_memory(game, [in_memory(bot) for bot in bots], match_spec(game, seed=str(seed)))
    assert record.forfeit is None
    return seen


def compare(game, seen, seed):
    """All that was seen is what the environment shows in the same match."""
    env = envs.aec(game)
    env.reset(seed=str(seed))
    for seat, observation, ids, chosen in seen:
        agent = env.agent_selection
        assert agent == f"seat_{seat}"
        shown = env.vector(agent)
        assert shown.dtype == observation.dtype
        if game.options.get("rules") == "gym2":
            # The order of cards on the board shows where a joker lay that came in an exchange.
            shown[:11].sort()
            observation[:11].sort()
        assert np.array_equal(shown, observation)
        assert env.legal_ids(agent) == ids
        env.step(chosen)
    assert env.play.over


@pytest.mark.parametrize("kind", MATCHES)
def test_a_policy_sees_what_the_environment_shows_with_the_options_that_the_match_announces(kind):
    game = game_of(kind)
    compare(game, what_bots_see(game, make(game.name, {}), 2, habit=0.5), 2)


def test_a_policy_sees_the_same_in_a_game_of_another_package():
    game = Foreign([1, 2])
    assert type(game).__module__ == __name__
    compare(game, what_bots_see(game, game, 1), 1)


def test_a_game_of_another_package_is_played_with_the_bots_own_options_alone():
    bot = envs.PolicyBot(last, Foreign([1, 2]))
    for wording in Foreign([3]).greeting():
        assert bot.answer(wording[0]) == "="
    cards = " ".join(Foreign([3]).card_name(card) for card in range(13))
    assert str(bot.answer(f"set_cards 13 {cards}")).startswith("? this is a bot for Foreign(dealers=[1, 2]")


# The dialogue.


def greeted_bot(policy=last, cards=True):
    bot = envs.PolicyBot(policy)
    lines = ["set_deck 23456789TJQKA CDHS", "set_players 4 1", "set_game 1 2 0", "set_cards 2 TD AS"]
    for line in lines if cards else lines[:-1]:
        assert bot.answer(line) == "="
    return bot


def test_a_dialogue_of_one_deal():
    bot = greeted_bot()
    assert bot.seat == 1
    assert bot.answer("time_left 900") == "="
    assert bot.time_left == 900
    assert bot.answer("gen_declare") == "= 2"
    for line in ("declare 0 1", "declare 1 2", "declare 2 0", "declare 3 1", "play 0 2D"):
        assert bot.answer(line) == "="
    assert bot.answer("gen_move") == "= TD"


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("frobnicate", "? cannot do frobnicate"),
        ("play 0 2D", "? cannot do play"),
        ("declare 0 3", "? that cannot be done in this deal"),
        ("declare 4 1", "? cannot do declare"),
        ("gen_move", "? it is time for gen_declare"),
        ("time_left soon", "? expected time_left and milliseconds"),
        ("set_cards 1 TD", "? no deal is left"),
        ("", None),
        ("\r\n", None),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(line, reply):
    bot = greeted_bot()
    assert bot.answer(line) == reply
    assert bot.answer("gen_declare") == "= 2"


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("set_cards 3 TD AS", "? expected the number of cards, then cards of the deck"),
        ("set_cards 2 TD 1D", "? expected the number of cards, then cards of the deck"),
        ("set_cards 999999999999 TD AS", "? expected the number of cards, then cards of the deck"),
        ("set_cards", "? expected the number of cards, then cards of the deck"),
        ("set_cards 2 TD TD", "? more such cards than the deck has"),
    ],
)
def test_cards_that_cannot_be_dealt_are_refused_and_change_nothing(line, reply):
    bot = greeted_bot(cards=False)
    assert bot.answer(line) == reply
    assert bot.answer("gen_declare") == "? no cards have been dealt: set_cards comes first"
    assert bot.answer("set_cards 2 TD AS") == "="
    assert bot.answer("gen_declare") == "= 2"


@pytest.mark.parametrize("card", ["TD", "AS", "1D"])
def test_a_card_that_another_cannot_have_is_refused_and_changes_nothing(card):
    bot = greeted_bot()
    for line in ("declare 0 1", "declare 1 2", "declare 2 0", "declare 3 1"):
        assert bot.answer(line) == "="
    assert bot.answer(f"play 0 {card}").startswith("?")
    assert bot.answer("play 0 2D") == "="
    assert bot.answer("gen_move") == "= TD"


def test_nothing_is_asked_before_a_match_is_announced():
    bot = envs.PolicyBot(last, "codepiece")
    assert bot.answer("gen_bid") == "? set_rules comes first"
    assert bot.answer("set_rules codepiece 1") == "="
    assert bot.answer("set_cards 1 TD") == "? set_deck comes first"


@pytest.mark.parametrize("other", ["planning", "codepiece", "dou_dizhu", "chefs_hat"])
@pytest.mark.parametrize("own", ["planning", "dou_dizhu"])
def test_a_bot_refuses_a_match_of_another_game_by_name_from_its_first_command(own, other):
    bot = envs.PolicyBot(last, own)
    lines = [wording[0] for wording in make(other, {}).greeting()] + [
        "set_cards 1 3",
        "time_left 9",
        "gen_move",
    ]
    refusal = f"? this bot plays {own}, and the match is one of {other}"
    if own == other:
        assert refusal not in map(bot.answer, lines)
    else:
        assert [bot.answer(line) for line in lines] == [refusal] * len(lines)


def test_a_bot_knows_the_name_of_a_game_that_is_not_there():
    said = envs.PolicyBot(last).answer("set_rules whist 1")
    assert said == "? this bot plays planning, and the match is one of whist"


def test_a_command_of_no_game_is_not_taken_for_another_one():
    assert envs.PolicyBot(last).answer("hello") == "? set_deck comes first"


def test_another_match_may_follow_in_the_same_process():
    bot = greeted_bot()
    for line in ("set_deck 789 AB", "set_players 2 0", "set_game 1 1 0", "set_cards 1 9A"):
        assert bot.answer(line) == "="
    assert bot.seat == 0
    assert bot.answer("gen_declare") == "= 1"


def test_the_two_cards_of_the_chef_are_two_decisions_of_the_policy():
    asked = []

    def policy(observation, action_mask):
        asked.append(np.flatnonzero(action_mask).tolist())
        return asked[-1][0]

    bot = envs.PolicyBot(policy, "chefs_hat")
    for line in ("set_rules chefs_hat 1", "set_players 4 2", "set_game matches 2"):
        assert bot.answer(line) == "="
    assert bot.answer("set_cards 4 1 2 3 12") == "="
    assert bot.answer("set_roles Waiter Souschef Chef Dishwasher") == "="
    assert bot.answer("gen_exchange 2") == "= 1 2"
    assert [len(ids) for ids in asked] == [4, 3]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (65, "65 (AS) is not legal"),
        (66, "an action of seat 1 is an integer from 0 to 65, not 66"),
        ("2", "an action of seat 1 is an integer from 0 to 65, not '2'"),
        (None, "an action of seat 1 is an integer from 0 to 65, not None"),
    ],
)
def test_an_answer_that_is_no_legal_action_is_said_in_one_line(answer, message):
    bot = greeted_bot(lambda *_: answer)
    with pytest.raises(BadAnswer) as raised:
        bot.answer("gen_declare")
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


def test_bots_that_cannot_be_are_refused_when_they_are_made():
    with pytest.raises(TypeError, match="a policy is a function"):
        envs.PolicyBot(None)
    with pytest.raises(ConfigError, match="unknown option"):
        envs.PolicyBot(last, "codepiece", dealer=[1])


# Running.


def test_running_ends_with_quit_and_answers_it():
    said: list[bytes] = []
    envs.PolicyBot(last).run([b"hello\r\n", b"\n", b"quit\n", b"hello\n"], said.append)
    assert said == [b"? set_deck comes first\n\n", b"=\n\n"]


LINES = [b"set_deck 23456789TJQKA CDHS\n", b"set_players 4 0\n", b"set_game 1 1 0\n", b"set_cards 1 TD\n"]


def test_a_policy_that_raises_shows_its_own_traceback_and_a_last_line(capsys):
    def policy(observation, action_mask):
        raise ZeroDivisionError("of mine")

    with pytest.raises(SystemExit) as ended:
        envs.PolicyBot(policy).run([*LINES, b"gen_declare\n"], io.BytesIO().write)
    assert ended.value.code == "the policy failed at gen_declare: ZeroDivisionError: of mine"
    shown = capsys.readouterr().err
    assert "in policy" in shown
    assert "arbiter/envs" not in shown


def test_an_illegal_answer_ends_the_program_without_a_traceback(capsys):
    with pytest.raises(SystemExit) as ended:
        envs.PolicyBot(lambda *_: 9).run([*LINES, b"gen_declare\n"], io.BytesIO().write)
    assert str(ended.value.code).startswith("the policy's answer to gen_declare: 9 (9) is not legal")
    assert capsys.readouterr().err == ""


@pytest.mark.process
def test_a_bot_does_not_load_pettingzoo():
    code = (
        "import sys; from arbiter.envs import PolicyBot; PolicyBot(print); print('pettingzoo' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


MAIN = """
import numpy as np
from arbiter.envs import PolicyBot

def policy(observation, action_mask):
    print("on standard output")
    return np.flatnonzero(action_mask)[-1]

PolicyBot(policy, {game!r}).run()
"""


@pytest.mark.process
def test_the_referee_plays_with_a_policys_program(tmp_path):
    kind = "planning, few cards"
    game = game_of(kind)
    main = tmp_path / "main.py"
    main.write_text(MAIN.format(game=game.name))
    words = ["play", "--strict", "--isolation", "plain", "--game", game.name, "--seed", "1"]
    words += ["--bot", f"{sys.executable} {main}"]
    words += ["--bot", RANDOM] * 3
    for key, value in MATCHES[kind].items():
        words += ["--option", f"{key}={value}"]
    assert exit_code(words) == 0


# Parts.


@pytest.mark.process
def test_programs_that_a_policy_runs_do_not_disturb_the_dialogue() -> None:
    program = (
        "import os\nfrom arbiter.envs import PolicyBot\n"
        "def policy(seen, mask):\n"
        "    os.system('echo loud; cat')\n"
        "    os.write(1, b'raw')\n"
        "    return int(mask.argmax())\n"
        "PolicyBot(policy, 'planning').run()\n"
    )
    lines = [
        "set_deck 23456789TJQKA CDHS",
        "set_players 4 0",
        "set_game 1 1 0",
        "set_cards 1 AS",
        "gen_declare",
        "quit",
    ]
    done = subprocess.run(
        [sys.executable, "-c", program],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "loud" in done.stderr
    assert "loud" not in done.stdout
    assert "raw" not in done.stdout
    assert done.stdout.count("\n\n") == len(lines)
