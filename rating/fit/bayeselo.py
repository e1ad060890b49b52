"""Ratings by BayesElo's model: the maximum of the Rao-Kupper likelihood with virtual draws as a prior.

The likelihood (`rating.fit.likelihood`) is concave in all ratings, drawelo and advantage together, and its
second derivatives are a graph Laplacian bordered by a row for each fitted parameter: Newton's method
(`rating.fit.newton`) converges to rounding in 5 to 9 steps.

If the likelihood has no maximum in a parameter (`rating.fit.identify`), it is fixed, with a notice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rating.arrays import Bools, Floats, Ints
from rating.crosstable import PairTable
from rating.errors import OptionError
from rating.fit.identify import components, has_maximum, is_strongly_linked
from rating.fit.likelihood import ELO, Likelihood
from rating.fit.newton import Newton
from rating.notices import Notice, name_some
from rating.threads import one_thread

HELD_DRAWELO = 600.0
"""The fixed drawelo in Elo if the likelihood has no maximum in it: almost only draws."""
HELD_RIDGE = 350.0
"""Standard deviation in Elo of the ridge that bounds ratings which would be infinite."""

# Elo; beyond this a double cannot represent probabilities other than 0 and 1.
_FARTHEST = 5000.0


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A converged fit. Arrays have one entry per player of `table.players`, shape (n,).

    `elo` has mean 0 in each group (with a ridge: over all). `component` is the group's number, -1 for a
    player without results, whose `elo` is a meaningless 0.0. `loglik` includes the virtual draws (and the
    ridge). `ridge` is the ridge used, in Elo. `notices` qualify the numbers.
    """

    table: PairTable
    elo: Floats
    component: Ints
    drawelo: float
    advantage: float
    loglik: float
    prior: float
    ridge: float | None
    iterations: int
    notices: tuple[Notice, ...]

    @property
    def rated(self) -> Bools:
        """True for players with results, shape (n,)."""
        return self.component >= 0

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(notice.text for notice in self.notices)

    def likelihood(self) -> Likelihood:
        return Likelihood(self.table.pairs(self.advantage != 0.0), len(self.table.players), self.prior)


def bayeselo(
    table: PairTable,
    *,
    advantage: float | Literal["fit"] = 0.0,
    drawelo: float | Literal["fit"] = "fit",
    prior: float = 2.0,
    ridge: float | None = None,
    start: Floats | None = None,
) -> Fit:
    """Fit ratings to `table`, to 1e-10 Elo.

    `advantage` (of the player named first) and `drawelo` are in Elo, or "fit"; `prior` is the number of
    virtual draws of a player; `ridge` is the standard deviation in Elo of a normal prior on ratings, which
    links groups that never met; `start` are initial ratings in Elo, shape (n,), such as the last round's.
    Raises OptionError for values out of range; for all results the numbers are finite, and notices name
    problems.
    """
    _check_options(advantage, drawelo, prior, ridge)
    n = len(table.players)
    if start is not None and (np.shape(start) != (n,) or not np.all(np.isfinite(start))):
        raise OptionError(f"start has shape {np.shape(start)}: give {n} finite ratings, one per player")
    pairs = table.pairs(advantage != 0.0)
    likelihood, component = Likelihood(pairs, n, prior), components(pairs, n)
    if not table.first.size:
        given_d, given_a = (0.0 if value == "fit" else value for value in (drawelo, advantage))
        nothing = Notice("no-results", "there is no result yet: no player has a rating")
        return Fit(table, np.zeros(n), component, given_d, given_a, 0.0, prior, ridge, 0, (nothing,))
    notices = _notices_of_table(table, component, prior, ridge)
    if prior == 0.0 and ridge is None and not is_strongly_linked(likelihood):
        ridge = HELD_RIDGE
        text = (
            "without a prior some players never lost, or never won, against the others: their ratings "
            f"would be infinite and are bounded by a normal prior of {HELD_RIDGE:.0f} Elo"
        )
        notices.append(Notice("ratings-unbounded", text))
    fixed_d = _choose_d(likelihood, drawelo, advantage == "fit", ridge, prior, notices)
    fixed_a = _choose_advantage(likelihood, advantage, ridge, prior, notices)
    theta = np.zeros(n) if start is None else np.where(component >= 0, np.asarray(start) * ELO, 0.0)
    group = component if ridge is None else np.zeros(n, np.int64)
    with one_thread():
        search = Newton(likelihood, group, None if ridge is None else ridge * ELO, theta, fixed_a, fixed_d)
        converged = search.run()
        loglik = search.value(search.theta, search.a, search.d)
    if not converged:
        text = (
            f"ratings do not converge: rounding moved them by {search.moved / ELO:.1g} Elo in the last step"
        )
        notices.append(Notice("not-converged", text))
    elo, d, a = search.theta / ELO, search.d / ELO, search.a / ELO
    return Fit(table, elo, component, d, a, loglik, prior, ridge, search.steps, tuple(notices))


