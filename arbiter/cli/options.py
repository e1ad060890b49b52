"""Arguments and options that several commands share."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arbiter.errors import ConfigError
from arbiter.match.clock import FORMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Command = TypeVar("_Command", bound="Callable[..., Any]")


def format_option_of(*styles: str, text: str) -> Callable[[_Command], _Command]:
    """Make the option --format with these styles; the first one is the default."""
    kind = click.Choice(styles)
    return click.option("--format", "style", type=kind, default=styles[0], show_default=True, help=text)


def combine_options(*options: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Combine options into one decorator; the help lists them in this order."""

    def add_options(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add_options


class CommandGroup(click.Group):
    """A group whose help has the first sentence of each command; click cuts those longer than a line."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            names = self.list_commands(ctx)
            formatter.write_dl([(name, self.commands[name].get_short_help_str(1000)) for name in names])


game_option = click.option("--game", "game_name", help="The game; `arbiter games` lists them.")
game_key_option = click.option(
    "--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game."
)
seed_option = click.option("--seed", help="Seed of the deals.  [default: random]")
deals_option = click.option(
    "--deals", "deals_file", type=click.Path(), help="JSON file with the deals to play, or a match record."
)
config_argument = click.argument("config", type=click.Path())
store_option = click.option("--store", "store_url", help="URL of a store to use instead of the config's.")
workers_option = click.option(
    "--workers", type=click.IntRange(min=1), help="Matches at once, at most the number of cores."
)
scheduler_option = click.option(
    "--scheduler", help="Play on the Dask cluster of this scheduler, such as tcp://host:8786."
)
run_option = click.option(
    "--run",
    type=click.IntRange(min=1),
    help="Run of a replayed match, from 1.  [default: the run that counts]",
)
accept_option = click.option(
    "--accept-changes", is_flag=True, help="Continue although the config has changed, or the seed is known."
)
programs_option = click.option(
    "--accept-changes", is_flag=True, help="Continue although files of the programs have changed."
)
format_option = format_option_of("text", "json", text="A table for people, or JSON.")
season_options = combine_options(config_argument, store_option)
season_output_options = combine_options(season_options, format_option)
table_format_option = format_option_of(
    "text", "json", "csv", "markdown", text="A table for people, JSON, or a table for other programs."
)

OF_SEASON = ", or the season's"
"""Appended to the default of a limit that a season may set."""
_LIMITS = {
    "time": f"{FORMS}.",
    "start_time": "Time until the first reply.",
    "memory": "Memory of {whose}.",
}


def limit_options(*keys: str, whose: str = "each bot", unset: str = "") -> Callable[[_Command], _Command]:
    """Make options for limits, by their keys in a season's file; an option that is not given is None.

    The help shows the default, followed by the text `unset`.
    """
    from arbiter.match.limits import CHOICES, USUAL

    options = []
    for key in keys:
        words, text = CHOICES.get(key), _LIMITS.get(key, "").format(whose=whose)
        kind = None if words is None else click.Choice(words)
        text = f"{text}  [default: {getattr(USUAL, key)}{unset}]".strip()
        options.append(click.option(f"--{key.replace('_', '-')}", type=kind, help=text))
    return combine_options(*options)


def read_json(path: str, most: int = -1) -> Any:
    """Read a JSON file; ConfigError if it is unreadable, or longer than `most` characters."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            text = file.read(most if most < 0 else most + 1)
        if 0 <= most < len(text):
            raise ConfigError(f"has more than {most} characters", path)
        return json.loads(text)
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path) from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"is not JSON: {error}", path) from None


@contextmanager
def require_extra(what: str, extra: str) -> Iterator[None]:
    """Wrap imports from an optional `extra` that `what` needs; ConfigError names a missing package."""
    try:
        yield
    except ModuleNotFoundError as error:
        if not hasattr(os, "pidfd_open"):
            raise  # a module that only Linux has may be missing, not a package
        message = f"{what} needs the package {error.name}"
        raise ConfigError(message, hint=f"pip install 'arbiter-cards[{extra}]'") from None
