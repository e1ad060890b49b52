"""Many matches of one game side by side, with arrays in and out, for rollouts.

    games = batch("dou_dizhu", n=1024, seed=0)
    while True:
        ids, starts = games.legal_ids()
        chosen = ids[starts[:-1] + (random(1024) * np.diff(starts)).astype(int)]
        rewards, over = games.step(chosen)

A match that ends is followed at once by the next one in its place, so that all stay in play.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arbiter.envs.arena import arena_of, checked_seed
from arbiter.envs.play import Play
from arbiter.errors import IllegalAction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arbiter.rules import AnyGame


def batch(game: str | AnyGame, n: int, seed: int | str = 0, **options: Any) -> Batch:
    """`n` matches of a game by its name and options, or of a `Game`; ConfigError for wrong ones."""
    return Batch(game, n, seed, **options)


class Batch:
    """`n` matches in play. Arrays are by match; those of observations are of whoever is to act in it.

    `turns`, int64[n], are the seats to act. Match k of a batch with seed s is the first that a `Play` with
    seed ``"s/k"`` plays, then its second, and so on.
    """

    def __init__(self, game: str | AnyGame, n: int, seed: int | str = 0, **options: Any) -> None:
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise ValueError(f"n is {n!r}, not a number of matches from 1 on")
        first, self.observer, _ = arena_of(game, options)
        self.game = first.game
        self.n, self.seats, self.actions = n, self.game.seats, self.observer.actions
        self.size = max(self.observer.size(seat) for seat in range(self.seats))
        self._plays = [Play(self.game) for _ in range(n)]
        self.turns = np.zeros(n, np.int64)
        self.reset(seed)

    def reset(self, seed: int | str = 0) -> None:
        """All matches anew."""
        seed = checked_seed(seed) or 0
        for number, play in enumerate(self._plays):
            play.reset(f"{seed}/{number}")
            self.turns[number] = play.turn

    def observations(self) -> NDArray[Any]:
        """What whoever is to act sees, (n, `size`); rows of smaller views are padded with zeros."""
        seen = np.zeros((self.n, self.size), self.observer.dtype)
        vector = self.observer.vector
        for row, play in zip(seen, self._plays, strict=True):
            view = vector(play, play.turn)
            row[: len(view)] = view
        return seen

    def legal_ids(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All legal ids, one match after the other, and where those of each begin.

        Match k has ``ids[starts[k]:starts[k + 1]]``, ascending; `starts` has n + 1 entries.
        """
        legal = self.observer.legal
        lists = [legal(play, play.turn) for play in self._plays]
        starts = np.zeros(self.n + 1, np.int64)
        np.cumsum([len(ids) for ids in lists], out=starts[1:])
        return np.fromiter((one for ids in lists for one in ids), np.int64, int(starts[-1])), starts

    def masks(self) -> NDArray[np.int8]:
        """1 for each legal id: (n, `actions`)."""
        masks = np.zeros((self.n, self.actions), np.int8)
        legal = self.observer.legal
        for row, play in zip(masks, self._plays, strict=True):
            row[list(legal(play, play.turn))] = 1
        return masks

    def step(self, actions: Sequence[int] | NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """One action in every match: rewards (n, seats), and which matches this has ended, bool (n,).

        Rewards are 0 until a match ends, then each seat's points in it; an illegal action ends it with -1 for
        its author and 0 for the others. ValueError, nothing being changed, unless there are n ids that exist.
        """
        given = np.asarray(actions)
        if given.shape != (self.n,) or given.dtype.kind not in "iu":
            raise ValueError(f"actions are {self.n} integers, not {given.dtype} of shape {given.shape}")
        if not ((given >= 0) & (given < self.actions)).all():
            raise ValueError(f"an action is an integer from 0 to {self.actions - 1}")
        rewards = np.zeros((self.n, self.seats), np.float32)
        over = np.zeros(self.n, np.bool_)
        act, turns = self.observer.act, self.turns
        for number, (play, action) in enumerate(zip(self._plays, given.tolist(), strict=True)):
            try:
                act(play, play.turn, action)
            except IllegalAction:
                rewards[number, play.turn] = -1.0
                over[number] = True
            else:
                if play.over:
                    rewards[number] = play.totals
                    over[number] = True
            if over[number]:
                play.reset()
            turns[number] = play.turn
        return rewards, over
