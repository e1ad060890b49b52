"""`export`, `report`, `backup`, `restore`: write a season to files; copy stores."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, get_args

import click

from arbiter.cli.match_source import is_match_source, read_matches
from arbiter.cli.open_season import open_stored, store_address
from arbiter.cli.options import config_argument, require_extra, season_options, store_option
from arbiter.cli.output import note, say
from arbiter.errors import ConfigError, NoStore, StoreError
from arbiter.games import make_shared
from arbiter.replay.export import TextForm, facts, text, write_events, write_parquet, write_text
from arbiter.replay.export.atomic_files import write_atomically
from arbiter.replay.export.card import DataCard
from arbiter.season.administration import unknown_round
from arbiter.season.order_effects import effective_orders, round_of
from arbiter.store.address import address_of, file_of
from arbiter.store.backup import back_up
from arbiter.text import counted, first_few, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arbiter.games.game import AnyGame
    from arbiter.match.record import MatchRecord
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore


Form: TypeAlias = Literal[
    "pgn", "csv", "jsonl", "parquet",
    "events-csv", "events-parquet", "chefs-hat-csv", "chefs-hat-pkl", "chefs-hat-parquet", "minari", "jplag",
]  # fmt: skip
EVENTS = tuple(form for form in get_args(Form) if "-" in form)
DUMP = b"PGDMP"
"""The first bytes of pg_dump's files."""


@click.command()
@click.option("--as", "form", type=click.Choice(get_args(Form)), required=True, help="Format to write.")
@click.option("--output", required=True, help="File or folder to write; - for standard output.")
@click.option("--round", "round_number", type=click.IntRange(min=1), help="Export only this round.")
@season_options
def export(config: str, form: Form, output: str, round_number: int | None, store_url: str | None) -> None:
    """Export matches as PGN, CSV, JSON lines, Parquet or other formats.

    CONFIG may also be a file of matches (.json, .jsonl), as `play --record` and `--records` write them, or
    the address of a match on a site.

    pgn and csv: a game or row for each pairwise result. jsonl: a record for each match. parquet: a row for
    each seat of each match. events-csv, events-parquet: a row for each event of a match. chefs-hat-csv, -pkl,
    -parquet: the columns of the Chef's Hat data sets. minari: a folder for Minari, an episode for each seat
    of each match. Files appear when complete. These data sets, from parquet on, get a data card: FILE.md, or
    README.md in the folder.

    jplag: a new folder with the sources of the season's players; the JPlag commands for it are printed.

    Example: arbiter export configs/demo.yaml --as pgn --output demo.pgn
    """
    if form == "jplag":
        _write_jplag_folder(config, output, round_number, store_url)
        return
    if is_match_source(config):
        if round_number is not None or store_url is not None:
            raise ConfigError("is no season: --round and --store need one", printable(config))
        records = read_matches(config)
        if (first := next(records, None)) is None:
            raise ConfigError("has no match", config)
        game = _make_game(first)
        records = _of_one_game(chain([first], records), game, config)
        known = facts(game, first.season, first.seed)
    else:
        settings, season = open_stored(config, store_url)
        game = settings.game
        records, known = _stored_records(season, round_number), facts(game, season.name, season.seed)
    if output == "-" and (form in ("parquet", "minari") or form in EVENTS):
        where = "folder" if form == "minari" else "file"
        raise ConfigError(f"--as {form}: expected a {where} as --output, got -")
    if form in EVENTS or form in ("minari", "parquet"):
        card = DataCard(form, known)
        records = card.count(records)
        if form == "minari":
            _write_minari(records, output, game, known)
        elif form == "parquet":
            write_parquet(records, output, known)
        else:
            write_events(form, records, output, _make_game, known)
        if os.path.isfile(output) or os.path.isdir(output):
            # A device or a pipe gets no card.
            note(f"{card.write(output)} describes {output}")
    elif output == "-":
        for piece in text(cast("TextForm", form), records):
            sys.stdout.write(piece)
    else:
        write_text(cast("TextForm", form), records, output)


