"""`report`: a season in one HTML file."""

from __future__ import annotations

import click

from arbiter.cli.opening import open_stored
from arbiter.cli.options import config_argument, store_option
from arbiter.cli.output import note
from arbiter.errors import ConfigError
from arbiter.export.whole_files import write_whole


def _number(ctx: click.Context, param: click.Parameter, text: str) -> int | None:  # noqa: ARG001
    """A number of matches; None for all."""
    if text == "all":
        return None
    if not (text.isascii() and text.isdigit()):
        raise click.BadParameter(f"{text!r} is neither a number nor all")
    return int(text)


@click.command()
@config_argument
@click.option("--output", required=True, help="The file, such as spring.html.")
@click.option(
    "--matches",
    callback=_number,
    metavar="N|all",
    default="0",
    show_default=True,
    help="How many can be replayed, the last ones.",
)
@store_option
def report(config: str, output: str, matches: int | None, store_url: str | None) -> None:
    """Write standings, crosstable, ratings, rounds and faults into one HTML file.

    It asks for nothing over the network, and holds what the public may see now: no seed before the season
    is over, no cards of a round that is still played, no results that are held back.

    Example: arbiter report configs/demo.yaml --output configs/demo.html
    """
    try:
        from arbiter.picture.frozen import as_shown
        from arbiter.picture.state import read_state
        from arbiter.web.report import make_report
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"report needs the package {error.name}", hint="pip install 'arbiter-cards[web]'"
        ) from None
    state = as_shown(read_state(*open_stored(config, store_url)))
    write_whole(output, make_report(state, matches))
    note(f"the report is in {output}")
