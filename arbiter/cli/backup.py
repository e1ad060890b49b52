"""`backup` and `restore`: a store copied while it is played, and its seasons put into another store."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.opening import address_of_store, open_parts
from arbiter.cli.options import config_argument, store_option
from arbiter.cli.output import counted, say
from arbiter.errors import ConfigError, StoreError
from arbiter.store.address import file_of
from arbiter.store.backup import back_up
from arbiter.text import first_few

if TYPE_CHECKING:
    from arbiter.config import Config
    from arbiter.store import SeasonStore

DUMP = b"PGDMP"
"""What the files of pg_dump begin with."""


@click.command()
@config_argument
@click.argument("file", type=click.Path(path_type=Path))
@store_option
def backup(config: str, file: Path, store_url: str | None) -> None:
    """Copy a season's store into a new FILE as it is at this moment; whoever plays is not disturbed.

    The copy is one file, which other commands take as --store sqlite:///FILE, and `arbiter restore` puts
    back. A store on a PostgreSQL server is copied by pg_dump: the command is named.

    Example: arbiter backup configs/demo.yaml demo-backup.sqlite
    """
    back_up(store_url or address_of_store(config), file)
    say(f"{file}: a copy of the store, {file.stat().st_size / 1e6:.1f} MB")


@click.command()
@config_argument
@click.argument("source", metavar="FILE")
@store_option
def restore(config: str, source: str, store_url: str | None) -> None:
    """Put all seasons of another store into the one that the season's file names, and change nothing else.

    FILE is a backup, or a store by its file or its address: so a season moves from SQLite to PostgreSQL and
    back. Matches, ratings, orders, authors with their tokens and versions, and the log of who did what are
    carried, in one transaction. A season that is there already is never written over.

    Example: arbiter restore configs/demo.yaml demo-backup.sqlite --store sqlite:///demo-again.sqlite
    """
    from arbiter.config import load
    from arbiter.store import Store
    from arbiter.store.carrying import carry

    settled = load(config)
    settled = replace(settled, store=store_url or settled.store)
    _refuse_dump(source)
    with ExitStack() as stack:
        (old,) = open_parts(stack, [source])
        if (season := old.season(settled.season)) is None:
            raise StoreError(
                f"{old.name} holds no season {settled.season}; it holds {first_few(old.seasons())}"
            )
        _refuse_without_programs(settled, season, file_of(old.url))
        new = stack.enter_context(closing(Store(settled.store)))
        stack.enter_context(new.held(settled.season))
        carry(old, new)
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
    told = ", ".join(counted(number, what) for what, number in parts.items() if number)
    say(f"{new.name}: {settled.season} with {told or 'nothing played yet'}")


def _refuse_dump(source: str) -> None:
    """ConfigError for a file of pg_dump, which is put back by its own program."""
    try:
        with open(source, "rb") as file:
            dumped = file.read(len(DUMP)) == DUMP
    except OSError:
        return
    if dumped:
        raise ConfigError("is a dump of a PostgreSQL server", source, f"pg_restore --dbname=ADDRESS {source}")


def _refuse_without_programs(config: Config, season: SeasonStore, source: Path | None) -> None:
    """ConfigError where programs that authors sent are not where the season would look for them."""
    from arbiter.season.roster import folder_of, lost
    from arbiter.submissions.receiving import archive_of

    waiting = (one for one in season.submissions.waiting() if not archive_of(config, one.file).exists())
    names = [*lost(config, season), *(f"{one.author}@{one.version}" for one in waiting)]
    if names:
        beside = None if source is None else source.with_suffix(".submissions")
        folder = beside if beside is not None and beside.is_dir() else "the old store's folder .submissions"
        message = f"{folder_of(config)} lacks the programs of {first_few(sorted(names))}"
        raise ConfigError(message, str(config.file), f"copy {folder} there first")
