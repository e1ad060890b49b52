"""The shared options of the subcommands of `rating`, and the printing of errors."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeVar, cast

import click

from rating.errors import MalformedGame, RatingError, ReadError
from rating.fit.kinds import KINDS
from rating.presets import PRESETS
from rating.text import printable

# Further problems are only counted.
_MOST_LISTED = 50

Command = TypeVar("Command", bound=Callable[..., Any])


class _Refusal(click.ClickException):
    exit_code = 2


class RatingGroup(click.Group):
    """Commands that end with one line and exit code 2 for a RatingError, 1 for failed output."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the commands; failed output ends the process with a line and status 1."""
        for stream in (sys.stdout, sys.stderr):
            # Characters that the terminal's encoding lacks are escaped.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            # Output left in the buffer would fail again at Python's exit.
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            with suppress(OSError):
                click.echo(f"Error: cannot write: {error.strerror or error}", err=True)
            sys.exit(1)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first sentence of each command's help; click cuts those longer than a line."""
        with formatter.section("Commands"):
            names = self.list_commands(ctx)
            formatter.write_dl([(name, self.commands[name].get_short_help_str(1000)) for name in names])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a RatingError, with malformed games listed first, is a line and exit code 2."""
        try:
            return super().invoke(ctx)
        except RatingError as error:
            if isinstance(error, ReadError):
                list_problems(error.problems)
            raise _Refusal(printable(str(error))) from error


def _parse_elo(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> float | Literal["fit"] | None:
    """Return a number of Elo, "fit" or None as given; BadParameter for any other text."""
    if value is None or value == "fit":
        return cast('Literal["fit"] | None', value)
    try:
        return float(value)
    except ValueError:
        raise click.BadParameter(f'expected a number of Elo or "fit", got {value!r}', ctx, param) from None


output_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    show_default=True,
    help="text for people, json or csv for programs",
)
interval_option = click.option(
    "--intervals", "kind", type=click.Choice(KINDS), help="method of the intervals [default: round]"
)
_INPUT = (
    click.argument("files", nargs=-1, required=True, metavar="FILE..."),
    click.option(
        "--input",
        "kind_of_file",
        type=click.Choice(["pgn", "csv", "jsonl"]),
        help="form of the files, if their names do not show it",
    ),
    click.option("--skip-bad", is_flag=True, help="skip malformed games (they are listed)"),
    click.option(
        "--faults",
        type=click.Choice(["seed", "drop", "separate"]),
        default="seed",
        show_default=True,
        help="a match with a fault: losses to all others, ignored, or only counted as a fault",
    ),
    click.option("--preset", type=click.Choice(list(PRESETS)), help="the settings of BayesElo's `mm`"),
    click.option("--prior", type=float, metavar="DRAWS", help="virtual draws of each player [default: 2]"),
    click.option(
        "--advantage",
        metavar="ELO|fit",
        callback=_parse_elo,
        help="advantage of the player named first [default: 0]",
    ),
    click.option(
        "--drawelo", metavar="ELO|fit", callback=_parse_elo, help="likelihood of draws [default: fit]"
    ),
    click.option("--ridge", type=float, metavar="ELO", help="sd of a prior that links groups"),
)


def add_input_options(function: Command) -> Command:
    """Decorate a command with FILE... and the options on reading and fitting (`_INPUT`)."""
    for option in reversed(_INPUT):
        function = option(function)
    return function


def list_problems(problems: Sequence[MalformedGame]) -> None:
    """Print malformed games to standard error, a line each, at most `_MOST_LISTED`."""
    for problem in problems[:_MOST_LISTED]:
        click.echo(printable(str(problem)), err=True)
    if len(problems) > _MOST_LISTED:
        click.echo(f"... and {len(problems) - _MOST_LISTED} more malformed games", err=True)
