"""Gymnasium's vector environment over `Batch`: a step is an action in every match, for its seat to act.

import gymnasium
env = gymnasium.make_vec("arbiter.envs:arbiter/DouDizhu-v0", num_envs=128)
observations, infos = env.reset(seed=7)
observations, rewards, over, _, infos = env.step(infos["action_mask"].argmax(axis=1))
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from arbiter.envs.argument_checks import NoMatch, check_number, check_seed
from arbiter.envs.batches import Batch, batch
from arbiter.envs.match_state import NOBODY
from arbiter.envs.pettingzoo_base import Ids
from arbiter.errors import ConfigError
from arbiter.games.game import AnyGame


def vector(num_envs: int, game: str | AnyGame, *, copy: bool = True, **options: Any) -> BatchEnv:
    """Return `num_envs` matches of a game by its name and options, or of a `Game`; ConfigError.

    Without `copy` all steps return the same arrays of observations and masks, overwritten each time.
    """
    if "opponents" in options:
        raise ConfigError(
            "matches side by side have no opponents: every step is an action of the seat to act",
            hint='for opponents: vectorization_mode="sync", or "async"',
        )
    return BatchEnv(batch(game, num_envs, **options), copy=copy)


def chefs_hat(num_envs: int, **options: Any) -> BatchEnv:
    """Return `vector` of Chef's Hat."""
    return vector(num_envs, "chefs_hat", **options)


class BatchEnv(VectorEnv[Any, Any, Any]):
    """The matches of a `Batch`, each as `TurnsEnv` plays it; `vector` makes it.

    Observations are (n, cells); ``infos`` has ``action_mask``, int8 (n, ids), and ``seat``, int64 (n,), the
    next to act. A match that ends is followed by the next one in the same step (`AutoresetMode.SAME_STEP`):
    ``infos["final_obs"]`` has the last observation of the last seat to act, ``infos["final_info"]`` the
    ``rewards`` of all seats, float32 (n, seats). `batch` is for reading: `legal_ids` is faster than a mask.
    """

    def __init__(self, games: Batch, *, copy: bool = True) -> None:
        observer, n = games.observer, games.n
        self.autoreset_mode = AutoresetMode.SAME_STEP
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        self.batch, self.num_envs, self.copy = games, n, copy
        self.single_observation_space = spaces.Box(observer.low, observer.high, (games.size,), observer.dtype)
        self.single_action_space = Ids(observer.actions)
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)
        self._observations = np.zeros((n, games.size), observer.dtype)
        self._masks = np.zeros((n, games.actions), np.int8)
        self._all = np.ones(n, np.bool_)
        self._each = np.arange(n)
        self._begun = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin all matches, match k with seed ``seed + k``, or ``seed[k]``; None continues their sequences.

        TypeError or ValueError for seeds, ConfigError for any options; then nothing is changed.
        """
        if options:
            raise ConfigError(
                f"reset: expected no options, as matches run side by side, got {', '.join(map(str, options))}"
            )
        seeds = self._match_seeds(seed)
        super().reset(seed=seed if isinstance(seed, int) else None)
        if not self._begun:
            seeds = [secrets.token_hex(16) if one is None else one for one in seeds]
        self._begun = True
        self.batch.begin(seeds)
        return self._observe_all()

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Do an action in every match.

        ValueError, TypeError, or RuntimeError before the first `reset`; nothing is changed then.
        """
        if not self._begun:
            raise NoMatch("no match is in progress: call reset()")
        games, acted = self.batch, self.batch.turns
        ends: dict[int, NDArray[Any]] = {}
        games.ends = ends
        points, over = games.step(actions)
        observations, infos = self._observe_all()
        if ends:
            last = np.full(self.num_envs, None, object)
            for number, seen in ends.items():
                last[number] = seen
            no_seat = np.where(over, NOBODY, 0)
            infos |= {"final_obs": last, "_final_obs": over, "_final_info": over}
            infos["final_info"] = {"rewards": points, "_rewards": over, "seat": no_seat, "_seat": over}
        rewards = points[self._each, acted].astype(np.float64)
        return observations, rewards, over, np.zeros(self.num_envs, np.bool_), infos

    def _observe_all(self) -> tuple[NDArray[Any], dict[str, Any]]:
        games = self.batch
        observations, masks = games.observations(out=self._observations), games.masks(out=self._masks)
        if self.copy:
            observations, masks = observations.copy(), masks.copy()
        infos = {"action_mask": masks, "_action_mask": self._all, "seat": games.turns.copy()}
        return observations, infos | {"_seat": self._all}

    def _match_seeds(self, seed: Any) -> list[Any]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, list | tuple | np.ndarray):
            if len(seed) != self.num_envs:
                raise ValueError(f"seeds are {self.num_envs} integers from 0, not {len(seed)}")
            return [check_seed(one, texts=False) for one in seed]
        first = check_number(seed, f"a seed is an integer from 0, or a list of {self.num_envs}")
        return [first + number for number in range(self.num_envs)]
