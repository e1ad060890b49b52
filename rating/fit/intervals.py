"""Intervals and likelihoods of superiority for correlated results.

Let H be the information of the ratings (a Laplacian; drawelo and advantage taken as known) and H^+ its
pseudo-inverse, the covariance of mean-zero ratings if all results were independent. They are not: a player's
three results of a match share its score, and all tables of a round play the same deals. Nominal 95 %
intervals from H^+ cover 88 to 90 %. So the default is a sandwich over clusters c (rounds, tables or
matches), g_c being the sum of a cluster's score contributions (its gradient in the ratings, shape (n,)):

    V = H^+ ( R/(R-1) sum_c g_c g_c^T ) H^+,    interval  r_i +- t_{.975, R-1} sqrt(V_ii),
    P(i better than j) = T_{R-1}( (r_i - r_j) / sqrt(V_ii + V_jj - 2 V_ij) ).

Virtual draws count in H, not in g. By round V is pooled over the players (`rating.fit.pooling`); with fewer
than 10 rounds matches are the clusters, scaled by the rounds. If all players play every round, it covers 94
to 97 % from 2 rounds on. `rating.fit.kinds` lists the other kinds.

A sandwich measures how much a player's clusters disagree. A few (a late joiner's) agree by chance; those of a
player that won or lost everything, or had the same results in each, agree by construction: the variance would
be almost zero though least is known. For a player with fewer than 10 clusters, without a win or without a
loss, or with identical clusters, the half width is at least sqrt(5/3) 1.959964 sqrt((H^+)_ii), and the
variance of a difference with such a player at least 5/3 of the model's. Notices name these players. No width
makes up for results that give no bound above (below): a player that won (lost) everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rating.arrays import Bools, Floats, Ints
from rating.crosstable import distinct_of_players
from rating.errors import OptionError
from rating.fit import kinds
from rating.fit.bayeselo import Fit
from rating.fit.exactdist import grid_intervals
from rating.fit.kinds import FEWEST_CLUSTERS, KINDS, Kind, check_level, choose_kind, quantile, upper_quantile
from rating.fit.likelihood import ELO, FAR
from rating.fit.pooling import MOST_POOLED, Pooled, bias_of_rounds, pool_matches, pool_rounds
from rating.fit.sandwich import Diagonal, Information, Matrix, Spread, count_clusters, sandwich
from rating.notices import Notice, name_some
from rating.threads import one_thread

SHARED_SCORE = 5.0 / 3.0
"""Variance of three results that share one score, relative to independent ones; equal players."""
# Results processed together: they stay in the cache.
_PIECE = 32_768
# Players compared with all others at once: 20 MB for 10,000 players.
_ROWS = 256


@dataclass(frozen=True, slots=True, eq=False)
class Floor:
    """Minimum variances of the players `who` (n,): 5/3 of `spread`, whose diagonal is `variance` (n,)."""

    who: Bools
    spread: Spread
    variance: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Intervals of a fit, in Elo; arrays have one entry per player, shape (n,), 0 without results.

    `kind` is the kind used; `clusters` is R, None for kinds without clusters; `freedom` are the degrees of
    freedom of t, None for the normal distribution. `low` and `high` are the ends: `elo` minus and plus
    `quantile` times `sd`, except for `exactdist`, whose intervals are not symmetrical and whose superiorities
    are those of `covariance`. `spread` holds the covariances in natural units; times `factor` they are in
    Elo^2. `floor` holds the minimum variances of some players, or None.
    """

    fit: Fit
    kind: Kind
    level: float
    clusters: int | None
    quantile: float
    sd: Floats
    low: Floats
    high: Floats
    spread: Spread
    factor: float
    notices: tuple[Notice, ...]
    floor: Floor | None = None
    freedom: float | None = None

    @property
    def half(self) -> Floats:
        return (self.high - self.low) / 2.0

    @property
    def covariance(self) -> Floats:
        """Covariances in Elo^2, shape (n, n), computed at each access, without `floor`."""
        with one_thread():
            matrix = self.factor * self.spread.rows(np.arange(len(self.fit.elo)))
        lone = ~self.fit.rated
        matrix[lone] = matrix[:, lone] = 0.0
        return matrix

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(notice.text for notice in self.notices)

    def los(
        self, who: Sequence[int] | Ints | None = None, than: Sequence[int] | Ints | None = None
    ) -> Floats:
        """Return P(i is better than j), shape (k, m), for the k players `who` (default: all, in table order).

        j are the m players `than`, by default the same. It is 0.5 for a player with itself and for players
        that results do not link. The result is the only k x m array.
        """
        chosen = np.arange(len(self.fit.elo)) if who is None else np.asarray(who, np.int64)
        others = chosen if than is None else np.asarray(than, np.int64)
        chance = np.empty((chosen.size, others.size))
        below = kinds.distribution(self.freedom, len(self.fit.elo))
        for start in range(0, chosen.size, _ROWS):
            some = slice(start, start + _ROWS)
            # The matrix is antisymmetric around 0.5: compute one triangle.
            after = slice(start if than is None else 0, None)
            score, linked = self._scores(chosen[some], others[after])
            chance[some, after] = np.where(linked, below(score), 0.5)
            if than is None:
                chance[after, some] = 1.0 - chance[some, after].T
        return chance

    def rank_interval(
        self, who: Sequence[int] | Ints | None = None, of: Sequence[int] | Ints | None = None
    ) -> Ints:
        """Return best and worst rank of each player, shape (2, n), 1 being the best; 0 without results.

        Only the players `who` are ranked (default: all); the others have 0, too. Intervals are computed for
        those in `of` (default: all ranked).

        A player's interval contains its true rank with probability at least `level`. Players better (worse)
        with probability 1 - (1 - level) / (m - 1), for m ranked players with results, are above (below) it:
        the errors of m - 1 comparisons add up to at most 1 - level (Bonferroni). Players without a link to
        it may be anywhere.
        """
        ranking = np.ones(len(self.fit.elo), np.bool_)
        if who is not None:
            ranking[:] = False
            ranking[np.asarray(who, np.int64)] = True
        rated = np.flatnonzero(self.fit.rated & ranking)
        ranks = np.zeros((2, len(self.fit.elo)), np.int64)
        needed = kinds.quantile_to_compare(1.0 - (1.0 - self.level) / max(rated.size - 1, 1), self.freedom)
        asked = rated if of is None else rated[np.isin(rated, np.asarray(of, np.int64))]
        for start in range(0, asked.size, _ROWS):
            some = asked[start : start + _ROWS]
            score, linked = self._scores(some, rated)
            ranks[0, some] = 1 + np.sum(linked & (score < -needed), axis=1)
            ranks[1, some] = rated.size - np.sum(linked & (score > needed), axis=1)
        return ranks

    def _scores(self, some: Ints, others: Ints) -> tuple[Floats, Bools]:
        """Return (r_i - r_j) / sd(r_i - r_j), shape (some, others), and which pairs can be compared."""
        fit = self.fit
        # The diagonal of `spread`; an estimated one is not estimated again.
        exact = self.kind == "exactdist" or self.floor is not None
        own = self.spread.variance() if exact else self.sd**2 / self.factor
        variance = self.factor * _difference_variances(self.spread, own, some, others)
        if self.floor is not None:
            either = self.floor.who[some][:, None] | self.floor.who[others][None, :]
            if either.any():
                least = _difference_variances(self.floor.spread, self.floor.variance, some, others)
                least *= self.factor * SHARED_SCORE
                np.copyto(variance, np.maximum(variance, least), where=either)
        group = np.where(fit.rated, 0, -1) if fit.ridge is not None else fit.component
        linked = (fit.rated[some][:, None] & (group[some][:, None] == group[others][None, :])) & (
            variance > 0.0
        )
        linked &= some[:, None] != others[None, :]
        gap = fit.elo[some][:, None] - fit.elo[others][None, :]
        score = np.divide(gap, np.sqrt(np.maximum(variance, 0.0)), out=np.zeros_like(gap), where=linked)
        return score, linked


