"""The results of a season, read from its store: standings, ratings, matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.season.ledger import Ledger
from arbiter.season.order_effects import effective_orders, suspended_now
from arbiter.season.roster import with_active_versions
from arbiter.season.schedule import entrants
from arbiter.season.settings import config_at, with_begun_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.match.record import MatchSummary
    from arbiter.season.config import Config
    from arbiter.store import Orders, RatedRound, SeasonStore
    from rating.ratings import Ranking


class SeasonResults:
    """The results of a config's season, read from its store; `config` includes authors' active versions."""

    def __init__(self, config: Config, stored: SeasonStore) -> None:
        self.config, self.stored = with_active_versions(with_begun_settings(config, stored), stored), stored

    def standings(self, after: int | None = None) -> dict[str, Any]:
        """Load the standings after a round, by default the last; compute them if they are not stored."""
        number = self.stored.complete if after is None else after
        kept = self.stored.standings(number)
        if kept is not None:
            return kept
        return dict(self.rated_under(number, self.stored.orders.read()).standings)

    def rated_under(
        self, number: int, orders: Orders, instead: Mapping[str, MatchSummary] | None = None
    ) -> RatedRound:
        """Return the standings after a round under `orders`, with some matches replaced."""
        config = config_at(self.config, self.stored, number)
        results = Ledger.of(config, self.stored, instead)
        results.read_after(number, orders)
        return results.rated_round(config)

    def ranking(self, after: int) -> Ranking:
        """Return the rating behind the standings after a round."""
        ledger = Ledger.of(config_at(self.config, self.stored, after), self.stored)
        ledger.read_after(after)
        return ledger.ranking()

    def check_enough_players(self) -> None:
        """Raise ConfigError if too few players are left for another round."""
        ledger, number = Ledger.of(self.config, self.stored), self.stored.complete + 1
        ledger.read_before(len(self.stored.rounds()) + 1)
        entrants(
            self.config, number, ledger.suspended_players(self.config), ledger.suspended_by_order(self.config)
        )

    def suspended(self) -> dict[str, str]:
        """Return the players suspended from the next round on, with reasons."""
        return suspended_now(self.stored, self.stored.standings(self.stored.complete))

    def matches(self) -> list[MatchSummary]:
        """Return all stored matches, in the order of the plan."""
        return self.stored.summaries()

    def counted(self, last_round: int | None = None, first_round: int = 1) -> list[MatchSummary]:
        """Return the matches that count now, of rounds as in `summaries`."""
        found = self.stored.summaries(last_round, first_round)
        return list(effective_orders(self.stored.orders.read().given).counted(found))
