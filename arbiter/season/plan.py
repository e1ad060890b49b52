"""The plan of a round: a pure function of seed, config and complete rounds, minus what is stored.

A match's id is derived from its place in the plan, so going on after any interruption is: planned
ids minus stored ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import rating
from arbiter.config.changes import changes, in_one_line
from arbiter.errors import ConfigError
from arbiter.season.ledger import Ledger
from arbiter.season.schedule import drawn_tables, entrants, match_specs, matches_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from arbiter.config import Config
    from arbiter.match import MatchSpec
    from arbiter.store import SeasonStore, StoredRound

RECENT = 3
"""How many complete rounds tell how long the next one takes."""


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """A round with the matches of it that are still to be played, and who is suspended from it."""

    stored: StoredRound
    missing: tuple[MatchSpec, ...]
    total: int
    suspended: tuple[str, ...]


def plan_round(
    config: Config,
    season: SeasonStore,
    stored: StoredRound,
    unfit: Iterable[str] = (),
    share: Callable[[int, int], bool] = lambda _round, _table: True,
) -> RoundPlan:
    """What of a round is not in the store yet; `share` says which of a round's tables are ours."""
    specs = [
        spec
        for spec in match_specs(config, season.seed, stored.number, stored.tables)
        if share(stored.number, spec.table or 0)
    ]
    there = season.match_ids(stored.number)
    seated = {name for names in stored.tables for name in names}
    missing = tuple(spec for spec in specs if spec.id not in there)
    return RoundPlan(stored, missing, len(specs), tuple(name for name in unfit if name not in seated))


def tables(config: Config, results: Ledger, seed: str, number: int) -> Sequence[Sequence[str]]:
    """Who meets in a round: by lot in the opening rounds, then by the config's rule of pairing.

    `results` is read up to the round before, and tells who is suspended.
    """
    results.read(number - 1)
    names = [player.name for player in entrants(config, number, results.unfit(config))]
    rule = rating.rule_of_round(config.pairing, number, config.opening_rounds)
    if rule == "random":
        return drawn_tables(names, config.game.table_size, seed, number)
    return rating.next_round(results.fit, names, rule=rule, size=config.game.table_size)


def ledger(config: Config, season: SeasonStore) -> Ledger:
    """The season's results, with the config's players in its order before all others."""
    return Ledger(season, [entry.player.name for entry in config.entries])


def changed(config: Config, season: SeasonStore, last: StoredRound) -> ConfigError:
    """What to say of a config that is not the one of the round before."""
    hint = (
        "give --accept-changes to go on with the new one"
        if last.complete or not season.match_ids(last.number)
        else "finish it with the old config first"
    )
    what = what_changed(config, season, last)
    state = "complete" if last.complete else "begun"
    message = f"the config has changed since round {last.number}, which is {state}: {what}"
    return ConfigError(message, str(config.file), hint)


def what_changed(config: Config, season: SeasonStore, last: StoredRound) -> str:
    before = season.settings(last.digest)
    return "what it was is not known" if before is None else in_one_line(changes(before, config.settings))


def time_for_another(config: Config, season: SeasonStore, at_once: int, now: datetime) -> bool:
    """Whether a round beyond the config's number of them would end before `until`.

    It is expected to take as long as the longest of the last few, `at_once` matches at a time.
    """
    if config.until is None:
        return False
    longest = 0.0
    for stored in [stored for stored in season.rounds() if stored.complete][-RECENT:]:
        matches = matches_of(config.game, stored.tables)
        turns = -(-matches // max(at_once, 1))
        longest = max(longest, turns * season.wall_ns(stored.number) / matches)
    return now + timedelta(microseconds=longest / 1000) < config.until
