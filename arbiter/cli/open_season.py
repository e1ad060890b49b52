"""Open a season's file and its store, for commands that play no matches."""

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
from arbiter.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.match.record import MatchRecord
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore


KEYS_NOT_STORED = {
    "until",
    "opens",
    "every",
    "freeze",
    "submissions",
    "seed_commitment",
    "publish_reviews",
    "prices",
}
"""Keys of a file whose values are not in the store."""


def _read_place(path: str) -> tuple[str, str, int] | None:
    """Read name, store and rounds of a season from its file alone; None if the file must be loaded."""
    file = Path(path)
    try:
        document = read_document(file)
    except ConfigError:
        return None
    keys = document.value
    if document.problems or not isinstance(keys, dict) or KEYS_NOT_STORED & keys.keys():
        return None
    season, rounds = keys.get("season", file.stem), keys.get("rounds", USUAL_ROUNDS)
    if not (isinstance(season, str) and type(rounds) is int and rounds > 0):
        return None
    store = keys.get("store")
    if store is None:
        return season, default_store(season, file), rounds
    if not (isinstance(store, str) and "://" in store):
        return None
    return season, resolve_address(store, file.parent), rounds


def store_address(path: str) -> str:
    """Read the address of a season's store from its file."""
    if (keys := _read_place(path)) is not None:
        return keys[1]
    from arbiter.season.config import load

    return load(path).store


def apply_begun_settings(config: Config) -> Config:
    """Return the config with keys left open as its season began; unchanged if its store cannot be read."""
    from arbiter.season.settings import with_begun_settings

    return _apply_stored(config, with_begun_settings)


def with_roster(config: Config) -> Config:
    """Return the config with the submitted versions that play now; unchanged if its store cannot be read."""
    if config.submissions is None:
        return config
    from arbiter.season.roster import with_active_versions

    return _apply_stored(config, with_active_versions)


def _apply_stored(config: Config, change: Callable[[Config, SeasonStore], Config]) -> Config:
    """Open the store and change the config by its season; unchanged without them, or if the store fails."""
    with suppress(StoreError), closing(Store(config.store, create=False)) as store:
        if (season := store.season(config.season)) is not None:
            return change(config, season)
    return config


def open_stored(path: str, store_url: str | None) -> tuple[Config, SeasonStore]:
    """Load a season's file and open its season in the store; StoreError if not begun."""
    from arbiter.season.settings import open_to_read

    return open_to_read(path, store_url)[:2]


def read_state(path: str, store_url: str | None) -> SeasonState:
    """Read the state of a season for commands that only read: where possible, without checking its file."""
    with suppress(StoreError, ConfigError, KeyError, TypeError):
        found = _as_stored(path, store_url)
        if found is not None:
            return found
    return SeasonState.of(*open_stored(path, store_url))


def load_match(state: SeasonState, match_id: str, run: int | None) -> MatchRecord:
    """Load the record of a run of a match, by default the run that counts; ConfigError if unknown."""
    from arbiter.season.administration import unknown_match
    from arbiter.season.snapshot.rejudgings import run_counted, run_of, runs_played

    record = run_of(state, match_id, None if run == run_counted(state, match_id) else run)
    if record is None and state.match(match_id) is None:
        raise unknown_match(match_id, state.stored.summaries())
    if record is None:
        raise ConfigError(f"{match_id} has {counted(runs_played(state, match_id)[-1], 'run')}, no run {run}")
    return record


def seat_of(place: str, players: Sequence[str]) -> int:
    """Return the seat of a number or a player's name, with or without version; ConfigError for others."""
    found = [seat for seat, name in enumerate(players) if place in (str(seat), name, name.partition("@")[0])]
    if len(found) != 1:
        seats = ", ".join(f"{seat} {name}" for seat, name in enumerate(players))
        raise ConfigError(f"--seat: expected one of {seats}, got {place!r}")
    return found[0]


def _as_stored(path: str, store_url: str | None) -> SeasonState | None:
    """Read the season with the game and players of its last round; None if the file must be loaded."""
    if (keys := _read_place(path)) is None:
        return None
    name, address, rounds = keys
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