def _check_options(
    advantage: float | Literal["fit"], drawelo: float | Literal["fit"], prior: float, ridge: float | None
) -> None:
    """Raise OptionError for a value out of its range."""
    if advantage != "fit" and not (isinstance(advantage, int | float) and abs(advantage) <= _FARTHEST):
        raise OptionError(f'advantage {advantage!r}: give a number of Elo up to {_FARTHEST:.0f} or "fit"')
    if drawelo != "fit" and not (
        isinstance(drawelo, int | float) and (drawelo == 0.0 or 1e-9 <= drawelo <= _FARTHEST)
    ):
        raise OptionError(
            f'drawelo {drawelo!r}: give 0, a number of Elo from 1e-9 to {_FARTHEST:.0f} or "fit"'
        )
    if not (prior == 0.0 or 1e-9 <= prior <= 1e6):
        raise OptionError(f"prior {prior!r}: give a number of virtual draws, 0 or from 1e-9 to 1e6")
    if ridge is not None and not (math.isfinite(ridge) and 1.0 <= ridge <= 1e6):
        raise OptionError(f"ridge {ridge!r}: give a standard deviation from 1 to 1e6 Elo, or None")


def _notices_of_table(table: PairTable, component: Ints, prior: float, ridge: float | None) -> list[Notice]:
    """Return notices on players without results, on unlinked groups, and on players that only won or lost."""
    notices = []
    idle = table.names(component < 0)
    if idle:
        notices.append(Notice("idle", f"no results yet, so no rating: {name_some(idle)}"))
    groups = int(component.max()) + 1
    if groups > 1:
        first = [table.players[int(np.argmax(component == group))] for group in range(groups)]
        text = f"{groups} groups of players never met (those of {name_some(first)}): "
        if ridge is None:
            text += "each group has mean 0, so compare ratings only within a group"
        else:
            text += "only the ridge links them, so compare with care"
        notices.append(Notice("disconnected", text))
    bound = "prior" if prior else "ridge"
    for name, verb, who in zip(("undefeated", "winless"), ("won", "lost"), table.one_sided, strict=True):
        if who:
            text = f"{verb} every result, so only the {bound} bounds the rating: {name_some(who)}"
            notices.append(Notice(name, text))
    return notices


def _choose_d(
    likelihood: Likelihood,
    drawelo: float | Literal["fit"],
    fit_advantage: bool,
    ridge: float | None,
    prior: float,
    notices: list[Notice],
) -> float | None:
    """Return the fixed d in natural units, or None to fit it; add to `notices` why it is fixed or weak.

    `fit_advantage`: the advantage is fitted, too.
    """
    if drawelo != "fit":
        if drawelo == 0.0 and likelihood.draws > 0.0:
            text = (
                "drawelo 0 makes draws impossible: each counts as half a win, "
                "and the log-likelihood omits their constant"
            )
            notices.append(Notice("draws-at-zero", text))
        return drawelo * ELO
    if likelihood.draws == 0.0:
        notices.append(Notice("no-draws", "no result is a draw and there is no prior: drawelo is 0"))
        return 0.0
    if not has_maximum(likelihood, "d", with_advantage=fit_advantage, bounded=ridge is not None, prior=prior):
        text = f"the results do not determine drawelo: it is fixed at {HELD_DRAWELO:.0f}"
        notices.append(Notice("drawelo-held", text))
        return HELD_DRAWELO * ELO
    if likelihood.played_draws == 0.0:
        text = "no result is a draw: drawelo depends only on the prior's virtual draws"
        notices.append(Notice("no-draws", text))
    return None


def _choose_advantage(
    likelihood: Likelihood,
    advantage: float | Literal["fit"],
    ridge: float | None,
    prior: float,
    notices: list[Notice],
) -> float | None:
    """Return the fixed advantage in natural units, None to fit it; 0, with a notice, if results lack it."""
    if advantage != "fit":
        return advantage * ELO
    if has_maximum(likelihood, "advantage", with_advantage=True, bounded=ridge is not None, prior=prior):
        return None
    text = "the results do not determine the advantage of being named first: it is fixed at 0"
    notices.append(Notice("advantage-held", text))
    return 0.0
