"""How sure the ratings are: intervals and likelihoods of superiority that hold for correlated results.

Let H be the information of the ratings (a Laplacian; drawelo and advantage taken as known) and H^+ its
pseudo-inverse, the covariance of mean-zero ratings if all results were independent. They are not: a player's
three results of a match share his own score, and all tables of a round play the same deals. Intervals from
H^+ cover 88 to 90 % where they claim 95 %. So by default the covariance is a sandwich over clusters c
(rounds, tables or matches), g_c being the sum of a cluster's score contributions (its gradient in the
ratings, shape (n,)):

    V = H^+ ( R/(R-1) sum_c g_c g_c^T ) H^+,    interval  r_i +- t_{.975, R-1} sqrt(V_ii),
    P(i better than j) = T_{R-1}( (r_i - r_j) / sqrt(V_ii + V_jj - 2 V_ij) ).

Virtual draws count in H, not in g. By round the coverage is 94.5 to 95.0 % in every setting tried
in which everybody plays every round.

| kind | variance of a rating | quantile at 95 % |
|---|---|---|
| round, table, match | V_ii over R clusters | t with R - 1 degrees of freedom |
| model | (H^+)_ii | 1.959964 |
| covariance | (H^+)_ii | 1.9601273, as BayesElo computes it |
| variance | 1 / H_ii: opponents taken as exactly known | 1.9601273 |
| exactdist | of a distribution on a grid (`rating.fit.exactdist`) | its own tails |

Fewer than 10 rounds (or tables), or none: matches are the clusters. Fewer than 10 matches: `model` with
half-widths times sqrt(5/3), the factor that three results sharing one score have for equal players. A notice
says so.

A sandwich knows only what a player's own clusters disagree about. Few of his own (a late joiner's) agree by
chance, and those of a player who won everything, lost everything or never did either agree by construction:
his variance would be nearly zero where least is known. For a player with fewer than 10 clusters of his own,
and for one without a win or without a defeat, the half width is the larger of the sandwich's and
sqrt(5/3) 1.959964 sqrt((H^+)_ii), and the variance of a difference, if either player is such a one, the
larger of the sandwich's and 5/3 of the model's. Notices name them. That keeps the first from being too
narrow; no width makes up for results that say nothing about how far above (below) all others somebody stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from rating.arrays import Floats, Ints
from rating.crosstable import Cluster, distinct_of_players
from rating.errors import OptionError
from rating.fit.bayeselo import Fit
from rating.fit.exactdist import grid_intervals
from rating.fit.likelihood import ELO
from rating.fit.sandwich import Information, sandwich
from rating.fit.spread import Diagonal, Spread
from rating.notices import Notice, name_some
from rating.threads import one_thread

__all__ = ["BAYESELO_Z", "FEWEST_CLUSTERS", "Intervals", "Kind", "intervals", "rating_covariance"]

Kind = Literal["round", "table", "match", "model", "variance", "covariance", "exactdist"]

BAYESELO_Z = 1.9601273
"""BayesElo's 95 % quantile of the normal distribution: a sum over 1000 cells of [-10, 10]."""
FEWEST_CLUSTERS = 10
"""With fewer, a variance between clusters is too poorly known to be used."""

_SHARED_SCORE = 5.0 / 3.0
# e^300 squared is still a finite double.
_FAR = 300.0
# Results handled together: they stay in the cache.
_PIECE = 32_768
# Players whose differences from all others are looked at together.
_ROWS = 256


