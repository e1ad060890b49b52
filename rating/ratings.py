"""Rate a table of results and rank the players, in one call.

table = PairTable.from_matches(matches, players=names)
ranking = rate(table)
for row in ranking.rows:
    print(row.rank, row.player, row.elo, row.low, row.high)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rating.ranks import shared_ranks

if TYPE_CHECKING:
    from rating.arrays import Floats
    from rating.crosstable import PairTable
    from rating.fit.bayeselo import Fit
    from rating.fit.intervals import Intervals
    from rating.fit.kinds import Kind
    from rating.notices import Notice


@dataclass(frozen=True, slots=True)
class Rating:
    """One player's line. `elo`, `sd`, `low`, `high` and `component` are None for a player without results.

    Ratings equal to 1e-6 Elo share a `rank`, and so do players without results. `low` and `high` are the ends
    of the interval; `results` = `wins` + `draws` + `losses` against single opponents.
    """

    rank: int
    player: str
    elo: float | None
    sd: float | None
    low: float | None
    high: float | None
    matches: int
    results: int
    wins: int
    draws: int
    losses: int
    points: float
    faults: int
    component: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Lines from the best to the worst, players without results last."""

    rows: tuple[Rating, ...]
    fit: Fit
    intervals: Intervals

    @property
    def notices(self) -> tuple[Notice, ...]:
        return self.fit.notices + self.intervals.notices

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(notice.text for notice in self.notices)

    def better(self, one: str, other: str) -> float:
        """Return the probability that player `one` is better than `other`."""
        players = self.fit.table.players
        return float(self.intervals.los([players.index(one)], [players.index(other)])[0, 0])


def rate(
    table: PairTable,
    kind: Kind = "round",
    *,
    level: float = 0.95,
    advantage: float | Literal["fit"] = 0.0,
    drawelo: float | Literal["fit"] = "fit",
    prior: float = 2.0,
    ridge: float | None = None,
    start: Floats | None = None,
) -> Ranking:
    """Fit, compute intervals and rank; arguments and errors as in `bayeselo` and `intervals`."""
    from rating.fit.bayeselo import bayeselo
    from rating.fit.intervals import intervals

    fit = bayeselo(table, advantage=advantage, drawelo=drawelo, prior=prior, ridge=ridge, start=start)
    return rank(intervals(fit, kind, level=level))


def order_of(fit: Fit) -> list[int]:
    """Return player indices by rating (to 1e-6 Elo), best first, then by name, those without results last."""
    # Rounded, so that the order does not depend on the last bits of a sum.
    elo, names = fit.elo.round(6).tolist(), fit.table.players
    return sorted(range(len(names)), key=lambda k: (not fit.rated[k], -elo[k], names[k]))


def rank(of: Intervals) -> Ranking:
    """Return the ranked lines of a fit with its intervals, in the order of `order_of`."""
    fit, table = of.fit, of.fit.table
    wins, draws, losses = table.results.tolist()
    rows = []
    order = order_of(fit)
    ranks = shared_ranks(float(fit.elo[k]) if fit.rated[k] else None for k in order)
    for place, k in zip(ranks, order, strict=True):
        rated = bool(fit.rated[k])
        elo, sd, low, high = (
            float(column[k]) if rated else None for column in (fit.elo, of.sd, of.low, of.high)
        )
        rows.append(
            Rating(
                rank=place,
                player=table.players[k],
                elo=elo,
                sd=sd,
                low=low,
                high=high,
                matches=int(table.played[k]),
                results=wins[k] + draws[k] + losses[k],
                wins=wins[k],
                draws=draws[k],
                losses=losses[k],
                points=float(table.points[k]),
                faults=int(table.faults[k]),
                component=int(fit.component[k]) if rated else None,
            )
        )
    return Ranking(tuple(rows), fit, of)
