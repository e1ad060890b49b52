"""The state of a sequential test, and its report, without numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["better", "not_better", "identical_play", "out_of_budget"]

Measure = Literal["results", "points"]
"""The measure of a test: results, or scores estimated from points."""

FIRST_LOOK = 16
"""Minimum blocks that are not level for a verdict: with fewer the estimated variance is too uncertain."""


@dataclass(frozen=True, slots=True)
class Run:
    """The state of a test, in JSON's types.

    `total` and `squares` are the sums of the blocks' scores and of their squares, `lowest` and `highest` the
    extremes, `level` the number of blocks of exactly 1/2; a `verdict` is final. `log_e` is the logarithm of
    the e-value. The other sums are described in `rating.sequential.points`.
    """

    blocks: int = 0
    total: float = 0.0
    squares: float = 0.0
    lowest: float = 1.0
    highest: float = 0.0
    verdict: Verdict | None = None
    level: int = 0
    margins: float = 0.0
    margin_squares: float = 0.0
    cross: float = 0.0
    offsets: float = 0.0
    offset_squares: float = 0.0
    offset_cross: float = 0.0
    log_e: float = 0.0


@dataclass(frozen=True, slots=True)
class Report:
    """The estimates of a test, in logistic Elo except `nelo`; None without blocks.

    `elo` and the ends `low` and `high` of its interval are corrected for the stop rule: `elo` is
    median-unbiased. (Simulated 95 % intervals covered the truth in 93 to 94 % of the tests, plain ones in 88
    to 90.) `nelo` is the plain estimate in normalised Elo. `to_go` is the expected number of further blocks,
    None with fewer than two blocks and after the verdict. `e` is the e-value against elo0.
    """

    verdict: Verdict | None
    llr: float
    bounds: tuple[float, float]
    elo: float | None
    low: float | None
    high: float | None
    nelo: float | None
    blocks: int
    matches: int
    to_go: float | None
    e: float = 1.0