@dataclass(frozen=True, slots=True, eq=False)
class _Floor:
    """What the variances of some players do not fall below: `who`, shape (n,), says whose; `spread` is the
    model's, `variance` (n,) its diagonal, both to be multiplied by 5/3.
    """

    who: npt.NDArray[np.bool_]
    spread: Spread
    variance: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Intervals of a fit, in Elo; arrays have one entry a player, shape (n,), 0 for players without results.

    `kind` is the kind used, `asked` the one asked for; `clusters` is R or, for the kinds without clusters,
    None. `low` and `high` are the ends: `elo` less and plus `quantile` times `sd`, but for `exactdist`, whose
    intervals are not symmetrical and whose superiorities are those of `covariance`. `spread` holds the
    covariances in the form that costs least, in natural units, to be multiplied by `factor` for Elo^2;
    `floor` holds whose intervals and superiorities rest on the model where that is wider, None for nobody.
    """

    fit: Fit
    kind: Kind
    asked: Kind
    level: float
    clusters: int | None
    quantile: float
    sd: Floats
    low: Floats
    high: Floats
    spread: Spread
    factor: float
    notices: tuple[Notice, ...]
    floor: _Floor | None = None

    @property
    def half(self) -> Floats:
        """Half widths."""
        return (self.high - self.low) / 2.0

    @property
    def covariance(self) -> Floats:
        """Covariances of the ratings, shape (n, n), Elo^2, made when asked for; diagonal for `variance`.

        Those of the clusters alone, without regard to `floor`.
        """
        with one_thread():
            matrix = self.factor * self.spread.rows(np.arange(len(self.fit.elo)))
        lone = ~self.fit.rated
        matrix[lone] = matrix[:, lone] = 0.0
        return matrix

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notices in plain words."""
        return tuple(notice.text for notice in self.notices)

    def los(self, who: Sequence[int] | Ints | None = None) -> Floats:
        """P(i is better than j), shape (k, k) for the players `who` (default: all, in the table's order).

        0.5 on the diagonal and where results do not link the two. No n x n matrix is made but the answer.
        """
        chosen = np.arange(len(self.fit.elo)) if who is None else np.asarray(who, np.int64)
        chance = np.empty((chosen.size, chosen.size))
        for start in range(0, chosen.size, _ROWS):
            some = slice(start, start + _ROWS)
            # One triangle gives the other.
            rest = chosen[start:]
            score, linked = self._scores(chosen[some], rest)
            chance[some, start:] = np.where(linked, self._probability(score), 0.5)
            chance[start:, some] = 1.0 - chance[some, start:].T
        return chance

    def rank_interval(self, level: float | None = None) -> Ints:
        """Best and worst rank of each player, shape (2, n), 1 being the best; 0 for players without results.

        The interval of a player holds his true rank with at least `level` (default: that of the intervals):
        whoever is better (worse) than he at 1 - (1 - level) / (m - 1), m being the number of rated players,
        stands above (below) him, by the LOS of each pair; the errors of m - 1 comparisons then add up to no
        more than 1 - level (Bonferroni). Players without link to him may stand anywhere.
        """
        asked = self.level if level is None else level
        _check_level(asked)
        rated = np.flatnonzero(self.fit.rated)
        best, worst = np.zeros(len(self.fit.elo), np.int64), np.zeros(len(self.fit.elo), np.int64)
        needed = _upper(1.0 - (1.0 - asked) / max(rated.size - 1, 1), self.clusters)
        for start in range(0, rated.size, _ROWS):
            some = rated[start : start + _ROWS]
            score, linked = self._scores(some, rated)
            best[some] = 1 + np.sum(linked & (score < -needed), axis=1)
            worst[some] = rated.size - np.sum(linked & (score > needed), axis=1)
        return np.stack([best, worst])

    def _scores(self, some: Ints, others: Ints) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """(r_i - r_j) / sd(r_i - r_j), shape (some, others), and where the two can be compared."""
        elo, own = self.fit.elo, self._variance()
        with one_thread():
            cross = self.spread.rows(some)[:, others]
        variance = self.factor * (own[some][:, None] + own[others][None, :] - 2.0 * cross)
        if self.floor is not None:
            either = self.floor.who[some][:, None] | self.floor.who[others][None, :]
            if either.any():
                least = self._least(some, others)
                np.copyto(variance, np.maximum(variance, least), where=either)
        linked = _linked(self.fit, some, others) & (variance > 0.0)
        linked &= some[:, None] != others[None, :]
        gap = elo[some][:, None] - elo[others][None, :]
        score = np.divide(gap, np.sqrt(np.maximum(variance, 0.0)), out=np.zeros_like(gap), where=linked)
        return score, linked

    def _least(self, some: Ints, others: Ints) -> Floats:
        """What Var(r_i - r_j) is at least for players of the floor, shape (some, others)."""
        assert self.floor is not None  # whoever asks knows it
        own = self.floor.variance
        with one_thread():
            cross = self.floor.spread.rows(some)[:, others]
        least: Floats = own[some][:, None] + own[others][None, :] - 2.0 * cross
        return self.factor * _SHARED_SCORE * least

    def _variance(self) -> Floats:
        """The diagonal of `spread`. An estimated one is not estimated again."""
        if self.kind == "exactdist" or self.floor is not None:
            return self.spread.variance()
        return self.sd**2 / self.factor

    def _probability(self, score: Floats) -> Floats:
        from scipy.special import ndtr, stdtr

        found: Floats = ndtr(score) if self.clusters is None else stdtr(self.clusters - 1, score)
        return found


