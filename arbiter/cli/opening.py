"""Open a season's file and its store, for commands that play nothing."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.config.changes import rated_name
from arbiter.config.glance import glance
from arbiter.errors import NoStore, StoreError
from arbiter.picture.state import State, Unchanged
from arbiter.store import Store
from arbiter.store.address import address_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import ExitStack

    from arbiter.config import Config
    from arbiter.store import SeasonStore


SHOWN = 4
"""Seasons that an error names."""


def address_of_store(path: str) -> str:
    """The address of the store that a season's file names."""
    says = glance(Path(path))
    if says is not None:
        return says.store
    from arbiter.config import load

    return load(path).store


def to_be_played(config: Config) -> Config:
    """The config of the next round, as far as its store can be read: a season goes on as it was begun."""
    from arbiter.season.settings import as_begun

    with suppress(StoreError), closing(Store(config.store, create=False)) as store:
        season = store.season(config.season)
        if season is not None:
            return as_begun(config, season)
    return config


def with_roster(config: Config) -> Config:
    """The config with the versions that authors sent and that play now, as far as its store can be read."""
    if config.submissions is not None:
        from arbiter.season.roster import rostered

        with suppress(StoreError), closing(Store(config.store, create=False)) as store:
            season = store.season(config.season)
            if season is not None:
                return rostered(config, season)
    return config


def open_stored(path: str, store_url: str | None) -> tuple[Config, SeasonStore]:
    """A config and its season as far as it was played; StoreError if there is none yet."""
    return open_season(path, store_url)[:2]


def look(path: str, store_url: str | None) -> State:
    """The same for commands that only look; a file that says what was checked before is not checked again."""
    with suppress(StoreError):
        found = _unchanged(path, store_url)
        if found is not None:
            return found
    return State.of(*open_stored(path, store_url))


def open_season(path: str, store_url: str | None) -> tuple[Config, SeasonStore, Store]:
    """The same with its store."""
    from arbiter.config import load

    config = load(path)
    store = Store(store_url or config.store, create=False)
    season = store.season(config.season)
    if season is None:
        others = ", ".join(store.seasons()[:SHOWN])
        what = f"; it holds {others}: does season: name another?" if others else ": play a round first"
        raise StoreError(f"{store.name} holds no season {config.season} yet{what}")
    return config, season, store


def _unchanged(path: str, store_url: str | None) -> State | None:
    """The season if its file says what the last round was planned with; None where a check is needed."""
    says = glance(Path(path))
    if says is None:
        return None
    store = Store(store_url or says.store, create=False)
    season = store.season(says.season)
    settings = season.last_settings() if season is not None else None
    game = says.game_if_unchanged(settings) if settings is not None else None
    if season is None or settings is None or game is None:
        store.close()
        return None
    players = {
        rated_name(player["name"], player.get("version")): player["house"] for player in settings["players"]
    }
    return State.of(Unchanged(path, says.season, game, says.rounds, players), season)


def open_parts(stack: ExitStack, parts: Sequence[str]) -> list[Store]:
    """Stores by their URLs or files, closed with the stack; StoreError for one that is not there."""
    opened = []
    for part in parts:
        try:
            opened.append(stack.enter_context(closing(Store(address_of(part), create=False))))
        except NoStore:
            raise StoreError(f"there is no store {part}") from None
    return opened
