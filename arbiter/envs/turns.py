"""Gymnasium over any game: one action a step, for whoever is to act.

import gymnasium
env = gymnasium.make("arbiter.envs:arbiter/Planning-v0")
observation, info = env.reset(seed=7)
over = False
while not over:
    observation, reward, over, _, info = env.step(info["legal_ids"][0])
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from arbiter.envs.arena import ILLEGAL, Ids, arena_of, mask_of
from arbiter.envs.mistakes import NoMatch, checked_action, checked_seed
from arbiter.envs.observers import Observer
from arbiter.envs.observers.observer import Vector
from arbiter.envs.play import NOBODY, Play, given_deals
from arbiter.envs.render import Watched, checked_mode, facts
from arbiter.envs.single_env import SingleEnv, single
from arbiter.errors import IllegalAction
from arbiter.rules import AnyGame, Seat


def turns(
    game: str | AnyGame,
    opponents: object = None,
    *,
    render_mode: str | None = None,
    dataset: str | None = None,
    **options: Any,
) -> TurnsEnv | SingleEnv:
    """The environment in which every step is an action of whoever is to act; with `opponents`, `single`.

    `options` are those of the game, and with opponents those of `single`. Matches that have ended are
    written to `dataset`, .csv or .parquet, complete after `close`. ConfigError for what cannot be.
    """
    if opponents is not None:
        return single(game, opponents, render_mode=render_mode, dataset=dataset, **options)
    play, observer, _ = arena_of(game, options)
    env = TurnsEnv(play, observer, render_mode=render_mode)
    if dataset is not None:
        env.write_to(dataset)
    return env


class TurnsEnv(Watched, gymnasium.Env[Any, Any]):
    """A match after the other; `turns` makes it.

    Observations are the vectors that `arbiter.envs.aec` shows the seat that acts next, smaller views having
    zeros behind them, and at the end the one that acted last. ``info`` has ``action_mask``, int8[ids], all
    zeros when the match is over, ``legal_ids``, the same as a sorted list, and ``seat``, who acts next. The
    reward is 0 until the match ends, then the points of whoever acted last; those of all seats are in
    ``info["rewards"]`` then, float32[seats]. An illegal move ends the match: -1 for its author, 0
    for the others, and why in ``info["illegal"]``.
    """

    metadata = facts("arbiter_turns")

    def __init__(self, play: Play, observer: Observer, *, render_mode: str | None = None) -> None:
        self.render_mode = checked_mode(render_mode)
        self.play, self.observer = play, observer
        self.size = max(map(observer.size, range(play.game.seats)))
        self.observation_space = spaces.Box(observer.low, observer.high, (self.size,), observer.dtype)
        self.action_space = Ids(observer.actions)
        self._open = False

    def reset(
        self, *, seed: int | str | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Vector, dict[str, Any]]:
        """Begin a match; seeds and ``options={"deals": [...]}`` as of `arbiter.envs.aec`.

        TypeError or ValueError for a seed, ConfigError for options; then nothing is changed.
        """
        seed = checked_seed(seed)
        self.play.reset(seed, given_deals(options))
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._note, self._open = "", True
        return self._seen(self.play.turn)

    def step(self, action: Any) -> tuple[Vector, float, bool, bool, dict[str, Any]]:
        """What whoever is to act does.

        TypeError, ValueError, or RuntimeError where no match is in progress; nothing is changed then.
        """
        if not self._open:
            raise NoMatch("no match is in progress: call reset()")
        action = checked_action(action, self.observer.actions, "this environment")
        play, seat, illegal = self.play, self.play.turn, ""
        try:
            self.observer.act(play, seat, action)
        except IllegalAction as error:
            illegal = self._why(action, error)
            self._note = f"illegal move {illegal}"
            play.stop()
        if not play.over:
            seen, info = self._seen(play.turn)
            return seen, 0.0, False, False, info
        self._open = False
        seen, info = self._seen(seat)
        rewards = np.zeros(play.game.seats, np.float32)
        if illegal:
            rewards[seat] = ILLEGAL
            info["illegal"] = illegal
        else:
            rewards[:] = play.totals
        info["rewards"] = rewards
        if self._writer is not None:
            self._writer.add(play, self._names(), (seat, illegal) if illegal else None)
        return seen, float(rewards[seat]), True, False, info

    def action_masks(self) -> np.ndarray[Any, Any]:
        """The mask as truth values, by the name under which MaskablePPO asks for it."""
        return mask_of(self._legal(), self.observer.actions).view(np.bool_).view(np.ndarray)

    def action_name(self, action: int) -> str:
        """An id in the words of the game: ``TD``, ``34567``."""
        return self.observer.action_name(checked_action(action, self.observer.actions, "this environment"))

    def close(self) -> None:
        """Complete the data set; a match in progress is over. `reset` begins another."""
        self._open = False
        self._complete()

    def _legal(self) -> list[int]:
        return list(self.observer.legal(self.play, self.play.turn)) if self._open else []

    def _names(self) -> list[str]:
        return [f"seat_{seat}" for seat in range(self.play.game.seats)]

    def _seen(self, seat: Seat) -> tuple[Vector, dict[str, Any]]:
        legal = self._legal()
        info = {
            "action_mask": mask_of(legal, self.observer.actions),
            "legal_ids": legal,
            "seat": self.play.turn if self._open else NOBODY,
        }
        if self.render_mode == "human":
            self.render()
        seen = self.observer.vector(self.play, seat)
        return np.pad(seen, (0, self.size - len(seen))) if len(seen) < self.size else seen, info
