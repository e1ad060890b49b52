"""The plan of a round: a pure function of seed, config and complete rounds, minus the stored matches.

A match's id follows from its place in the plan, so a season resumes by playing the planned ids that are
not stored.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import rating
from arbiter.errors import ConfigError
from arbiter.season.events import StillSuspended, Suspended
from arbiter.season.order_effects import effective_orders
from arbiter.season.schedule import drawn_tables, entrants, match_specs
from arbiter.season.substitutes import first_played, substitute_specs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from arbiter.match.spec import MatchSpec
    from arbiter.season.config import Config
    from arbiter.season.ledger import Ledger
    from arbiter.store import SeasonStore, StoredRound

SEED_BYTES = 32


def draw_seed(seed: str) -> str:
    """Return the seed itself, or one from the system's random source for ``auto``."""
    return secrets.token_hex(SEED_BYTES) if seed == "auto" else seed


def check_seed(config: Config, stored: SeasonStore) -> None:
    """Raise ConfigError if the config's seed differs from the season's."""
    if config.seed not in ("auto", stored.seed):
        message = f"the seed differs from the one that {config.season} began with, and cannot change"
        raise ConfigError(message, str(config.file), "restore the seed, or name another season")


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """A round, its matches, those `missing` in the store, and reasons by player for suspensions.

    Matches with substitutes are planned once these are played: see `plan_substitutes`.

    `config` is the round's, `accepted` describes the consent given for it.
    """

    config: Config
    stored: StoredRound
    specs: tuple[MatchSpec, ...]
    missing: tuple[MatchSpec, ...]
    suspended: Mapping[str, str]
    accepted: str = ""

    @property
    def total(self) -> int:
        """The number of its matches, with those played."""
        return len(self.specs)


def plan_round(
    config: Config, season: SeasonStore, stored: StoredRound, unfit: Mapping[str, str] = MappingProxyType({})
) -> RoundPlan:
    """Plan the matches of a stored round, and read which of them are stored."""
    specs = tuple(match_specs(config, season.seed, stored.number, stored.tables))
    there = season.match_ids(stored.number)
    seated = {name for names in stored.tables for name in names}
    missing = tuple(spec for spec in specs if spec.id not in there)
    suspended = {name: reason for name, reason in unfit.items() if name not in seated}
    return RoundPlan(config, stored, specs, missing, suspended)


def plan_substitutes(plan: RoundPlan, season: SeasonStore) -> tuple[list[MatchSpec], list[MatchSpec]]:
    """Plan the matches with substitutes by a round's stored matches; return them, and the missing ones."""
    if plan.config.after_fault == "end":
        return [], []
    number = plan.stored.number
    specs = list(substitute_specs(plan.config, plan.specs, first_played(season, number), plan.suspended))
    there = season.match_ids(number)
    return specs, [spec for spec in specs if spec.id not in there]


def new_suspensions(
    plan: RoundPlan, season: SeasonStore, reported: Collection[str]
) -> Iterator[Suspended | StillSuspended]:
    """Yield the suspensions not yet reported: each when it begins, the others as a number."""
    number = plan.stored.number
    before = {
        name for known in season.rounds() if known.number == number - 1 for at in known.tables for name in at
    }
    ordered = effective_orders(season.orders.read().given).suspended
    fresh = {
        entry.player.name
        for entry in plan.config.entries
        if number == 1
        or entry.player.name in before
        or ((order := ordered.get(entry.registered_name)) is not None and order.planned == number - 1)
    }
    not_reported = plan.suspended.keys() - set(reported)
    for name in sorted(not_reported & fresh):
        yield Suspended(name, number, plan.suspended[name])
    if not_reported - fresh:
        yield StillSuspended(len(plan.suspended.keys() - fresh))


def plan_tables(config: Config, results: Ledger, seed: str, number: int) -> Sequence[Sequence[str]]:
    """Return the tables of a round: random in the opening rounds, then by the config's pairing rule.

    `results` is read up to the round before, and gives the suspended players.
    """
    results.read_before(number)
    names = [
        player.name
        for player in entrants(
            config, number, results.suspended_players(config), results.suspended_by_order(config)
        )
    ]
    rule = rating.rule_of_round(config.pairing, number, config.opening_rounds)
    if rule == "random":
        return drawn_tables(names, config.game.table_size, seed, number)
    return rating.next_round(results.fit, names, rule=rule, size=config.game.table_size)
