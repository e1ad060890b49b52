"""Arguments and options that several commands share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from arbiter.errors import ConfigError

config_argument = click.argument("config", type=click.Path())
store_option = click.option("--store", "store_url", help="Another store than the config's, as a URL.")
workers_option = click.option(
    "--workers", type=click.IntRange(min=1), help="Matches at once; never more than cores."
)
scheduler_option = click.option(
    "--scheduler", help="Play on the Dask cluster of this scheduler, such as tcp://host:8786."
)
isolation_option = click.option(
    "--isolation",
    type=click.Choice(["auto", "landlock", "bwrap", "plain"]),
    default="auto",
    show_default=True,
)
accept_option = click.option("--accept-changes", is_flag=True, help="Go on although the config has changed.")
format_option = click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="A table for people, or JSON.",
)
table_format_option = click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "csv", "markdown"]),
    default="text",
    show_default=True,
    help="A table for people, JSON, or a table for other programs.",
)


def read_json(path: str) -> Any:
    """What a JSON file that was named on the command line holds; ConfigError where it cannot be read."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path) from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"is no JSON: {error}", path) from None
