"""Covariances of ratings in the form that costs least: a matrix, its diagonal, a factor, or a solver.

All answer the same two questions, in natural units squared: `variance()`, shape (n,), and `rows(who)`, the
covariances of a few players with all, shape (k, n). Differences and superiority need nothing else:
Var(i - j) = V_ii + V_jj - 2 V_ij. Only `Matrix` holds n x n numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rating.arrays import Floats, Ints

# Random vectors that estimate a diagonal: its error falls with their root.
_PROBES = 64
# Columns solved together: 10 MB for 10,000 players.
_COLUMNS = 128


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
        for start in range(0, who.size, _COLUMNS):
            some = who[start : start + _COLUMNS]
            unit = np.zeros((self.near_diagonal.size, some.size))
            unit[some, np.arange(some.size)] = 1.0
            full[start : start + _COLUMNS] = self.solve(unit).T
        return full
