"""Many matches of `dou_dizhu_v4` at once, by the rules in C where these were built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.argument_checks import checked_number
from arbiter.envs.batches import Batch, _written
from arbiter.envs.compiled import DouDizhuBatch
from arbiter.envs.match_state import Play
from arbiter.envs.observers import Observer
from arbiter.envs.observers.dou_dizhu import PLANE, RECENT, DouDizhuObserver, RoleObserver
from arbiter.games.dou_dizhu.combinations import MOST
from arbiter.games.dou_dizhu.game import HAND
from arbiter.games.game import AnyGame

# Where the cells of `DouDizhuObserver` begin, and those of two planes behind it: `CompiledRoleBatch._views`.
_RECENT_AT = 2 * PLANE
_LATEST = slice(_RECENT_AT + (RECENT - 1) * PLANE, _RECENT_AT + RECENT * PLANE)
_PLAYED_AT = _LATEST.stop
_LAST_AT = _PLAYED_AT + 3 * PLANE
_LEFT_AT = _LAST_AT + 3 * PLANE
_ACTED_AT = DouDizhuObserver(None).size(0)
_OTHERS_AT = _ACTED_AT + PLANE
_RANKS = PLANE - 2
"""Cells of a plane that are of ranks, four each; the last two are the jokers."""


class RoleBatch(Batch):
    """`n` matches of `dou_dizhu_v4` in play; `dou_dizhu_v4.batch` makes it. Seat 0 is the landlord.

    Match k of a batch with seed s is the first that the environment plays with seed s + k, then its second,
    and so on.
    """

    def __init__(self, plays: list[Play], seed: int, *, visible: bool) -> None:
        self._visible = visible
        self._prepare(plays[0].game, RoleObserver(visible=visible, rlcard=False), plays)
        self.reset(seed)

    def reset(self, seed: int | str = 0) -> None:
        """Begin all matches anew; seeds are integers from 0."""
        first = checked_number(seed, "a seed of dou_dizhu_v4 is an integer from 0")
        self.begin([first + number for number in range(self.n)])


class CompiledRoleBatch(RoleBatch, DouDizhuBatch):
    """`RoleBatch` over the core, which plays one deal: the next match is dealt here, as RLCard deals."""

    def _prepare(self, game: AnyGame, observer: Observer, plays: list[Play]) -> None:
        super()._prepare(game, observer, plays)
        self._cells = _ACTED_AT
        self._parts = [_cells_of(role, visible=self._visible) for role in range(3)]

    def observations(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        seen = np.empty((self.n, self._cells), np.int8)
        self._core.observations(seen)
        made = self._views(seen, self.turns)
        return made if out is None else _written(out, made)

    def step(self, actions: Sequence[int] | NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        rewards, over = super().step(actions)
        for number in over.nonzero()[0].tolist():
            self._renew(number)
            self._load(number)
        self._turn()
        return rewards, over

    def _views(self, seen: NDArray[Any], seats: NDArray[np.int64]) -> NDArray[Any]:
        views = np.zeros((len(seen), self.size), np.int8)
        more = np.empty((len(seen), _OTHERS_AT + PLANE), np.int8)
        more[:, :_ACTED_AT] = seen
        # The last action, the one before it if that was a pass, which has no cards.
        latest, before = seen[:, _LATEST], seen[:, _LATEST.start - PLANE : _LATEST.start]
        more[:, _ACTED_AT:_OTHERS_AT] = np.where(latest.any(axis=1, keepdims=True), latest, before)
        if self._visible:
            more[:, _OTHERS_AT:] = _others(seen)
        for role, cells in enumerate(self._parts):
            rows = (seats == role).nonzero()[0]
            views[rows, : len(cells)] = more[rows[:, None], cells]
        return views


def _others(seen: NDArray[np.int8]) -> NDArray[np.int8]:
    """The planes of the cards that a seat does not have, and nobody has played."""
    gone = seen[:, :PLANE] + seen[:, _PLAYED_AT:_LAST_AT].reshape(-1, 3, PLANE).sum(axis=1, dtype=np.int8)
    counts = gone[:, :_RANKS].reshape(len(seen), _RANKS // 4, 4).sum(axis=2)
    others: NDArray[np.int8] = 1 - gone
    others[:, :_RANKS] = (np.arange(4) < 4 - counts[..., None]).reshape(len(seen), _RANKS)
    return others


def _cells_of(role: int, *, visible: bool) -> NDArray[np.int64]:
    """Where the cells of `RoleObserver` stand in a view of `DouDizhuObserver` with two planes behind it."""
    parts = [_plane(0), *([_plane(_OTHERS_AT)] if visible else []), _plane(_ACTED_AT)]
    parts.append(np.arange(_RECENT_AT, _PLAYED_AT))
    if role == 0:
        parts += [_plane(_PLAYED_AT, 2), _plane(_PLAYED_AT, 1), _left(2, HAND), _left(1, HAND)]
    else:
        mate = 3 - role
        parts += [_plane(_PLAYED_AT), _plane(_PLAYED_AT, mate), _plane(_LAST_AT), _plane(_LAST_AT, mate)]
        parts += [_left(0, MOST), _left(mate, HAND)]
    return np.concatenate(parts)


def _plane(first: int, role: int = 0) -> NDArray[np.int64]:
    return np.arange(first + role * PLANE, first + (role + 1) * PLANE)


def _left(role: int, cards: int) -> NDArray[np.int64]:
    """The cells that tell how many cards a role has left, at most so many."""
    return np.arange(_LEFT_AT + role * MOST, _LEFT_AT + role * MOST + cards)
