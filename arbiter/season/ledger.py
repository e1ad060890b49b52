"""What complete rounds come to: results, faults, and who is to be suspended.

Each match is read from the store once, so that the hundredth round costs no more than the first.
Adding round by round gives the same bits as reading all at once, so an interrupted season plans
as an uninterrupted one does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Self

import rating
from arbiter.match import original
from arbiter.season.schedule import entrants

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.config import Config
    from arbiter.match import MatchSummary
    from arbiter.store import SeasonStore
    from rating.fit.bayeselo import Fit


SHOWN = (
    "rank", "player", "elo", "low", "high", "matches", "results", "wins", "draws", "losses", "points",
)  # fmt: skip
"""What standings show of a rated player."""


class Ledger:
    """One season's results up to a round; rounds that are asked for in ascending order are read once.

    `names` come first, in their order, in every table of results.
    """

    def __init__(self, season: SeasonStore, names: Iterable[str]) -> None:
        self._season, self._names = season, tuple(names)
        self._begin()

    @classmethod
    def of(cls, config: Config, season: SeasonStore) -> Self:
        """The results of a config's season, its players in the config's order before all others."""
        return cls(season, [entry.player.name for entry in config.entries])

    def _begin(self) -> None:
        self._last = 0
        self._fit: Fit | None = None
        self._digest = ""
        self.results = rating.PairTable.from_matches((), players=self._names)
        self.faults: dict[str, Counter[str]] = defaultdict(Counter)
        self._streaks: Counter[str] = Counter()

    def read(self, last_round: int) -> None:
        """Read up to the end of a round."""
        if last_round < self._last:
            self._begin()
        if last_round == self._last:
            return
        digests = {stored.number: stored.digest for stored in self._season.rounds()}
        summaries = self._season.summaries(last_round, self._last + 1)
        self.results = self.results.append(map(to_rating, summaries))
        self._fit = None
        for match in summaries:
            digest = digests.get(match.round or 0, "")
            if digest != self._digest:
                self._digest = digest
                self._streaks.clear()
            self._count_faults(match)
        self._last = last_round

    def _count_faults(self, match: MatchSummary) -> None:
        if match.faulty is not None:
            # The match tells nothing about the others, who might have faulted later.
            faulty = match.players[match.faulty]
            self._streaks[original(faulty)] += 1
            if match.fault is not None:
                self.faults[faulty][match.fault] += 1
            return
        for name in match.players:
            self._streaks.pop(original(name), None)

    @property
    def fit(self) -> Fit:
        """The ratings, computed once for standings and pairing."""
        if self._fit is None:
            self._fit = rating.bayeselo(self.results)
        return self._fit

    def unfit(self, config: Config) -> list[str]:
        """Registered players whose last `suspend_after` matches ended by their own fault.

        Only matches since the last change of the config count.
        """
        if not config.suspend_after or config.digest != self._digest:
            return []
        names = [entry.player.name for entry in config.entries]
        return [name for name in names if self._streaks[name] >= config.suspend_after]

    def _notices(self, config: Config) -> list[str]:
        """A line for the organiser about each unfit player."""
        unfit = self.unfit(config)
        playing = {player.name for player in entrants(config, self._last + 1, unfit)}
        return [
            f"{name}: its last {self._streaks[name]} matches ended by its own fault: "
            + ("it plays on, since no house bot could fill up" if name in playing else "it is suspended")
            for name in unfit
        ]

    def standings(self, config: Config) -> dict[str, Any]:
        """The documented standings after the last round read."""
        ranked = rating.rank(rating.intervals(self.fit))
        rows = [
            {name: getattr(row, name) for name in SHOWN}
            | {"faults": dict(sorted(self.faults[row.player].items()))}
            for row in ranked.rows
        ]
        return {
            "season": config.season,
            "game": config.game.name,
            "rounds_played": self._last,
            "drawelo": ranked.fit.drawelo,
            "intervals": ranked.intervals.kind,
            "warnings": [*ranked.warnings, *self._notices(config)],
            "players": rows,
        }


def to_rating(match: MatchSummary) -> rating.Match:
    """A match as `rating` takes it; copies of one house bot have no result against each other."""
    return rating.Match(
        players=match.players,
        points=match.points,
        faulty=match.faulty,
        sides=match.sides,
        owners=[original(name) for name in match.players],
        round=match.round,
        table=match.table,
        id=match.id,
    )


def pairwise(summaries: Iterable[MatchSummary], names: Iterable[str] = ()) -> dict[str, Any]:
    """The crosstable: players, and matrices of the row's wins, draws, losses against the column.

    `names` come first, in their order.
    """
    table = rating.PairTable.from_matches(map(to_rating, summaries), players=names)
    n = len(table.players)
    counts = {name: [[0] * n for _ in range(n)] for name in ("wins", "draws", "losses")}
    pairs = table.pairs()
    for i, j, won, drawn, lost in zip(
        pairs.i.tolist(), pairs.j.tolist(), *pairs.counts.astype(int).tolist(), strict=True
    ):
        counts["wins"][i][j] = counts["losses"][j][i] = won
        counts["draws"][i][j] = counts["draws"][j][i] = drawn
        counts["losses"][i][j] = counts["wins"][j][i] = lost
    return {"players": list(table.players), **counts}
