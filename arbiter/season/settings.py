"""Which settings a round is played under: those that it was begun with, which the store keeps.

The season's file may say something else by then, and nobody may have the old one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.config import as_before, as_it_was
from arbiter.errors import ConfigError, Problem
from arbiter.players import lacking

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.config import Config
    from arbiter.match import MatchSpec, Player
    from arbiter.store import SeasonStore, StoredRound


def config_of(config: Config, season: SeasonStore, stored: StoredRound) -> Config | None:
    """The config that a round was planned with; None if its settings are not kept."""
    if stored.digest == config.digest:
        return config
    settings = season.settings(stored.digest)
    return None if settings is None else as_it_was(config, settings)


def config_at(config: Config, season: SeasonStore, number: int) -> Config:
    """The config that round `number` was planned with; `config` itself where that is not known."""
    stored = next((known for known in season.rounds() if known.number == number), None)
    return (stored and config_of(config, season, stored)) or config


def as_begun(config: Config, season: SeasonStore) -> Config:
    """The config of the season's next round: what its file leaves open is as in the last one."""
    settings = season.last_settings() if config.left_open else None
    return config if settings is None else as_before(config, settings)


def refuse_gone(config: Config, specs: Iterable[MatchSpec]) -> None:
    """ConfigError where a player of these matches, of the config of then, cannot be started any more."""
    problems = []
    seats = {player.name: (spec.round, player) for spec in specs for player in spec.players}
    for name, (number, player) in sorted(seats.items()):
        said = f"round {number} is played under the settings that it was begun with, and of those {name}"
        problems += [Problem((), f"{said}: {message}", "put it back") for message in lacking(player)]
    if problems:
        raise ConfigError(problems, str(config.file))


def fit_players(config: Config) -> list[Player]:
    """A config's players without those that lacked something when it was read, being suspended."""
    return [entry.player for entry in config.entries if entry.player.name not in config.gone]


def seated(tables: Iterable[Iterable[str]], config: Config) -> list[Player]:
    """The players of a config that sit at these tables or may sit in there, without copies of house bots."""
    names = {name for table in tables for name in table}
    again = config.house_bots if config.after_fault == "substitute" else ()
    return [
        entry.player
        for entry in config.entries
        if entry.player.name in names or entry.registered_name in again
    ]