def _write_jplag_folder(config: str, folder: str, round_number: int | None, store_url: str | None) -> None:
    from arbiter.contest.integrity.jplag import write_jplag

    if is_match_source(config) or round_number is not None or folder == "-":
        raise ConfigError(
            "--as jplag: expected a season and a folder, without --round, got a match, --round or -"
        )
    commands = write_jplag(*open_stored(config, store_url), folder)
    for command in commands:
        say(command)
    if not commands:
        note("no player of the season has sources that JPlag can read")


def _write_minari(
    records: Iterator[MatchRecord], folder: str, game: AnyGame, known: Mapping[str, str]
) -> None:
    with require_extra("--as minari", "minari"):
        from arbiter.envs.minari_folder import MinariFolder
    with MinariFolder(folder, game, known) as out:
        out.write(records)


def _of_one_game(records: Iterator[MatchRecord], game: AnyGame, source: str) -> Iterator[MatchRecord]:
    """Yield the records; ConfigError at the first one of another game, or with other options."""
    for record in records:
        found = _make_game(record)
        if (found.name, found.options) != (game.name, game.options):
            message = f"has matches of {game.name} and of {found.name}, or with other options"
            raise ConfigError(message, source, "put each game into a file")
        yield record


def _make_game(record: MatchRecord) -> AnyGame:
    return make_shared(record.game, record.options)


def _stored_records(season: SeasonStore, only: int | None) -> Iterator[MatchRecord]:
    """Load rounds, return an iterator over their matches, or `only` those of one; each is loaded late.

    Annulled and superfluous ones are left out, with notes on stderr. ConfigError without such a round.
    """
    rounds = season.rounds()
    chosen = [stored for stored in rounds if only in (None, stored.number)]
    if not chosen:
        raise unknown_round(only or 1, len(rounds))
    for stored in chosen:
        if not stored.complete:
            note(f"round {stored.number} is incomplete: its matches are exported, but not in the standings")
    numbers = {stored.number for stored in chosen}
    holds = effective_orders(season.orders.read().given)
    gone = set(holds.annulled)
    if left_out := [name for name in holds.annulled if round_of(name) in numbers]:
        note(f"left out: {counted(len(left_out), 'annulled match')}, {first_few(left_out)}")
    if holds.replayed and (no_more := holds.superfluous(season.summaries())):
        gone.update(no_more)
        note(f"left out, since the match that a fault ended was replayed: {first_few(no_more)}")
    records = (record for stored in chosen for record in season.records(stored.number))
    return (record for record in records if record.id not in gone)


def _parse_count(ctx: click.Context, param: click.Parameter, text: str) -> int | None:  # noqa: ARG001
    """Return a number, None for "all"; BadParameter for any other text."""
    if text == "all":
        return None
    if not (text.isascii() and text.isdigit()):
        raise click.BadParameter(f"expected a number or all, got {text!r}")
    return int(text)


@click.command()
@click.option("--output", required=True, help="File to write, such as spring.html.")
@click.option(
    "--matches",
    callback=_parse_count,
    metavar="N|all",
    default="0",
    show_default=True,
    help="Number of latest matches to include as replays.",
)
@season_options
def report(config: str, output: str, matches: int | None, store_url: str | None) -> None:
    """Write a season to a single HTML file.

    It has standings, crosstable, ratings, rounds and faults, and loads nothing over the network. It contains
    only what is public now: no seed before the season is over, no cards of an unfinished round, no results
    hidden by a freeze. It has at most 10 MB and names what it leaves out; --matches all has everything.

    Example: arbiter report configs/demo.yaml --output configs/demo.html
    """
    with require_extra("report", "web"):
        from arbiter.season.snapshot.freeze import public_state
        from arbiter.season.snapshot.reader import read_state
        from arbiter.web.views.report_file import make_report
    state = public_state(read_state(*open_stored(config, store_url)))
    write_atomically(output, make_report(state, matches))
    note(f"wrote the report to {output}")


