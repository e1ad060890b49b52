"""The kinds of intervals: which of them the results allow, and its quantile.

| kind | variance of a rating | quantile at 95 % |
|---|---|---|
| round, table, match | V_ii over R clusters (`rating.fit.sandwich`) | t with R - 1 degrees of freedom |
| model | (H^+)_ii | 1.959964 |
| covariance | (H^+)_ii | 1.9601273, as BayesElo computes it |
| variance | 1 / H_ii: opponents taken as exactly known | 1.9601273 |
| exactdist | of a distribution on a grid (`rating.fit.exactdist`) | its own tails |

With fewer than 10 rounds (or tables), or none, matches are the clusters. With fewer than 10 matches the kind
is `model` with half-widths times sqrt(5/3), the factor that three results sharing one score have for equal
players. A notice says so.
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
"""With fewer, a variance between clusters is too poorly known to be used."""


def settle_kind(fit: Fit, asked: Kind) -> tuple[Kind, tuple[Ints, int] | None, list[Notice]]:
    """The kind to use, its clusters (shape (N,) and their number), notices where another was asked for."""
    if asked not in ("round", "table", "match"):
        return asked, None, []
    kind: Cluster = asked
    notices = []
    clusters = fit.table.clusters(kind)
    if kind != "match" and (clusters is None or clusters[1] < FEWEST_CLUSTERS):
        if clusters is None:
            text = f"intervals are by match: the results do not all name their {kind}"
            notices.append(Notice(f"no-{kind}s", text))
        else:
            text = f"by {kind} they take {FEWEST_CLUSTERS} {kind}s, there are {clusters[1]}"
            notices.append(Notice(f"few-{kind}s", f"intervals are by match: {text}"))
        kind, clusters = "match", fit.table.clusters("match")
    number = 0 if clusters is None else clusters[1]
    if number < FEWEST_CLUSTERS:
        text = f"by match they take {FEWEST_CLUSTERS} matches, there are {number}"
        text = f"intervals are the model's times sqrt(5/3): {text}"
        return "model", None, [Notice("few-matches", text)]
    return kind, clusters, notices


def check_level(level: float) -> None:
    """Raise OptionError outside 1e-9 to 1 - 1e-9, where quantiles lose their digits."""
    if not 1e-9 <= level <= 1.0 - 1e-9:
        raise OptionError(f"level {level!r}: give a share between 0 and 1, such as 0.95")


def quantile(kind: Kind, level: float, freedom: float | None) -> float:
    """The factor on a standard deviation. BayesElo's own is known at 95 % only."""
    if kind in ("variance", "covariance", "exactdist") and level == 0.95:
        return BAYESELO_Z
    return upper(0.5 + level / 2.0, freedom)


def upper(share: float, freedom: float | None) -> float:
    """The quantile of t with so many degrees of freedom, or of the normal distribution."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(share)) if freedom is None else float(stdtrit(freedom, share))
