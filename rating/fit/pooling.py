"""Variances of players held together: a few rounds tell of each player little, of all together much.

A sandwich by round has R - 1 degrees of freedom for each player, so of ten rounds some half-widths are half
and others twice what they should be. But whether rounds disagree more or less than independent results would
is much the same for all players. With H the information, C = H^+, M the meat of the sandwich (the sum over
clusters of g_c g_c^T) and rho the mean ratio of (C M C)_ii to C_ii over the players,

    V = C ( w M + (1 - w) rho H ) C = w C M C + (1 - w) rho C,     w = d / (d + 30),

d being a player's own degrees of freedom: R - 1, and with fewer than 10 rounds those of his matches, which
then take the rounds' place in M, scaled to rho. So the weight goes from the pooled to the player's own as
rounds come in, and 30 is how much alike players are taken to be, in degrees of freedom. rho itself has f =
(R - 1)(n - 1), and with fewer than 10 rounds four more that speak for the ratio by match. The quantile is
that of t with

    1 / ( 1 / (d + 30) + (1 - w)^2 / f )

degrees of freedom (Satterthwaite's rule). Few rounds look too much alike, since each helped to make the
ratings. With H_c as the information of round c and J their sum, H without the prior, independent results show

    phi = R / (R - 1) mean_i ( (C J C)_ii - sum_c (C H_c C H_c C)_ii ) / C_ii

in place of 1 (the bias of Bell and McCaffrey). So rho is what was found divided by phi, for the share of C
that is the results', mean (C J C)_ii / C_ii, and 1/2 for that of the prior, which allows for twice as much as
strengths differ by in a usual field. From 20 rounds on nothing is corrected.

Sources: Smyth, Linear models and empirical Bayes methods (Stat. Appl. Genet. Mol. Biol. 3, 2004) for
variances moderated so; Ledoit and Wolf, A well-conditioned estimator for large-dimensional covariance
matrices (J. Multivariate Anal. 88, 2004); Bell and McCaffrey, Bias reduction in standard errors (Survey
Methodology 28, 2002); Satterthwaite (1946).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rating.arrays import Bools, Floats, Ints
from rating.crosstable import PairTable
from rating.fit.sandwich import Matrix, Spread

MOST_POOLED = 500
"""Players up to whom they are held together: their covariances are held as a matrix, and kept so."""
ALIKE = 30.0
"""Degrees of freedom with which all players together speak for each."""
_BY_MATCH = 4.0
# Rounds from which on the bias is that which R / (R - 1) makes good.
_MANY_ROUNDS = 20
# Players up to whom the bias is computed for each; of more, random signs estimate its mean.
_EACH, _PROBES = 200, 32


class Pooled(NamedTuple):
    """V, and the degrees of freedom of its quantile."""

    spread: Spread
    freedom: float


class Bias(NamedTuple):
    """Rounds show `phi` times rho; `kept` is the share of C that is the results' and not the prior's."""

    phi: float
    kept: float


def pool_rounds(by_round: Spread, model: Matrix, regular: Bools, rounds: int, bias: Bias) -> Pooled:
    """V by round from 10 rounds on: `by_round` and C, whom to pool (n,)."""
    found = _ratio(by_round, model, regular)
    ratio = _whole(found, bias)
    return _mixed(by_round, ratio / found, model, ratio, rounds - 1.0, _pooled_freedom(rounds, regular))


def pool_matches(
    by_match: Spread, by_round: Spread, model: Matrix, regular: Bools, rounds: int, bias: Bias, own: float
) -> Pooled:
    """V of fewer rounds, `by_match` with the ratio that the rounds have; `own` matches has a player."""
    of_matches, freedom = _ratio(by_match, model, regular), _pooled_freedom(rounds, regular)
    ratio = _whole(_ratio(by_round, model, regular), bias)
    ratio = (freedom * ratio + _BY_MATCH * of_matches) / (freedom + _BY_MATCH)
    return _mixed(by_match, ratio / of_matches, model, ratio, max(own - 1.0, 0.0), freedom + _BY_MATCH)


def bias_of_rounds(table: PairTable, weight: Floats, cluster: Ints, rounds: int, model: Matrix) -> Bias:
    """The bias, from each result's information (N,) and its round (N,)."""
    if rounds >= _MANY_ROUNDS:
        return Bias(1.0, 1.0)
    # Imported where it is used, since that takes a moment.
    from scipy.sparse import coo_array

    n, inverse = len(table.players), model.matrix
    known = np.sqrt(np.maximum(inverse.diagonal(), 0.0))
    scale = np.divide(1.0, known, out=np.zeros(n), where=known > 0.0)
    if n <= _EACH:
        probes = np.diag(scale)
    else:
        signs = np.random.default_rng(0).choice(np.array([-1.0, 1.0]), size=(n, _PROBES))
        probes = scale[:, None] * signs * np.sqrt(1.0 / _PROBES)
    shown = inverse @ probes
    apart = shown[table.first] - shown[table.second]
    pulled = weight[:, None] * apart
    rows = np.concatenate([cluster * n + table.first, cluster * n + table.second])
    columns = np.tile(np.arange(weight.size), 2)
    ends = np.repeat([1.0, -1.0], weight.size)
    sums = coo_array((ends, (rows, columns)), shape=(rounds * n, weight.size)).tocsr() @ pulled
    lost = sum(float(np.sum(of * (inverse @ of))) for of in sums.reshape(rounds, n, -1))
    players = max(int(np.count_nonzero(known)), 1)
    kept = float(np.sum(pulled * apart)) / players
    # Who met nearly nobody twice has ratings that explain all: nothing is left to be measured.
    return Bias(rounds / (rounds - 1.0) * max(kept - lost / players, 0.1), kept)


def _whole(found: float, bias: Bias) -> float:
    """The ratio of a rating's variance to C_ii, the prior's share being as in C."""
    return found / bias.phi * bias.kept + 0.5 * (1.0 - bias.kept)


def _ratio(spread: Spread, model: Matrix, regular: Bools) -> float:
    own, known = spread.variance()[regular], model.variance()[regular]
    return float(np.mean(own / known))


def _pooled_freedom(rounds: int, regular: Bools) -> float:
    return (rounds - 1.0) * max(int(regular.sum()) - 1.0, 1.0)


def _mixed(own: Spread, scale: float, model: Matrix, ratio: float, freedom: float, pooled: float) -> Pooled:
    weight = freedom / (freedom + ALIKE)
    left = 1.0 / (1.0 / (freedom + ALIKE) + (1.0 - weight) ** 2 / pooled)
    every = np.arange(model.matrix.shape[0])
    return Pooled(Matrix(weight * scale * own.rows(every) + (1.0 - weight) * ratio * model.matrix), left)
