"""Choices among many candidates with known truth, and how they end: many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rating.choose import STATES, Choice, Standing
from rating.simulation import gumbel_luck

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rating.arrays import Floats, Ints

__all__ = ["Ended", "drawn", "equal_blocks", "play_choices"]

LAYOUT = "AABB"


class Ended(NamedTuple):
    """How choices ended: the `verdict`, the leader, and the state of each candidate, with the blocks that all
    candidates of a choice played together.
    """

    verdict: Ints
    leader: Ints
    state: Ints
    played: Ints

    @property
    def alone(self) -> Ints:
        """The number of the one that was called best and all others worse, -1 where there is none."""
        behind = (self.state == STATES.index("behind")).sum(axis=1)
        return np.where((self.verdict == 1) & (behind == self.state.shape[1] - 1), self.leader, -1)


def equal_blocks(candidates: int, blocks: int, seed: int = 1, alpha: float = 0.9) -> Floats:
    """Mean scores against the base of candidates that are as strong, on the same deals, shape (blocks, N).

    Both bases of a block, which is as in `made_blocks`, have the same luck against all candidates.
    """
    rng = np.random.default_rng([seed, 4])
    points = np.empty((blocks, candidates, 4, 4))
    own = rng.normal(size=points.shape)
    mine = np.array([[LAYOUT[(seat - shift) % 4] == "A" for seat in range(4)] for shift in range(4)])
    luck = np.where(mine, own, rng.normal(size=(blocks, 1, 4, 4)))
    points = np.floor(gumbel_luck(luck, rng.normal(size=(blocks, 1, 1, 4)), alpha) / 0.072)
    ahead = np.sign(points[..., :, None] - points[..., None, :])
    met = mine[:, :, None] & ~mine[:, None, :]
    scores: Floats = 0.5 + 0.5 * ahead[:, :, met].mean(axis=2)
    return scores


def drawn(pool: Floats, elos: Sequence[float], runs: int, rng: np.random.Generator) -> Floats:
    """A block of each run from a pool of equal ones, each block as likely with its sides exchanged, shape
    (runs, N); then strengths are added.
    """
    blocks = pool[rng.integers(0, len(pool), runs)]
    flipped = np.where(rng.random((runs, 1)) < 0.5, blocks, 1.0 - blocks)
    return np.clip(flipped + 1.0 / (1.0 + 10.0 ** (-np.asarray(elos) / 400.0)) - 0.5, 0.0, 1.0)


def play_choices(
    choice: Choice, pool: Floats, elos: Sequence[float], runs: int, seed: int = 2, most: int = 20_000
) -> Ended:
    """Play so many choices to their ends, or for `most` blocks."""
    rng, many = np.random.default_rng([seed, 6]), len(elos)
    ended = Ended(
        np.zeros(runs, np.int64),
        np.zeros(runs, np.int64),
        np.zeros((runs, many), np.int64),
        np.zeros(runs, np.int64),
    )
    going, standing = np.arange(runs), choice.start(many, (runs,))
    for _ in range(most):
        ended.played[going] += (standing.state == 0).sum(axis=1)
        standing = choice.add(standing, drawn(pool, elos, len(going), rng))
        ended.verdict[going], ended.leader[going] = standing.verdict, standing.leader
        ended.state[going] = standing.state
        on = standing.verdict == 0
        if not on.all():
            going, standing = going[on], Standing(*(part[on] for part in standing))
        if not going.size:
            break
    return ended
