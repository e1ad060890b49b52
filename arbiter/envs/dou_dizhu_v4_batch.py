"""Many matches of `dou_dizhu_v4` at once: those of `DouDizhuBatch`, seen as its agents see them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.dou_dizhu_batch import DouDizhuBatch, Numbers
from arbiter.envs.mistakes import checked_number
from arbiter.envs.observers.dou_dizhu import PLANE, RECENT, DouDizhuObserver, RoleObserver, plane_rows
from arbiter.envs.play import Play
from arbiter.games.dou_dizhu.combinations import MOST
from arbiter.games.dou_dizhu.game import HAND

_CELLS = DouDizhuObserver(None).size(0)
_RECENT = np.arange(2 * PLANE, (2 + RECENT) * PLANE)
_PLAYED, _LAST, _LEFT = (_RECENT[-1] + 1 + part * 3 * PLANE for part in range(3))


def _plane(first: int, role: int = 0) -> NDArray[np.int64]:
    """The cells of a role's plane."""
    return np.arange(first + role * PLANE, first + (role + 1) * PLANE)


def _left(role: int, cards: int) -> NDArray[np.int64]:
    """The cells that tell how many cards a role has left, at most so many."""
    return np.arange(_LEFT + role * MOST, _LEFT + role * MOST + cards)


def _cells_of(role: int, *, visible: bool) -> NDArray[np.int64]:
    """Where the cells of `RoleObserver` stand in a record, with two planes behind it: see `_views`."""
    parts = [_plane(0), *([_plane(_CELLS, 1)] if visible else []), _plane(_CELLS), _RECENT]
    if role == 0:
        parts += [_plane(_PLAYED, 2), _plane(_PLAYED, 1), _left(2, HAND), _left(1, HAND)]
    else:
        mate = 3 - role
        parts += [_plane(_PLAYED), _plane(_PLAYED, mate), _plane(_LAST), _plane(_LAST, mate)]
        parts += [_left(0, MOST), _left(mate, HAND)]
    return np.concatenate(parts)


class RoleBatch(DouDizhuBatch):
    """`n` matches of `dou_dizhu_v4` in play; `dou_dizhu_v4.batch` makes it. Seat 0 is the landlord.

    Match k of a batch with seed s is the first that the environment plays with seed s + k, then its second,
    and so on.
    """

    def __init__(self, plays: list[Play], seed: int, *, visible: bool) -> None:
        self._visible = visible
        self._cells = [_cells_of(role, visible=visible) for role in range(3)]
        self._prepare(plays[0].game, RoleObserver(visible=visible, rlcard=False), plays)
        self.reset(seed)

    def reset(self, seed: int | str = 0) -> None:
        """Begin all matches anew; seeds are integers from 0."""
        first = checked_number(seed, "a seed of dou_dizhu_v4 is an integer from 0")
        self.begin([first + number for number in range(self.n)])

    def _views(self, numbers: Numbers, records: NDArray[np.int8], seats: Numbers) -> NDArray[np.int8]:
        count, last = len(numbers), _RECENT[-PLANE:]
        seen = np.zeros((count, self.size), np.int8)
        more = np.zeros((count, _CELLS + 2 * PLANE), np.int8)
        more[:, :_CELLS] = records
        # The last action, the one before it if that was a pass, which has no cards.
        played = records[:, last].any(axis=1, keepdims=True)
        more[:, _CELLS : _CELLS + PLANE] = np.where(played, records[:, last], records[:, last - PLANE])
        if self._visible:
            hands = self._hands[:, numbers]
            more[:, _CELLS + PLANE :] = plane_rows(hands.sum(axis=0) - hands[seats, np.arange(count)])
        for role, cells in enumerate(self._cells):
            rows = (seats == role).nonzero()[0]
            seen[rows, : len(cells)] = more[rows[:, None], cells]
        return seen
