"""Gymnasium's vector environment over `Batch`: a step is an action in every match, for its seat to act.

import gymnasium
env = gymnasium.make_vec("arbiter.envs:arbiter/DouDizhu-v0", num_envs=128)
observations, infos = env.reset(seed=7)
observations, rewards, over, _, infos = env.step(infos["action_mask"].argmax(axis=1))

With ``opponents="random"``, or a policy, a step is a decision of one agent in every match.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from arbiter.envs.argument_checks import NoMatch, check_number, check_seed
from arbiter.envs.batches import Batch, batch
from arbiter.envs.masks import Ids
from arbiter.envs.match_state import NOBODY
from arbiter.envs.view_form import ViewForm
from arbiter.errors import ConfigError
from arbiter.games import load
from arbiter.games.game import AnyGame


def vector(
    num_envs: int,
    game: str | AnyGame,
    opponents: object = None,
    *,
    copy: bool = True,
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    **options: Any,
) -> BatchEnv:
    """Return `num_envs` matches of a game by its name and options, or of a `Game`; ConfigError.

    `options` also has those of `ViewForm`, and with `opponents` the agent's ``seat``, as in
    `single`. Without `copy` all steps overwrite and return the same arrays of observations and masks.
    """
    form, mode = ViewForm.taken_from(options, "info"), _mode_of(autoreset_mode)
    if opponents is None:
        return BatchEnv(batch(game, num_envs, **options), form, mode, copy=copy)
    seat = options.pop("seat", 0)
    seated: Any = load("arbiter.envs.seated_vector:SeatedBatchEnv")
    made: BatchEnv = seated(
        batch(game, num_envs, **options), form, mode, copy=copy, opponents=opponents, seat=seat
    )
    return made


def chefs_hat(num_envs: int, **options: Any) -> BatchEnv:
    """Return `vector` of Chef's Hat."""
    return vector(num_envs, "chefs_hat", **options)


