"""A season is not begun by mistake: under another name in the same file it is asked about first."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from arbiter.config import load
from arbiter.errors import ConfigError, StoreError
from arbiter.season.ledger import Ledger
from arbiter.season.settings import as_begun
from arbiter.store import Store

if TYPE_CHECKING:
    from collections.abc import Collection

    from arbiter.config import Config
    from arbiter.errors import Problem

REGRESS, GAUNTLET = "regress-", "gauntlet-"
"""How the names of what is no season, but lies in a store like one, begin."""


def load_to_play(path: str, store_url: str | None = None) -> Config:
    """A season's file, checked with its commands, for who plays it; another store if one is named.

    `gone` are players whose programs are missing and who are suspended from the next round on.
    """
    missing: dict[str, list[Problem]] = {}
    config = load(path, check_commands=True, missing=missing)
    config = replace(config, store=store_url or config.store)
    out = _sitting_out(config) if missing else ()
    if left := [problem for name, found in missing.items() if name not in out for problem in found]:
        raise ConfigError(left, path)
    return replace(config, gone={name: found[0].message for name, found in missing.items()})


def _sitting_out(config: Config) -> Collection[str]:
    """Who is suspended from the next round on; nobody where the store cannot be read, which is told later."""
    with suppress(StoreError), closing(Store(config.store, create=False)) as store:
        season = store.season(config.season)
        if season is not None:
            config = as_begun(config, season)
            ledger = Ledger.of(config, season)
            ledger.read_before(len(season.rounds()) + 1)
            return ledger.unfit(config)
    return ()


def file_text(config: Config) -> str:
    """The season's file by its whole path, as stores keep it."""
    return os.path.abspath(config.file)  # noqa: PTH100 -- a link keeps its own name


def refuse_another_name(config: Config, store: Store) -> None:
    """Before a season is made: ConfigError if the store holds one that was played from the same file."""
    for name in store.begun_from(file_text(config)):
        message = (
            f"{store.name} holds the season {name}, which was played from this file:"
            " under this name a new season begins, with round 1"
        )
        hint = f"write season: {name} to go on with it, or give --accept-changes to begin {config.season}"
        raise ConfigError(message, str(config.file), hint)
