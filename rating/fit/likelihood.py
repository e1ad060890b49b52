"""The Rao-Kupper likelihood with BayesElo's prior: value, gradient and information at a point.

Units are natural: theta = a r with a = ln 10 / 400 for r in Elo, d = a drawelo, A = a advantage. For i named
first against j, with u = theta_i - theta_j + A and s(x) = 1 / (1 + e^-x),

    P(win) = s(u - d),   P(loss) = s(-u - d),   P(draw) = (e^{2d} - 1) s(u - d) s(-u - d),

so that w wins, t draws and l losses give

    (w + t) ln s(u - d) + (l + t) ln s(-u - d) + t ln(e^{2d} - 1):

two logistic terms, a draw counting in both. The whole is concave in theta, A and d together.

If A is 0, the order of the names cancels exactly, and each pair is one row. Otherwise a pair is seen from its
lower index in two blocks: named first (u = x + A) and named second (u = x - A), x = theta_i - theta_j.

The prior: a pair that met n_ij times, its players having N_i and N_j results, gets P/2 n_ij (1/N_i + 1/N_j)
virtual draws, half with each colour: a player shares about P virtual draws with its opponents, in proportion
to how often they met.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rating.arrays import Floats
from rating.crosstable import Pairs

ELO = math.log(10.0) / 400.0
"""Natural units per Elo."""

FAR = 300.0
"""Nats (52,000 Elo) beyond any difference of fitted ratings; e^300 squared is still a finite double."""
# Pairs processed together: their vectors stay in the cache.
_CHUNK = 16_384


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Counts with one colour, seen from i: shape (P,) each. u = theta_i - theta_j + sign A."""

    sign: int
    wins: Floats
    draws: Floats
    losses: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Slope:
    """Derivatives at a point. Per pair, shape (P,): `r` = d/dx of the log-likelihood, `h` = -d2/dx2 and,
    summed with the colour's sign, `r_signed` and `h_signed`; `c` = -d2/dx dd, `c_signed`. Scalars: `d1` =
    d/dd, `d2` = -d2/dd2.
    """

    r: Floats
    h: Floats
    c: Floats
    r_signed: Floats
    h_signed: Floats
    c_signed: Floats
    d1: float
    d2: float


