"""BayesElo's settings and table, for comparison with an old list.

A preset has what BayesElo's commands set: the advantage of the player named first, drawelo, the prior and the
kind of interval. `mm A B` fits the advantage if A is 1 and drawelo if B is 1; without a fit they are 32.8 and
97.3 Elo. `prior P`, `advantage`, `drawelo`, `covariance` and `exactdist` are the options of those names.

| preset | BayesElo |
|---|---|
| bayeselo | `mm` |
| bayeselo-mm-0-1 | `mm 0 1` |
| bayeselo-mm-1-0 | `mm 1 0` |
| bayeselo-mm-1-1 | `mm 1 1` |

After `mm` BayesElo multiplies what it prints by its display scale: with x = 10^(-drawelo/400),

    scale = 4 x / (1 + x)^2,

the slope of the expected score between equals relative to Elo's logistic curve (0.925 at 97.3). Elo, `+` and
`-` are that times the rating or the half widths, rounded half away from zero; `oppo.` is the mean rating of
the opponents met.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rating.errors import OptionError
from rating.ranks import shared_ranks
from rating.ratings import order_of
from rating.text import printable

if TYPE_CHECKING:
    from rating.fit.intervals import Intervals
    from rating.fit.kinds import Kind


@dataclass(frozen=True, slots=True)
class Preset:
    """Arguments of `bayeselo` and the kind of interval; Elo."""

    advantage: float | Literal["fit"] = 32.8
    drawelo: float | Literal["fit"] = 97.3
    prior: float = 2.0
    kind: Kind = "variance"


PRESETS = {
    "bayeselo": Preset(),
    "bayeselo-mm-0-1": Preset(drawelo="fit"),
    "bayeselo-mm-1-0": Preset(advantage="fit"),
    "bayeselo-mm-1-1": Preset(advantage="fit", drawelo="fit"),
}


def find_preset(name: str) -> Preset:
    """Return the preset of this name; OptionError for an unknown one."""
    if name not in PRESETS:
        raise OptionError(f"preset {name!r}: give one of {', '.join(PRESETS)}")
    return PRESETS[name]


def display_scale(drawelo: float) -> float:
    """Return the factor by which BayesElo multiplies printed ratings; see the module."""
    x: float = 10.0 ** (-drawelo / 400.0)
    return 4.0 * x / (1.0 + x) ** 2


def round_away(value: float) -> int:
    """Return the nearest whole number, halves away from zero."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def bayeselo_lines(of: Intervals, *, offset: float = 0.0) -> list[str]:
    """Return the lines of the table that BayesElo's `ratings` prints; `offset` is added to the ratings.

    Players without results are omitted, as in BayesElo. Equals share a rank; BayesElo gives them consecutive
    ranks.
    """
    import numpy as np

    fit, table = of.fit, of.fit.table
    scale = display_scale(fit.drawelo)
    pairs, n = table.pairs(), len(table.players)
    met = pairs.totals.sum(axis=0)
    faced = np.bincount(pairs.i, met * fit.elo[pairs.j], n) + np.bincount(pairs.j, met * fit.elo[pairs.i], n)
    wins, draws, losses = table.results.tolist()
    order = [k for k in order_of(fit) if fit.rated[k]]
    names = [printable(name) for name in table.players]
    width = max([4, *(len(names[k]) for k in order)])
    lines = [f"Rank {'Name':<{width}}   Elo    +    - games score oppo. draws"]
    for rank, k in zip(shared_ranks(float(fit.elo[k]) for k in order), order, strict=True):
        games = wins[k] + draws[k] + losses[k]
        elo = round_away(scale * float(fit.elo[k]) + offset)
        plus = round_away(scale * float(of.high[k] - fit.elo[k]))
        minus = round_away(scale * float(fit.elo[k] - of.low[k]))
        score = round_away(100.0 * (wins[k] + draws[k] / 2.0) / games)
        opponents = round_away(scale * float(faced[k]) / games + offset)
        drawn = round_away(100.0 * draws[k] / games)
        lines.append(
            f"{rank:4d} {names[k]:<{width}}{elo:6d}{plus:5d}{minus:5d}{games:6d}{score:5d}%"
            f"{opponents:6d}{drawn:5d}%"
        )
    return lines
