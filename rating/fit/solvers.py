"""Two solvers for the information matrix of ratings, a weighted graph Laplacian H (plus 1/ridge^2 on its
diagonal). H is singular: adding a constant to all ratings of a group changes nothing.

`DenseLaplacian` factorises it. Adding s 1_c 1_c^T for each group c (1_c its indicator) makes it positive
definite without touching the answer, since for a right side that sums to zero within each group

    (H + sum_c s 1_c 1_c^T)^-1 b = H^+ b,
    H^+ = (H + sum_c s 1_c 1_c^T)^-1 - sum_c 1_c 1_c^T / (s n_c^2).

Players without results are groups of one. With a ridge all players form one group with mean zero: H^+ then
acts on the ratings' deviations from their mean; a weak ridge tends to the case without.

`SparseLaplacian`, for many players, solves by conjugate gradients, preconditioned by the diagonal. The matrix
is never formed: pairs that met are a sparse triangle L (row j, column i < j, entry h), and

    H x = D x - L x - L^T x,        D = degrees (+ 1/ridge^2).

With widely drawn opponents the eigenvalues of D^-1 H are close together and a dozen products reach rounding;
a long chain of neighbours takes hundreds. A right side that sums to zero within each group keeps all iterates
in the space on which H is positive definite.
"""

from __future__ import annotations

import numpy as np

from rating.arrays import Floats, Ints
from rating.fit.likelihood import Likelihood
from rating.threads import one_thread

# Maximum products with H for a solution; a dozen are usual.
_MOST_PRODUCTS = 1000


class DenseLaplacian:
    """A factorised H, shape (n, n); `component` (n,) as in `identify`, all zero if a ridge links them."""

    def __init__(self, matrix: Floats, component: Ints) -> None:
        from scipy.linalg import LinAlgError
        from scipy.linalg.lapack import dpotrf

        n = len(component)
        group = component.copy()
        self._lone = np.flatnonzero(group < 0)
        group[self._lone] = component.max(initial=-1) + 1 + np.arange(self._lone.size)
        self._size = np.bincount(group, minlength=1)[group].astype(np.float64)
        diagonal = matrix.diagonal()
        # Of the size of the other eigenvalues, for accuracy.
        self._shift = float(diagonal.mean()) / n if n and diagonal.any() else 1.0
        if group.any():
            self._same = group[:, None] == group[None, :]
            shifted = matrix + np.where(self._same, self._shift, 0.0)
        else:
            self._same = np.ones((1, 1), np.bool_)
            shifted = matrix + self._shift
        # Rounding can make a nearly singular matrix indefinite: raise its diagonal as little as possible.
        lift = 0.0
        while True:
            if lift:
                shifted.flat[:: n + 1] += lift
            with one_thread():
                self._factor, failed = dpotrf(shifted.T, lower=True, clean=False)
            if not failed:
                break
            lift = max(100.0 * lift, 1e-14 * float(diagonal.max(initial=1e-300)))
            if not np.isfinite(lift):
                raise LinAlgError("information matrix is not finite")

    def solve(self, right: Floats) -> Floats:
        """Return H^+ right for columns that sum to zero within each group; shape (n,) or (n, k)."""
        from scipy.linalg.lapack import dpotrs

        if not right.size:
            return np.zeros_like(right)
        with one_thread():
            solution, _ = dpotrs(self._factor, right, lower=True)
        solved: Floats = np.asarray(solution, np.float64).reshape(right.shape)
        return solved

    def pseudo_inverse(self) -> Floats:
        """Return H^+, shape (n, n); zero for players without results."""
        from scipy.linalg.lapack import dpotri

        with one_thread():
            inverse, _ = dpotri(self._factor, lower=True)
        inverse = np.tril(inverse)
        inverse += np.tril(inverse, -1).T
        constant = np.where(self._same, 1.0 / (self._shift * self._size**2)[:, None], 0.0)
        full: Floats = inverse - constant
        full[self._lone] = full[:, self._lone] = 0.0
        return full


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
        """Return sqrt(b^T D^-1 b), the norm of residuals."""
        return float(np.sqrt(np.sum(right**2 / self._degree[:, 0])))

    def _off(self, x: Floats) -> Floats:
        """Return (D - H) x, shape (n, k)."""
        product: Floats = self._lower @ x + self._upper @ x
        return product

    def first_order(self, x: Floats) -> Floats:
        """Return P M P x, (n, k): M = D^-1 + D^-1 (D - H) D^-1 approximates H^+, P removes group means."""
        scaled = self._centre(x) / self._degree
        return self._centre(scaled + self._off(scaled) / self._degree)

    def first_order_diagonal(self) -> Floats:
        """Return the diagonal of P M P, shape (n,): M_ii - 2 m_i / g + (sum m) / g^2, m being M's row sums, g
        the group's size.
        """
        one = np.where(self._played, 1.0, 0.0) / self._degree
        sums = (one + self._off(one) / self._degree)[:, 0]
        size = np.maximum(self._members, 1).astype(np.float64)
        total = np.bincount(self._group, np.where(self._played[:, 0], sums, 0.0), size.size)
        diagonal = one[:, 0] - 2.0 * sums / size[self._group] + (total / size**2)[self._group]
        return np.where(self._played[:, 0], diagonal, 0.0)

    def solve(self, right: Floats, accuracy: float) -> tuple[Floats, bool]:
        """Return H^+ right for columns (n, k) that sum to zero in each group, and if `accuracy` was reached.

        `accuracy` is the norm of the residual relative to the column's.
        """
        x = np.zeros_like(right)
        # Remove rounding in the sums: no product with H could.
        residual = self._centre(right)
        z = residual / self._degree
        direction = z.copy()
        rho = np.sum(residual * z, axis=0)
        # A residual D y with y = 1e-14 nats is rounding.
        goal = np.maximum(accuracy**2 * rho, 1e-28 * self._degree.sum())
        for _ in range(_MOST_PRODUCTS):
            if np.all(rho <= goal):
                return self._centre(x), True
            product = self._degree * direction - self._off(direction)
            curve = np.sum(direction * product, axis=0)
            # A finished column stays, which avoids a division by zero.
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
        """Return `x` with mean zero in each group, from which rounding lets it drift."""
        centred = np.empty_like(x)
        for k, column in enumerate(np.where(self._played, x, 0.0).T):
            means = np.bincount(self._group, column, self._members.size) / np.maximum(self._members, 1)
            centred[:, k] = column - means[self._group]
        return np.where(self._played, centred, 0.0)