def intervals(fit: Fit, kind: Kind = "round", *, level: float = 0.95) -> Intervals:
    """Intervals of `fit`, of the kind asked for or the one that its results allow (see the module).

    `level` is the share of intervals that hold the true rating. BayesElo's own quantile is known at 95 %
    only; at other levels its kinds use the exact one. Raises OptionError for another kind and for a level
    outside 1e-9 to 1 - 1e-9, where quantiles lose their digits.
    """
    if kind not in get_args(Kind):
        raise OptionError(f"intervals {kind!r}: give one of {', '.join(get_args(Kind))}")
    _check_level(level)
    used, clusters, notices = _settle(fit, kind)
    likelihood = fit.likelihood()
    number = None if clusters is None else clusters[1]
    factor = ELO**-2
    floor: _Floor | None = None
    with one_thread():
        information = _information(fit, None)
        spread: Spread
        if used == "variance":
            weight = information.diagonal
            spread = Diagonal(np.divide(1.0, weight, out=np.zeros(likelihood.n), where=fit.rated))
        elif clusters is None:
            spread = information.inverse()
        else:
            spread, number = sandwich(information, fit.table, _pulls(fit), *clusters)
        if used == "model" and kind != "model":
            factor *= _SHARED_SCORE
        sd = np.sqrt(np.maximum(factor * spread.variance(), 0.0))
        sd[~fit.rated] = 0.0
        quantile = _quantile(used, level, number)
        if clusters is not None:
            floor, more = _floor(fit, used, clusters, information)
            notices += more
        if floor is not None:
            wide = _upper(0.5 + level / 2.0, None) / quantile
            least = wide * np.sqrt(factor * _SHARED_SCORE * floor.variance)
            sd = np.where(floor.who, np.maximum(sd, least), sd)
        low, high = fit.elo - quantile * sd, fit.elo + quantile * sd
        if used == "exactdist":
            low, high, sd = grid_intervals(likelihood, fit.elo, fit.advantage, fit.drawelo, level)
            low[~fit.rated] = high[~fit.rated] = sd[~fit.rated] = 0.0
    if not information.exact:
        text = "intervals are rough: the players are linked by long chains of opponents only"
        notices.append(Notice("rough-intervals", text))
    if kind in ("round", "table", "match", "model"):
        notices += _open_ends(fit)
    return Intervals(
        fit, used, kind, level, number, quantile, sd, low, high, spread, factor, tuple(notices), floor
    )


def rating_covariance(fit: Fit, *, ridge: float | None = None) -> Floats:
    """H^+ in Elo^2, shape (n, n): the covariance of mean-zero ratings if all results were independent.

    `ridge` (a standard deviation in Elo) ties groups that never met and players without results, for this
    matrix alone; without it they have covariance 0 with each other.
    """
    with one_thread():
        return _information(fit, ridge).dense().pseudo_inverse() / ELO**2


def _check_level(level: float) -> None:
    if not 1e-9 <= level <= 1.0 - 1e-9:
        raise OptionError(f"level {level!r}: give a share between 0 and 1, such as 0.95")


def _information(fit: Fit, ridge: float | None) -> Information:
    """H at the fitted point and the groups that it links."""
    likelihood = fit.likelihood()
    slope = likelihood.slope(fit.elo * ELO, fit.advantage * ELO, fit.drawelo * ELO)
    spread = fit.ridge if ridge is None else ridge
    if spread is None:
        return Information(likelihood, slope.h, 0.0, fit.component)
    return Information(likelihood, slope.h, (spread * ELO) ** -2, np.zeros(likelihood.n, np.int64))


