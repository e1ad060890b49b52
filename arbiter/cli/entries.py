"""Players of a season's file for commands that play outside of it: `--config CONFIG --player NAME`."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, islice
from typing import TYPE_CHECKING

import click

from arbiter.cli.bots import settle
from arbiter.errors import ConfigError
from arbiter.players import lacking

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from arbiter.config import Config, Entry


def config_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option of a season's file whose players, game and limits a command takes."""
    text = "A season's file: its game, limits and players."
    return click.option("--config", "config_file", type=click.Path(), help=text)(command)


def read_entries(
    path: str, names: Sequence[str], written: Mapping[str, str | None], others: int | None = None
) -> tuple[Config, list[Entry]]:
    """The season and the entries with these names, in this order; where there are `others`, so many players
    from elsewhere, then house bots for the seats that are left.

    `written` are limits that take the place of the season's. The isolation is settled for this machine.
    ConfigError for a name that no entry or more than one has, and for programs that are not there.
    """
    from arbiter.cli.opening import with_roster
    from arbiter.config import load
    from arbiter.config.limits import changed

    config = with_roster(load(path))
    entries = [_entry(config, name) for name in names]
    if others is not None and config.house_bots:
        left = max(0, config.game.seats - len(entries) - others)
        entries += [config.called(name)[-1] for name in islice(cycle(config.house_bots), left)]
    for entry in entries:
        for message in lacking(entry.player):
            raise ConfigError(f"{entry.player.name}: {message}", path)
    limits = changed(config.limits, **written)
    # Whether the season's other players are there does not matter here.
    alone = settle(replace(config, entries=tuple(entries), limits=limits))
    return replace(alone, entries=config.entries), entries


def _entry(config: Config, name: str) -> Entry:
    """The one entry that a name means: as it is rated, or as it is registered."""
    found = config.called(name)
    exact = [entry for entry in found if entry.player.name == name]
    if len(exact or found) > 1:
        versions = ", ".join(entry.player.name for entry in found)
        raise ConfigError(
            f"{name!r} is {len(found)} players of {config.file}", hint=f"name one of {versions}"
        )
    return (exact or found)[0]
