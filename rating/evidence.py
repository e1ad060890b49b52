"""Anytime-valid evidence: e-values and confidence sequences of a mean score, by betting.

The hypothesis that the mean score of blocks is at most `null` is tested by bets: with the share b of the
wealth staked on a block of score x, from 0 to 1,

    wealth_t = wealth_{t-1} (1 + b_t (x_t - null)),     0 <= b_t <= 1 / null,  b_t known before block t.

If the mean is at most `null`, for any distribution of scores, the expected wealth is at most the initial 1,
at every time and under every stopping rule (a test supermartingale). So it is an **e-value**: P(it ever
reaches 1 / alpha) <= alpha (Ville's inequality). No spread is assumed: a rare lost block would disprove it.

The stake decides how fast the wealth grows if the mean is above `null`. By Kelly's rule it is

    b = (hoped - null) / (variance + (hoped - null)^2),

for a mean of `hoped`, with the variance of the previous blocks; then ln wealth is, up to small terms, the
log-likelihood ratio of `hoped` against `null`. At most 97 % is staked, so that the wealth never reaches 0.
The variance includes a quarter of a block of score 0 and a quarter of one of score 1.

The interval contains all means against which neither the bets on more nor those on less have reached 2 / (1 -
level), with the predictable plug-in stake b_t = sqrt(2 ln(2 / alpha) / (v_{t-1} t ln(t + 1))).

Sources: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting (JRSS B 86, 2024),
theorem 3 and section 4; Ramdas, Grunwald, Vovk and Shafer, Game-theoretic statistics and safe anytime-valid
inference (Statistical Science 38, 2023); Kelly (1956) for the stake.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rating.arrays import Floats
from rating.errors import ResultError

# Prior blocks in the variance, of score 0 and of score 1 each.
_UNSEEN = 0.25
# The maximum share of the wealth lost in a block.
_MOST = 0.97
# A null of 0 would allow any stake.
_LEAST = 1e-3
# The logarithm of the largest e-value that JSON can write.
_LARGEST = 700.0


def stake(
    blocks: Floats | float,
    total: Floats | float,
    squares: Floats | float,
    null: Floats | float,
    hoped: Floats | float,
) -> Floats:
    """Return the stake on the next block from sums of earlier scores and their squares; arrays broadcast."""
    number = np.asarray(blocks, np.float64) + 2.0 * _UNSEEN
    mean = (total + _UNSEEN) / number
    variance = np.maximum((squares + _UNSEEN) / number - mean**2, 0.0)
    apart = np.asarray(hoped, np.float64) - null
    found: Floats = np.minimum(_MOST / np.maximum(null, _LEAST), apart / (variance + apart**2))
    return found


def log_evidence(scores: Floats, null: Floats | float, hoped: Floats | float) -> Floats:
    """Return the logarithm of the e-value against a mean of at most `null` after each block, shape (..., n).

    `scores` (..., n) are from 0 to 1; `null` and `hoped` > `null` broadcast with them.
    """
    before = np.arange(scores.shape[-1], dtype=np.float64)
    total, squares = (np.cumsum(of, axis=-1) - of for of in (scores, scores**2))
    growth = np.log1p(stake(before, total, squares, null, hoped) * (scores - null))
    found: Floats = np.cumsum(growth, axis=-1)
    return found


def e_value(log_e: float) -> float:
    """Return the e-value with this logarithm, limited to what JSON can write."""
    return math.exp(min(log_e, _LARGEST))


def confidence_sequence(scores: Sequence[float] | Floats, level: float = 0.95) -> tuple[float, float]:
    """Return the ends of a confidence sequence of the mean score; 0 and 1 without scores.

    The probability that it ever excludes the mean, in an endless test, is at most 1 - `level`. ResultError
    for a score outside 0 to 1.
    """
    found = np.asarray(scores, np.float64)
    if found.size and not (found.min() >= 0.0 and found.max() <= 1.0):
        raise ResultError("block scores: give means from 0 to 1")
    if not found.size:
        return 0.0, 1.0
    stakes = _plug_in(found, level)
    enough = math.log(2.0 / (1.0 - level))
    # A bet on less is a bet on more of the mirror image.
    return _lower_end(found, stakes, enough), 1.0 - _lower_end(1.0 - found, stakes, enough)


def _plug_in(scores: Floats, level: float) -> Floats:
    """Return the stakes of the interval, shape (n,)."""
    number = np.arange(1.0, scores.size + 1.0)
    means = (0.5 + np.cumsum(scores)) / (number + 1.0)
    variances = (0.25 + np.cumsum((scores - means) ** 2)) / (number + 1.0)
    before = np.concatenate([[0.25], variances[:-1]])
    stakes: Floats = np.sqrt(2.0 * math.log(2.0 / (1.0 - level)) / (before * number * np.log1p(number)))
    return stakes


def _lower_end(scores: Floats, stakes: Floats, enough: float) -> float:
    """Return the largest mean against which the bets on more have reached `enough` (log wealth), or 0.

    The wealth decreases in the mean that is bet against.
    """
    low, high = 0.0, 1.0
    for _ in range(40):
        null = 0.5 * (low + high)
        bets = np.minimum(stakes, _MOST / max(null, _LEAST))
        if float(np.log1p(bets * (scores - null)).sum()) >= enough:
            low = null
        else:
            high = null
    return low
