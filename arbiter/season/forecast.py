"""How long a season takes: at worst, and at the pace of matches that were tried.

At worst every player uses all of its time in every match. What a match asks of a player is
counted in a few random ones in memory, so that it holds for any game and any time control.
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
CONTEST_BUDGETS = (180 * SECOND, 900 * SECOND)
"""What the contest gave each player for a match: least with many players, most with few."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a season consists of; `match_ns` is a match at worst with the config's time control."""

    players: int
    tables: int
    matches: int
    at_once: int
    rounds: int
    seats: int
    match_ns: int

    @property
    def turns(self) -> int:
        """How many times, in a round, all workers are given a match."""
        return -(-self.matches // self.at_once)

    def round_ns(self, match_ns: float) -> float:
        """A round whose matches take so long each."""
        return self.turns * match_ns

    def season_ns(self, match_ns: float) -> float:
        """All rounds."""
        return self.rounds * self.round_ns(match_ns)

    def rounds_within(self, ns: float, match_ns: float) -> int:
        """How many rounds fit into a time."""
        return int(ns // self.round_ns(match_ns)) if match_ns else 0


def shape(config: Config, at_once: int) -> Shape:
    """The season of a config, with so many matches at once."""
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
    """A match in which every player starts as late and thinks as long as it may, in ns."""
    commands, answers = _asked(config)
    start = config.limits.start_ns or 0
    if time.per_request:
        return start + time.budget_ns * commands
    return start + config.game.seats * time.budget_ns + time.increment_ns * answers


def longest_time(config: Config, season: Shape, within_ns: int) -> int:
    """The longest time of the config's kind with which all rounds fit, in ns; 0 if none does.

    That is a budget for a player and match beside the config's increment, or a time for each
    command; whole seconds, or below one whole milliseconds.
    """
    control = config.limits.time
    spare = within_ns // (season.rounds * season.turns) - worst_match(config, replace(control, budget_ns=0))
    shares = _asked(config)[0] if control.per_request else season.seats
    most = max(0, spare // shares)
    return most - most % (SECOND if most >= SECOND else MS)


def trial_specs(config: Config, number: int) -> list[MatchSpec]:
    """So many matches of the season's players, on deals that are not the season's.

    Each table is drawn on before one is drawn on again.
    """
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
    """How many commands, and how many requests for a decision among them, a match has at most."""
    commands, answers = 0, 0
    for number in range(COUNTED):
        said: list[Said] = []
        spec = match_spec(config.game, seed=f"arbiter-trial-{number}")
        play_by_policy(config.game, random_policy(number), spec, transcript=said)
        counts = Counter(one.command.startswith("gen_") for one in said)
        commands, answers = max(commands, counts.total()), max(answers, counts[True])
    return commands, answers
