"""The kinds of intervals, the choice of one that the results allow, and their quantiles.

| kind | variance of a rating | quantile at 95 % |
|---|---|---|
| round, table, match | V_ii over R clusters (`rating.fit.sandwich`) | t with R - 1 degrees of freedom |
| model | (H^+)_ii | 1.959964 |
| covariance | (H^+)_ii | 1.9601273, as BayesElo computes it |
| variance | 1 / H_ii: opponents taken as exactly known | 1.9601273 |
| exactdist | of a distribution on a grid (`rating.fit.exactdist`) | the tails of that distribution |

With fewer than 10 rounds (or tables), or unknown ones, matches are the clusters. With fewer than 10 matches
the kind is `model` with half-widths times sqrt(5/3), the factor of three results that share one score between
equal players. A notice is given.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

from rating.errors import OptionError
from rating.notices import Notice

if TYPE_CHECKING:
    from collections.abc import Callable

    from rating.arrays import Floats, Ints
    from rating.crosstable import Cluster
    from rating.fit.bayeselo import Fit

Kind = Literal["round", "table", "match", "model", "variance", "covariance", "exactdist"]
KINDS: tuple[Kind, ...] = get_args(Kind)

BAYESELO_Z = 1.9601273
"""BayesElo's 95 % quantile of the normal distribution: a sum over 1000 cells of [-10, 10]."""
FEWEST_CLUSTERS = 10
"""With fewer, the estimated variance between clusters is too uncertain."""

_FEW, _MOST_FREEDOM = 50, 10_000.0
"""Up to these numbers of players and degrees of freedom Python takes less time than importing scipy."""


def choose_kind(fit: Fit, asked: Kind) -> tuple[Kind, tuple[Ints, int] | None, list[Notice]]:
    """Return the kind to use, its clusters (shape (N,) and their number), and notices if it differs."""
    if asked not in ("round", "table", "match"):
        return asked, None, []
    kind: Cluster = asked
    notices = []
    clusters = fit.table.clusters(kind)
    if kind != "match" and (clusters is None or clusters[1] < FEWEST_CLUSTERS):
        if clusters is None:
            text = f"intervals are by match: not all results name their {kind}"
            notices.append(Notice(f"no-{kind}s", text))
        else:
            text = f"by {kind} needs {FEWEST_CLUSTERS} {kind}s, got {clusters[1]}"
            notices.append(Notice(f"few-{kind}s", f"intervals are by match: {text}"))
        kind, clusters = "match", fit.table.clusters("match")
    number = 0 if clusters is None else clusters[1]
    if number < FEWEST_CLUSTERS:
        text = f"by match needs {FEWEST_CLUSTERS} matches, got {number}"
        text = f"intervals are 1.29 (sqrt(5/3)) times as wide as the model's: {text}"
        return "model", None, [Notice("few-matches", text)]
    return kind, clusters, notices


def check_level(level: float) -> None:
    """Raise OptionError outside 1e-9 to 1 - 1e-9, where quantiles are inaccurate."""
    if not 1e-9 <= level <= 1.0 - 1e-9:
        raise OptionError(f"level {level!r}: give a share between 0 and 1, such as 0.95")


def quantile(kind: Kind, level: float, freedom: float | None) -> float:
    """Return the factor on a standard deviation: at 95 % BayesElo's own for its three kinds.

    Else the quantile of t with `freedom`, or of the normal distribution for None.
    """
    if kind in ("variance", "covariance", "exactdist") and level == 0.95:
        return BAYESELO_Z
    return upper_quantile(0.5 + level / 2.0, freedom)


def upper_quantile(share: float, freedom: float | None) -> float:
    """Return the quantile of t with these degrees of freedom, or of the normal distribution for None."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(share)) if freedom is None else float(stdtrit(freedom, share))


def distribution(freedom: float | None, players: int) -> Callable[[Floats], Floats]:
    """Return the distribution function of t with these degrees of freedom, or the normal one for None.

    It is accurate to 1e-11. For many `players` scipy is loaded here, at once.
    """
    if players <= _FEW and (freedom is None or 0.0 < freedom <= _MOST_FREEDOM):
        import numpy as np  # a command's options need the kinds alone

        def below(score: Floats) -> Floats:
            return np.array([_below(x, freedom) for x in score.ravel().tolist()]).reshape(score.shape)

        return below
    from scipy.special import ndtr, stdtr

    return ndtr if freedom is None else partial(stdtr, freedom)


def quantile_to_compare(share: float, freedom: float | None) -> float:
    """Return `upper_quantile` to 1e-9 of itself, usually without importing scipy."""
    if share < 0.5 or not (freedom is None or 0.0 < freedom <= _MOST_FREEDOM):
        return upper_quantile(share, freedom)
    low, high = 0.0, 1.0
    while _tail(high, freedom) > 1.0 - share:
        low, high = high, 2.0 * high
    while high - low > 1e-10 * high:
        middle = (low + high) / 2.0
        low, high = (middle, high) if _tail(middle, freedom) > 1.0 - share else (low, middle)
    return high


def _below(x: float, freedom: float | None) -> float:
    tail = _tail(abs(x), freedom)
    return tail if x < 0.0 else 1.0 - tail


def _tail(x: float, freedom: float | None) -> float:
    """Return P(X > x) for x >= 0."""
    if freedom is None or math.isnan(x):
        return 0.5 * math.erfc(x / math.sqrt(2.0))
    square = x * x / freedom
    if math.isinf(square):
        return 0.0
    return 0.5 * _beta(freedom / 2.0, 0.5, 1.0 / (1.0 + square), square / (1.0 + square))


def _beta(a: float, b: float, x: float, y: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), y being 1 - x.

    Source: the continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions, which
    converges in O(sqrt(max(a, b))) terms below the mean.
    """
    if x <= 0.0 or y <= 0.0:
        return float(x > 0.0)
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - _beta(b, a, y, x)
    fraction = 1.0
    for m in range(24 + 4 * math.isqrt(int(max(a, b))), 0, -1):
        fraction = 1.0 - (a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)) / fraction
        fraction = 1.0 + m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) / fraction
    fraction = 1.0 - (a + b) * x / (a + 1.0) / fraction
    log = a * math.log(x) + b * math.log(y) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(log) / a / fraction