def intervals(fit: Fit, kind: Kind = "round", *, level: float = 0.95, pooled: bool = True) -> Intervals:
    """Return the intervals of `fit`, of this kind or the one that its results allow (see `rating.fit.kinds`).

    `level` is the confidence level. By round the variances are pooled over the players
    (`rating.fit.pooling`), unless `pooled=False`. Raises OptionError for an unknown kind and for a level
    outside 1e-9 to 1 - 1e-9.
    """
    if kind not in KINDS:
        raise OptionError(f"intervals {kind!r}: give one of {', '.join(KINDS)}")
    check_level(level)
    used, clusters, notices = choose_kind(fit, kind)
    number = None if clusters is None else clusters[1]
    factor = ELO**-2
    if used == "model" and kind != "model":
        factor *= SHARED_SCORE
    floor: Floor | None = None
    with one_thread():
        information = _information(fit, fit.ridge)
        spread: Spread
        if used == "variance":
            weight = information.diagonal
            spread = Diagonal(np.divide(1.0, weight, out=np.zeros(weight.size), where=fit.rated))
        elif clusters is None:
            spread = information.inverse()
        else:
            spread, number = sandwich(information, fit.table, _gradient_parts(fit), *clusters)
        sd = np.where(fit.rated, np.sqrt(np.maximum(factor * spread.variance(), 0.0)), 0.0)
        freedom = None if number is None else number - 1.0
        together = None
        own, alike = _count_clusters(fit, clusters)
        if pooled and kind == "round" and clusters is not None:
            together = _pool(fit, used, information, spread, alike)
        if together is not None:
            spread, freedom = together
            sd = np.where(fit.rated, np.sqrt(np.maximum(factor * spread.variance(), 0.0)), 0.0)
        width = quantile(used, level, freedom)
        if clusters is not None:
            floor, more = _floor(fit, used, own, alike, information, together is not None)
            notices += more
        if floor is not None:
            wide = upper_quantile(0.5 + level / 2.0, None) / width
            least = wide * np.sqrt(factor * SHARED_SCORE * floor.variance)
            sd = np.where(floor.who, np.maximum(sd, least), sd)
        low, high = fit.elo - width * sd, fit.elo + width * sd
        if used == "exactdist":
            found = grid_intervals(fit.likelihood(), fit.elo, fit.advantage, fit.drawelo, level)
            low, high, sd = (np.where(fit.rated, figures, 0.0) for figures in found)
    if not information.exact:
        text = "intervals are rough: only long chains of opponents link the players"
        notices.append(Notice("rough-intervals", text))
    if kind in ("round", "table", "match", "model"):
        notices += _open_end_notices(fit)
    return Intervals(
        fit, used, level, number, width, sd, low, high, spread, factor, tuple(notices), floor, freedom
    )


