"""The covariance of ratings from clusters of correlated results, without an n x n matrix where that is large.

g_c is the sum of a cluster's score contributions (its gradient in the ratings, shape (n,)), R the number of
clusters:

    V = H^+ ( R/(R-1) sum_c g_c g_c^T ) H^+ = X X^T,      X = sqrt(R/(R-1)) H^+ [g_1 ... g_R],

R solves with the information matrix H: with its dense factor for few players, by conjugate gradients for
many. With more clusters than (few) players the product in the middle is smaller than its factor.

Many clusters of many players (matches of 10,000 players) are summed in blocks of neighbours until X fits:
sum_c g_c g_c^T keeps its expectation, since scores of different clusters are independent, and the t quantile
counts the blocks.

A covariance takes the form that costs least: a matrix, its diagonal, a factor, or a solver. All answer the
same two questions, in natural units squared: `variance()`, shape (n,), and `rows(who)`, the covariances of a
few players with all, shape (k, n). Differences and superiority need nothing else: Var(i - j) = V_ii + V_jj -
2 V_ij. Only `Matrix` holds n x n numbers.
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
# Blocks that clusters are summed to at least: t quantiles hardly change beyond.
_FEWEST_BLOCKS = 100
# Entries of all g_c, 16 MB: beyond this, clusters of few players are summed as a sparse matrix.
_MOST_SUMS = 2_000_000
# Relative size of the residual left: far below what R clusters can tell, above rounding.
_ACCURACY = 1e-9
# Columns solved together: their vectors should stay in the processor's cache.
_COLUMNS = 32
# Difference of a player's scores in two clusters that is rounding: ratings are exact to some 1e-6 Elo.
_ALIKE = 1e-6
# Random vectors that estimate a diagonal: its error falls with their root.
_PROBES = 64
# Rows of a covariance solved together: 10 MB for 10,000 players.
_ROWS = 128


class Spread(Protocol):
    """A covariance matrix V of shape (n, n), however it is held."""

    def variance(self) -> Floats:
        """V_ii, shape (n,)."""

    def rows(self, who: Ints) -> Floats:
        """V[who], shape (k, n)."""


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
class Solved:
    """V = H^+ of many players, a column at a time: `solve` maps (n, k) to H^+ times it.

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
    the diagonal, and the groups (n,) that it links.
    """

    def __init__(self, likelihood: Likelihood, weights: Floats, pull: float, component: Ints) -> None:
        self.likelihood, self.weights, self.pull, self.component = likelihood, weights, pull, component
        self.exact = True
        """False once an iterative solution has stopped short of its accuracy."""

    @property
    def diagonal(self) -> Floats:
        """H_ii, shape (n,)."""
        return self.likelihood.degrees(self.weights) + self.pull

    def dense(self) -> DenseLaplacian:
        """H with its dense factor."""
        matrix = self.likelihood.laplacian(self.weights)
        if self.pull:
            matrix.flat[:: self.likelihood.n + 1] += self.pull
        return DenseLaplacian(matrix, self.component)

    def inverse(self) -> Spread:
        """H^+, the covariance if all results were independent."""
        if self.likelihood.n <= _MOST_DENSE:
            return Matrix(self.dense().pseudo_inverse())
        return self._solved()

    def bound(self) -> Spread:
        """H^+ as cheaply as the sandwich beside it: for many players its diagonal alone, estimated.

        Two players' covariance in H^+ is what they learnt from each other and from common opponents, hence
        hardly ever below zero: without it the variance of a difference is too large rather than too small.
        """
        if self.likelihood.n <= _MOST_FACTORISED:
            return Matrix(self.dense().pseudo_inverse())
        return Diagonal(self._solved().variance())

    def _solved(self) -> Solved:
        solver = SparseLaplacian(self.likelihood, self.weights, self.pull, self.component)
        return Solved(
            lambda right: self._iterated(solver, right), solver.first_order, solver.first_order_diagonal()
        )

    def solve(self, right: Floats) -> Floats:
        """H^+ right, (n, k), for columns that sum to zero within each group."""
        n = self.likelihood.n
        if n <= _MOST_FACTORISED:
            return self.dense().solve(right)
        solved = self._iterated(
            SparseLaplacian(self.likelihood, self.weights, self.pull, self.component), right
        )
        if self.exact or n > _MOST_DENSE:
            return solved
        self.exact = True
        return self.dense().solve(right)

    def _iterated(self, solver: SparseLaplacian, right: Floats) -> Floats:
        solved = np.empty_like(right)
        for start in range(0, right.shape[1], _COLUMNS):
            some = np.ascontiguousarray(right[:, start : start + _COLUMNS])
            solved[:, start : start + _COLUMNS], reached = solver.solve(some, _ACCURACY)
            self.exact &= reached
        return solved


def sandwich(
    information: Information, table: PairTable, score: Floats, cluster: Ints, number: int
) -> tuple[Spread, int]:
    """V over `number` clusters and the number of blocks that they were summed in (mostly the same number).

    `score` (N,) is each result's pull on its first player, `cluster` (N,) its cluster.
    """
    n = information.likelihood.n
    if n > _MOST_DENSE and number > (most := max(_MOST_ENTRIES // n, _FEWEST_BLOCKS)):
        # Neighbours of one round stay together, so what they share is kept.
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

        # Few players each, so the clusters' sums are sparse and only their products are kept.
        rows, columns = np.concatenate([table.first, table.second]), np.concatenate([cluster, cluster])
        scores = coo_array((np.concatenate([score, -score]), (rows, columns)), shape=(n, number)).tocsr()
        products = (scores @ scores.T).toarray()
    solver = information.dense()
    matrix = solver.solve(np.ascontiguousarray(solver.solve(products).T))
    matrix *= number / (number - 1.0)
    return Matrix(matrix), number


def count_clusters(table: PairTable, score: Floats, cluster: Ints, number: int) -> tuple[Ints, Bools]:
    """In how many clusters each player has results, and who was pulled alike in all of them; both (n,)."""
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
    """g_c of all clusters, shape (number, n)."""
    n = len(table.players)
    gained, lost = (
        np.bincount(cluster * n + player, score, number * n) for player in (table.first, table.second)
    )
    sums: Floats = np.subtract(gained, lost, out=gained).reshape(number, n)
    return sums
