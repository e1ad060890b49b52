"""Iterative solver for the information matrix of many players: conjugate gradients, preconditioned by the
diagonal.

The matrix is never formed: pairs that met are a sparse triangle L (row j, column i < j, entry h), and

    H x = D x - L x - L^T x,        D = degrees (+ 1/ridge^2).

When opponents are drawn widely the eigenvalues of D^-1 H lie close together and a dozen products are enough
to reach rounding; a long chain of neighbours takes hundreds. A right side that sums to zero within each group
keeps all iterates in the space on which H is positive definite.
"""

from __future__ import annotations

import numpy as np

from rating.arrays import Floats, Ints
from rating.fit.likelihood import Likelihood

# Products with H before a solution stops short of its accuracy; a dozen are usual.
_MOST_PRODUCTS = 1000


class SparseLaplacian:
    """H of shape (n, n) with weights (P,) on the likelihood's pairs and `pull` on the diagonal."""

    def __init__(self, likelihood: Likelihood, weights: Floats, pull: float, component: Ints) -> None:
        from scipy.sparse import csr_array

        n = likelihood.n
        self._lower = csr_array((weights, *likelihood.triangle), shape=(n, n))
        self._upper = self._lower.T
        degree = likelihood.degrees(weights) + pull
        self._degree = np.where(degree > 0.0, degree, 1.0)[:, None]
        self._group = np.maximum(component, 0)
        self._members = np.bincount(component[component >= 0], minlength=1)
        self._played = (component >= 0)[:, None]

    def norm(self, right: Floats) -> float:
        """sqrt(b^T D^-1 b): the size in which residuals are measured."""
        return float(np.sqrt(np.sum(right**2 / self._degree[:, 0])))

    def _off(self, x: Floats) -> Floats:
        """(D - H) x, shape (n, k)."""
        product: Floats = self._lower @ x + self._upper @ x
        return product

    def first_order(self, x: Floats) -> Floats:
        """P M P x, (n, k): M = D^-1 + D^-1 (D - H) D^-1 is about H^+, P removes each group's mean."""
        scaled = self._centre(x) / self._degree
        return self._centre(scaled + self._off(scaled) / self._degree)

    def first_order_diagonal(self) -> Floats:
        """The diagonal of P M P, shape (n,): M_ii - 2 m_i / g + (sum m) / g^2, m being M's row sums, g the
        group's size.
        """
        one = np.where(self._played, 1.0, 0.0) / self._degree
        sums = (one + self._off(one) / self._degree)[:, 0]
        size = np.maximum(self._members, 1).astype(np.float64)
        total = np.bincount(self._group, np.where(self._played[:, 0], sums, 0.0), size.size)
        diagonal = one[:, 0] - 2.0 * sums / size[self._group] + (total / size**2)[self._group]
        return np.where(self._played[:, 0], diagonal, 0.0)

    def solve(self, right: Floats, accuracy: float) -> tuple[Floats, bool]:
        """H^+ right for columns (n, k) that sum to zero in each group, and whether `accuracy` was reached.

        `accuracy` is the size of the residual relative to the column's.
        """
        x = np.zeros_like(right)
        # What rounding left of a sum would never go away: no product reaches it.
        residual = self._centre(right)
        z = residual / self._degree
        direction = z.copy()
        rho = np.sum(residual * z, axis=0)
        # A residual D y of rounding size y = 1e-14 nats is as good as none.
        goal = np.maximum(accuracy**2 * rho, 1e-28 * self._degree.sum())
        for _ in range(_MOST_PRODUCTS):
            if np.all(rho <= goal):
                return self._centre(x), True
            product = self._degree * direction - self._off(direction)
            curve = np.sum(direction * product, axis=0)
            # A column that is done stands still: its direction is divided by nothing.
            pace = np.divide(rho, curve, out=np.zeros_like(rho), where=(curve > 0.0) & (rho > goal))
            x += pace * direction
            residual -= pace * product
            z = residual / self._degree
            new = np.sum(residual * z, axis=0)
            turn = np.divide(new, rho, out=np.zeros_like(rho), where=rho > 0.0)
            direction = z + turn * direction
            rho = new
        return self._centre(x), False

    def _centre(self, x: Floats) -> Floats:
        """`x` with mean zero in each group; rounding lets it drift along constants."""
        centred = np.empty_like(x)
        for k, column in enumerate(np.where(self._played, x, 0.0).T):
            means = np.bincount(self._group, column, self._members.size) / np.maximum(self._members, 1)
            centred[:, k] = column - means[self._group]
        return np.where(self._played, centred, 0.0)
