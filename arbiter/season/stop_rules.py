"""Rules that stop a season: its intervals are narrow enough, or its cost budget is spent."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError
from arbiter.season.config.settings_diff import price_of
from arbiter.season.cost_budget import cost_of, replaced_matches
from arbiter.text import money, number

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from arbiter.match.record import MatchSummary
    from arbiter.match.token_usage import BilledTokens
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore


def narrow_enough(config: Config, standings: Mapping[str, Any], suspended: Collection[str]) -> str:
    """Return why no interval needs another round, "" while one does, or without such a rule.

    The intervals of all active players count, except house bots and anchors.
    """
    most = config.stop_when.elo
    if most is None:
        return ""
    halves = {row["player"]: _half_width(row) for row in standings["players"]}
    names = [
        entry.player.name
        for entry in config.entries
        if not entry.house and entry.player.name not in {*suspended, *(config.anchors or ())}
    ]
    widths = {name: halves.get(name) for name in names}
    known = {name: half for name, half in widths.items() if half is not None and half <= most}
    if not known or len(known) < len(names):
        return ""
    widest = max(known, key=known.__getitem__)
    return (
        f"after round {standings['rounds_played']} all intervals are within \N{PLUS-MINUS SIGN}{most:g} Elo,"
        f" the widest \N{PLUS-MINUS SIGN}{number(known[widest], 1)} of {widest}:"
        " more rounds follow a smaller elo in stop_when"
    )


def _half_width(row: Mapping[str, Any]) -> float | None:
    return None if row["low"] is None or row["high"] is None else (row["high"] - row["low"]) / 2


class CostBudget:
    """The cost limit of a season, and its cost so far; without a limit nothing is read."""

    def __init__(self, config: Config, stored: SeasonStore) -> None:
        self._most, self._prices, self._currency = config.stop_when.cost, config.prices, config.currency
        self._file, self._stored = str(config.file), stored
        self._matches = self._outlays = 0.0
        self._rounds: defaultdict[int, float] = defaultdict(float)
        self._dearest: defaultdict[int, float] = defaultdict(float)
        self.exhausted = False
        """True when no further match may begin."""
        if self._most is not None:
            for match in replaced_matches(stored.orders.read().given):
                self._matches += self._cost_of_tokens(match.billed())
            for match in stored.summaries():
                self._add_cost(match)
            self._outlays = self._cost_of_tokens(stored.unstored_tokens.all())

    def record(self, under_way: int, match: MatchSummary | None = None) -> bool:
        """Add a match, or None for a play that is not stored; return True if no further match may begin.

        That is if one more and those `under_way`, each as expensive as the most expensive of the last two
        rounds, would exceed the limit.
        """
        if self._most is None:
            return False
        if match is None:
            self._outlays = self._cost_of_tokens(self._stored.unstored_tokens.all())
        else:
            self._add_cost(match)
        self.exhausted = self._would_exceed((under_way + 1) * self._dearest_recent_match())
        return self.exhausted

    def exceeded_by_round(self, number: int) -> bool:
        """True if a round as expensive as the one before would exceed the limit."""
        return self._would_exceed(self._rounds[number - 1])

    def why(self, number: int) -> str:
        """Return what is spent, and why a further match or round `number` would exceed the limit."""
        assert self._most is not None
        spent = self._matches + self._outlays
        largest = max(spent, self._most)
        said = f"{money(spent, largest)} of {money(self._most, largest, self._currency)}"
        what, more = f"round {number - 1} cost", self._rounds[number - 1]
        if self.exhausted:
            what, more = "a match cost up to", self._dearest_recent_match()
        because = f", and {what} {money(more, largest)}" if spent < self._most and more else ""
        return f"{said} are spent{because}: round {number} needs a larger cost in stop_when"

    def _dearest_recent_match(self) -> float:
        """Return the largest cost of a match in the last two rounds."""
        last = max(self._dearest, default=0)
        return max(self._dearest[last], self._dearest[last - 1])

    def _would_exceed(self, more: float) -> bool:
        """True if the limit is reached, or would be exceeded by `more`."""
        spent = self._matches + self._outlays
        return self._most is not None and (spent >= self._most or spent + more > self._most)

    def _add_cost(self, match: MatchSummary) -> None:
        """Add a match's cost to the sums, in all and of its round."""
        more, number = self._cost_of_tokens(match.billed()), match.round or 0
        self._matches += more
        self._rounds[number] += more
        self._dearest[number] = max(self._dearest[number], more)

    def _cost_of_tokens(self, billed: Mapping[str, BilledTokens]) -> float:
        """Return the cost of tokens; ConfigError for a player without a price."""
        found = cost_of(billed, self._prices)
        if found is None:
            lacking = next(name for name in billed if price_of(self._prices, name) is None)
            message = f"stop_when: cost: {lacking} has played, and has no price"
            hint = f"write prices: {{{lacking}: {{input: 3, output: 15}}}}"
            raise ConfigError(message, self._file, hint)
        return found
