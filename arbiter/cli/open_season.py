"""Open a season's file and its store, for commands that play nothing."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError, StoreError
from arbiter.match.limits import USUAL_ROUNDS
from arbiter.season.config.game_option import game_of
from arbiter.season.config.settings_diff import rated_name, role_of
from arbiter.season.config.yaml_positions import read_document
from arbiter.season.snapshot.season_state import SeasonState
from arbiter.season.snapshot.viewer import StoredSeasonFile
from arbiter.store import Store
from arbiter.store.address import default_store, resolve_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore


SHOWN = 4
"""Seasons that an error names."""
READ_WHOLE = {
    "until",
    "opens",
    "every",
    "freeze",
    "submissions",
    "seed_commitment",
    "publish_reviews",
    "prices",
}
"""Keys of a file that say more of a season than its store does."""


def _place(path: str) -> tuple[str, str, int] | None:
    """Name, store and rounds of a season, by its file alone; None where only a whole check can tell."""
    file = Path(path)
    try:
        document = read_document(file, fast=True)
    except ConfigError:
        return None
    says = document.value
    if document.problems or not isinstance(says, dict) or READ_WHOLE & says.keys():
        return None
    season, rounds = says.get("season", file.stem), says.get("rounds", USUAL_ROUNDS)
    if not (isinstance(season, str) and type(rounds) is int and rounds > 0):
        return None
    store = says.get("store")
    if store is None:
        return season, default_store(season, file), rounds
    if not (isinstance(store, str) and "://" in store):
        return None
    return season, resolve_address(store, file.parent), rounds


def address_of_store(path: str) -> str:
    if (says := _place(path)) is not None:
        return says[1]
    from arbiter.season.config import load

    return load(path).store


def to_be_played(config: Config) -> Config:
    """The config of the next round, as far as its store can be read: a season goes on as it was begun."""
    from arbiter.season.settings import with_begun_settings

    return _with_season(config, with_begun_settings)


def with_roster(config: Config) -> Config:
    """The config with the versions that authors sent and that play now, as far as its store can be read."""
    if config.submissions is None:
        return config
    from arbiter.season.roster import with_active_versions

    return _with_season(config, with_active_versions)


def _with_season(config: Config, change: Callable[[Config, SeasonStore], Config]) -> Config:
    with suppress(StoreError), closing(Store(config.store, create=False)) as store:
        if (season := store.season(config.season)) is not None:
            return change(config, season)
    return config


def open_stored(path: str, store_url: str | None) -> tuple[Config, SeasonStore]:
    """A config and its season as far as it was played; StoreError if there is none yet."""
    return open_season(path, store_url)[:2]


def look(path: str, store_url: str | None) -> SeasonState:
    """The same for commands that only look: what was played is in the store, so the file is not checked."""
    with suppress(StoreError, ConfigError, KeyError, TypeError):
        found = _as_stored(path, store_url)
        if found is not None:
            return found
    return SeasonState.of(*open_stored(path, store_url))


def open_season(path: str, store_url: str | None) -> tuple[Config, SeasonStore, Store]:
    """The same with its store."""
    from arbiter.season.config import load

    config = load(path)
    store = Store(store_url or config.store, create=False)
    season = store.season(config.season)
    if season is None:
        others = ", ".join(store.seasons()[:SHOWN])
        what = f"; it holds {others}: does season: name another?" if others else ": play a round first"
        raise StoreError(f"{store.name} holds no season {config.season} yet{what}")
    return config, season, store


def _as_stored(path: str, store_url: str | None) -> SeasonState | None:
    """The season with the game and players of its last round; None where its file has to be read whole."""
    if (says := _place(path)) is None:
        return None
    name, address, rounds = says
    store = Store(store_url or address, create=False)
    season = store.season(name)
    settings = season.last_settings() if season is not None else None
    if season is None or settings is None:
        store.close()
        return None
    players = {
        rated_name(player["name"], player.get("version")): role_of(player["house"], player.get("rung", False))
        for player in settings["players"]
    }
    return SeasonState.of(StoredSeasonFile(path, name, game_of(settings["game"]), rounds, players), season)