@click.command()
@config_argument
@click.argument("file", type=click.Path(path_type=Path))
@store_option
def backup(config: str, file: Path, store_url: str | None) -> None:
    """Copy a season's store to a file, also while it is played.

    FILE must not exist. Other commands read the copy with --store sqlite:///FILE; `arbiter restore` copies it
    back. For a PostgreSQL store, the pg_dump command to use is printed.

    Example: arbiter backup configs/demo.yaml demo-backup.sqlite
    """
    back_up(store_url or store_address(config), file)
    say(f"{file}: a copy of the store, {file.stat().st_size / 1e6:.1f} MB")


@click.command()
@config_argument
@click.argument("source", metavar="FILE")
@store_option
def restore(config: str, source: str, store_url: str | None) -> None:
    """Copy the seasons of a backup or another store into a store.

    FILE is a backup, or the file or address of a store: this also moves a season between SQLite and
    PostgreSQL. Matches, ratings, orders, authors with their tokens and versions, and the audit log are copied
    in one transaction; sessions are not. Existing seasons are never overwritten.

    Example: arbiter restore configs/demo.yaml demo-backup.sqlite --store sqlite:///demo-again.sqlite
    """
    from arbiter.season.config import load
    from arbiter.store import Store
    from arbiter.store.backup import copy_seasons

    settled = load(config)
    settled = replace(settled, store=store_url or settled.store)
    _refuse_dump(source)
    with ExitStack() as stack:
        try:
            old = stack.enter_context(closing(Store(address_of(source), create=False)))
        except NoStore:
            raise StoreError(f"there is no store {source}: name the file of a store") from None
        if (season := old.season(settled.season)) is None:
            raise StoreError(f"{old.name} has no season {settled.season}; it has {first_few(old.seasons())}")
        _refuse_without_programs(settled, season, file_of(old.url))
        new = stack.enter_context(closing(Store(settled.store)))
        stack.enter_context(new.hold(settled.season))
        copy_seasons(old, new)
        made = new.season(settled.season)
        assert made is not None
        rounds = made.rounds()
        parts = {
            "round": len(rounds),
            "match": sum(len(made.match_ids(stored.number)) for stored in rounds),
            "author": len(made.authors.all()),
            "version": sum(made.submissions.counts().values()),
            "order": len(made.orders.read().given),
        }
    found = ", ".join(counted(number, what) for what, number in parts.items() if number)
    say(f"{new.name}: {settled.season} with {found or 'nothing played yet'}")
    if parts["author"]:
        how = f"repeat later revocations (arbiter authors revoke {config} NAME)"
        note(f"tokens and invitations are as in {old.name}: {how}; all sessions have ended")


def _refuse_dump(source: str) -> None:
    """Raise ConfigError for a file of pg_dump, which pg_restore restores."""
    try:
        with open(source, "rb") as file:
            dumped = file.read(len(DUMP)) == DUMP
    except OSError:
        return
    if dumped:
        raise ConfigError("is a dump of a PostgreSQL server", source, f"pg_restore --dbname=ADDRESS {source}")


def _refuse_without_programs(config: Config, season: SeasonStore, source: Path | None) -> None:
    """Raise ConfigError if the season's folder lacks programs that authors submitted."""
    from arbiter.contest.submissions.archive_storage import archive_of
    from arbiter.season.roster import folder_of, missing_files

    waiting = (one for one in season.submissions.waiting() if not archive_of(config, one.file).exists())
    names = [*missing_files(config, season), *(f"{one.author}@{one.version}" for one in waiting)]
    if names:
        beside = None if source is None else source.with_suffix(".submissions")
        folder = beside if beside is not None and beside.is_dir() else "the old store's folder .submissions"
        message = f"{folder_of(config)} lacks the programs of {first_few(sorted(names))}"
        raise ConfigError(message, str(config.file), f"copy {folder} there first")
