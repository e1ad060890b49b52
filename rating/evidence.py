"""Evidence that may be looked at whenever one likes: e-values and intervals of a mean score, from bets.

Somebody who doubts that the mean score of blocks is above `null` offers even bets: whoever stakes the share b
of his wealth on a block of score x, from 0 to 1, has

    wealth_t = wealth_{t-1} (1 + b_t (x_t - null)),     0 <= b_t <= 1 / null,  b_t known before block t.

If the mean is at most `null`, whatever else the scores are like, the wealth is in expectation no more than
the 1 that it began with, at every time and however one chooses to stop (a test supermartingale). So it is an
**e-value**: P(it ever reaches 1 / alpha) <= alpha (Ville's inequality). Nothing is assumed of the spread,
which a rare loss of a whole block would prove wrong.

What is staked decides how fast the wealth grows where the mean is above `null`. By Kelly's rule it is

    b = (hoped - null) / (variance + (hoped - null)^2),

for a mean of `hoped`, with the variance of the blocks before; then ln wealth is, but for small terms, the
log-likelihood ratio of `hoped` against `null`. At most 97 % is staked, since who loses all can never go on.
The variance counts a quarter of a block lost whole and a quarter won whole more.

The interval holds all means against which neither the bets on more nor those on less have reached 2 / (1 -
level), staked by the predictable plug-in b_t = sqrt(2 ln(2 / alpha) / (v_{t-1} t ln(t + 1))).

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

# Blocks added to the variance, of score 0 and of score 1 each.
_UNSEEN = 0.25
# The share of the wealth that a block can cost.
_MOST = 0.97
# As a mean to be beaten, 0 would allow any stake.
_LEAST = 1e-3
# Beyond this an e-value could not be written as a number of JSON.
_LARGEST = 700.0


def stake(
    blocks: Floats | float,
    total: Floats | float,
    squares: Floats | float,
    null: Floats | float,
    hoped: Floats | float,
) -> Floats:
    """What is staked on the next block, from sums of the scores before it and of their squares; arrays that
    broadcast.
    """
    number = np.asarray(blocks, np.float64) + 2.0 * _UNSEEN
    mean = (total + _UNSEEN) / number
    variance = np.maximum((squares + _UNSEEN) / number - mean**2, 0.0)
    apart = np.asarray(hoped, np.float64) - null
    found: Floats = np.minimum(_MOST / np.maximum(null, _LEAST), apart / (variance + apart**2))
    return found


def log_evidence(scores: Floats, null: Floats | float, hoped: Floats | float) -> Floats:
    """The logarithm of the e-value against a mean of at most `null` after each block, shape (..., n).

    `scores` (..., n) are from 0 to 1; `null` and `hoped`, above it, broadcast with them.
    """
    before = np.arange(scores.shape[-1], dtype=np.float64)
    total, squares = (np.cumsum(of, axis=-1) - of for of in (scores, scores**2))
    growth = np.log1p(stake(before, total, squares, null, hoped) * (scores - null))
    found: Floats = np.cumsum(growth, axis=-1)
    return found


def e_value(log_e: float) -> float:
    """The e-value with this logarithm, held to what JSON can write."""
    return math.exp(min(log_e, _LARGEST))


def sequence(scores: Sequence[float] | Floats, level: float = 0.95) -> tuple[float, float]:
    """The ends of an interval of the mean score that holds at all times at once; 0 and 1 without scores.

    The probability that it fails at any time, of a test that goes on for ever, is at most 1 - `level`. Raises
    ResultError for a score outside 0 to 1.
    """
    found = np.asarray(scores, np.float64)
    if found.size and not (found.min() >= 0.0 and found.max() <= 1.0):
        raise ResultError("block scores: give means from 0 to 1")
    if not found.size:
        return 0.0, 1.0
    stakes = _plug_in(found, level)
    enough = math.log(2.0 / (1.0 - level))
    # Who bets that it is less bets that the mirror image is more.
    return _least(found, stakes, enough), 1.0 - _least(1.0 - found, stakes, enough)


def _plug_in(scores: Floats, level: float) -> Floats:
    """The stakes of the interval, shape (n,)."""
    number = np.arange(1.0, scores.size + 1.0)
    means = (0.5 + np.cumsum(scores)) / (number + 1.0)
    variances = (0.25 + np.cumsum((scores - means) ** 2)) / (number + 1.0)
    before = np.concatenate([[0.25], variances[:-1]])
    stakes: Floats = np.sqrt(2.0 * math.log(2.0 / (1.0 - level)) / (before * number * np.log1p(number)))
    return stakes


def _least(scores: Floats, stakes: Floats, enough: float) -> float:
    """The largest mean against which the bets on more have reached `enough`, in logarithms; 0 without any.

    The wealth falls as the mean to be beaten rises.
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