def _pulls(fit: Fit) -> Floats:
    """What each result adds to the gradient of its first player, shape (N,), natural units."""
    table, theta = fit.table, fit.elo * ELO
    advantage, tie = fit.advantage * ELO, np.exp(min(fit.drawelo * ELO, _FAR))
    pull = np.empty(table.first.size)
    for start in range(0, pull.size, _PIECE):
        some = slice(start, start + _PIECE)
        u = theta[table.first[some]] - theta[table.second[some]] + advantage
        odds, outcome = np.exp(np.clip(u, -_FAR, _FAR)), table.outcome[some]
        # A win pulls first up by 1 - s(u - d), a loss down by 1 - s(-u - d); a draw is one of each.
        pull[some] = np.where(outcome >= 0, 1.0 / (1.0 + odds / tie), 0.0)
        pull[some] -= np.where(outcome <= 0, 1.0 / (1.0 + 1.0 / (odds * tie)), 0.0)
    return pull


def _settle(fit: Fit, kind: Kind) -> tuple[Kind, tuple[Ints, int] | None, list[Notice]]:
    """The kind to use, its clusters, and why it is another than asked for."""
    notices: list[Notice] = []
    if kind not in ("round", "table", "match"):
        return kind, None, notices
    chosen: Cluster = kind
    clusters = fit.table.clusters(chosen)
    if chosen != "match" and (clusters is None or clusters[1] < FEWEST_CLUSTERS):
        if clusters is None:
            text = f"intervals are by match: the results do not all name their {kind}"
            notices.append(Notice(f"no-{kind}s", text))
        else:
            text = f"by {kind} they take {FEWEST_CLUSTERS} {kind}s, there are {clusters[1]}"
            notices.append(Notice(f"few-{kind}s", f"intervals are by match: {text}"))
        chosen, clusters = "match", fit.table.clusters("match")
    if clusters is None or clusters[1] < FEWEST_CLUSTERS:
        number = 0 if clusters is None else clusters[1]
        text = f"by match they take {FEWEST_CLUSTERS} matches, there are {number}"
        few = Notice("few-matches", f"intervals are the model's times sqrt(5/3): {text}")
        return "model", None, [few]
    return chosen, clusters, notices


def _floor(
    fit: Fit, kind: Kind, clusters: tuple[Ints, int], information: Information
) -> tuple[_Floor | None, list[Notice]]:
    """Whose clusters cannot tell how uncertain his rating is, and who has too few of them."""
    table = fit.table
    own = distinct_of_players(len(fit.elo), table.first, table.second, *clusters)
    few = fit.rated & (own < FEWEST_CLUSTERS)
    wins, _, losses = table.results
    who = few | (fit.rated & ((wins == 0) | (losses == 0)))
    if not who.any():
        return None, []
    notices: list[Notice] = []
    if few.any():
        plural = "matches" if kind == "match" else f"{kind}s"
        text = f"fewer than {FEWEST_CLUSTERS} {plural} of their own, so the model's intervals times sqrt(5/3)"
        names = [table.players[k] for k in np.flatnonzero(few)]
        text = f"{text} where those are wider: {name_some(names)}"
        notices.append(Notice(f"few-{plural}-of-player", text))
    model = information.bound()
    return _Floor(who, model, np.maximum(model.variance(), 0.0)), notices


def _open_ends(fit: Fit) -> list[Notice]:
    """Whose intervals end where the prior ends them."""
    wins, draws, losses = fit.table.results
    total = wins + draws + losses
    notices: list[Notice] = []
    for name, count, way in (("open-above", wins, "upwards"), ("open-below", losses, "downwards")):
        whose = [fit.table.players[k] for k in np.flatnonzero((count == total) & (total > 0))]
        if whose:
            verb = "won" if name == "open-above" else "lost"
            text = f"intervals do not hold {way} for who {verb} every result: {name_some(whose)}"
            notices.append(Notice(name, text))
    return notices


def _quantile(kind: Kind, level: float, clusters: int | None) -> float:
    if kind in ("variance", "covariance", "exactdist") and level == 0.95:
        return BAYESELO_Z
    return _upper(0.5 + level / 2.0, clusters)


def _upper(share: float, clusters: int | None) -> float:
    """The quantile of t with clusters - 1 degrees of freedom, or of the normal distribution."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(share)) if clusters is None else float(stdtrit(clusters - 1, share))


def _linked(fit: Fit, some: Ints, others: Ints) -> npt.NDArray[np.bool_]:
    """Whether ratings of two players can be compared, shape (some, others)."""
    group = np.where(fit.rated, 0, -1) if fit.ridge is not None else fit.component
    both = fit.rated[some][:, None] & fit.rated[others][None, :]
    same: npt.NDArray[np.bool_] = both & (group[some][:, None] == group[others][None, :])
    return same
