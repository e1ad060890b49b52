"""`submissions`: send a program for an author, choose a version, inspect it again."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.options import (
    CommandGroup,
    config_argument,
    format_option,
    season_output_options,
    store_option,
)
from arbiter.cli.output import note, print_json, print_table, say
from arbiter.errors import ConfigError
from arbiter.season.settings import open_to_read

if TYPE_CHECKING:
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.versions import Submission

SHOWN = 1000
"""Submissions that are listed at most, the newest."""


@click.group(cls=CommandGroup)
def submissions() -> None:
    """Send, choose or inspect a version for an author.

    The audit log and the author's page show that the organiser did it.

    Example: arbiter submissions list configs/demo.yaml
    """


@submissions.command("list")
@click.option("--author", help="List only the versions of this author.")
@season_output_options
def list_(config: str, author: str | None, store_url: str | None, style: str) -> None:
    """List the submitted versions, the newest first, and the places in the queue.

    Example: arbiter submissions list configs/demo.yaml --author foxes
    """
    from arbiter.contest.submissions.author_accounts import author_named

    season = open_to_read(config, store_url)[1]
    if author is not None:
        author = author_named(season, author).name
    active = {one.name: one.active for one in season.authors.all()}
    queue = [found.id for found in season.submissions.queue()]
    found = [
        {
            "id": one.id,
            "author": one.author,
            "version": one.version,
            "received": one.received,
            "state": one.state,
            "active": one.version == active.get(one.author),
            "place": queue.index(one.id) + 1 if one.id in queue else None,
            "waiting": len(queue) if one.id in queue else None,
        }
        for one in season.submissions.last(SHOWN, author)
    ]
    if style == "json":
        print_json(found)
        return
    if not found:
        say("no submissions yet")
        return
    rows = []
    for row in found:
        marks = "active" if row["active"] else ""
        if row["place"] is not None:
            marks = f"{row['place']} of {row['waiting']} waiting"
        rows.append([f"{row['author']}@{row['version']}", row["received"], row["state"], marks])
    print_table(["version", "received", "state", "note"], rows, left=range(4))


@submissions.command()
@config_argument
@click.argument("author")
@click.argument("path", type=click.Path(path_type=Path))
@store_option
@format_option
def send(config: str, author: str, path: Path, store_url: str | None, style: str) -> None:
    """Send a program for an author, also after `until` and beyond `per_day`.

    PATH is a folder or a ZIP file. The program is inspected by `arbiter serve` or `arbiter inspect`.

    Example: arbiter submissions send configs/demo.yaml foxes mybot/
    """
    from arbiter.contest.submissions.archive_storage import send_for
    from arbiter.contest.submissions.author_accounts import author_named
    from arbiter.contest.submissions.client import pack

    settled, season, store = open_to_read(config, store_url)
    with closing(store), tempfile.TemporaryFile() as archive:
        name = author_named(season, author).name
        pack(path, archive)
        archive.seek(0)
        made, new = send_for(settled, season, name, archive)
    if style == "json":
        print_json({"id": made.id, "version": made.version, "state": made.state})
        return
    say(f"{name}@{made.version} {'waits for its inspection' if new else f'was sent before: {made.state}'}")


@submissions.command()
@config_argument
@click.argument("version", metavar="AUTHOR@VERSION")
@store_option
def activate(config: str, version: str, store_url: str | None) -> None:
    """Let an accepted version play from the next round on.

    Example: arbiter submissions activate configs/demo.yaml foxes@2
    """
    from arbiter.store.audit import CONSOLE
    from arbiter.store.submissions import NO_LIMIT

    season, found = _version(config, store_url, version)[1:]
    made = season.submissions.activate(found.id, found.author, NO_LIMIT, CONSOLE)
    if made is None:
        raise ConfigError(f"{version} is {found.state}", hint="only accepted versions play")
    note(f"{version} plays from round {made.joins_round} on")


@submissions.command()
@config_argument
@click.argument("version", metavar="AUTHOR@VERSION")
@store_option
def inspect(config: str, version: str, store_url: str | None) -> None:
    """Queue a refused version for another inspection, as when the machine was at fault.

    Example: arbiter submissions inspect configs/demo.yaml foxes@2
    """
    from arbiter.store.audit import CONSOLE

    season, found = _version(config, store_url, version)[1:]
    if not season.submissions.inspect_again(found.id, CONSOLE):
        gone = found.bytes == 0
        hint = "send it again" if gone else "only refused versions are inspected again"
        raise ConfigError(
            f"{version} {'has no archive any more' if gone else f'is {found.state}'}", hint=hint
        )
    note(f"{version} waits for another inspection")


def _version(config: str, store_url: str | None, name: str) -> tuple[Config, SeasonStore, Submission]:
    """Load a season and one of its versions by name, ``foxes@2``; ConfigError if unknown."""
    from arbiter.contest.submissions.author_accounts import author_named

    settled, season, _ = open_to_read(config, store_url)
    author, mark, number = name.rpartition("@")
    if not (mark and number.isdecimal()):
        raise ConfigError(f"expected AUTHOR@VERSION, such as foxes@2, got {name!r}")
    known = season.submissions.of(author_named(season, author).name)
    found = next((one for one in known if one.version == int(number)), None)
    if found is None:
        raise ConfigError(f"{author} has no version {number}", hint="arbiter submissions list prints them")
    return settled, season, found
