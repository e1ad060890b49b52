"""Intervals and likelihoods of superiority that hold for correlated results.

Let H be the information of the ratings (a Laplacian; drawelo and advantage taken as known) and H^+ its
pseudo-inverse, the covariance of mean-zero ratings if all results were independent. They are not: a player's
three results of a match share his own score, and all tables of a round play the same deals. Intervals from
H^+ cover 88 to 90 % where they claim 95 %. So the default is a sandwich over clusters c (rounds, tables or
matches), g_c being the sum of a cluster's score contributions (its gradient in the ratings, shape (n,)):

    V = H^+ ( R/(R-1) sum_c g_c g_c^T ) H^+,    interval  r_i +- t_{.975, R-1} sqrt(V_ii),
    P(i better than j) = T_{R-1}( (r_i - r_j) / sqrt(V_ii + V_jj - 2 V_ij) ).

Virtual draws count in H, not in g. By round V is held together over the players (`rating.fit.pooling`); with
fewer than 10 rounds matches are the clusters, and the rounds say how wide. Where everybody plays every round
it covers 94 to 97 % from 2 rounds on. `rating.fit.kinds` lists the other kinds.

A sandwich measures how much a player's own clusters disagree. A few (a late joiner's) agree by chance; those
of a player who won or lost everything, or did the same in each, agree by construction: his variance would be
nearly zero where least is known. For a player with fewer than 10 clusters of his own, without a win or
without a defeat, or with clusters that are all alike, the half width is at least sqrt(5/3) 1.959964
sqrt((H^+)_ii), and the variance of a difference, if either player is such a one, at least 5/3 of the model's.
Notices name them. No width makes up for results that say nothing about how far above (below) all others
somebody stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rating.arrays import Bools, Floats, Ints
from rating.crosstable import distinct_of_players
from rating.errors import OptionError
from rating.fit.bayeselo import Fit
from rating.fit.exactdist import grid_intervals
from rating.fit.kinds import FEWEST_CLUSTERS, KINDS, Kind, check_level, quantile, settle_kind, upper
from rating.fit.likelihood import ELO, FAR
from rating.fit.pooling import MOST_POOLED, Pooled, bias_of_rounds, pool_matches, pool_rounds
from rating.fit.sandwich import Diagonal, Information, Matrix, Spread, count_clusters, sandwich
from rating.notices import Notice, name_some
from rating.threads import one_thread

SHARED_SCORE = 5.0 / 3.0
"""Variance of three results that share one score, beside that of independent ones; equal players."""
# Results handled together: they stay in the cache.
_PIECE = 32_768
# Players compared with all others together: 20 MB for 10,000 players.
_ROWS = 256


@dataclass(frozen=True, slots=True, eq=False)
class Floor:
    """Least variances of the players `who` (n,): 5/3 of `spread`, whose diagonal is `variance` (n,)."""

    who: Bools
    spread: Spread
    variance: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Intervals of a fit, in Elo; arrays have one entry a player, shape (n,), 0 for players without results.

    `kind` is the kind used; `clusters` is R, None for the kinds without clusters; `freedom` are the degrees
    of freedom of t, None where the normal distribution is meant.
    `low` and `high` are the ends: `elo` less and plus `quantile` times `sd`, but for `exactdist`, whose
    intervals are not symmetrical and whose superiorities are those of `covariance`. `spread` holds the
    covariances in natural units, to be multiplied by `factor` for Elo^2; `floor` holds the least variances of
    some players, None for nobody.
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
        """Covariances in Elo^2, shape (n, n), computed when asked for; `floor` plays no part in them."""
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
        """P(i is better than j), shape (k, m), for the k players `who` (default: all, in the table's order).

        j are the m players `than`, by default the same. 0.5 of a player with itself and where results do not
        link the two. The answer is the only k x m array.
        """
        from scipy.special import ndtr, stdtr

        chosen = np.arange(len(self.fit.elo)) if who is None else np.asarray(who, np.int64)
        others = chosen if than is None else np.asarray(than, np.int64)
        chance = np.empty((chosen.size, others.size))
        for start in range(0, chosen.size, _ROWS):
            some = slice(start, start + _ROWS)
            # One triangle gives the other.
            after = slice(start if than is None else 0, None)
            score, linked = self._scores(chosen[some], others[after])
            better = ndtr(score) if self.freedom is None else stdtr(self.freedom, score)
            chance[some, after] = np.where(linked, better, 0.5)
            if than is None:
                chance[after, some] = 1.0 - chance[some, after].T
        return chance

    def rank_interval(
        self, who: Sequence[int] | Ints | None = None, of: Sequence[int] | Ints | None = None
    ) -> Ints:
        """Best and worst rank of each player, shape (2, n), 1 being the best; 0 for players without results.

        Only the players `who` rank (default: all); the others have 0, too. The intervals of those in `of` are
        computed (default: of all who rank).

        A player's interval holds his true rank with at least `level`. Those who are better (worse) than he
        with 1 - (1 - level) / (m - 1), m being the number of rated players, stand above (below) him: the
        errors of m - 1 comparisons add up to at most 1 - level (Bonferroni). Players without link to him may
        stand anywhere.
        """
        ranking = np.ones(len(self.fit.elo), np.bool_)
        if who is not None:
            ranking[:] = False
            ranking[np.asarray(who, np.int64)] = True
        rated = np.flatnonzero(self.fit.rated & ranking)
        ranks = np.zeros((2, len(self.fit.elo)), np.int64)
        needed = upper(1.0 - (1.0 - self.level) / max(rated.size - 1, 1), self.freedom)
        asked = rated if of is None else rated[np.isin(rated, np.asarray(of, np.int64))]
        for start in range(0, asked.size, _ROWS):
            some = asked[start : start + _ROWS]
            score, linked = self._scores(some, rated)
            ranks[0, some] = 1 + np.sum(linked & (score < -needed), axis=1)
            ranks[1, some] = rated.size - np.sum(linked & (score > needed), axis=1)
        return ranks

    def _scores(self, some: Ints, others: Ints) -> tuple[Floats, Bools]:
        """(r_i - r_j) / sd(r_i - r_j), shape (some, others), and where the two can be compared."""
        fit = self.fit
        # The diagonal of `spread`; one that was estimated is not estimated again.
        exact = self.kind == "exactdist" or self.floor is not None
        own = self.spread.variance() if exact else self.sd**2 / self.factor
        variance = self.factor * _of_differences(self.spread, own, some, others)
        if self.floor is not None:
            either = self.floor.who[some][:, None] | self.floor.who[others][None, :]
            if either.any():
                least = _of_differences(self.floor.spread, self.floor.variance, some, others)
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
    """Intervals of `fit`, of the kind asked for or the one that its results allow (see `rating.fit.kinds`).

    `level` is the share of intervals that hold the true rating. By round all players' variances are held
    together (`rating.fit.pooling`), or not with `pooled=False`. Raises OptionError for an unknown kind and
    for a level outside 1e-9 to 1 - 1e-9.
    """
    if kind not in KINDS:
        raise OptionError(f"intervals {kind!r}: give one of {', '.join(KINDS)}")
    check_level(level)
    used, clusters, notices = settle_kind(fit, kind)
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
            spread, number = sandwich(information, fit.table, _pulls(fit), *clusters)
        sd = np.where(fit.rated, np.sqrt(np.maximum(factor * spread.variance(), 0.0)), 0.0)
        freedom = None if number is None else number - 1.0
        together = None
        own, alike = _own(fit, clusters)
        if pooled and kind == "round" and clusters is not None:
            together = _pooled(fit, used, information, spread, alike)
        if together is not None:
            spread, freedom = together
            sd = np.where(fit.rated, np.sqrt(np.maximum(factor * spread.variance(), 0.0)), 0.0)
        width = quantile(used, level, freedom)
        if clusters is not None:
            floor, more = _floor(fit, used, own, alike, information, together is not None)
            notices += more
        if floor is not None:
            wide = upper(0.5 + level / 2.0, None) / width
            least = wide * np.sqrt(factor * SHARED_SCORE * floor.variance)
            sd = np.where(floor.who, np.maximum(sd, least), sd)
        low, high = fit.elo - width * sd, fit.elo + width * sd
        if used == "exactdist":
            found = grid_intervals(fit.likelihood(), fit.elo, fit.advantage, fit.drawelo, level)
            low, high, sd = (np.where(fit.rated, figures, 0.0) for figures in found)
    if not information.exact:
        text = "intervals are rough: the players are linked by long chains of opponents only"
        notices.append(Notice("rough-intervals", text))
    if kind in ("round", "table", "match", "model"):
        notices += _open_ends(fit)
    return Intervals(
        fit, used, level, number, width, sd, low, high, spread, factor, tuple(notices), floor, freedom
    )


def rating_covariance(fit: Fit, *, ridge: float | None = None) -> Floats:
    """H^+ in Elo^2, shape (n, n): the covariance of mean-zero ratings if all results were independent.

    `ridge` (a standard deviation in Elo) ties groups that never met and players without results, for this
    matrix alone; without it they have covariance 0 with each other.
    """
    with one_thread():
        information = _information(fit, fit.ridge if ridge is None else ridge)
        return information.dense().pseudo_inverse() / ELO**2


def _of_differences(spread: Spread, own: Floats, some: Ints, others: Ints) -> Floats:
    """Var(r_i - r_j), shape (some, others), `own` (n,) being the diagonal."""
    with one_thread():
        cross = spread.rows(some)[:, others]
    variance: Floats = own[some][:, None] + own[others][None, :] - 2.0 * cross
    return variance


def _information(fit: Fit, ridge: float | None) -> Information:
    """H at the fitted point and the groups that it links; `ridge` in Elo."""
    likelihood = fit.likelihood()
    slope = likelihood.slope(fit.elo * ELO, fit.advantage * ELO, fit.drawelo * ELO)
    if ridge is None:
        return Information(likelihood, slope.h, 0.0, fit.component)
    return Information(likelihood, slope.h, (ridge * ELO) ** -2, np.zeros(likelihood.n, np.int64))


def _own(fit: Fit, clusters: tuple[Ints, int] | None) -> tuple[Ints, Bools]:
    """The number of each player's clusters, and who did the same in all of them; see `count_clusters`."""
    if clusters is None:
        return np.zeros(len(fit.elo), np.int64), np.zeros(len(fit.elo), np.bool_)
    return count_clusters(fit.table, _pulls(fit), *clusters)


def _pooled(fit: Fit, used: Kind, information: Information, own: Spread, alike: Bools) -> Pooled | None:
    """V held together over the players, from 2 rounds on; None for one, and for too many players."""
    table, rounds = fit.table, fit.table.clusters("round")
    wins, _, losses = table.results
    regular = fit.rated & (wins > 0) & (losses > 0) & ~alike
    if rounds is None or rounds[1] < 2 or not regular.any() or len(fit.elo) > MOST_POOLED:
        return None
    model = Matrix(information.dense().pseudo_inverse())
    bias = bias_of_rounds(table, _weights(fit), *rounds, model)
    if used == "round":
        return pool_rounds(own, model, regular, rounds[1], bias)
    by_round, _ = sandwich(information, table, _pulls(fit), *rounds)
    matches = table.clusters("match")
    assert matches is not None
    each = distinct_of_players(len(fit.elo), table.first, table.second, *matches)[regular]
    return pool_matches(own, by_round, model, regular, rounds[1], bias, float(each.mean()))


def _weights(fit: Fit) -> Floats:
    """Each result's part of the information, shape (N,), natural units."""
    table, theta = fit.table, fit.elo * ELO
    u = theta[table.first] - theta[table.second] + fit.advantage * ELO
    odds, tie = np.exp(np.clip(u, -FAR, FAR)), np.exp(min(fit.drawelo * ELO, FAR))
    up, down = 1.0 / (1.0 + odds / tie), 1.0 / (1.0 + 1.0 / (odds * tie))
    weight: Floats = np.where(table.outcome >= 0, up * (1.0 - up), 0.0)
    weight += np.where(table.outcome <= 0, down * (1.0 - down), 0.0)
    return weight


def _pulls(fit: Fit) -> Floats:
    """Each result's part of the gradient of its first player, shape (N,), natural units."""
    table, theta = fit.table, fit.elo * ELO
    advantage, tie = fit.advantage * ELO, np.exp(min(fit.drawelo * ELO, FAR))
    pull = np.empty(table.first.size)
    for start in range(0, pull.size, _PIECE):
        some = slice(start, start + _PIECE)
        u = theta[table.first[some]] - theta[table.second[some]] + advantage
        odds, outcome = np.exp(np.clip(u, -FAR, FAR)), table.outcome[some]
        # A win pulls first up by 1 - s(u - d), a loss down by 1 - s(-u - d); a draw is one of each.
        pull[some] = np.where(outcome >= 0, 1.0 / (1.0 + odds / tie), 0.0)
        pull[some] -= np.where(outcome <= 0, 1.0 / (1.0 + 1.0 / (odds * tie)), 0.0)
    return pull


def _floor(
    fit: Fit, kind: Kind, own: Ints, alike: Bools, information: Information, pooled: bool
) -> tuple[Floor | None, list[Notice]]:
    """The floor for players whose clusters hide how uncertain they are, and who they are."""
    table = fit.table
    few = fit.rated & (own < FEWEST_CLUSTERS)
    if pooled and kind == "match":
        # In a season that has just begun nobody has many: few are those who have half of them or less.
        few &= 2 * own <= own.max(initial=0)
    wins, _, losses = table.results
    one_sided = fit.rated & ((wins == 0) | (losses == 0))
    alike = alike & fit.rated & ~few & ~one_sided
    who = few | one_sided | alike
    if not who.any():
        return None, []
    plural, notices = "matches" if kind == "match" else f"{kind}s", []
    for name, named, what in (
        (f"few-{plural}-of-player", few, f"fewer than {FEWEST_CLUSTERS} {plural} of their own"),
        ("alike", alike, f"the same results in each {kind}"),
    ):
        if named.any():
            text = f"{what}, so the model's intervals times sqrt(5/3) where those are wider"
            notices.append(Notice(name, f"{text}: {name_some(table.names(named))}"))
    model = information.bound()
    return Floor(who, model, np.maximum(model.variance(), 0.0)), notices


def _open_ends(fit: Fit) -> list[Notice]:
    """Notices of players whose intervals end where the prior ends them."""
    notices = []
    for name, who, way, verb in zip(
        ("open-above", "open-below"),
        fit.table.one_sided,
        ("upwards", "downwards"),
        ("won", "lost"),
        strict=True,
    ):
        if who:
            text = f"intervals do not hold {way} for who {verb} every result: {name_some(who)}"
            notices.append(Notice(name, text))
    return notices
