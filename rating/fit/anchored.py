"""The rating of one player whose opponents' ratings are known, such as those of a season.

The likelihood is BayesElo's (`rating.fit.likelihood`) in one rating, those of the opponents and drawelo being
exact: concave, so Newton's method finds the maximum. The prior is `PRIOR` virtual draws, shared among the
opponents as often as they were met. The interval is the sandwich of one rating, over rounds or, with fewer
than 10, over matches. As in `rating.fit.intervals` it is sqrt(5/3) times the model's with fewer than 10 of
these too, and no less than that for a player without a win or without a defeat.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rating.errors import OptionError
from rating.fit.kinds import FEWEST_CLUSTERS, upper
from rating.fit.likelihood import ELO

if TYPE_CHECKING:
    from rating.arrays import Floats, Ints
    from rating.crosstable import PairTable

PRIOR = 2.0
_SHARED_SCORE = 5.0 / 3.0
# Nats that a step moves at most, and a step that is none.
_FARTHEST, _ENOUGH = 3.0, 1e-12
_STEPS = 200
# Of an interval of 95 %.
_UPPER = 0.975


@dataclass(frozen=True, slots=True)
class Anchored:
    """A rating in Elo on its opponents' scale, and the ends of its interval of 95 %."""

    elo: float
    low: float
    high: float


def rate_one(table: PairTable, player: str, elo: Floats, drawelo: float) -> Anchored | None:
    """The rating of `player` by its results in `table`, its opponents having the ratings `elo`, shape (n,).

    `elo` of the player itself counts for nothing. None without results. Raises OptionError for a player who
    is not in the table.
    """
    if player not in table.players:
        raise OptionError(f"player {player!r} is not in the table")
    me = table.players.index(player)
    mine = (table.first == me) | (table.second == me)
    if not mine.any():
        return None
    as_first = table.first[mine] == me
    them = np.where(as_first, table.second[mine], table.first[mine])
    outcome = np.where(as_first, table.outcome[mine], -table.outcome[mine])
    theirs, d = np.asarray(elo, np.float64)[them] * ELO, drawelo * ELO
    # How often the two logistic terms of a result count: of a win the first, of a draw both.
    up, down = (outcome >= 0).astype(np.float64), (outcome <= 0).astype(np.float64)
    virtual = PRIOR / outcome.size

    def slopes(at: float) -> tuple[Floats, float]:
        """The slope of each result's logarithm, and the information of all, virtual draws included."""
        won, lost = _logistic(at - theirs - d), _logistic(theirs - at - d)
        information = (up + virtual) * won * (1.0 - won) + (down + virtual) * lost * (1.0 - lost)
        return up * (1.0 - won) - down * (1.0 - lost) + virtual * (lost - won), float(information.sum())

    here = float(theirs.mean())
    for _ in range(_STEPS):
        slope, information = slopes(here)
        step = float(slope.sum()) / max(information, 1e-12)
        here += min(max(step, -_FARTHEST), _FARTHEST)
        if abs(step) < _ENOUGH:
            break
    slope, information = slopes(here)
    decided = bool((outcome > 0).any() and (outcome < 0).any())
    half = _half_width(slope, information, _clusters(table, mine), decided)
    return Anchored(here / ELO, (here - half) / ELO, (here + half) / ELO)


def _half_width(slope: Floats, information: float, cluster: Ints, decided: bool) -> float:
    number = int(cluster.max()) + 1
    model = upper(_UPPER, None) * math.sqrt(_SHARED_SCORE / information)
    if number < FEWEST_CLUSTERS:
        return model
    sums = np.bincount(cluster, slope)
    sandwich = math.sqrt(number / (number - 1) * float((sums**2).sum())) / information
    half = upper(_UPPER, number - 1) * sandwich
    return half if decided else max(half, model)


def _clusters(table: PairTable, mine: Ints) -> Ints:
    """The number, from 0, of the round of each result, or of its match where there are few rounds."""
    rounds, of = np.unique(table.round[mine], return_inverse=True)
    if rounds.size < FEWEST_CLUSTERS or rounds[0] < 0:
        of = np.unique(table.match[mine], return_inverse=True)[1]
    found: Ints = of.astype(np.int64)
    return found


def _logistic(x: Floats) -> Floats:
    found: Floats = 0.5 + 0.5 * np.tanh(0.5 * x)
    return found
