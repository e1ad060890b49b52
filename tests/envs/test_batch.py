"""Many matches side by side are the same matches one after the other."""

from __future__ import annotations

import sys
from copy import copy
from typing import Any

import numpy as np
import pytest

from arbiter.envs.batches import Batch, batch
from arbiter.envs.match_state import Play
from arbiter.envs.observers import observer_of
from arbiter.errors import ConfigError
from arbiter.games import make, names
from arbiter.games.codepiece import Codepiece
from arbiter.games.game import AnyGame
from tests.envs.forms import OPTIONS, name_of
from tests.envs.same_matches import both, compare


class Foreign(Codepiece):
    """A game of somebody else's, with the plain observer."""

    name = "foreign"


GAMES: dict[str, AnyGame] = {kind: make(name_of(kind), options) for kind, options in OPTIONS.items()} | {
    "planning, a large deck": make("planning", {"deck": "0123456789ABCDEFGHIJ abcd", "deals": [[20, 3]]}),
    "foreign": Foreign([2, 1]),
}


@pytest.fixture(params=[*names(), "dou_dizhu without C"])
def name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each game; Dou Dizhu also as it is played where there is no compiler."""
    game, _, without = str(request.param).partition(" without ")
    if without:
        monkeypatch.setitem(sys.modules, f"arbiter.envs.core.{game}", None)
    return game


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_each_match_is_the_one_that_is_played_alone(game: AnyGame) -> None:
    quick, plain, plays = both(game, 3, 7)
    assert compare(quick, plain, 6, plays=plays)


def middle_of(name: str, steps: int = 30) -> Play:
    """A match in progress, with an action that is half done where the game has such."""
    play = Play(make(name, {}))
    observer = observer_of(play.game)
    play.reset(seed=2)
    for step in range(steps):
        legal = observer.legal(play, play.turn)
        observer.act(play, play.turn, legal[step % len(legal)])
    return play


def test_rollouts_begin_in_a_given_situation_again_and_again(name: str) -> None:
    play = middle_of(name)
    state, seats = play.state, list(play.seats)
    games, observer = Batch.of([play] * 3), observer_of(play.game)
    first = games.observations()
    assert np.array_equal(first[2], observer.vector(play, play.turn))
    assert games.legal_ids()[0][: games.legal_ids()[1][1]].tolist() == list(observer.legal(play, play.turn))
    chance = np.random.default_rng(1)
    ended = np.zeros(3, bool)
    while not ended.all():
        ids, starts = games.legal_ids()
        rewards, over = games.step(ids[starts[:-1] + (chance.random(3) * np.diff(starts)).astype(int)])
        shown = games.observations()
        for number in np.flatnonzero(over):
            assert np.array_equal(shown[number], first[number])
            assert games.turns[number] == play.turn
            # What had been won before is part of it.
            assert rewards[number].any()
        ended |= over
    assert play.state is state
    assert play.seats == seats
    games.reset(seed=5)
    assert np.array_equal(games.observations(), batch(name, n=3, seed=5).observations())


def test_situations_that_cannot_be_are_refused() -> None:
    play, other = middle_of("codepiece"), middle_of("codepiece")
    over = middle_of("codepiece")
    over.stop()
    begun = Play(make("codepiece", {}))
    wrongs: tuple[Any, ...] = (5, None, [], [play, other], [play, 7], [over], [begun])
    for plays in wrongs:
        with pytest.raises(ValueError, match="one or more matches of one Game, none of them over"):
            Batch.of(plays)


def test_masks_of_one_step_stay_what_they_are(name: str) -> None:
    games = batch(name, n=2)
    kept, again = games.masks(), games.masks()
    before = kept.copy()
    assert np.array_equal(again, kept)
    games.step([games.legal_ids()[0][start] for start in games.legal_ids()[1][:-1]])
    games.masks()
    assert np.array_equal(kept, before)


@pytest.mark.parametrize(
    "wrong", [[0], [0, 0, 0], [0.0, 1.0], [0, -1], [0, 10**6], "no", [[0, 1]], [[0], [0, 1]], None]
)
def test_what_are_no_actions_is_refused_and_changes_nothing(wrong: object) -> None:
    games = batch("codepiece", n=2)
    before = games.legal_ids()[0].tolist()
    with pytest.raises((TypeError, ValueError), match="action"):
        games.step(wrong)  # type: ignore[arg-type]
    assert games.legal_ids()[0].tolist() == before


def test_wrong_numbers_and_games_are_refused() -> None:
    for wrong, error in ((0, ValueError), (True, TypeError), (1.5, TypeError)):
        with pytest.raises(error, match="a number of matches is an integer from 1, not"):
            batch("codepiece", n=wrong)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="unknown game"):
        batch("bridge", n=1)


def test_a_copied_play_goes_its_own_way() -> None:
    play = middle_of("dou_dizhu")
    seats, actions = [*play.seats], [*play.actions]
    double = copy(play)
    double.act(double.turn, double.legal(double.turn)[0])
    assert (play.seats, play.actions) == (seats, actions)
    assert len(double.actions) == len(actions) + 1


def test_arrays_that_do_not_fit_are_refused() -> None:
    games = batch("dou_dizhu", n=3)
    for write in (games.observations, games.masks):
        with pytest.raises(ValueError, match="broadcast"):
            write(out=np.zeros((2, 5), np.int8))
