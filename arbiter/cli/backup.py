"""`backup`: a copy of a season's store while it is played."""

from __future__ import annotations

from pathlib import Path

import click

from arbiter.cli.opening import address_of_store
from arbiter.cli.options import config_argument, store_option
from arbiter.cli.output import say
from arbiter.store.backup import back_up


@click.command()
@config_argument
@click.argument("file", type=click.Path(path_type=Path))
@store_option
def backup(config: str, file: Path, store_url: str | None) -> None:
    """Copy a season's store into a new FILE as it is at this moment; whoever plays is not disturbed.

    The copy is one file, which other commands take as --store sqlite:///FILE. A store on a PostgreSQL
    server is copied by pg_dump: the command is named.

    Example: arbiter backup configs/demo.yaml demo-backup.sqlite
    """
    back_up(store_url or address_of_store(config), file)
    say(f"{file}: a copy of the store, {file.stat().st_size / 1e6:.1f} MB")
