"""What is seen of an environment: its table in a notebook, its pictures."""

from __future__ import annotations

import subprocess
import sys
from random import Random
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import render_test

from arbiter import envs
from arbiter.envs import chefs_hat
from arbiter.envs.match_state import Play
from arbiter.envs.render import render_svg
from arbiter.games import make, names
from arbiter.games.cards import Stream
from arbiter.replay.frame import NOBODY
from arbiter.replay.svg_table import HEIGHT, WIDTH
from arbiter.testing.leak_check import swap_hidden_cards
from tests.envs.forms import FORMS, SHORT, Form, OfCodepiece, Parallel, SideBySide

if TYPE_CHECKING:
    from collections.abc import Callable

RASTER = ("resvg_py", "PIL")
every_game = pytest.mark.parametrize("game", names())
MADE: dict[str, Callable[..., Any]] = {"aec": envs.aec, "parallel": envs.parallel, "single": envs.single}


@pytest.fixture
def raster() -> None:
    for package in RASTER:
        pytest.importorskip(package, reason=f"needs {package}: pip install 'arbiter-cards[render]'")


def ranks(svg: str) -> list[str]:
    """The ranks of the cards that lie open in a picture."""
    space = "{http://www.w3.org/2000/svg}"
    cards = ElementTree.fromstring(svg).iter(f"{space}g")
    return sorted(str(one.findtext(f"{space}text")) for one in cards)


# In a notebook.


@every_game
def test_a_match_shows_what_the_seat_to_act_sees(game: str) -> None:
    play = Play(make(game, SHORT[game]))
    assert "call reset()" in play._repr_html_()
    play.reset(seed=3)
    chance = np.random.default_rng(1)
    while not play.over:
        shown = play._repr_html_()
        assert shown == play.svg(play.turn)
        frame_of = [play.game.card_name(card) for card in play.game.hand(play.state, play.turn)]
        laid = [name for _, words in play.game.table(play.state)[-5:] for name in play.game.cards_of(words)]
        extra = play.game.deal_roles(play.deal, play.state).get("extra", ())
        assert ranks(shown) == sorted(play.game.face(name).rank for name in (*frame_of, *laid, *extra))
        assert f"seat_{play.turn} is to " in shown
        play.act(play.turn, int(chance.choice(play.legal(play.turn))))
    assert play._repr_html_() == play.svg(NOBODY)
    assert "win" in play._repr_html_() or "draw" in play._repr_html_()


@every_game
def test_cards_that_a_seat_cannot_see_change_nothing_that_it_is_shown(game: str) -> None:
    rules = make(game, SHORT[game])
    deal = rules.deal(0, Stream("leak", game), None)
    assert deal is not None
    chance, compared, differ = Random(3), 0, 0
    known = {card for hand in deal.hands for card in hand}
    for seat in range(rules.seats):
        other = swap_hidden_cards(deal, seat, known, chance.randrange)
        assert other is not None
        ours, theirs = (Play(rules.given([one])) for one in (deal, other))
        ours.reset(seed=1)
        theirs.reset(seed=1)
        differ += ours.svg() != theirs.svg()  # not where the cards are of one value
        while not ours.over and ours.turn == theirs.turn:
            if ours.turn == seat:
                assert ours._repr_html_() == theirs._repr_html_()
                compared += 1
            assert ours.svg(seat) == theirs.svg(seat)
            action = chance.choice(list(ours.legal(ours.turn)))
            if not theirs.state.allows(theirs.turn, action):
                break
            ours.act(ours.turn, action)
            theirs.act(theirs.turn, action)
    assert compared
    assert differ > 1


def test_a_match_that_is_stopped_shows_no_hand() -> None:
    play = Play(make("codepiece", {}))
    play.reset(seed=1)
    play.stop()
    assert "the match was stopped" in play._repr_html_()
    assert ranks(play._repr_html_()) == []


@pytest.mark.parametrize(
    "kind", [kind for kind, (of, _) in FORMS.items() if of not in (SideBySide, OfCodepiece)]
)
def test_every_form_shows_its_match(kind: str) -> None:
    form_of, build = FORMS[kind]
    form = form_of(build())
    env: Any = form.env
    assert "call reset()" in env._repr_html_()
    form.reset(seed=5)
    for _ in range(4):
        shown = env._repr_html_()
        play = env._play if isinstance(env, chefs_hat.ChefsHatEnv) else env.play
        assert ranks(shown) == ranks(play.svg(play.turn))
        form.step(form.legal()[0])
        if form.over():
            break