def rating_covariance(fit: Fit, *, ridge: float | None = None) -> Floats:
    """Return H^+ in Elo^2, shape (n, n): the covariance of mean-zero ratings if results were independent.

    `ridge` (a standard deviation in Elo) links groups that never met and players without results, in this
    matrix only; without it they have covariance 0 with each other.
    """
    with one_thread():
        information = _information(fit, fit.ridge if ridge is None else ridge)
        return information.dense().pseudo_inverse() / ELO**2


def _difference_variances(spread: Spread, own: Floats, some: Ints, others: Ints) -> Floats:
    """Return Var(r_i - r_j), shape (some, others); `own` (n,) is the diagonal."""
    with one_thread():
        cross = spread.rows(some)[:, others]
    variance: Floats = own[some][:, None] + own[others][None, :] - 2.0 * cross
    return variance


def _information(fit: Fit, ridge: float | None) -> Information:
    """Return H at the fitted point with its groups; `ridge` is in Elo."""
    likelihood = fit.likelihood()
    slope = likelihood.slope(fit.elo * ELO, fit.advantage * ELO, fit.drawelo * ELO)
    if ridge is None:
        return Information(likelihood, slope.h, 0.0, fit.component)
    return Information(likelihood, slope.h, (ridge * ELO) ** -2, np.zeros(likelihood.n, np.int64))


def _count_clusters(fit: Fit, clusters: tuple[Ints, int] | None) -> tuple[Ints, Bools]:
    """Return the number of each player's clusters, and which have identical ones; see `count_clusters`."""
    if clusters is None:
        return np.zeros(len(fit.elo), np.int64), np.zeros(len(fit.elo), np.bool_)
    return count_clusters(fit.table, _gradient_parts(fit), *clusters)


