"""Tune numbers by matches: simultaneous perturbation (SPSA) and the mean of the late iterates.

In iteration k, from 1, two sides meet. The first has every number x_i moved by its step
d_i = +-c_i / k^0.101 with a random sign, the other has the opposite moves. The result y, the lead of the
first side, updates all numbers at once:

    x_i += R_k d_i y / s_k,    R_k = 1/4 ((A + 1) / (A + k))^0.602,  A = 20,

s_k being the root mean square of the results up to y. So the unit of y does not matter: the first result
moves the numbers by a quarter of their steps in every game, and noise alone moves them less and less. The
powers are Spall's. The gains do not depend on the planned number of iterations, so more may be added later.
The estimate is the mean of the iterates in the later half, which is more accurate than the last one (Polyak
and Juditsky). Each result times the sign of a number's move also estimates the effect of that number; only
the first quarter is used, when the numbers are still away from their optimum.

Numbers and both sides stay within the bounds. A whole number moves in fractions like any other; both its
sides are rounded by one random draw, up with the probability of the fraction, so that their means are right;
its step never falls below 1/2, so that they differ.

Signs and draws of an iteration follow from the seed and the iteration's number, all else from the results:
the same results give the same numbers, bit for bit.

    descent = Descent([Tunable("width", start=3.0, low=0.0, high=8.0)], seed="any")
    for _ in range(500):
        one, other = descent.sides()
        descent.take(lead(one, other))       # any unit; None if unknown
    print(descent.estimate)

Sources: Spall, Implementation of the simultaneous perturbation algorithm for stochastic optimization, IEEE
Trans. Aerospace and Electronic Systems 34 (1998); for games, with both sides on the same cards, Kocsis and
Szepesvari, Universal parameter optimisation in games based on SPSA, Machine Learning 63 (2006); Polyak and
Juditsky, Acceleration of stochastic approximation by averaging, SIAM J. Control and Optimization 30 (1992).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import NamedTuple, TypeAlias

from rating.errors import OptionError, ResultError
from rating.seeded_shuffle import words

Values: TypeAlias = Mapping[str, float]
"""Numbers by name, to six digits unless they are a bound; whole numbers as int."""

GAIN, STABILITY, GAIN_POWER, STEP_POWER = 0.25, 20, 0.602, 0.101
SHARE = 4
"""The default step is the range divided by this."""
LEAST_WHOLE = 0.5
"""The minimum step of a whole number."""


@dataclass(frozen=True, slots=True)
class Tunable:
    """A number to tune from `start` within `low` and `high`; `step` is the move of the first iteration.

    OptionError for inconsistent values.
    """

    name: str
    start: float
    low: float
    high: float
    step: float | None = None
    whole: bool = False

    def __post_init__(self) -> None:
        if not (-math.inf < self.low < self.high < math.inf and self.low <= self.start <= self.high):
            raise OptionError(f"{self.name}: start {self.start} must lie within {self.low} to {self.high}")
        least = LEAST_WHOLE if self.whole else 0.0
        if not (least <= self.first_step <= self.high - self.low and self.first_step > 0.0):
            raise OptionError(f"{self.name}: a step of {self.step} is too small, or larger than the range")
        if self.whole and any(value % 1 for value in (self.start, self.low, self.high)):
            raise OptionError(f"{self.name}: start and bounds of a whole number are whole")

    @property
    def first_step(self) -> float:
        """The given step, or else a quarter of the range, for a whole number at least 1/2."""
        if self.step is not None:
            return self.step
        return max((self.high - self.low) / SHARE, LEAST_WHOLE if self.whole else 0.0)

    def step_at(self, iteration: int) -> float:
        """Return the step of an iteration, counted from 1."""
        step = self.first_step * math.pow(iteration, -STEP_POWER)
        return max(step, LEAST_WHOLE) if self.whole else step

    def within(self, value: float) -> float:
        """Return the value, clipped to the bounds."""
        return min(max(value, self.low), self.high)

    def shown(self, value: float, lot: float = 0.5) -> float:
        """Return a side's value; a whole number is rounded up if its fraction is at least 1 - `lot`."""
        inside = self.within(value)
        return (
            int(self.within(math.floor(inside + lot))) if self.whole else self.within(float(f"{inside:.6g}"))
        )


