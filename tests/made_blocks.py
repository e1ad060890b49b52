"""Blocks of regression tests with known truth, and where tests on them stop: many runs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rating.arrays import Floats, Ints
from rating.fit.likelihood import ELO
from rating.sequential.gsprt import Gsprt
from rating.sequential.points import sums_of
from rating.sequential.runs import FIRST_LOOK
from rating.simulation import gumbel_luck

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["points_sums", "simulate_blocks", "simulate_margins", "stops"]

# Scores held at once: 64 MB.
_MOST_SCORES = 8_000_000


def simulate_blocks(runs: int, blocks: int, elo: float, **how: Any) -> tuple[Floats, Floats]:
    """Blocks of a regression test, in which A is `elo` better than B: mean scores of A, shape (runs, blocks),
    and counts of A's wins, draws and losses, shape (runs, blocks, 3); `how` as for `_gaps`.

    A block is `rotations` matches with the seats of `layout` turned by one each time, on one set of deals or,
    `fresh`, on new deals each; every A of a match has one result with every B."""
    counts = np.empty((runs, blocks, 3))
    for start, gap in _gaps(runs, blocks, elo, **how):
        for column, outcome in enumerate((gap > 0, gap == 0, gap < 0)):
            counts[start : start + len(gap), :, column] = outcome.sum(axis=2)
    return (counts[:, :, 0] + 0.5 * counts[:, :, 1]) / counts[0, 0].sum(), counts


def simulate_margins(runs: int, blocks: int, elo: float, **how: Any) -> Floats:
    """The mean margins of A in points in the blocks that `simulate_blocks` makes, shape (runs, blocks)."""
    made = np.empty((runs, blocks))
    for start, gap in _gaps(runs, blocks, elo, **how):
        made[start : start + len(gap)] = gap.mean(axis=2)
    return made


def _gaps(
    runs: int,
    blocks: int,
    elo: float,
    seed: int = 0,
    layout: str = "AABB",
    rotations: int = 4,
    fresh: bool = False,
    alpha: float = 0.9,
    ties: float = 0.018,
) -> Iterator[tuple[int, Floats]]:
    """A's points less B's for every pair in a block, shape (runs at once, blocks, pairs), from which run on."""
    seats = len(layout)
    turned = [layout[-shift % seats :] + layout[: -shift % seats] for shift in range(rotations)]
    strength = np.array([[elo * ELO if letter == "A" else 0.0 for letter in match] for match in turned])
    pairs = [
        (shift, a, b)
        for shift, match in enumerate(turned)
        for a in range(seats)
        for b in range(seats)
        if match[a] == "A" and match[b] == "B"
    ]
    shift, a, b = np.array(pairs).T
    rng = np.random.default_rng([seed, 2])
    at_once = max(1, _MOST_SCORES // (max(blocks, 1) * rotations * seats))
    for start in range(0, runs, at_once):
        shape = (min(at_once, runs - start), blocks, rotations, seats)
        dealt = rng.normal(size=shape if fresh else (*shape[:2], 1, seats))
        points = strength + gumbel_luck(rng.normal(size=shape), dealt, alpha)
        if ties > 0.0:
            points = np.floor(points / (4.0 * ties))
        yield start, points[:, :, shift, a] - points[:, :, shift, b]


def points_sums(scores: Floats, margins: Floats) -> tuple[Floats, Floats]:
    """The sums that a test by points looks at after each block, shapes (runs, blocks) both."""
    blocks = np.arange(1, scores.shape[1] + 1)
    found = sums_of(
        blocks, margins.cumsum(axis=1), (margins**2).cumsum(axis=1), ((scores - 0.5) * margins).cumsum(axis=1)
    )
    return found.total, found.squares


def stops(
    test: Gsprt, blocks: Floats | Ints, total: Floats, squares: Floats, level: Ints | int = 0
) -> tuple[Ints, Ints]:
    """From sums after each step, shape (runs, steps), the side of each decision (1 elo1, -1 elo0, 0 none),
    shape (runs,), and the step of it, from 0 (the last one where there was none).

    `level` are the numbers of level blocks; identical play is not looked for. With single results as blocks
    it is the trinomial test, which is right for results that are independent.
    """
    lower, upper = test.bounds
    llr = test.llr(np.asarray(blocks, np.float64), total, squares)
    known = np.broadcast_to(np.asarray(blocks) - level, llr.shape) >= FIRST_LOOK
    outside = ((llr <= lower) | (llr >= upper)) & known
    decided = outside.any(axis=1)
    step = np.where(decided, outside.argmax(axis=1), llr.shape[1] - 1)
    side = np.where(decided, np.sign(llr[np.arange(len(llr)), step]), 0.0).astype(np.int64)
    return side, step
