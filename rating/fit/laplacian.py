"""Dense solver for the information matrix of ratings, a weighted graph Laplacian (plus 1/ridge^2 on the
diagonal).

A Laplacian H is singular: adding a constant to all ratings of a group changes nothing. Adding s 1_c 1_c^T for
each group c (1_c its indicator) makes it positive definite without touching the answer, since for a right
side that sums to zero within each group

    (H + sum_c s 1_c 1_c^T)^-1 b = H^+ b,   and   H^+ = (H + sum_c s 1_c 1_c^T)^-1 - sum_c 1_c 1_c^T / (s
    n_c^2).

Players without results are groups of one. With a ridge all players form one group with mean zero: H^+ is then
taken on the ratings' deviations from their mean, the limit of a weak ridge being the case without.
"""

from __future__ import annotations

import numpy as np

from rating.arrays import Floats, Ints
from rating.threads import one_thread


class DenseLaplacian:
    """A factorised H, shape (n, n); `component` (n,) as in `identify`, all zero where a ridge ties them."""

    def __init__(self, matrix: Floats, component: Ints) -> None:
        from scipy.linalg import LinAlgError
        from scipy.linalg.lapack import dpotrf

        n = len(component)
        group = component.copy()
        self._lone = np.flatnonzero(group < 0)
        group[self._lone] = component.max(initial=-1) + 1 + np.arange(self._lone.size)
        self._size = np.bincount(group, minlength=1)[group].astype(np.float64)
        diagonal = matrix.diagonal()
        # Of the size of the other eigenvalues, or the factor would lose digits.
        self._shift = float(diagonal.mean()) / n if n and diagonal.any() else 1.0
        if group.any():
            self._same = group[:, None] == group[None, :]
            shifted = matrix + np.where(self._same, self._shift, 0.0)
        else:
            self._same = np.ones((1, 1), np.bool_)
            shifted = matrix + self._shift
        # Rounding can make a nearly singular matrix indefinite: its diagonal is raised by as little as helps.
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
        """H^+ right for columns that sum to zero within each group; shape (n,) or (n, k)."""
        from scipy.linalg.lapack import dpotrs

        if not right.size:
            return np.zeros_like(right)
        with one_thread():
            solution, _ = dpotrs(self._factor, right, lower=True)
        solved: Floats = np.asarray(solution, np.float64).reshape(right.shape)
        return solved

    def pseudo_inverse(self) -> Floats:
        """H^+, shape (n, n); zero for players without results."""
        from scipy.linalg.lapack import dpotri

        with one_thread():
            inverse, _ = dpotri(self._factor, lower=True)
        inverse = np.tril(inverse)
        inverse += np.tril(inverse, -1).T
        constant = np.where(self._same, 1.0 / (self._shift * self._size**2)[:, None], 0.0)
        full: Floats = inverse - constant
        full[self._lone] = full[:, self._lone] = 0.0
        return full
