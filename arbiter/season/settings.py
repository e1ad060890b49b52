"""The settings that a season begins with, and those of each of its rounds.

A round keeps the settings that it was begun with, as the season's file may have changed since. A new season
under another name in the same file needs consent.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError, Problem, StoreError
from arbiter.sandbox.player_command import missing_programs
from arbiter.season.config import as_before, as_it_was, load
from arbiter.season.ledger import Ledger
from arbiter.store import Store

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from arbiter.match.spec import MatchSpec, Player
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.row_values import Planned


def config_of(config: Config, season: SeasonStore, stored: Planned) -> Config | None:
    """Load the config that a round was planned with; None if its settings are not stored, or are invalid."""
    if stored.digest == config.digest:
        return config
    settings = season.settings(stored.digest)
    return None if settings is None else as_it_was(config, settings)


def config_at(config: Config, season: SeasonStore, number: int) -> Config:
    """Load the config that round `number` was planned with; `config` itself if that is unknown."""
    stored = next((known for known in season.plan() if known.number == number), None)
    return (stored and config_of(config, season, stored)) or config


def with_begun_settings(config: Config, season: SeasonStore) -> Config:
    """Load the last round's settings; return the config with the keys left open in its file as there."""
    settings = season.last_settings() if config.left_open else None
    return config if settings is None else as_before(config, settings)


def check_programs_exist(config: Config, specs: Iterable[MatchSpec]) -> None:
    """Raise ConfigError if a player of these matches, under their config, cannot be started any more."""
    problems = []
    seats = {player.name: (spec.round, player) for spec in specs for player in spec.players}
    for name, (number, player) in sorted(seats.items()):
        round_ = f"round {number} is played under the settings that it was begun with, and of those {name}"
        problems += [
            Problem((), f"{round_}: {message}", "put it back") for message in missing_programs(player)
        ]
    if problems:
        raise ConfigError(problems, str(config.file))


def startable_players(config: Config) -> list[Player]:
    """Return a config's players without the suspended ones that lacked files when it was read."""
    return [entry.player for entry in config.entries if entry.player.name not in config.gone]


def players_of_tables(tables: Iterable[Iterable[str]], config: Config) -> list[Player]:
    """Return a config's players at these tables and their substitutes, without copies of house bots."""
    names = {name for table in tables for name in table}
    again = config.house_bots if config.after_fault == "substitute" else ()
    return [
        entry.player
        for entry in config.entries
        if entry.player.name in names or entry.registered_name in again
    ]


REGRESS, CHOICE, GAUNTLET, TUNE, FAMILY = "regress-", "choice-", "gauntlet-", "tune-", "family-of-"
"""Prefixes of stored names that are not seasons."""
SEASONS_NAMED = 4
"""Number of seasons that an error names."""


def load_to_play(path: str, store_url: str | None = None) -> Config:
    """Load a season's file to play it, with its commands checked; `store_url` replaces its store.

    `gone` are players whose programs are missing and who are suspended from the next round on; ConfigError if
    they are not suspended.
    """
    missing: dict[str, list[Problem]] = {}
    config = load(path, check_commands=True, missing=missing)
    config = replace(config, store=store_url or config.store)
    out = _sitting_out(config) if missing else ()
    if left := [problem for name, found in missing.items() if name not in out for problem in found]:
        raise ConfigError(left, path)
    return replace(config, gone={name: found[0].message for name, found in missing.items()})


def open_to_read(path: str, store_url: str | None = None) -> tuple[Config, SeasonStore, Store]:
    """Load a season's file and open its store; return config, season and store. StoreError if not begun."""
    config = load(path)
    store = Store(store_url or config.store, create=False)
    season = store.season(config.season)
    if season is None:
        others = ", ".join(store.seasons()[:SEASONS_NAMED])
        what = f"; it has {others}: check season: in the file" if others else ": play a round first"
        raise StoreError(f"{store.name} has no season {config.season} yet{what}")
    return config, season, store


def _sitting_out(config: Config) -> Collection[str]:
    """Load the players suspended from the next round on; none if the store is unreadable."""
    with suppress(StoreError), closing(Store(config.store, create=False)) as store:
        season = store.season(config.season)
        if season is not None:
            config = with_begun_settings(config, season)
            ledger = Ledger.of(config, season)
            ledger.read_before(len(season.rounds()) + 1)
            return ledger.suspended_players(config)
    return ()


def file_text(config: Config) -> str:
    """Return the absolute path of the season's file, as stores keep it."""
    return os.path.abspath(config.file)  # noqa: PTH100 -- a link keeps its own name


def check_season_name(config: Config, store: Store) -> None:
    """Raise ConfigError if the store has a season played from the same file under another name."""
    for name in store.begun_from(file_text(config)):
        message = (
            f"{store.name} holds the season {name}, which was played from this file:"
            " under this name a new season begins, with round 1"
        )
        hint = f"write season: {name} to go on with it, or give --accept-changes to begin {config.season}"
        raise ConfigError(message, str(config.file), hint)
