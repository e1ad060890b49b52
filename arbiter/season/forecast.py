"""Forecast of the duration of a season, or of its rest: the worst case, and at the pace of trial matches.

In the worst case every player uses all of its time in every match. The commands of a match are
counted in a few random matches in memory, which works for any game and any time control.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import cycle
from typing import TYPE_CHECKING

from arbiter.match.clock import SECOND, TimeControl
from arbiter.match.in_memory import Said, match_spec, play_by_policy, random_policy
from arbiter.season.config.settings_diff import VERSION_MARK
from arbiter.season.ledger import Ledger
from arbiter.season.schedule import drawn_tables, entrants, match_specs, matches_of
from arbiter.season.settings import config_of, with_begun_settings

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from arbiter.match.spec import MatchSpec
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.row_values import Planned

COUNTED = 3
"""Matches in which commands are counted."""
CONTEST_BUDGETS = (180 * SECOND, 900 * SECOND)
"""The contest's budgets for a player and match: with many players, with few."""


@dataclass(frozen=True, slots=True)
class RemainingSeason:
    """The rest of a season: `rounds` not begun, and `matches` of the current round.

    `complete` rounds are over; the players `suspended` now sit out. `planned` are all rounds begun.
    """

    rounds: int
    matches: int = 0
    complete: int = 0
    suspended: tuple[str, ...] = ()
    planned: tuple[Planned, ...] = ()

    @property
    def unfinished(self) -> int:
        """The number of rounds that are not complete."""
        return self.rounds + (self.matches > 0)


def remaining_of(config: Config, stored: SeasonStore) -> RemainingSeason:
    """Read from the store what is left of a season."""
    rounds = stored.rounds()
    complete = sum(known.complete for known in rounds)
    config = with_begun_settings(config, stored)
    ledger = Ledger.of(config, stored)
    ledger.read_before(complete + 1)
    suspended = tuple(ledger.suspended_players(config))
    begun = 0
    for known in rounds:
        if not known.complete:
            then = config_of(config, stored, known) or config
            begun += matches_of(then.game, known.tables) - len(stored.match_ids(known.number))
    left = max(0, config.rounds - len(rounds))
    return RemainingSeason(left, begun, complete, suspended, tuple(rounds))


@dataclass(frozen=True, slots=True)
class SeasonSize:
    """The size of a season with `rounds` in all; `match_ns` is the worst-case duration of a match."""

    players: int
    tables: int
    matches: int
    at_once: int
    rounds: int
    seats: int
    match_ns: int
    left: RemainingSeason

    @property
    def matches_left(self) -> int:
        return self.left.rounds * self.matches + self.left.matches

    @property
    def turns_left(self) -> int:
        """The number of times that all workers get a match until the season is over."""
        return self.left.rounds * self.turns + self._turns_left_in_round

    @property
    def _turns_left_in_round(self) -> int:
        """The number of times that all workers get a match until the current round is over."""
        return -(-self.left.matches // self.at_once)

    @property
    def turns(self) -> int:
        """The number of times that all workers get a match in a round."""
        return -(-self.matches // self.at_once)

    def round_ns(self, match_ns: float) -> float:
        """Return the duration of a round whose matches take `match_ns` each."""
        return self.turns * match_ns

    def season_ns(self, match_ns: float) -> float:
        """Return the duration of the rest of the season."""
        return self.turns_left * match_ns

    def rounds_within(self, ns: float, match_ns: float) -> int:
        """Return how many rounds, the current one included, can be completed in `ns`."""
        spare = ns - self._turns_left_in_round * match_ns
        if not match_ns or spare < 0:
            return 0
        return (self.left.matches > 0) + int(spare // self.round_ns(match_ns))


def season_size(config: Config, at_once: int, left: RemainingSeason | None = None) -> SeasonSize:
    """Return the size of a config's season, `at_once` matches at a time; all of it is `left` by default."""
    left = left or RemainingSeason(config.rounds)
    tables = _draw_tables(config, left.suspended)
    matches = matches_of(config.game, tables)
    return SeasonSize(
        players=len(config.entries) - len(left.suspended),
        tables=len(tables),
        matches=matches,
        at_once=min(at_once, matches),
        rounds=config.rounds,
        seats=config.game.seats,
        match_ns=longest_match_ns(config, config.limits.time),
        left=left,
    )


def longest_match_ns(config: Config, time: TimeControl) -> int:
    """Return the worst-case duration of a match in ns: every player uses all of its time."""
    return (config.limits.start_ns or 0) + time.longest_ns(config.game.seats, *_count_commands(config))


def longest_time(config: Config, season: SeasonSize, within_ns: int) -> int:
    """Return the longest budget in ns, per match or per command, with which the rest fits; 0 if none."""
    if not season.turns_left:
        return 0
    match_ns = within_ns // season.turns_left - (config.limits.start_ns or 0)
    return config.limits.time.longest_budget_ns(match_ns, season.seats, *_count_commands(config))


def with_number_of_players(config: Config, number: int) -> Config:
    """Return the config with `number` players beside its rungs and house bots.

    They play the programs of the file's players in turn, or without players those of the rungs or house bots.
    """
    kept = [entry for entry in config.entries if entry.house or entry.rung]
    programs = [entry for entry in config.entries if entry not in kept] or kept
    # No name of a player contains the mark.
    names = [f"player{VERSION_MARK}{k}" for k in range(1, number + 1)]
    made = [
        replace(
            program, player=replace(program.player, name=name), registered_name=name, house=False, rung=False
        )
        for program, name in zip(cycle(programs), names, strict=False)
    ]
    return replace(config, entries=(*made, *kept))


def trial_specs(config: Config, number: int, suspended: Collection[str] = ()) -> list[MatchSpec]:
    """Return `number` matches of the players not suspended, from all tables in turn, on separate deals."""
    seed = "arbiter-trial"
    specs = match_specs(config, seed, 1, _draw_tables(config, suspended))
    ordered = sorted(specs, key=lambda spec: (spec.rotation, spec.table))
    return [
        replace(ordered[k % len(ordered)], id=f"trial/{k}", round=1 + k // len(ordered))
        for k in range(number)
    ]


def _draw_tables(config: Config, suspended: Collection[str]) -> Sequence[Sequence[str]]:
    """Draw the tables of a first round, always the same, without the suspended players."""
    names = [player.name for player in entrants(config, 1, suspended)]
    return drawn_tables(names, config.game.table_size, "arbiter-trial", 1)


def _count_commands(config: Config) -> tuple[int, int]:
    """Play `COUNTED` random matches in memory; return the most commands, and the most requests of one."""
    commands, answers = 0, 0
    for number in range(COUNTED):
        said: list[Said] = []
        spec = match_spec(config.game, seed=f"arbiter-trial-{number}")
        play_by_policy(config.game, random_policy(number), spec, transcript=said)
        counts = Counter(one.command.startswith("gen_") for one in said)
        commands, answers = max(commands, counts.total()), max(answers, counts[True])
    return commands, answers
