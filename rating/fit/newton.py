"""Newton's method for the bordered likelihood: ratings, and drawelo and advantage if they are fitted.

The function is concave. With H the Laplacian of the ratings, B the border (a column for each fitted
parameter), K the parameters' own block, g and k the gradients, a step (t, e) is

    (K - B^T H^+ B) e = k - B^T H^+ g,      t = H^+ g - H^+ B e.

A long step is cut (3 nats at most; d stays positive, at least a tenth of itself) and halved until the
likelihood rises. A step below 0.05 nats in which d moves by less than a tenth needs no such check: second
derivatives change by less than a fifth on the way, so the likelihood rises.

H is factorised for few players; for many, steps are solved by conjugate gradients (`rating.fit.solvers`),
first roughly, then with a residual of the square of the gradient.
"""

from __future__ import annotations

import math

import numpy as np

from rating.arrays import Floats, Ints
from rating.fit.likelihood import ELO, Likelihood
from rating.fit.solvers import DenseLaplacian, SparseLaplacian

MOST_STEPS = 100
"""Maximum steps of the search; 5 to 9 are usual."""

# The size of a step, in nats, at which the search ends.
_TOLERANCE = 1e-10 * ELO
# Maximum players for which a dense factor is cheaper than conjugate gradients, and affordable.
_FEWEST_ITERATIVE = 250
_MOST_DENSE = 4000


class Newton:
    """The search for `theta` (n,), `a` and `d`, in natural units, like `spread`, the ridge's deviation."""

    def __init__(
        self,
        likelihood: Likelihood,
        group: Ints,
        spread: float | None,
        theta: Floats,
        fixed_a: float | None,
        fixed_d: float | None,
    ) -> None:
        self.likelihood, self.group = likelihood, group
        self.pull = 0.0 if spread is None else spread**-2
        self.theta = self._centre(theta)
        self.a = 0.0 if fixed_a is None else fixed_a
        self.d = likelihood.start_d() if fixed_d is None else fixed_d
        self.fit_a, self.fit_d = fixed_a is None, fixed_d is None
        self.iterative = likelihood.n > _FEWEST_ITERATIVE
        self.steps, self.moved = 0, math.inf
        self._height: float | None = None  # the log-likelihood here, if a check computed it

    def run(self) -> bool:
        """Step until ratings move by 1e-10 Elo at most, or rounding only; False if by more than 1e-6."""
        while self.steps < MOST_STEPS:
            before = self.moved
            step, step_a, step_d = self._direction()
            size = max(float(np.abs(step).max()), abs(step_a), abs(step_d))
            cut = min(1.0, 3.0 / size) if size > 0.0 else 1.0
            if self.d + cut * step_d < 0.1 * self.d:
                cut = -0.9 * self.d / step_d
            if size > 0.05 or abs(step_d) > 0.1 * self.d:
                cut = self._backtrack(step, step_a, step_d, cut)
            else:
                self._height = None
            self.theta = self._centre(self.theta + cut * step)
            self.a += cut * step_a
            self.d += cut * step_d
            self.moved = cut * size
            self.steps += 1
            if self._has_converged(before):
                break
        return self.moved < 1e4 * _TOLERANCE or self._predicted(before) < _TOLERANCE

    def _has_converged(self, before: float) -> bool:
        """True if another step would change nothing, after steps of sizes `before` and `moved`.

        Newton's steps shrink to their square; if a small step is more than half of the previous one, both are
        rounding.
        """
        stalled = self.moved < 1e-5 and self.moved > before / 2.0
        return self.moved < _TOLERANCE or stalled or self._predicted(before) < 0.01 * _TOLERANCE

    def _predicted(self, before: float) -> float:
        """Estimate the size of the next step as (moved / before^2) moved^2; inf for large steps."""
        known = self.moved < 1e-3 and 0.0 < before < math.inf
        return self.moved**3 / before**2 if known else math.inf

    def value(self, theta: Floats, a: float, d: float) -> float:
        """Return the log-likelihood at a point, less the ridge's penalty."""
        return self.likelihood.value(theta, a, d) - 0.5 * self.pull * float(theta @ theta)

    def _backtrack(self, step: Floats, step_a: float, step_d: float, cut: float) -> float:
        """Halve the factor `cut` of a step until the likelihood does not fall; return it."""
        here = self.value(self.theta, self.a, self.d) if self._height is None else self._height
        while True:
            there = self.value(self.theta + cut * step, self.a + cut * step_a, self.d + cut * step_d)
            if there >= here - 1e-13 * abs(here) or cut < 1e-12:
                self._height = there
                return cut
            cut /= 2.0

    def _direction(self) -> tuple[Floats, float, float]:
        """Return the Newton step for ratings, a and d, by bordering."""
        lik = self.likelihood
        slope = lik.slope(self.theta, self.a, self.d)
        gradient = lik.scatter(slope.r) - self.pull * self.theta
        border, own, force = [], np.zeros((2, 2)), []
        if self.fit_a:
            border.append(lik.scatter(slope.h_signed))
            force.append(float(slope.r_signed.sum()))
            own[0, 0] = float(slope.h.sum())
        if self.fit_d:
            border.append(lik.scatter(slope.c))
            force.append(slope.d1)
            own[len(border) - 1, len(border) - 1] = slope.d2
            own[0, 1] = own[1, 0] = float(slope.c_signed.sum())
        solved = self._solve(slope.h, np.column_stack([gradient, *border]))
        step = solved[:, 0]
        k = len(border)
        if not k:
            return step, 0.0, 0.0
        sides = np.column_stack(border)
        schur = own[:k, :k] - sides.T @ solved[:, 1:]
        extra = np.linalg.lstsq(schur, np.array(force) - sides.T @ step, rcond=1e-14)[0]
        step = step - solved[:, 1:] @ extra
        return step, float(extra[0]) if self.fit_a else 0.0, float(extra[-1]) if self.fit_d else 0.0

    def _solve(self, weights: Floats, right: Floats) -> Floats:
        """Return H^+ right, (n, k), gradient first; exactly, or as accurately as this step needs."""
        lik = self.likelihood
        if self.iterative:
            solver = SparseLaplacian(lik, weights, self.pull, self.group)
            # Far from the maximum a rough step is as good as an exact one.
            solved, reached = solver.solve(right, max(min(0.1, solver.norm(right[:, 0])) ** 2, 1e-14))
            if reached or lik.n > _MOST_DENSE:
                return solved
            self.iterative = False
        matrix = lik.laplacian(weights)
        if self.pull:
            matrix.flat[:: lik.n + 1] += self.pull
        return DenseLaplacian(matrix, self.group).solve(right)

    def _centre(self, theta: Floats) -> Floats:
        """Return `theta` with mean 0 in each group; players without results are at 0."""
        played = self.group >= 0
        label = self.group[played]
        means = np.bincount(label, theta[played]) / np.maximum(np.bincount(label), 1)
        centred = theta.copy()
        centred[played] -= means[label]
        return centred
