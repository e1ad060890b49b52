"""Variances pooled over players: few rounds give little information on each player, but much on all together.

A sandwich by round has R - 1 degrees of freedom for each player, so after ten rounds some half-widths are
half and others twice what they should be. But whether rounds disagree more or less than independent results
would is much the same for all players. With H the information, C = H^+, M the meat of the sandwich (the sum
over clusters of g_c g_c^T) and rho the mean ratio of (C M C)_ii to C_ii over the players,

    V = C ( w M + (1 - w) rho H ) C = w C M C + (1 - w) rho C,     w = d / (d + 30),

d being a player's degrees of freedom: R - 1, and with fewer than 10 rounds those of its matches, which then
replace the rounds in M, scaled to rho. So the weight moves from the pooled variance to the player's own as
rounds are added; 30 is the prior weight of the pooled one, in degrees of freedom. rho itself has f =
(R - 1)(n - 1), and with fewer than 10 rounds four more for the ratio by match. The quantile is that of t with

    1 / ( 1 / (d + 30) + (1 - w)^2 / f )

degrees of freedom (Satterthwaite's rule). Few rounds look too much alike, since the ratings were fitted to
them. With H_c as the information of round c and J their sum, H without the prior, independent results have

    phi = R / (R - 1) mean_i ( (C J C)_ii - sum_c (C H_c C H_c C)_ii ) / C_ii

instead of 1 (the bias of Bell and McCaffrey). So rho is the observed ratio divided by phi for the share of C
that comes from results, mean (C J C)_ii / C_ii, and 1/2 for the prior's share, which allows for twice the
usual spread of strengths. From 20 rounds on nothing is corrected.

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
"""Maximum players for pooling, which keeps their covariances as a matrix."""
ALIKE = 30.0
"""The weight of the pooled variance, in degrees of freedom."""
_BY_MATCH = 4.0
# From this many rounds on R / (R - 1) is the whole correction.
_MANY_ROUNDS = 20
# Maximum players for which the bias is computed one by one; beyond, random signs estimate its mean.
_EACH, _PROBES = 200, 32


class Pooled(NamedTuple):
    """V, and the degrees of freedom of its quantile."""

    spread: Spread
    freedom: float


class Bias(NamedTuple):
    """The observed ratio is `phi` times rho; `kept` is the share of C from results, not from the prior."""

    phi: float
    kept: float


def pool_rounds(by_round: Spread, model: Matrix, regular: Bools, rounds: int, bias: Bias) -> Pooled:
    """Return V by round, from 10 rounds on; `model` is C, `regular` (n,) are the players to pool."""
    found = _variance_ratio(by_round, model, regular)
    ratio = _correct_ratio(found, bias)
    return _shrink(by_round, ratio / found, model, ratio, rounds - 1.0, _pooled_freedom(rounds, regular))


def pool_matches(
    by_match: Spread, by_round: Spread, model: Matrix, regular: Bools, rounds: int, bias: Bias, own: float
) -> Pooled:
    """Return V of fewer rounds: `by_match`, scaled to the ratio by round; a player has `own` matches."""
    of_matches, freedom = _variance_ratio(by_match, model, regular), _pooled_freedom(rounds, regular)
    ratio = _correct_ratio(_variance_ratio(by_round, model, regular), bias)
    ratio = (freedom * ratio + _BY_MATCH * of_matches) / (freedom + _BY_MATCH)
    return _shrink(by_match, ratio / of_matches, model, ratio, max(own - 1.0, 0.0), freedom + _BY_MATCH)


def bias_of_rounds(table: PairTable, weight: Floats, cluster: Ints, rounds: int, model: Matrix) -> Bias:
    """Return the bias, from each result's information (N,) and round (N,)."""
    if rounds >= _MANY_ROUNDS:
        return Bias(1.0, 1.0)
    # Imported here, since the import is slow.
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
    # If hardly any pair met twice, the ratings explain everything and no variance is left.
    return Bias(rounds / (rounds - 1.0) * max(kept - lost / players, 0.1), kept)


def _correct_ratio(found: float, bias: Bias) -> float:
    """Return the ratio of a rating's variance to C_ii, corrected for the bias."""
    return found / bias.phi * bias.kept + 0.5 * (1.0 - bias.kept)


def _variance_ratio(spread: Spread, model: Matrix, regular: Bools) -> float:
    """Return the mean over `regular` players of the variance in `spread` by that in `model`."""
    own, known = spread.variance()[regular], model.variance()[regular]
    return float(np.mean(own / known))


def _pooled_freedom(rounds: int, regular: Bools) -> float:
    """Return the degrees of freedom of the pooled ratio, from the numbers of rounds and regular players."""
    return (rounds - 1.0) * max(int(regular.sum()) - 1.0, 1.0)


def _shrink(own: Spread, scale: float, model: Matrix, ratio: float, freedom: float, pooled: float) -> Pooled:
    """Return V: `own` by `scale` with weight w, `model` by `ratio` with 1 - w; its degrees of freedom."""
    weight = freedom / (freedom + ALIKE)
    left = 1.0 / (1.0 / (freedom + ALIKE) + (1.0 - weight) ** 2 / pooled)
    every = np.arange(model.matrix.shape[0])
    return Pooled(Matrix(weight * scale * own.rows(every) + (1.0 - weight) * ratio * model.matrix), left)
