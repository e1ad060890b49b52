"""Tuning numbers by matches: simultaneous perturbation (SPSA) and the mean of the late iterates.

In iteration k, from 1, two sides meet. The one has every number x_i moved by its step d_i = +-c_i / k^0.101,
up or down by lot, the other the other way. Of the result y, by how much the one was better, all numbers learn
at once, however many there are:

    x_i += R_k d_i y / s_k,    R_k = 1/4 ((A + 1) / (A + k))^0.602,  A = 20,

s_k being the root mean square of the results up to y. So nothing depends on the unit of y: a first result
moves the numbers by a quarter of their steps whatever the game, and the noise alone moves them less and less.
The powers are Spall's. The gains do not depend on how many iterations there are to be, so that more may be
added later. What is estimated is the mean of the iterates of the later half, which is surer than the last
one (Polyak and Juditsky). Each result times the sign of a number's move also says what that number is worth,
which is said by the first quarter, when the numbers are still away from their best.

Each number stays within its bounds, and so do both sides. A whole number moves in fractions like any other,
and its sides are rounded by one lot, up as often as the fraction says, so that on average they are where they
should be; its step never falls below 1/2, so that they differ.

Signs and lots of an iteration follow from the seed and its number, and all else from the results: the same
results give the same numbers, bit for bit.

    descent = Descent([Tunable("width", start=3.0, low=0.0, high=8.0)], seed="any")
    for _ in range(500):
        one, other = descent.sides()
        descent.take(lead(one, other))       # any unit; None if nothing can be said
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
from rating.lots import words

Values: TypeAlias = Mapping[str, float]
"""Numbers by name, to six digits unless they are a bound; the whole ones as int."""

GAIN, STABILITY, GAIN_POWER, STEP_POWER = 0.25, 20, 0.602, 0.101
SHARE = 4
"""The step that is not given, as a part of the range."""
LEAST_WHOLE = 0.5
"""The step of a whole number."""


@dataclass(frozen=True, slots=True)
class Tunable:
    """A number to be tuned from `start` within `low` and `high`; `step` is how far the first sides are moved.

    OptionError where they do not fit each other.
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
        if self.step is not None:
            return self.step
        return max((self.high - self.low) / SHARE, LEAST_WHOLE if self.whole else 0.0)

    def step_at(self, iteration: int) -> float:
        """The step of an iteration, counted from 1."""
        step = self.first_step * math.pow(iteration, -STEP_POWER)
        return max(step, LEAST_WHOLE) if self.whole else step

    def within(self, value: float) -> float:
        """The value, or the bound that it is beyond."""
        return min(max(value, self.low), self.high)

    def shown(self, value: float, lot: float = 0.5) -> float:
        """The value as a side has it; a whole number is rounded up if its fraction is at least 1 - `lot`."""
        inside = self.within(value)
        return (
            int(self.within(math.floor(inside + lot))) if self.whole else self.within(float(f"{inside:.6g}"))
        )


class Effect(NamedTuple):
    """By how much moved up was better than moved down, and the standard error."""

    lead: float
    error: float


class Descent:
    """Numbers on their way. `path` has them at the start and after each iteration, by parameter."""

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
        return self._named(self.path[-1])

    @property
    def estimate(self) -> Values:
        """The mean of the numbers after each iteration of the later half; the start before the first."""
        late = self.path[self.iteration // 2 + 1 :] or self.path
        return self._named([math.fsum(column) / len(late) for column in zip(*late, strict=True)])

    @property
    def worth(self) -> Mapping[str, Effect]:
        """What each number was worth in the first quarter of the results; empty with fewer than two in it.

        The others' moves and the matches' luck are in the error, in the results' unit.
        """
        early = self._ups[: (len(self._ups) + 3) // 4]
        if len(early) < 2:
            return {}
        return {
            parameter.name: Effect(fmean(leads), stdev(leads) / math.sqrt(len(leads)))
            for parameter, leads in zip(self.parameters, zip(*early, strict=True), strict=True)
        }

    def sides(self) -> tuple[Values, Values]:
        """The numbers of the two sides that meet in the next iteration."""
        moves, lots = self._drawn()
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
        """Move by the result of the next iteration: by how much its first side was better, None if unknown.

        ResultError for what is not finite.
        """
        if result is None:
            self.path.append(self.path[-1])
            return
        if not math.isfinite(result):
            raise ResultError(f"result {result!r}: give a finite lead")
        moves, _ = self._drawn()
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

    def _named(self, values: Sequence[float]) -> Values:
        return {
            parameter.name: parameter.shown(value)
            for parameter, value in zip(self.parameters, values, strict=True)
        }

    def _drawn(self) -> tuple[list[float], list[float]]:
        """By parameter how far the first side of the next iteration is moved, and the lot for rounding."""
        number = self.iteration + 1
        drawn: Iterator[int] = words(f"descent|{self.seed}|{number}")
        moves, lots = [], []
        for parameter in self.parameters:
            step = parameter.step_at(number)
            moves.append(step if next(drawn) & 1 else -step)
            lots.append(next(drawn) / 2**64)
        return moves, lots
