"""The players of a round for pairing, and the expected information of a result between two of them.

Units are natural (theta = a r, a = ln 10 / 400 for r in Elo); players are numbered by rank. Let C be the
covariance of the ratings, u = theta_A - theta_B, d the natural drawelo and s(x) = 1 / (1 + e^-x). A result
adds h v v^T to the information C^-1, v = e_A - e_B, with s1 = s(u - d), s2 = s(-u - d) and

    h_win = s1 (1 - s1),    h_loss = s2 (1 - s2),    h_draw = h_win + h_loss,

so that (Sherman and Morrison) with S = C_AA + C_BB - 2 C_AB and c = C_AA - C_AB the variance of A falls by

    h c^2 / (1 + h S).

The chance of each outcome follows from the ratings and from the n results of just these two,

    p = (kappa p_model + count) / (kappa + n),        kappa = 8,

a Dirichlet prior worth kappa results. On average over one result of unknown outcome the variance of A falls
by

    c^2 sum_r p_r h_r / (1 + h_r S),

and by k results, whose informations add up to about k hbar, hbar = sum_r p_r h_r, by c^2 k hbar / (1 + k hbar
S). The effect of moving ratings is of second order: a refit for each outcome gives 0.997 of these figures.

This covers both goals of a pairing: h is largest between equals, and each meeting of A and B raises C_AB and
so lowers c and S.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rating.arrays import Floats, Ints
from rating.fit.bayeselo import Fit
from rating.fit.intervals import rating_covariance
from rating.fit.likelihood import ELO

KAPPA = 8.0
"""Results between two players that weigh as much as the model's probabilities."""
RIDGE = 350.0
"""Standard deviation in Elo of the normal prior that links players without linking results."""

# e^700 is still a finite double.
_FAR = 700.0


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """Players by rank, the best first: `names`; `player`, shape (n,), a number shared by copies of a player;
    `theta`, shape (n,); natural drawelo `d`; and by pair, shape (n, n): `covariance`, `wins` (of the row's
    player against the column's) and `met` (all results between the two).
    """

    names: tuple[str, ...]
    player: Ints
    theta: Floats
    d: float
    covariance: Floats
    wins: Floats
    met: Floats

    def drops(self, a: int, others: Ints, results: int = 1) -> Floats:
        """Return the expected fall of the variance of `a` by `results` against each of `others`, shape (m,).

        For one result the mean is exact; for more the outcomes' informations are averaged first.
        """
        own, theirs = self.covariance[a, a], self.covariance[others, others]
        shared = self.covariance[a, others]
        c, spread = own - shared, own + theirs - 2.0 * shared
        u, met = self.theta[a] - self.theta[others], self.met[a, others]
        s1 = 1.0 / (1.0 + np.exp(np.minimum(self.d - u, _FAR)))
        s2 = 1.0 / (1.0 + np.exp(np.minimum(self.d + u, _FAR)))
        wins, losses = self.wins[a, others], self.wins[others, a]
        p_win, p_loss = _blend_with_model(s1, wins, met), _blend_with_model(s2, losses, met)
        h_win, h_loss = s1 * (1.0 - s1), s2 * (1.0 - s2)
        h_draw = h_win + h_loss
        # Rounding may leave the rest slightly below zero.
        p_draw = np.maximum(1.0 - p_win - p_loss, 0.0)
        rate: Floats
        if results == 1:
            rate = p_win * h_win / (1.0 + h_win * spread) + p_loss * h_loss / (1.0 + h_loss * spread)
            rate += p_draw * h_draw / (1.0 + h_draw * spread)
        else:
            h = results * (p_win * h_win + p_loss * h_loss + p_draw * h_draw)
            rate = h / (1.0 + h * spread)
        drops: Floats = c**2 * rate
        return drops

    def information(self) -> Floats:
        """Return hbar, the expected information of one result, by pair: shape (n, n), zero on the diagonal.

        A draw counts in both of h_win and h_loss, so hbar = (1 - p_loss) h_win + (1 - p_win) h_loss.
        """
        u = self.theta[:, None] - self.theta[None, :]
        s1 = 1.0 / (1.0 + np.exp(np.minimum(self.d - u, _FAR)))
        not_won = 1.0 - _blend_with_model(s1, self.wins, self.met)
        half = not_won.T * s1 * (1.0 - s1)
        both: Floats = half + half.T
        np.fill_diagonal(both, 0.0)
        return both


def _blend_with_model(chance: Floats, count: Floats, met: Floats) -> Floats:
    blended: Floats = (KAPPA * chance + count) / (KAPPA + met)
    return blended


def field_of(fit: Fit, players: Sequence[str]) -> Field:
    """Return the players of a round by rank: by rating (to 1e-6 Elo), then by name; new players are rated 0.

    A repeated name means copies of one player. If results do not link all `players` (some are new, or groups
    never met), the covariance gets a ridge N(0, 350 Elo); the ratings stay.
    """
    # Rounded first, so that the round follows from the figures bit for bit, for any path to the fit.
    fit = replace(
        fit, elo=np.round(fit.elo, 6), drawelo=round(fit.drawelo, 6), advantage=round(fit.advantage, 6)
    )
    number = {name: index for index, name in enumerate(fit.table.players)}
    newcomers = [name for name in dict.fromkeys(players) if name not in number]
    for name in newcomers:
        number[name] = len(number)
    elo = np.pad(fit.elo, (0, len(newcomers)))
    names = tuple(sorted(players, key=lambda name: (-float(elo[number[name]]), name)))
    at = np.array([number[name] for name in names], np.int64)
    group = np.pad(fit.component, (0, len(newcomers)), constant_values=-1)[at]
    linked = bool(group.size) and group[0] >= 0 and bool(np.all(group == group[0]))
    covariance = rating_covariance(fit) if linked else _tied_covariance(fit, len(newcomers))
    wins, met = _meetings(fit, at, len(number))
    chosen = covariance.take(at, 0).take(at, 1) * ELO**2
    return Field(names, at, elo[at] * ELO, fit.drawelo * ELO, chosen, wins, met)


def _tied_covariance(fit: Fit, newcomers: int) -> Floats:
    """Return the covariance with a ridge, in Elo^2, `newcomers` without results last."""
    spread = fit.ridge or RIDGE
    known = rating_covariance(fit, ridge=spread)
    n = len(known)
    tied = np.zeros((n + newcomers, n + newcomers))
    if n:
        # With a ridge a constant in all ratings has variance spread^2 / n, so rows of the inverse sum to
        # spread^2. `known` is centred and lacks it; differences from newcomers need it.
        tied[:n, :n] = known + (spread**2 - known.sum() / n) / n
    new = np.arange(n, n + newcomers)
    tied[new, new] = spread**2
    return tied


def _meetings(fit: Fit, at: Ints, known: int) -> tuple[Floats, Floats]:
    """Return `wins` and `met` of Field, for the players numbered `at` of `known`."""
    pairs = fit.table.pairs(fit.advantage != 0.0)
    present = np.full(known, -1, np.int64)
    distinct, place = np.unique(at, return_inverse=True)
    present[distinct] = np.arange(distinct.size)
    i, j = present[pairs.i], present[pairs.j]
    here: npt.NDArray[np.bool_] = (i >= 0) & (j >= 0)
    i, j = i[here], j[here]
    won, drawn, lost = pairs.totals[:, here]
    wins = np.zeros((distinct.size, distinct.size))
    wins[i, j], wins[j, i] = won, lost
    met = np.zeros_like(wins)
    met[i, j] = met[j, i] = won + drawn + lost
    return wins.take(place, 0).take(place, 1), met.take(place, 0).take(place, 1)