class Effect(NamedTuple):
    """The lead of the side with a number moved up over that with it moved down, and its standard error."""

    lead: float
    error: float


class Descent:
    """The state of a tuning. `path` has the numbers at the start and after each iteration, by parameter."""

    def __init__(self, parameters: Sequence[Tunable], seed: int | str) -> None:
        self.parameters, self.seed = tuple(parameters), seed
        self.path: list[tuple[float, ...]] = [tuple(float(parameter.start) for parameter in parameters)]
        self._size, self._results = 0.0, 0
        self._ups: list[list[float]] = []

    @property
    def iteration(self) -> int:
        return len(self.path) - 1

    @property
    def values(self) -> Values:
        return self._by_name(self.path[-1])

    @property
    def estimate(self) -> Values:
        """The mean of the numbers after each iteration of the later half; the start before any iteration."""
        late = self.path[self.iteration // 2 + 1 :] or self.path
        return self._by_name([math.fsum(column) / len(late) for column in zip(*late, strict=True)])

    @property
    def worth(self) -> Mapping[str, Effect]:
        """The effect of each number in the first quarter of the results; empty with fewer than two in it.

        The error, in the results' unit, includes the other numbers' moves and the matches' luck.
        """
        early = self._ups[: (len(self._ups) + 3) // 4]
        if len(early) < 2:
            return {}
        return {
            parameter.name: Effect(fmean(leads), stdev(leads) / math.sqrt(len(leads)))
            for parameter, leads in zip(self.parameters, zip(*early, strict=True), strict=True)
        }

    def sides(self) -> tuple[Values, Values]:
        """Return the numbers of the two sides that meet in the next iteration."""
        moves, lots = self._draw_moves()
        one, other = (
            {
                parameter.name: parameter.shown(value + sign * move, lot)
                for parameter, value, move, lot in zip(
                    self.parameters, self.path[-1], moves, lots, strict=True
                )
            }
            for sign in (1, -1)
        )
        return one, other

    def take(self, result: float | None) -> None:
        """Update the numbers by the lead of the first side, None if unknown; ResultError if not finite."""
        if result is None:
            self.path.append(self.path[-1])
            return
        if not math.isfinite(result):
            raise ResultError(f"result {result!r}: give a finite lead")
        moves, _ = self._draw_moves()
        self._ups.append([math.copysign(1.0, move) * result for move in moves])
        self._results += 1
        if result == 0.0:
            self.path.append(self.path[-1])
            return
        self._size = math.hypot(self._size, result)
        gain = GAIN * ((STABILITY + 1) / (STABILITY + self.iteration + 1)) ** GAIN_POWER
        pull = gain * math.sqrt(self._results) * (result / self._size)
        self.path.append(
            tuple(
                parameter.within(value + pull * move)
                for parameter, value, move in zip(self.parameters, self.path[-1], moves, strict=True)
            )
        )

    def _by_name(self, values: Sequence[float]) -> Values:
        return {
            parameter.name: parameter.shown(value)
            for parameter, value in zip(self.parameters, values, strict=True)
        }

    def _draw_moves(self) -> tuple[list[float], list[float]]:
        """Draw, by parameter, the first side's moves in the next iteration, and the numbers for rounding."""
        number = self.iteration + 1
        drawn: Iterator[int] = words(f"descent|{self.seed}|{number}")
        moves, lots = [], []
        for parameter in self.parameters:
            step = parameter.step_at(number)
            moves.append(step if next(drawn) & 1 else -step)
            lots.append(next(drawn) / 2**64)
        return moves, lots
