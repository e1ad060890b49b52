"""How long a season takes: at worst, and at the pace of trial matches.

At worst every player uses all of its time in every match. How many commands a match has is
counted in a few random matches in memory, which works for any game and any time control.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arbiter.clock import MS, SECOND, TimeControl
from arbiter.season.schedule import drawn_tables, entrants, match_specs, matches_of
from arbiter.testing import Said, match_spec, play_by_policy, random_policy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.config import Config
    from arbiter.match import MatchSpec

COUNTED = 3
"""Matches in which commands are counted."""
CONTEST_BUDGETS = (180 * SECOND, 900 * SECOND)
"""The contest's budgets for a player and match: with many players, with few."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a season; `match_ns` is the longest that a match can take with the config's times."""

    players: int
    tables: int
    matches: int
    at_once: int
    rounds: int
    seats: int
    match_ns: int

    @property
    def turns(self) -> int:
        """How often, in a round, all workers are given a match."""
        return -(-self.matches // self.at_once)

    def round_ns(self, match_ns: float) -> float:
        """A round whose matches take `match_ns` each."""
        return self.turns * match_ns

    def season_ns(self, match_ns: float) -> float:
        return self.rounds * self.round_ns(match_ns)

    def rounds_within(self, ns: float, match_ns: float) -> int:
        """How many rounds fit into `ns`."""
        return int(ns // self.round_ns(match_ns)) if match_ns else 0


def shape(config: Config, at_once: int) -> Shape:
    """The size of a config's season, `at_once` matches at a time."""
    matches = matches_of(config.game, _tables(config))
    return Shape(
        players=len(config.entries),
        tables=len(_tables(config)),
        matches=matches,
        at_once=min(at_once, matches),
        rounds=config.rounds,
        seats=config.game.seats,
        match_ns=worst_match(config, config.limits.time),
    )


def worst_match(config: Config, time: TimeControl) -> int:
    """The longest that a match can take, in ns: every player starts as late and thinks as long as it may."""
    commands, answers = _asked(config)
    start = config.limits.start_ns or 0
    if time.per_request:
        return start + time.budget_ns * commands
    return start + config.game.seats * time.budget_ns + time.increment_ns * answers


def longest_time(config: Config, season: Shape, within_ns: int) -> int:
    """The longest time in ns, of the config's kind, with which all rounds fit; 0 if none does.

    It is a budget for a player and match, or a time for each command; in whole seconds, below one
    second in whole milliseconds.
    """
    control = config.limits.time
    spare = within_ns // (season.rounds * season.turns) - worst_match(config, replace(control, budget_ns=0))
    shares = _asked(config)[0] if control.per_request else season.seats
    most = max(0, spare // shares)
    return most - most % (SECOND if most >= SECOND else MS)


def trial_specs(config: Config, number: int) -> list[MatchSpec]:
    """`number` matches of the season's players, from all tables in turn, on deals of their own."""
    seed = "arbiter-trial"
    specs = match_specs(config, seed, 1, _tables(config))
    ordered = sorted(specs, key=lambda spec: (spec.rotation, spec.table))
    return [
        replace(ordered[k % len(ordered)], id=f"trial/{k}", round=1 + k // len(ordered))
        for k in range(number)
    ]


def _tables(config: Config) -> Sequence[Sequence[str]]:
    names = [player.name for player in entrants(config, 1)]
    return drawn_tables(names, config.game.table_size, "arbiter-trial", 1)


def _asked(config: Config) -> tuple[int, int]:
    """The most commands that a match has, and the most requests for a decision among them."""
    commands, answers = 0, 0
    for number in range(COUNTED):
        said: list[Said] = []
        spec = match_spec(config.game, seed=f"arbiter-trial-{number}")
        play_by_policy(config.game, random_policy(number), spec, transcript=said)
        counts = Counter(one.command.startswith("gen_") for one in said)
        commands, answers = max(commands, counts.total()), max(answers, counts[True])
    return commands, answers
