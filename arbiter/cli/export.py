"""`export`: a season's matches for other programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import click

from arbiter.cli.options import config_argument, store_option
from arbiter.cli.output import note
from arbiter.cli.tables import opened
from arbiter.errors import ConfigError
from arbiter.export import text, write_parquet, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.match import MatchRecord
    from arbiter.store import SeasonStore

Form: TypeAlias = Literal["pgn", "csv", "jsonl", "parquet"]


@click.command()
@config_argument
@click.option("--as", "form", type=click.Choice(get_args(Form)), required=True, help="What to write.")
@click.option("--output", required=True, help="The file; - for standard output.")
@click.option("--round", "round_number", type=click.IntRange(min=1), help="Of this round only.")
@store_option
def export(config: str, form: Form, output: str, round_number: int | None, store_url: str | None) -> None:
    """Write the stored matches as games, rows or records.

    pgn and csv have one game or row for each pairwise result, jsonl one record for each match,
    parquet one row for each seat of each match. A file appears when it is complete.

    Example: arbiter export configs/demo.yaml --as pgn --output demo.pgn
    """
    _, season = opened(config, store_url)
    records = _records(season, round_number)
    if form == "parquet":
        if output == "-":
            raise ConfigError("parquet is no text: give --output a file")
        write_parquet(records, output)
    elif output == "-":
        for piece in text(form, records):
            sys.stdout.write(piece)
    else:
        write_text(form, records, output)


def _records(season: SeasonStore, only: int | None) -> Iterator[MatchRecord]:
    """The matches of all rounds, or of one, as they are asked for; ConfigError at once if it is not there."""
    rounds = season.rounds()
    chosen = [stored for stored in rounds if only in (None, stored.number)]
    if not chosen:
        raise ConfigError(f"there is no round {only}: {len(rounds)} are stored")
    for stored in chosen:
        if not stored.complete:
            note(f"round {stored.number} is not complete: standings leave its matches out, this does not")
    return (record for stored in chosen for record in season.records(stored.number))