class Likelihood:
    """The log-likelihood of counted pairs, prior included; shapes as in Pairs, n players."""

    def __init__(self, pairs: Pairs, n: int, prior: float) -> None:
        self.n = n
        self.i: npt.NDArray[np.intp] = pairs.i
        self.j: npt.NDArray[np.intp] = pairs.j
        # Pairs are ordered by j: those of one j are consecutive, and reduceat is faster than bincount.
        self._runs = np.flatnonzero(np.diff(self.j, prepend=-1))
        met = pairs.totals.sum(axis=0)
        games = np.bincount(self.i, met, n) + self._sum_j(met)
        per_game = np.divide(1.0, games, out=np.zeros(n), where=games > 0)
        virtual = prior / 2.0 * met * (per_game[self.i] + per_game[self.j])
        self.games = games
        self.played_draws = float(pairs.totals[1].sum())
        if pairs.oriented:
            named_first, named_second = pairs.counts[:3], pairs.counts[3:]
            self.blocks: tuple[Block, ...] = (
                Block(1, named_first[0], named_first[1] + virtual / 2.0, named_first[2]),
                Block(-1, named_second[0], named_second[1] + virtual / 2.0, named_second[2]),
            )
        else:
            self.blocks = (Block(1, pairs.counts[0], pairs.counts[1] + virtual, pairs.counts[2]),)
        # The weights of a pair's two logistic terms: (wins + draws, losses + draws) of each block.
        self._exponents = [(block.wins + block.draws, block.losses + block.draws) for block in self.blocks]
        self.draws = float(sum(block.draws.sum() for block in self.blocks))
        self.decisive = float(sum(block.wins.sum() + block.losses.sum() for block in self.blocks))

    @cached_property
    def triangle(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Columns (P,) and row starts (n + 1,) of a sparse matrix with pairs' entries in row j, column i."""
        start = np.zeros(self.n + 1, np.int32)
        np.cumsum(np.bincount(self.j, minlength=self.n), out=start[1:])
        return self.i.astype(np.int32), start

    def start_d(self) -> float:
        """Return d for equal players: P(draw) = (e^d - 1) / (e^d + 1) is the share of draws."""
        share = min(self.draws / max(self.draws + self.decisive, 1e-300), 0.99)
        return math.log((1.0 + share) / (1.0 - share))

    def value(self, theta: Floats, advantage: float, d: float) -> float:
        """Return the log-likelihood; at d = 0 without the infinite constant of the draws."""
        total = self.draws * (2.0 * d + math.log(-math.expm1(-2.0 * d))) if d > 0.0 else 0.0
        tie = math.exp(min(d, FAR))
        for some, x in self._chunks(theta):
            for block, (at_least_drawn, at_most_drawn) in zip(self.blocks, self._exponents, strict=True):
                odds = np.exp(np.clip(x + block.sign * advantage, -FAR, FAR))
                total -= float(at_least_drawn[some] @ np.log(1.0 + tie / odds))
                total -= float(at_most_drawn[some] @ np.log(1.0 + tie * odds))
        return total

    def slope(self, theta: Floats, advantage: float, d: float) -> Slope:
        """Return first and second derivatives; see Slope."""
        sums = np.zeros((3, self.i.size))
        signed = np.zeros((3, self.i.size)) if len(self.blocks) > 1 else sums
        tie = math.exp(min(d, FAR))
        d1 = d2 = 0.0
        for some, x in self._chunks(theta):
            for block, (at_least_drawn, at_most_drawn) in zip(self.blocks, self._exponents, strict=True):
                odds = np.exp(np.clip(x + block.sign * advantage, -FAR, FAR))
                # Complements are computed directly: 1 - s loses all digits where s is near 1.
                odds1, odds2 = tie / odds, tie * odds
                p1, p2 = 1.0 / (1.0 + odds1), 1.0 / (1.0 + odds2)
                first, second = at_least_drawn[some] * odds1 * p1, at_most_drawn[some] * odds2 * p2
                h1, h2 = first * p1, second * p2
                d1 -= float(first.sum() + second.sum())
                d2 += float(h1.sum() + h2.sum())
                for row, part in enumerate((first - second, h1 + h2, h2 - h1)):
                    sums[row, some] += part
                    if signed is not sums:
                        signed[row, some] += block.sign * part
        if d > 0.0:
            gap = -math.expm1(-2.0 * d)
            d1 += 2.0 * self.draws / gap
            d2 += 4.0 * self.draws * math.exp(-2.0 * d) / gap**2
        return Slope(sums[0], sums[1], sums[2], signed[0], signed[1], signed[2], d1, d2)

    def _chunks(self, theta: Floats) -> Iterator[tuple[slice, Floats]]:
        """Yield slices of the pairs, each with its theta_i - theta_j."""
        for start in range(0, self.i.size, _CHUNK):
            some = slice(start, start + _CHUNK)
            yield some, theta[self.i[some]] - theta[self.j[some]]

    def scatter(self, per_pair: Floats) -> Floats:
        """Return the sum over pairs of per_pair (e_i - e_j), shape (n,)."""
        return np.subtract(np.bincount(self.i, per_pair, self.n), self._sum_j(per_pair))

    def laplacian(self, weights: Floats) -> Floats:
        """Return the sum over pairs of weights (e_i - e_j)(e_i - e_j)^T, shape (n, n), dense."""
        matrix = np.zeros((self.n, self.n))
        matrix[self.i, self.j] = -weights
        matrix += matrix.T
        matrix.flat[:: self.n + 1] = self.degrees(weights)
        return matrix

    def degrees(self, weights: Floats) -> Floats:
        """Return the diagonal of `laplacian`, shape (n,)."""
        return np.add(np.bincount(self.i, weights, self.n), self._sum_j(weights))

    def _sum_j(self, per_pair: Floats) -> Floats:
        """Return the sum over pairs of per_pair e_j, shape (n,)."""
        total = np.zeros(self.n)
        if self._runs.size:
            total[self.j[self._runs]] = np.add.reduceat(per_pair, self._runs)
        return total
