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

from typing import TYPE_CHECKING, Literal, get_args

from rating.errors import OptionError
from rating.notices import Notice

if TYPE_CHECKING:
    from rating.arrays import Ints
    from rating.crosstable import Cluster
    from rating.fit.bayeselo import Fit

Kind = Literal["round", "table", "match", "model", "variance", "covariance", "exactdist"]
KINDS: tuple[Kind, ...] = get_args(Kind)

BAYESELO_Z = 1.9601273
"""BayesElo's 95 % quantile of the normal distribution: a sum over 1000 cells of [-10, 10]."""
FEWEST_CLUSTERS = 10
"""With fewer, the estimated variance between clusters is too uncertain."""


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
