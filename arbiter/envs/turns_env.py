"""Gymnasium over any game: one action a step, for the seat to act.

import gymnasium
env = gymnasium.make("arbiter.envs:arbiter/Planning-v0")
observation, info = env.reset(seed=7)
over = False
while not over:
    observation, reward, over, _, info = env.step(info["legal_ids"][0])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arbiter.envs.argument_checks import check_seed
from arbiter.envs.gymnasium_base import TurnBasedEnv
from arbiter.envs.match_state import Play, given_deals
from arbiter.envs.observers import Observer
from arbiter.envs.pettingzoo_base import ILLEGAL, arena_of
from arbiter.envs.render import env_metadata
from arbiter.envs.single_env import SingleEnv, single
from arbiter.envs.view_form import ViewForm
from arbiter.games.game import AnyGame


def turns(
    game: str | AnyGame,
    opponents: object = None,
    *,
    render_mode: str | None = None,
    dataset: str | None = None,
    **options: Any,
) -> TurnsEnv | SingleEnv:
    """Return the environment in which a step is an action of the seat to act; with `opponents`, `single`.

    `options` are the game's, those of `ViewForm`, and with opponents those of `single`.
    Finished matches are written to `dataset`, .csv or .parquet, complete after `close`. ConfigError for
    invalid values.
    """
    if opponents is not None:
        return single(game, opponents, render_mode=render_mode, dataset=dataset, **options)
    form = ViewForm.taken_from(options, "info")
    play, observer, _ = arena_of(game, options)
    env = TurnsEnv(play, observer, form, render_mode=render_mode)
    if dataset is not None:
        env.write_to(dataset)
    return env


class TurnsEnv(TurnBasedEnv):
    """Successive matches; `turns` makes it.

    Observations are the vectors of `arbiter.envs.aec` for the seat that acts next, at the end for the last to
    act, padded with zeros to (cells,); actions are ids, 0..ids - 1. ``info`` is as in `TurnBasedEnv`, for the
    next ``seat``. The reward is 0 until the match ends, then the points of the last seat to act;
    ``info["rewards"]`` then has all points, float32[seats]. An illegal action ends the match: -1 for its
    author, 0 for the others.
    """

    metadata = env_metadata("arbiter_turns")

    def __init__(
        self, play: Play, observer: Observer, form: ViewForm, *, render_mode: str | None = None
    ) -> None:
        super().__init__(play, observer, form, render_mode=render_mode)
        self._numbers = {"illegal": np.int8(0), "rewards": np.zeros(play.game.seats, np.float32)}

    def reset(
        self, *, seed: int | str | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a match; ``options={"deals": [...]}`` as in `arbiter.envs.aec`.

        A `seed`, an integer from 0 or a string, begins a sequence of matches, the n-th with the deals of
        round n of a season with that seed; None continues the sequence.
        TypeError or ValueError for a seed, ConfigError for options; then nothing is changed.
        """
        seed = check_seed(seed)
        self.play.reset(seed, given_deals(options))
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._note, self._open = "", True
        return self._observe(self.play.turn)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Do an action, an id, of the seat to act; an illegal one ends the match.

        TypeError, ValueError, or RuntimeError without a match in progress; nothing is changed then.
        """
        action, play, seat = self._check_action(action), self.play, self.play.turn
        illegal = self._act(seat, action)
        if not play.over:
            seen, info = self._observe(play.turn)
            return seen, 0.0, False, False, info
        self._open = False
        rewards = np.zeros(play.game.seats, np.float32)
        if illegal:
            rewards[seat] = ILLEGAL
        else:
            rewards[:] = play.totals
        seen, info = self._observe(seat, illegal=illegal, rewards=rewards)
        self._write_match(seat, illegal)
        return seen, float(rewards[seat]), True, False, info

    def _names_by_seat(self) -> list[str]:
        return [f"seat_{seat}" for seat in range(self.play.game.seats)]