class BatchEnv(VectorEnv[Any, Any, Any]):
    """The matches of a `Batch`, each as `TurnsEnv` plays it; `vector` makes it.

    Observations are (n, cells), actions are ids, (n,); ``infos`` has ``action_mask``, int8 (n, ids), and
    ``seat``, int64 (n,), the next to act, unless `form` differs. An illegal action ends its match: -1 for its
    author, 0 for the others. `batch` is for reading: `legal_ids` is faster than a mask.

    A match that ends is followed by the next one by `mode`. In ``SAME_STEP`` ``infos["final_obs"]`` has the
    last observation of the last seat to act, ``infos["final_info"]`` the ``rewards`` of all seats, float32
    (n, seats). Otherwise the step returns both as observation and ``infos["rewards"]``, and the next match
    begins in the ``NEXT_STEP``, which ignores the action, or with ``DISABLED`` by
    ``reset(options={"reset_mask": over})``.
    """

    def __init__(
        self,
        games: Batch,
        form: ViewForm,
        mode: AutoresetMode = AutoresetMode.SAME_STEP,
        *,
        copy: bool = True,
    ) -> None:
        observer, n = games.observer, games.n
        self.autoreset_mode, self.form = mode, form
        self.metadata = {"autoreset_mode": mode, "render_modes": []}
        self.batch, self.num_envs, self.copy = games, n, copy
        self.single_observation_space = form.space(observer, games.size)
        self.single_action_space = Ids(observer.actions)
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)
        self._observations = np.zeros((n, games.size), form.dtype or observer.dtype)
        self._masks = np.zeros((n, games.actions), np.int8)
        self._all = np.ones(n, np.bool_)
        self._each = np.arange(n)
        # Matches that have ended whose next one the learner has not seen, and their last observations.
        self._ended = np.zeros(n, np.bool_)
        self._ends: dict[int, NDArray[Any]] = {}
        self._shown = self._each[:0]
        self._waits = mode is not AutoresetMode.SAME_STEP
        self._begun = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin all matches, match k with the integer seed ``seed + k``, or ``seed[k]``; None continues their
        sequences: a seed gives the first match, each further one has the next deals.

        ``options={"reset_mask": mask}``, bool (n,), begins only those. TypeError or ValueError for seeds,
        ConfigError for options; then nothing is changed.
        """
        which, seeds = self._reset_mask(options), self._match_seeds(seed)
        super().reset(seed=seed if isinstance(seed, int) else None)
        if not self._begun:
            seeds = [secrets.token_hex(16) if one is None else one for one in seeds]
        self._begun = True
        # Of matches that have ended the batch has begun the next ones.
        fresh = which & ~(self._ended & np.array([one is None for one in seeds]))
        self.batch.begin(seeds, None if fresh.all() else fresh)
        self._ended &= ~which
        self._begin(fresh, seeds)
        return self._see(np.zeros((self.num_envs, self.batch.seats), np.float32), ~self._all)

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Do an action in every match; return observations, rewards, float64 (n,), ended matches, bool (n,),
        their truncations, which are all False, and infos.

        ValueError, TypeError, or RuntimeError before the first `reset`, or with ``DISABLED`` for a match that
        has ended; nothing is changed then.
        """
        if not self._begun:
            raise NoMatch("no match is in progress: call reset()")
        games, waiting = self.batch, self._waits and self._ended.any()
        if waiting and self.autoreset_mode is AutoresetMode.DISABLED:
            ended = ", ".join(map(str, self._ended.nonzero()[0]))
            raise NoMatch(f'these matches have ended: {ended}: call reset(options={{"reset_mask": mask}})')
        acted = self._acting()
        ends: dict[int, NDArray[Any]] = {}
        games.ends = ends
        points, over = games.step(actions, self._ended if waiting else None)
        self._follow(points, over)
        if self._waits:
            self._ends |= ends
            self._ended = over.copy()
        observations, infos = self._see(points, over)
        if ends and not self._waits:
            last = np.full(self.num_envs, None, object)
            for number, seen in ends.items():
                last[number] = self.form.observation(seen, self.form.idle_mask(games.actions))
            no_seat = np.where(over, NOBODY, 0)
            infos |= {"final_obs": last, "_final_obs": over, "_final_info": over}
            infos["final_info"] = {"rewards": points, "_rewards": over, "seat": no_seat, "_seat": over}
        rewards = points[self._each, acted].astype(np.float64)
        return observations, rewards, over, np.zeros(self.num_envs, np.bool_), infos

    def _acting(self) -> NDArray[np.int64]:
        """Return the seats whose actions a step does."""
        return self.batch.turns

    def _begin(self, fresh: NDArray[np.bool_], seeds: Sequence[Any]) -> None:
        """Follow the beginning of matches."""

    def _follow(self, points: NDArray[np.float32], over: NDArray[np.bool_]) -> None:
        """Follow a step, and add the results of further ones."""

    def _see(self, points: NDArray[np.float32], over: NDArray[np.bool_]) -> tuple[Any, dict[str, Any]]:
        """Return observations and infos; `points` by seat are in infos if they are numeric, or at an end."""
        games, form = self.batch, self.form
        seats = self._acting()
        if self._waits:
            # Written into the array here; the batch writes only its own changes.
            self._masks[self._shown] = 0
            self._shown = self._ended.nonzero()[0]
        seen, masks = games.observations(out=self._observations), games.masks(out=self._masks)
        if (rows := self._shown).size:
            seen[rows] = [self._ends[row] for row in rows.tolist()]
            masks[rows] = form.idle_mask(games.actions)
            seats = np.where(self._ended, NOBODY, seats)
        if self.copy:
            seen, masks = seen.copy(), masks.copy()
        infos = {"seat": seats.copy(), "_seat": self._all}
        if form.mask != "observation":
            infos |= {form.keys[1]: masks, f"_{form.keys[1]}": self._all}
        if form.infos == "numeric":
            infos |= {"rewards": points, "_rewards": self._all}
        elif rows.size and over.any():
            infos |= {"rewards": points, "_rewards": over}
        return form.observation(seen, masks), infos

    def _reset_mask(self, options: Mapping[str, Any] | None) -> NDArray[np.bool_]:
        """Return the matches to begin; ConfigError."""
        given = dict(options or {})
        mask = given.pop("reset_mask", self._all)
        if given:
            raise ConfigError(f"reset: expected no option but reset_mask, got {', '.join(map(str, given))}")
        which = np.asarray(mask)
        if which.dtype != np.bool_ or which.shape != (self.num_envs,) or not which.any():
            raise ConfigError(f"reset_mask is {mask!r}, not {self.num_envs} booleans, one or more True")
        if not self._begun and not which.all():
            raise ConfigError("reset_mask: expected no mask, or all True, at the first reset")
        return which

    def _match_seeds(self, seed: Any) -> list[Any]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, list | tuple | np.ndarray):
            if len(seed) != self.num_envs:
                raise ValueError(f"seeds are {self.num_envs} integers from 0, not {len(seed)}")
            return [check_seed(one, texts=False) for one in seed]
        first = check_number(seed, f"a seed is an integer from 0, or a list of {self.num_envs}")
        return [first + number for number in range(self.num_envs)]


def _mode_of(given: AutoresetMode | str) -> AutoresetMode:
    """Return Gymnasium's mode, or the one of this name; ConfigError."""
    for mode in AutoresetMode:
        if given in (mode, mode.name, mode.value):
            return mode
    known = ", ".join(mode.name for mode in AutoresetMode)
    raise ConfigError(f"autoreset_mode is {given!r}, not one of {known}")
