"""`config`: a season's settings as a file, those of now or those that a round was played under."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.options import config_argument, store_option
from arbiter.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from arbiter.config import Config


@click.command("config")
@config_argument
@click.option("--stored", is_flag=True, help="The settings that a round was played under, from the store.")
@click.option("--round", "number", type=click.IntRange(min=1), help="Which round.  [default: the last]")
@store_option
def config(config: str, stored: bool, number: int | None, store_url: str | None) -> None:
    """Print a season's settings with all defaults, as YAML that `run-round` takes from any folder.

    Keys that may change freely, such as `rounds`, are those of the file. A seed that the file does
    not give is not shown.

    Example: arbiter config configs/demo.yaml
    """
    from arbiter.config.writing import written

    if stored:
        found = _stored(config, store_url, number)
    elif number is not None or store_url is not None:
        raise ConfigError("--round and --store go with --stored")
    else:
        from arbiter.config import load

        found = load(config)
    click.echo(written(found), nl=False)


def _stored(path: str, store_url: str | None, number: int | None) -> Config:
    """The config of a round, by default of the last; ConfigError or StoreError where there is none."""
    from arbiter.cli.opening import open_stored
    from arbiter.config import as_it_was
    from arbiter.season.administration import unknown_round
    from arbiter.store.address import absolute

    given, season = open_stored(path, store_url)
    rounds = season.rounds()
    if not rounds:
        raise ConfigError(f"{season.name} has no rounds yet", path, "arbiter run-round plays the first")
    if number is not None and number > len(rounds):
        raise unknown_round(number, len(rounds))
    stored = rounds[-1 if number is None else number - 1]
    settings = season.settings(stored.digest)
    found = None if settings is None else as_it_was(given, settings)
    if found is None:
        raise StoreError(f"the settings of round {stored.number} of {season.name} are not kept")
    return replace(
        found,
        seed=given.seed if given.seed == season.seed else "auto",
        store=absolute(store_url, Path.cwd()) if store_url else given.store,
    )