def _pool(fit: Fit, used: Kind, information: Information, own: Spread, alike: Bools) -> Pooled | None:
    """Return V pooled over the players, from 2 rounds on; None for one round, and for too many players."""
    table, rounds = fit.table, fit.table.clusters("round")
    wins, _, losses = table.results
    regular = fit.rated & (wins > 0) & (losses > 0) & ~alike
    if rounds is None or rounds[1] < 2 or not regular.any() or len(fit.elo) > MOST_POOLED:
        return None
    model = Matrix(information.dense().pseudo_inverse())
    bias = bias_of_rounds(table, _information_parts(fit), *rounds, model)
    if used == "round":
        return pool_rounds(own, model, regular, rounds[1], bias)
    by_round, _ = sandwich(information, table, _gradient_parts(fit), *rounds)
    matches = table.clusters("match")
    assert matches is not None
    each = distinct_of_players(len(fit.elo), table.first, table.second, *matches)[regular]
    return pool_matches(own, by_round, model, regular, rounds[1], bias, float(each.mean()))


def _information_parts(fit: Fit) -> Floats:
    """Return each result's part of the information, shape (N,), in natural units."""
    table, theta = fit.table, fit.elo * ELO
    u = theta[table.first] - theta[table.second] + fit.advantage * ELO
    odds, tie = np.exp(np.clip(u, -FAR, FAR)), np.exp(min(fit.drawelo * ELO, FAR))
    up, down = 1.0 / (1.0 + odds / tie), 1.0 / (1.0 + 1.0 / (odds * tie))
    weight: Floats = np.where(table.outcome >= 0, up * (1.0 - up), 0.0)
    weight += np.where(table.outcome <= 0, down * (1.0 - down), 0.0)
    return weight


def _gradient_parts(fit: Fit) -> Floats:
    """Return each result's part of the gradient of its first player, shape (N,), in natural units."""
    table, theta = fit.table, fit.elo * ELO
    advantage, tie = fit.advantage * ELO, np.exp(min(fit.drawelo * ELO, FAR))
    pull = np.empty(table.first.size)
    for start in range(0, pull.size, _PIECE):
        some = slice(start, start + _PIECE)
        u = theta[table.first[some]] - theta[table.second[some]] + advantage
        odds, outcome = np.exp(np.clip(u, -FAR, FAR)), table.outcome[some]
        # A win adds 1 - s(u - d), a loss subtracts 1 - s(-u - d); a draw does both.
        pull[some] = np.where(outcome >= 0, 1.0 / (1.0 + odds / tie), 0.0)
        pull[some] -= np.where(outcome <= 0, 1.0 / (1.0 + 1.0 / (odds * tie)), 0.0)
    return pull


def _floor(
    fit: Fit, kind: Kind, own: Ints, alike: Bools, information: Information, pooled: bool
) -> tuple[Floor | None, list[Notice]]:
    """Return the minimum variances of players whose clusters hide their uncertainty, and notices on them.

    `own` are the numbers of their clusters; with `pooled` variances fewer matches are enough.
    """
    table = fit.table
    few = fit.rated & (own < FEWEST_CLUSTERS)
    if pooled and kind == "match":
        # At the start of a season all have few: only half of the maximum or less counts as few.
        few &= 2 * own <= own.max(initial=0)
    wins, _, losses = table.results
    one_sided = fit.rated & ((wins == 0) | (losses == 0))
    alike = alike & fit.rated & ~few & ~one_sided
    who = few | one_sided | alike
    if not who.any():
        return None, []
    plural, notices = "matches" if kind == "match" else f"{kind}s", []
    for name, named, what in (
        (f"few-{plural}-of-player", few, f"fewer than {FEWEST_CLUSTERS} {plural}"),
        ("alike", alike, f"the same results in each {kind}"),
    ):
        if named.any():
            text = f"{what}, so intervals are at least sqrt(5/3) = 1.29 times as wide as the model's"
            notices.append(Notice(name, f"{text}: {name_some(table.names(named))}"))
    model = information.bound()
    return Floor(who, model, np.maximum(model.variance(), 0.0)), notices


def _open_end_notices(fit: Fit) -> list[Notice]:
    """Return notices on players whose intervals are bounded only by the prior."""
    notices = []
    for name, who, way, verb in zip(
        ("open-above", "open-below"),
        fit.table.one_sided,
        ("upwards", "downwards"),
        ("won", "lost"),
        strict=True,
    ):
        if who:
            text = f"{verb} every result, so the interval is too short {way}: {name_some(who)}"
            notices.append(Notice(name, text))
    return notices
