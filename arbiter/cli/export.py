"""`export` and `report`: a season as files."""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, get_args

import click

from arbiter.cli.opening import open_stored
from arbiter.cli.options import config_argument, needing, read_json, store_option
from arbiter.cli.output import counted, note
from arbiter.errors import ConfigError
from arbiter.export import TextForm, facts, text, write_parquet, write_text
from arbiter.export.whole_files import write_whole
from arbiter.games import make
from arbiter.match import MatchRecord
from arbiter.season.administration import unknown_round
from arbiter.season.orders import force, round_of
from arbiter.text import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arbiter.rules import AnyGame
    from arbiter.store import SeasonStore


Form: TypeAlias = Literal[
    "pgn", "csv", "jsonl", "parquet",
    "events-csv", "events-parquet", "chefs-hat-csv", "chefs-hat-pkl", "chefs-hat-parquet", "minari",
]  # fmt: skip
EVENTS = tuple(form for form in get_args(Form) if "-" in form)


@click.command()
@config_argument
@click.option("--as", "form", type=click.Choice(get_args(Form)), required=True, help="What to write.")
@click.option("--output", required=True, help="The file; - for standard output.")
@click.option("--round", "round_number", type=click.IntRange(min=1), help="Of this round only.")
@store_option
def export(config: str, form: Form, output: str, round_number: int | None, store_url: str | None) -> None:
    """Write the stored matches as games, rows or records.

    In the place of CONFIG may stand the .json file of one match, as `play --record` writes it.

    pgn and csv have one game or row for each pairwise result, jsonl one record for each match,
    parquet one row for each seat of each match, events-csv and events-parquet one for each event of
    a match. chefs-hat-csv, -pkl and -parquet have the columns of the data sets of Chef's Hat. minari is
    a folder for Minari, an episode for each seat of each match. A file appears when it is complete.

    Example: arbiter export configs/demo.yaml --as pgn --output demo.pgn
    """
    if config.endswith(".json"):
        record = _of_file(config, round_number, store_url)
        game = _game_of(record)
        records, known = iter([record]), facts(game, record.season, record.seed)
    else:
        settings, season = open_stored(config, store_url)
        game = settings.game
        records, known = _records(season, round_number), facts(game, season.name, season.seed)
    if output == "-" and (form in ("parquet", "minari") or form in EVENTS):
        where = "folder" if form == "minari" else "file"
        raise ConfigError(f"--as {form} is written to a {where}: give --output one")
    if form in EVENTS:
        from arbiter.export import write_events

        write_events(form, records, output, _game_of, known)
    elif form == "minari":
        _write_minari(records, output, game, known)
    elif form == "parquet":
        write_parquet(records, output, known)
    elif output == "-":
        for piece in text(cast("TextForm", form), records):
            sys.stdout.write(piece)
    else:
        write_text(cast("TextForm", form), records, output)


def _write_minari(
    records: Iterator[MatchRecord], folder: str, game: AnyGame, known: Mapping[str, str]
) -> None:
    with needing("--as minari", "minari"):
        from arbiter.envs.minari_folder import MinariFolder
    with MinariFolder(folder, game, known) as out:
        out.write(records)


def _of_file(path: str, round_number: int | None, store_url: str | None) -> MatchRecord:
    if round_number is not None or store_url is not None:
        raise ConfigError("is one match: --round and --store are for a season", path)
    return MatchRecord.from_json(read_json(path))


def _game_of(record: MatchRecord) -> AnyGame:
    return _made(record.game, json.dumps(record.options, sort_keys=True))


@lru_cache(maxsize=8)
def _made(name: str, options: str) -> AnyGame:
    return make(name, json.loads(options))


def _records(season: SeasonStore, only: int | None) -> Iterator[MatchRecord]:
    """The matches of all rounds, or of one, as they are asked for; ConfigError at once if it is not there."""
    rounds = season.rounds()
    chosen = [stored for stored in rounds if only in (None, stored.number)]
    if not chosen:
        raise unknown_round(only or 1, len(rounds))
    for stored in chosen:
        if not stored.complete:
            note(f"round {stored.number} is not complete: standings leave its matches out, this does not")
    numbers = {stored.number for stored in chosen}
    holds = force(season.orders.read().given)
    gone = set(holds.annulled)
    if left_out := [name for name in holds.annulled if round_of(name) in numbers]:
        note(f"left out: {counted(len(left_out), 'annulled match')}, {first_few(left_out)}")
    if holds.replayed and (no_more := holds.superfluous(season.summaries())):
        gone.update(no_more)
        note(f"left out, since what a fault ended was played again: {first_few(no_more)}")
    records = (record for stored in chosen for record in season.records(stored.number))
    return (record for record in records if record.id not in gone)


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
    with needing("report", "web"):
        from arbiter.picture.frozen import as_shown
        from arbiter.picture.state import read_state
        from arbiter.web.report import make_report
    state = as_shown(read_state(*open_stored(config, store_url)))
    write_whole(output, make_report(state, matches))
    note(f"the report is in {output}")
