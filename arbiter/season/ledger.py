"""The sums of complete rounds: results, faults, and the players to suspend.

Each match is read from the store once, so that the hundredth round costs no more than the first.
Adding round by round gives the same bits as reading all at once, so an interrupted season has the
same plans as an uninterrupted one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

import rating
from arbiter.errors import ConfigError
from arbiter.match.spec import original
from arbiter.match.token_usage import ModelUse
from arbiter.season.config.settings_diff import changed_players, registered_name
from arbiter.season.fault_streaks import FaultHistories
from arbiter.season.order_effects import EffectiveOrders, orders_after, orders_when_planned, round_of
from arbiter.season.schedule import entrants
from arbiter.store import OrderKind, RatedRound

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from arbiter.match.record import MatchSummary
    from arbiter.season.config import Config, Entry
    from arbiter.store import Order, Orders, SeasonStore
    from rating.fit.bayeselo import Fit
    from rating.ratings import Ranking


SHOWN = (
    "rank", "player", "elo", "low", "high", "matches", "results", "wins", "draws", "losses", "points",
)  # fmt: skip
"""The columns of a rated player in standings."""


class Ledger:
    """One season's results up to a round, read from its store; ascending rounds are read once.

    `names` come first, in their order, in every table of results; `instead` are matches that replace stored
    ones; `anchors` fix the scale of standings. `revision` is the season's at the last reading: results may be
    stored only while it has not changed.
    """

    def __init__(
        self,
        season: SeasonStore,
        names: Iterable[str],
        instead: Mapping[str, MatchSummary] | None = None,
        anchors: Mapping[str, float] | None = None,
    ) -> None:
        self._season, self._names, self._instead = season, tuple(names), instead or {}
        self._anchors = anchors or {}
        self.revision = 0
        self._force = EffectiveOrders()
        self._reset()

    @classmethod
    def of(
        cls, config: Config, season: SeasonStore, instead: Mapping[str, MatchSummary] | None = None
    ) -> Self:
        """Return a ledger of a config's season, with nothing read yet; its players come first, in order."""
        return cls(season, [entry.player.name for entry in config.entries], instead, config.anchors)

    def _reset(self) -> None:
        """Forget all results read."""
        self._last = 0
        self._fit: Fit | None = None
        self._ranking: Ranking | None = None
        self._digest = ""
        self._round = 0
        self.results = rating.PairTable.from_matches((), players=self._names)
        self.faults: dict[str, Counter[str]] = defaultdict(Counter)
        self.wins_by_fault: Counter[str] = Counter()
        self.scored: Counter[str] = Counter()
        self._asked: dict[str, Counter[str]] = defaultdict(Counter)
        self._fault_histories = FaultHistories()
        self._favours = rating.Favours()

    def read_before(self, number: int) -> None:
        """Read the results that the plan of round `number` depends on."""
        orders = self._season.orders.read()
        self._read_results(number - 1, orders_when_planned(orders.given, number), orders.revision)

    def read_after(self, number: int, orders: Orders | None = None) -> None:
        """Read the results for the standings after round `number`; `orders` default to the stored ones."""
        orders = orders or self._season.orders.read()
        self._read_results(number, orders_after(orders.given, number), orders.revision)

    def _read_results(self, last_round: int, holds: EffectiveOrders, revision: int) -> None:
        """Add the results up to a round; read all again if the orders now differ or the round is earlier."""
        self.revision = revision
        if last_round < self._last or holds != self._force:
            self._reset()
        self._force = holds
        if last_round == self._last:
            return
        digests = {stored.number: stored.digest for stored in self._season.plan()}
        stored = self._season.summaries(last_round, self._last + 1)
        counted = list(holds.counted(self._instead.get(match.id, match) for match in stored))
        self.results = self.results.append(map(to_rating, counted))
        self._fit = self._ranking = None
        for number, summaries in groupby(counted, key=attrgetter("round")):
            self._begin_round(number, digests.get(number, ""))
            for _, matches in groupby(summaries, key=attrgetter("table")):
                at_table = list(matches)
                for match in at_table:
                    self._count_faults(match)
                    self._count_model_use(match)
                self._favours.add([to_sitting(match) for match in at_table if match.substitute is None])
        self._last = last_round

    def _begin_round(self, number: int, digest: str) -> None:
        """Forgive the faults of players reinstated before this round, and of those whose entry changed."""
        for registered, complete in self._force.reinstated.items():
            if self._round <= complete < number:
                self._forgive_player(registered)
        if digest != self._digest:
            self._forget(self._changed_players(self._season.settings(digest)))
            self._digest = digest
        self._round = number

    def _forgive_player(self, registered: str) -> None:
        """Forget the faults of all versions of a registered player."""
        self._forget([name for name in self._fault_histories.names if registered_name(name) == registered])

    def _forget(self, names: Collection[str]) -> None:
        """Forget the faults of these players."""
        self._fault_histories.forget(names)
        self._favours.forget(names)

    def _changed_players(self, settings: Mapping[str, Any] | None) -> Collection[str]:
        """Return the players whose entry differs in `settings`; if unknown, all who may have faulted."""
        before = self._season.settings(self._digest)
        if before is None or settings is None:
            return self._fault_histories.names
        return changed_players(before, settings)

    def _count_faults(self, match: MatchSummary) -> None:
        """Count a match by its fault, or without one as scored; a substitute is not counted."""
        self._fault_histories.count(match)
        if match.faulty is None:
            names = match.players
            self.scored.update(name for seat, name in enumerate(names) if seat != match.substitute)
        if match.faulty is not None and match.faulty != match.substitute:
            if match.fault is not None:
                self.faults[match.players[match.faulty]][match.fault] += 1
            self.wins_by_fault.update(_winners_by_fault(match))

    def _count_model_use(self, match: MatchSummary) -> None:
        """Add the decisions and tokens of the match's language models, by player."""
        for name, use in match.uses():
            self._asked[name].update(dict(zip(ModelUse._fields[1:], use[1:], strict=True)))
        for name in match.billed():
            self._asked[name]["matches"] += 1

    @property
    def fit(self) -> Fit:
        """The ratings, computed once for standings and pairing."""
        if self._fit is None:
            self._fit = rating.bayeselo(self.results)
        return self._fit

    def suspended_players(self, config: Config) -> dict[str, str]:
        """Return the players who sit out the next round, with reasons: by the organiser's order, or for too
        many faults since their entry was changed; see `FaultHistories.reason`.
        """
        reasons = {}
        changed = self._changed_players(config.settings) if config.digest != self._digest else ()
        for entry in config.entries:
            name = entry.player.name
            if (order := self._suspending_order(entry)) is not None:
                reasons[name] = order.because
            elif name not in changed and (why := self._fault_reason(config, name, entry.registered_name)):
                reasons[name] = why
        return reasons

    def _inactive_suspended(self, config: Config) -> dict[str, str]:
        """Return inactive versions of the config's authors that would sit out for their faults."""
        playing = {entry.player.name for entry in config.entries}
        authors = {entry.registered_name for entry in config.entries if entry.is_sent}
        owners = {name: registered_name(name) for name in self._fault_histories.names if name not in playing}
        return {
            name: why
            for name, author in sorted(owners.items())
            if author in authors and (why := self._fault_reason(config, name, author))
        }

    def _fault_reason(self, config: Config, name: str, registered: str) -> str | None:
        """Return why a player faults too often; None if not, or if reinstated after the last round read."""
        if self._force.reinstated.get(registered, -1) >= self._last:
            return None
        return self._fault_histories.reason(name, config.suspend_after, config.suspend_share)

    def _suspending_order(self, entry: Entry) -> Order | None:
        """Return the order by which a player sits out; not that of a failed test for an author's version."""
        order = self._force.suspended.get(entry.registered_name)
        return None if order is not None and entry.is_sent and order.verb is OrderKind.FAILED else order

    def released_players(self, config: Config) -> list[str]:
        """Return the players suspended for faults until the config changed their entry."""
        changed = self._changed_players(config.settings) if config.digest != self._digest else ()
        terms = config.suspend_after, config.suspend_share
        return [name for name in changed if self._fault_histories.reason(name, *terms)]

    def suspended_by_order(self, config: Config) -> set[str]:
        """Return the players suspended by order, by rated name."""
        return {entry.player.name for entry in config.entries if self._suspending_order(entry) is not None}

    def _playing_on(self, config: Config, unfit: Mapping[str, str], ordered: Collection[str]) -> list[str]:
        """Return the suspended who still play; ConfigError if no further round can be planned."""
        playing = {player.name for player in entrants(config, self._last + 1, unfit, ordered)}
        return [name for name in unfit if name in playing]

    def _notices(
        self, unfit: Mapping[str, str], ordered: Collection[str], plays_on: Collection[str]
    ) -> Iterator[str]:
        """Yield a line about each suspended player, and about annulled matches."""
        for name, reason in unfit.items():
            if name in plays_on:
                yield f"{name}: {reason}: it plays on, since no house bot could fill up"
            elif name in ordered:
                yield f"{name} is suspended: {reason}"
            else:
                yield f"{name}: {reason}: it is suspended"
        out = [order for order in self._force.annulled.values() if round_of(order.subject) <= self._last]
        if out:
            again = sum(order.verb is OrderKind.REPLAY for order in out)
            more = f", {again} of them until they are played again" if again else ""
            yield f"{len(out)} annulled {'match does' if len(out) == 1 else 'matches do'} not count{more}"

    def ranking(self) -> Ranking:
        """Return the rating after the last round read, with intervals; computed once."""
        if self._ranking is None:
            self._ranking = self._compute_ranking()
        return self._ranking

    def _compute_ranking(self, pooled: bool = True) -> Ranking:
        return rating.rank(rating.scaled(rating.intervals(self.fit, pooled=pooled), self._anchors))

    def rated_round(self, config: Config) -> RatedRound:
        """Return the standings after the last round read, with their packed ranking; nothing is stored."""
        return RatedRound(self._last, self.standings(config), rating.pack_ranking(self.ranking()))

    def standings(self, config: Config, *, pooled: bool = True) -> dict[str, Any]:
        """Return the documented standings after the last round read.

        Without `pooled` they are as in versions without pooled variances, which had no `freedom`.
        """
        ranked = self.ranking() if pooled else self._compute_ranking(pooled=False)
        unfit, ordered = self.suspended_players(config), self.suspended_by_order(config)
        warnings, plays_on = list(ranked.warnings), list[str]()
        try:
            plays_on = self._playing_on(config, unfit, ordered)
        except ConfigError as error:
            warnings.append(f"no further round can be planned: {error.problems[0].text()}")
        rows = [
            {name: getattr(row, name) for name in SHOWN}
            # The place in the list; equals share a rank only where it is shown.
            | {
                "rank": place,
                "faults": dict(sorted(self.faults[row.player].items())),
                "wins_by_fault": self.wins_by_fault[row.player],
                "scored": self.scored[row.player],
            }
            | ({"model": dict(self._asked[row.player])} if row.player in self._asked else {})
            for place, row in enumerate(ranked.rows, 1)
        ]
        return {
            "season": config.season,
            "game": config.game.name,
            "rounds_played": self._last,
            "drawelo": ranked.fit.drawelo,
            "intervals": ranked.intervals.kind,
            **({"freedom": ranked.intervals.freedom} if pooled else {}),
            **({"anchors": dict(self._anchors)} if self._anchors else {}),
            "warnings": [*warnings, *self._notices(unfit, ordered, plays_on)],
            "suspended": unfit | self._inactive_suspended(config),
            "by_order": [name for name in unfit if name in ordered],
            "plays_on": plays_on,
            "favours": [asdict(found) for found in self._favours.found()],
            "players": rows,
        }


def to_rating(match: MatchSummary) -> rating.Match:
    """Convert a match for `rating`: copies of one bot have no result together, a substitute none at all."""
    return rating.Match(
        players=match.players,
        points=match.points,
        faulty=match.faulty,
        sides=match.sides,
        owners=[original(name) for name in match.players],
        round=match.round,
        table=match.table,
        id=match.id,
        unrated=() if match.substitute is None else (match.substitute,),
    )


def to_sitting(match: MatchSummary) -> rating.Sitting:
    """Convert a match for `rating.Favours`: by author, regardless of version, copies as one."""
    names = [original(name) for name in match.players]
    owners = [registered_name(name) for name in names]
    return rating.Sitting(names, owners, match.sides, match.faulty, match.scores)


def _winners_by_fault(match: MatchSummary) -> set[str]:
    """Return the players who won a match by its fault, by the rules of `to_rating`."""
    faulty = match.players[match.faulty or 0]
    return {
        name
        for seat, name in enumerate(match.players)
        if seat != match.substitute and original(name) != original(faulty)
    }
