"""The covariance of ratings from clusters of correlated results, without an n x n matrix for many players.

g_c is the sum of a cluster's score contributions (its gradient in the ratings, shape (n,)), R the number of
clusters:

    V = H^+ ( R/(R-1) sum_c g_c g_c^T ) H^+ = X X^T,      X = sqrt(R/(R-1)) H^+ [g_1 ... g_R],

R solves with the information matrix H: with its dense factor for few players, by conjugate gradients for
many. With more clusters than (few) players the n x n product in the middle is used instead of X.

Many clusters of many players (matches of 10,000 players) are summed in blocks of neighbours until X fits in
memory: sum_c g_c g_c^T keeps its expectation, since scores of different clusters are independent, and the t
quantile counts the blocks.

A covariance has the cheapest form: a matrix, its diagonal, a factor, or a solver. All have the same two
methods, in natural units squared: `variance()`, shape (n,), and `rows(who)`, the covariances of a few players
with all, shape (k, n). Differences and superiority need nothing else: Var(i - j) = V_ii + V_jj - 2 V_ij. Only
`Matrix` holds n x n numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rating.arrays import Bools, Floats, Ints
from rating.crosstable import PairTable
from rating.fit.likelihood import Likelihood
from rating.fit.solvers import DenseLaplacian, SparseLaplacian

# The dense factor costs n^3 / 3; beyond this conjugate gradients on R columns cost less.
_MOST_FACTORISED = 1500
# Beyond this the dense matrices take a gigabyte.
_MOST_DENSE = 4000
# Entries of X: 256 MB.
_MOST_ENTRIES = 32_000_000
# Minimum blocks into which clusters are summed: t quantiles hardly change beyond.
_FEWEST_BLOCKS = 100
# Entries of all g_c, 16 MB: beyond this, clusters of few players are summed as a sparse matrix.
_MOST_SUMS = 2_000_000
# Relative size of the residual: far below the statistical error of R clusters, above rounding.
_ACCURACY = 1e-9
# Columns solved together: their vectors stay in the processor's cache.
_COLUMNS = 32
# A smaller difference between a player's scores in two clusters is rounding: ratings are exact to 1e-6 Elo.
_ALIKE = 1e-6
# Random vectors that estimate a diagonal: the error falls with the root of their number.
_PROBES = 64
# Rows of a covariance solved together: 10 MB for 10,000 players.
_ROWS = 128


class Spread(Protocol):
    """A covariance matrix V of shape (n, n), in any form."""

    def variance(self) -> Floats:
        """Return V_ii, shape (n,)."""

    def rows(self, who: Ints) -> Floats:
        """Return V[who], shape (k, n)."""


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """V itself, shape (n, n)."""

    matrix: Floats

    def variance(self) -> Floats:
        return self.matrix.diagonal()

    def rows(self, who: Ints) -> Floats:
        return self.matrix[who]


@dataclass(frozen=True, slots=True, eq=False)
class Diagonal:
    """V without covariances, shape (n,): opponents taken as exactly known."""

    diagonal: Floats

    def variance(self) -> Floats:
        return self.diagonal

    def rows(self, who: Ints) -> Floats:
        full = np.zeros((who.size, self.diagonal.size))
        full[np.arange(who.size), who] = self.diagonal[who]
        return full


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """V = X X^T with X of shape (n, R): Var(i - j) = |X_i - X_j|^2."""

    factor: Floats

    def variance(self) -> Floats:
        total: Floats = np.einsum("nr,nr->n", self.factor, self.factor)
        return total

    def rows(self, who: Ints) -> Floats:
        product: Floats = self.factor[who] @ self.factor.T
        return product


@dataclass(frozen=True, slots=True, eq=False)
class IterativeInverse:
    """V = H^+ of many players, solved by columns: `solve` maps (n, k) to H^+ times it.

    `rows` are as exact as the solver. The diagonal is estimated (Bekas, Kokiopoulou and Saad 2007): with
    random signs z, E[z * (E z)] is the diagonal of E, taken over 64 seeded probes of E = H^+ - S, where S =
    `near` is an approximation whose diagonal, `near_diagonal` (n,), is known. The error is well below 1 %
    when opponents are drawn widely.
    """

    solve: Callable[[Floats], Floats]
    near: Callable[[Floats], Floats]
    near_diagonal: Floats

    def variance(self) -> Floats:
        rng = np.random.default_rng(0)
        signs = rng.choice(np.array([-1.0, 1.0]), size=(self.near_diagonal.size, _PROBES))
        rest = (signs * (self.solve(signs) - self.near(signs))).mean(axis=1)
        estimate: Floats = np.maximum(self.near_diagonal + rest, 0.0)
        return estimate

    def rows(self, who: Ints) -> Floats:
        full = np.empty((who.size, self.near_diagonal.size))
        for start in range(0, who.size, _ROWS):
            some = who[start : start + _ROWS]
            unit = np.zeros((self.near_diagonal.size, some.size))
            unit[some, np.arange(some.size)] = 1.0
            full[start : start + _ROWS] = self.solve(unit).T
        return full


class Information:
    """H at a fitted point, in natural units: weights (P,) on the likelihood's pairs, `pull` (1/ridge^2) on
    the diagonal, and the linked groups (n,).
    """

    def __init__(self, likelihood: Likelihood, weights: Floats, pull: float, component: Ints) -> None:
        self.likelihood, self.weights, self.pull, self.component = likelihood, weights, pull, component
        self.exact = True
        """False after an iterative solution did not reach its accuracy."""

    @property
    def diagonal(self) -> Floats:
        """H_ii, shape (n,)."""
        return self.likelihood.degrees(self.weights) + self.pull

    def dense(self) -> DenseLaplacian:
        """Return H with its dense factor."""
        matrix = self.likelihood.laplacian(self.weights)
        if self.pull:
            matrix.flat[:: self.likelihood.n + 1] += self.pull
        return DenseLaplacian(matrix, self.component)

    def inverse(self) -> Spread:
        """Return H^+, the covariance if all results were independent."""
        if self.likelihood.n <= _MOST_DENSE:
            return Matrix(self.dense().pseudo_inverse())
        return self._iterative_inverse()

    def bound(self) -> Spread:
        """Return H^+ at a cost like the sandwich's: for many players only its estimated diagonal.

        Two players' covariance in H^+ comes from results with each other and with common opponents, so it is
        hardly ever negative: without it the variance of a difference is too large rather than too small.
        """
        if self.likelihood.n <= _MOST_FACTORISED:
            return Matrix(self.dense().pseudo_inverse())
        return Diagonal(self._iterative_inverse().variance())

    def _iterative_inverse(self) -> IterativeInverse:
        """Return H^+ by conjugate gradients, run at each use; may set `exact` to False then."""
        solver = SparseLaplacian(self.likelihood, self.weights, self.pull, self.component)
        return IterativeInverse(
            lambda right: self._solve_all(solver, right),
            solver.first_order,
            solver.first_order_diagonal(),
        )

    def solve(self, right: Floats) -> Floats:
        """Return H^+ right, (n, k), for columns that sum to zero within each group; may change `exact`."""
        n = self.likelihood.n
        if n <= _MOST_FACTORISED:
            return self.dense().solve(right)
        solved = self._solve_all(
            SparseLaplacian(self.likelihood, self.weights, self.pull, self.component), right
        )
        if self.exact or n > _MOST_DENSE:
            return solved
        self.exact = True
        return self.dense().solve(right)

    def _solve_all(self, solver: SparseLaplacian, right: Floats) -> Floats:
        """Solve some columns at a time; sets `exact` to False if the accuracy is not reached."""
        solved = np.empty_like(right)
        for start in range(0, right.shape[1], _COLUMNS):
            some = np.ascontiguousarray(right[:, start : start + _COLUMNS])
            solved[:, start : start + _COLUMNS], reached = solver.solve(some, _ACCURACY)
            self.exact &= reached
        return solved


def sandwich(
    information: Information, table: PairTable, score: Floats, cluster: Ints, number: int
) -> tuple[Spread, int]:
    """Return V over `number` clusters, and the number of blocks into which they were summed, mostly the same.

    `score` (N,) is each result's part of the gradient of its first player, `cluster` (N,) its cluster.
    """
    n = information.likelihood.n
    if n > _MOST_DENSE and number > (most := max(_MOST_ENTRIES // n, _FEWEST_BLOCKS)):
        # Neighbouring clusters of one round stay together, with their correlation.
        cluster, number = cluster * most // number, most
    if number <= n or n > _MOST_DENSE:
        factor = information.solve(np.ascontiguousarray(_sums(table, score, cluster, number).T))
        factor *= math.sqrt(number / (number - 1.0))
        return Factor(factor), number
    products: Floats
    if number * n <= _MOST_SUMS:
        sums = _sums(table, score, cluster, number)
        products = sums.T @ sums
    else:
        from scipy.sparse import coo_array

        # Clusters have few players, so their sums are sparse and only the products are dense.
        rows, columns = np.concatenate([table.first, table.second]), np.concatenate([cluster, cluster])
        scores = coo_array((np.concatenate([score, -score]), (rows, columns)), shape=(n, number)).tocsr()
        products = (scores @ scores.T).toarray()
    solver = information.dense()
    matrix = solver.solve(np.ascontiguousarray(solver.solve(products).T))
    matrix *= number / (number - 1.0)
    return Matrix(matrix), number


def count_clusters(table: PairTable, score: Floats, cluster: Ints, number: int) -> tuple[Ints, Bools]:
    """Return each player's number of clusters, and whether it has equal scores in all of them; (n,) each."""
    n = len(table.players)
    if number * n <= _MOST_SUMS:
        sums = _sums(table, score, cluster, number)
        seen = np.zeros((number, n), np.bool_)
        for player in (table.first, table.second):
            seen[cluster, player] = True
        own = seen.sum(axis=0)
        most, least = np.where(seen, sums, -np.inf).max(axis=0), np.where(seen, sums, np.inf).min(axis=0)
    else:
        from scipy.sparse import coo_array

        place = (np.concatenate([cluster, cluster]), np.concatenate((table.first, table.second)))
        entries = coo_array((np.concatenate([score, -score]), place), shape=(number, n)).tocsr()
        own = np.bincount(entries.indices, minlength=n)
        most, least = np.full(n, -np.inf), np.full(n, np.inf)
        np.maximum.at(most, entries.indices, entries.data)
        np.minimum.at(least, entries.indices, entries.data)
    return own, (own > 0) & (most - least < _ALIKE)


def _sums(table: PairTable, score: Floats, cluster: Ints, number: int) -> Floats:
    """Return g_c of all clusters, shape (number, n)."""
    n = len(table.players)
    gained, lost = (
        np.bincount(cluster * n + player, score, number * n) for player in (table.first, table.second)
    )
    sums: Floats = np.subtract(gained, lost, out=gained).reshape(number, n)
    return sums
