"""`authors`: who may send programs to a season, and who may administrate it."""

from __future__ import annotations

import csv
import io
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.opening import open_season
from arbiter.cli.options import config_argument, format_option, store_option
from arbiter.cli.output import counted, note, print_json, print_table, say
from arbiter.errors import ConfigError
from arbiter.store.audit import CONSOLE
from arbiter.text import csv_cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.store import SeasonStore


@click.group()
def authors() -> None:
    """Who may send programs to a season, and who may administrate it.

    Example: arbiter authors add configs/demo.yaml alice
    """


@authors.command()
@config_argument
@click.argument("name", required=False)
@click.option("--organiser", is_flag=True, help="One that may administrate the season, too.")
@click.option("--csv", "file", type=click.Path(), help="Add those in the first column of a file.")
@store_option
def add(config: str, name: str | None, organiser: bool, file: str | None, store_url: str | None) -> None:
    """Add an author, and print the token, which is shown once.

    With --csv the first line names the columns, and the tokens come as CSV: name,token. Nobody is added if
    a name is wrong.

    Example: arbiter authors add configs/demo.yaml alice > alice.token
    """
    from arbiter.config import load
    from arbiter.season.season import Season
    from arbiter.store import Store
    from arbiter.submissions.authors import add_authors

    if (name is None) == (file is None):
        raise ConfigError("whom: give a NAME, or --csv FILE")
    names = [name] if name is not None else _names(file or "")
    settled = load(config, check_store=store_url is None)
    with closing(Store(store_url or settled.store)) as store:
        season = Season.open(settled, store).stored
        given = add_authors(settled, season, names, organiser, CONSOLE)
    if settled.submissions is None and not organiser:
        note(f"{config} has no `submissions:` yet, so nothing can be sent (write submissions: {{}})")
    if file is None:
        say(given[0][1])
        return
    note(f"{counted(len(given), 'author')} added; the first line of {file} is taken for the columns' names")
    click.echo(_csv([("name", "token"), *given]), nl=False)


@authors.command("list")
@config_argument
@store_option
@format_option
def list_(config: str, store_url: str | None, style: str) -> None:
    """List the authors, with how many versions each has sent and which one plays.

    Example: arbiter authors list configs/demo.yaml
    """
    with _season(config, store_url) as season:
        found = season.authors.all()
    if style == "json":
        print_json(
            [
                {
                    "name": author.name,
                    "organiser": author.organiser,
                    "since": author.created,
                    "versions": author.versions,
                    "active": author.active,
                    "revoked": not author.alive,
                }
                for author in found
            ]
        )
    elif found:
        rows = [
            [
                author.name,
                author.created,
                str(author.versions),
                str(author.active or "-"),
                ", ".join(["organiser"] * author.organiser + ["revoked"] * (not author.alive)),
            ]
            for author in found
        ]
        print_table(["author", "since", "versions", "plays", "note"], rows, left=(0, 1, 4))
    else:
        say("there are no authors yet")


@authors.command()
@config_argument
@click.argument("name")
@store_option
def revoke(config: str, name: str, store_url: str | None) -> None:
    """Take an author's token and sessions away; what plays goes on playing, what never played is dropped.

    Example: arbiter authors revoke configs/demo.yaml alice
    """
    from arbiter.submissions.authors import revoke as take_away
    from arbiter.submissions.receiving import remove

    settled, season, store = open_season(config, store_url)
    with closing(store):
        gone = take_away(season, name, CONSOLE)
        for file in gone:
            remove(settled, file)
    dropped = f", {counted(len(gone), 'version')} that never played dropped" if gone else ""
    note(f"{name} has no token any more{dropped}; `arbiter suspend` keeps its program from playing")


@authors.command()
@config_argument
@click.argument("name")
@store_option
def renew(config: str, name: str, store_url: str | None) -> None:
    """Print another token for an author; the old one and its sessions are dead at once.

    Example: arbiter authors renew configs/demo.yaml alice > alice.token
    """
    from arbiter.submissions.authors import renew as give_another

    with _season(config, store_url) as season:
        say(give_another(season, name, CONSOLE))


@contextmanager
def _season(config: str, store_url: str | None) -> Iterator[SeasonStore]:
    """A season that is there already, its store closed at the end."""
    _config, season, store = open_season(config, store_url)
    with closing(store):
        yield season


def _names(path: str) -> list[str]:
    """The first column of a CSV file without its heading; ConfigError where there is none."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text), strict=True) if any(map(str.strip, row))]
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"is no CSV in UTF-8: {error}", path) from None
    if len(rows) < 2:
        raise ConfigError("has no names", path, "the first line names the columns, each other one an author")
    return [row[0].strip() for row in rows[1:]]


def _csv(rows: list[tuple[str, str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([csv_cell(cell) for cell in row] for row in rows)
    return text.getvalue()
