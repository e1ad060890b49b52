"""Many matches side by side are the same matches one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from arbiter.envs.batch import batch
from arbiter.envs.observers import observer_of
from arbiter.envs.play import Play
from arbiter.errors import ConfigError
from arbiter.games import make, names


@pytest.mark.parametrize("name", names())
def test_each_match_is_the_one_that_is_played_alone(name: str) -> None:
    games, game = batch(name, n=3, seed=7), make(name, {})
    observer = observer_of(game)
    alone = [Play(game) for _ in range(3)]
    for number, play in enumerate(alone):
        play.reset(f"7/{number}")
    ended = 0
    for step in range(600):
        ids, starts = games.legal_ids()
        seen, masks = games.observations(), games.masks()
        chosen = []
        for number, play in enumerate(alone):
            assert games.turns[number] == play.turn
            legal = list(observer.legal(play, play.turn))
            assert ids[starts[number] : starts[number + 1]].tolist() == legal
            assert np.flatnonzero(masks[number]).tolist() == legal
            view = observer.vector(play, play.turn)
            assert (seen[number, : len(view)] == view).all()
            assert not seen[number, len(view) :].any()
            chosen.append(legal[step % len(legal)])
        rewards, over = games.step(chosen)
        for number, play in enumerate(alone):
            observer.act(play, play.turn, chosen[number])
            assert over[number] == play.over
            assert rewards[number].tolist() == (list(play.totals) if play.over else [0.0] * game.seats)
            if play.over:
                ended += 1
                play.reset()
    assert ended


def test_an_illegal_action_ends_its_match_alone() -> None:
    games = batch("codepiece", n=2)
    ids, starts = games.legal_ids()
    wrong = games.actions - 1  # a card, while bids are asked for
    author = games.turns[0]
    rewards, over = games.step([wrong, ids[starts[1]]])
    assert over.tolist() == [True, False]
    assert rewards[0].tolist() == [-1.0 if seat == author else 0.0 for seat in range(4)]
    assert not rewards[1].any()


@pytest.mark.parametrize("wrong", [[0], [0, 0, 0], [0.0, 1.0], [0, -1], [0, 10**6], "no", [[0, 1]]])
def test_what_are_no_actions_is_refused_and_changes_nothing(wrong: object) -> None:
    games = batch("codepiece", n=2)
    before = games.legal_ids()[0].tolist()
    with pytest.raises(ValueError, match="action"):
        games.step(wrong)  # type: ignore[arg-type]
    assert games.legal_ids()[0].tolist() == before


def test_wrong_numbers_and_games_are_refused() -> None:
    with pytest.raises(ValueError, match="n is 0"):
        batch("codepiece", n=0)
    with pytest.raises(ConfigError, match="unknown game"):
        batch("bridge", n=1)
