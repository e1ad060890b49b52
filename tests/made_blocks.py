"""Blocks of regression tests with known truth, and where tests on them stop: many runs at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rating.arrays import Floats, Ints
from rating.evidence import log_evidence, stake
from rating.fit.likelihood import ELO
from rating.sequential.gsprt import Gsprt, _moments
from rating.sequential.points import sums_of
from rating.sequential.runs import FIRST_LOOK
from rating.simulation import gumbel_luck

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["evidence_of", "points_sums", "rare_losses", "simulate_blocks", "simulate_margins", "stops"]

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


def rare_losses(
    runs: int, blocks: int, wins: tuple[float, float], losses: tuple[float, float], seed: int = 3
) -> Floats:
    """Scores of blocks that are level but for a share that is won by a little and one that is lost by more,
    shape (runs, blocks); both as (share, score above 1/2).
    """
    luck = np.random.default_rng(seed).random((runs, blocks))
    scores = np.where(luck < wins[0], 0.5 + wins[1], 0.5)
    scores[luck > 1.0 - losses[0]] = 0.5 + losses[1]
    return scores


def evidence_of(test: Gsprt, scores: Floats, margins: Floats | None = None) -> Floats:
    """The logarithm of the e-value after each block, shape (runs, blocks); by points with `margins`."""
    if margins is None:
        sums = (of.cumsum(axis=1) - of for of in (scores, scores**2))
        variance = _moments(np.arange(scores.shape[1], dtype=np.float64), *sums)[2]
        null, hoped = (test._score(elo, variance) for elo in (test.elo0, test.elo1))
        return log_evidence(scores, null, hoped)
    before = np.arange(scores.shape[1], dtype=np.float64)
    sums = (of.cumsum(axis=1) - of for of in (margins, margins**2, (scores - 0.5) * margins))
    told = sums_of(before, *sums)
    seen = np.clip(0.5 + told.slope * margins, 0.0, 1.0)
    half = float(test._score(test.elo1, 0.0))
    growth = np.log1p(stake(before, told.total, told.squares, 0.5, half) * (seen - 0.5))
    found: Floats = growth.cumsum(axis=1)
    return found


def stops(
    test: Gsprt,
    blocks: Floats | Ints,
    total: Floats,
    squares: Floats,
    level: Ints | int = 0,
    evidence: Floats | None = None,
) -> tuple[Ints, Ints]:
    """From sums after each step, shape (runs, steps), the side of each decision (1 elo1, -1 elo0, 0 none),
    shape (runs,), and the step of it, from 0 (the last one where there was none).

    `level` are the numbers of level blocks; identical play is not looked for. Without `evidence`, as
    `evidence_of` has it, the ratio decides alone. With single results as blocks it is the trinomial test
    then, which is right for results that are independent.
    """
    lower, upper = test.bounds
    llr = test.llr(np.asarray(blocks, np.float64), total, squares)
    known = np.broadcast_to(np.asarray(blocks) - level, llr.shape) >= FIRST_LOOK
    better = llr >= upper if evidence is None else evidence >= math.log(test.enough_evidence)
    outside = ((llr <= lower) | better) & known
    decided = outside.any(axis=1)
    step = np.where(decided, outside.argmax(axis=1), llr.shape[1] - 1)
    side = np.where(decided, np.where(better[np.arange(len(llr)), step], 1, -1), 0).astype(np.int64)
    return side, step
