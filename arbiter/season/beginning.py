"""A season is not begun by mistake: under another name, or from a renamed file, it is asked about first."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.config import as_before, load
from arbiter.errors import ConfigError, StoreError
from arbiter.season.ledger import Ledger
from arbiter.season.settings import as_begun
from arbiter.store import Store
from arbiter.store.address import file_of
from arbiter.store.begun import begun_beside

if TYPE_CHECKING:
    from collections.abc import Collection

    from arbiter.config import Config
    from arbiter.errors import Problem
    from arbiter.store.begun import Begun

REGRESS, GAUNTLET = "regress-", "gauntlet-"
"""How the names of what is no season, but lies in a store like one, begin."""
ANEW = "under this name a new season begins, with round 1"


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
    """Before a season is made: ConfigError if the store holds it under another name.

    That is one that was played from this very file, or one of the same settings whose file is gone.
    """
    here = file_of(store.url)
    for begun in store.begun():
        mine = begun.file == file_text(config)
        if not mine and not _lost(config, begun, here):
            continue
        whose = "which was played from this file" if mine else _whose(begun)
        message = f"{store.name} holds the season {begun.name}, {whose}: {ANEW}"
        hint = (
            f"write season: {begun.name} to go on with it, or give --accept-changes to begin {config.season}"
        )
        raise ConfigError(message, str(config.file), hint)


def refuse_renamed_file(config: Config) -> None:
    """Before a store is made at its usual place: ConfigError if one beside it holds this season.

    That is a season of the same settings whose own file is gone. Only a glance: stores that cannot be
    read are passed over, and none is made or changed.
    """
    place = file_of(config.store)
    folder = Path(file_text(config)).parent
    if place is None or place.exists() or place != (folder / f"{config.file.stem}.sqlite").resolve():
        return
    # A store of the season's name first: others may be copies of it.
    beside = sorted(begun_beside(folder), key=lambda found: found[0].stem != found[1].name)
    for there, begun in beside:
        if _lost(config, begun, there):
            message = f"{there} holds the season {begun.name}, {_whose(begun)}: {ANEW}"
            old = "" if begun.file is None else f"rename this file back to {Path(begun.file).name}, or "
            hint = (
                f"{old}write season: {begun.name} and store: sqlite:///{there.name} to go on with it,"
                f" or give --accept-changes to begin {config.season}"
            )
            raise ConfigError(message, str(config.file), hint)


def _lost(config: Config, begun: Begun, store: Path | None) -> bool:
    """True for a season of the config's settings that no file is left of."""
    # Settings of an earlier version lack what it did not know.
    if begun.digest not in (config.digest, as_before(config, {}).digest):
        return False
    if begun.file is not None:
        return not Path(begun.file).exists()
    # Of a store of an earlier version the file is not known: it had the store's name, as a rule.
    return store is None or not store.with_suffix(".yaml").exists()


def _whose(begun: Begun) -> str:
    return "of the same settings" + ("" if begun.file is None else f", whose file {begun.file} is gone")