@pytest.mark.parametrize("made", ["aec", "parallel", "single"])
def test_after_an_illegal_move_no_hand_is_shown_and_it_is_named(made: str) -> None:
    env = MADE[made]("codepiece")
    form = Parallel(env) if made == "parallel" else Form(env) if made == "single" else None
    env.reset(seed=1)
    if form is None:
        env.step(60)
    else:
        form.step(next(action for action in range(63) if action not in form.legal()))
    shown = env._repr_html_()
    assert "illegal move" in shown
    assert ranks(shown) == []


def test_an_agent_never_sees_the_hand_of_a_bot_that_failed() -> None:
    env = envs.single("codepiece", "python3 -c exit()", seat=3)
    env.reset(seed=1)
    assert env.faulty is not None
    assert env.play.turn not in (NOBODY, env.seat)
    assert ranks(env._repr_html_()) == []
    env.close()


def test_names_are_texts() -> None:
    env = envs.aec("codepiece", player_names=["<script>", "b", "c", "d"])
    env.reset(seed=1)
    assert "<script>" not in env._repr_html_()
    assert "&lt;script&gt;" in env._repr_html_()


# As pixels.


@pytest.mark.process
def test_without_the_extra_only_a_picture_is_refused() -> None:
    # As Stable-Baselines3 makes an environment from its name.
    code = (
        "import sys\n"
        "sys.modules['resvg_py'] = None\n"
        "import gymnasium\n"
        "from arbiter import envs\n"
        "from arbiter.errors import ConfigError\n"
        "for name in (*(f'arbiter/{name}-v0' for name in envs.GAMES), envs.CHEFS_HAT, envs.SINGLE):\n"
        "    options = {'game': 'planning'} if name == envs.SINGLE else {}\n"
        "    env = gymnasium.make(name, render_mode='rgb_array', **options)\n"
        "    env.reset(seed=1)\n"
        "    try:\n"
        "        env.render()\n"
        "    except ConfigError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    refusal = "rgb_array needs the package resvg_py (pip install 'arbiter-cards[render]')"
    assert (done.stdout.splitlines(), done.stderr) == ([refusal] * 5, "")


@pytest.mark.usefixtures("raster")
def test_pictures_are_of_one_size_and_differ() -> None:
    env = envs.aec("codepiece", render_mode="rgb_array", **SHORT["codepiece"])
    env.reset(seed=2)
    pictures: list[Any] = []
    for _ in range(3):
        pictures.append(env.render())
        env.step(env.legal_ids(env.agent_selection)[0])
    for picture in pictures:
        assert isinstance(picture, np.ndarray)
        assert (picture.shape, picture.dtype) == ((HEIGHT, WIDTH, 3), np.uint8)
        assert picture.flags.writeable
        assert (picture[0, 0] == 255).all()
    assert not np.array_equal(pictures[0], pictures[2])


@pytest.mark.usefixtures("raster")
def test_words_are_painted_in_any_script() -> None:
    play = Play(make("planning", {}))
    play.reset(seed=1)
    plain = [render_svg(play.svg(note=note)) for note in (" ", "ada", "\u2068ada\u2069", "アダ")]
    assert (plain[0] != plain[1]).any()
    assert (plain[1] == plain[2]).all()
    assert (plain[3] != plain[0]).any()


@pytest.mark.usefixtures("raster")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_checks_of_pettingzoo_find_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: envs.aec("planning", render_mode=render_mode, **SHORT["planning"]))


@pytest.mark.parametrize("name", ["DouDizhu-v0", "ChefsHat-v1"])
@pytest.mark.usefixtures("raster")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_checks_of_gymnasium_find_nothing(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = gymnasium.make(f"arbiter/{name}", render_mode="rgb_array")
    check_env(env.unwrapped, skip_render_check=False)
    env.reset(seed=1)
    picture: Any = env.render()
    assert picture.shape == (HEIGHT, WIDTH, 3)
    assert env.unwrapped._repr_html_().startswith("<svg ")  # type: ignore[attr-defined]
