"""`marks`: the marks of a course, by team or by student."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.open_season import read_state
from arbiter.cli.options import format_option_of, season_options
from arbiter.cli.output import note, print_as
from arbiter.cli.standings import spread_cells
from arbiter.season.config.settings_diff import registered_name
from arbiter.season.snapshot import season_figures as figures
from arbiter.season.snapshot.grades import Grade, grades
from arbiter.season.snapshot.standing_marks import RankSpread, rank_spreads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.store.authors import Author

NO_RUNGS = "no rung is rated, so every mark is 0: set `rung: true` for the bots that marks count"
NO_SPREAD = RankSpread(None, None, ())
TEXTS = ("student", "author", "above", "note", "not_apart")


@click.command()
@click.option("--students", is_flag=True, help="Print a line for each member of an author, first the name.")
@season_options
@format_option_of("csv", "text", "json", "markdown", text="A table for a spreadsheet, for people, or JSON.")
def marks(config: str, students: bool, store_url: str | None, style: str) -> None:
    """Print a course's marks as CSV.

    Each author has a line: rank, Elo with its interval, and a mark, the number of rungs rated below. Rungs
    are the players with `rung: true`; without any, and if authors submit programs, all players of the file
    but house bots. The note has the reason of a suspension, or why there is no rating and the mark is 0,
    such as "sent nothing". Last are the 95 % interval of the rank, and the authors' versions that it is not
    told apart from. With --students each member has a line with the author's mark.

    Example: arbiter marks configs/demo.yaml > marks.csv
    """
    state = read_state(config, store_url)
    lines = _grades(state)
    if state.complete and lines and not any(line.rungs for line in lines):
        note(NO_RUNGS)
    rated = [line.rated for line in lines if line.elo is not None]
    spreads = rank_spreads(state.ranking, rated) if rated and state.ranking is not None else {}
    shapes, rows = [], []
    people = state.stored.members.all() if students else {}
    for line in lines:
        spread = spreads.get(line.rated)
        shape = line._asdict() | (spread or NO_SPREAD)._asdict()
        cells = [round(cell) if isinstance(cell, float) else cell for cell in line]
        # An author without a token has no members, and keeps its line.
        for name in [one.name for one in people.get(line.author, [])] or [""]:
            shapes.append({"student": name, **shape} if students else shape)
            rows.append([*([name] if students else []), *cells, *spread_cells(spread)])
    columns = [*(["student"] if students else []), *Grade._fields, *RankSpread._fields]
    # A list of names is too wide for people.
    narrow = [["" if cell is None else cell for cell in row[:-1]] for row in rows]
    texts = [place for place, name in enumerate(columns[:-1]) if name in TEXTS]
    print_as(style, shapes, (columns, rows), (columns[:-1], narrow), left=texts)


def _grades(state: SeasonState) -> list[Grade]:
    """Load the grades of all authors, or without authors of the players of the file."""
    authors = {author.name: author for author in state.stored.authors.all() if not author.organiser}
    names = set(authors)
    roles: Mapping[str, Any] = state.players
    rungs = {rated for rated, role in roles.items() if role == "rung"}
    if not rungs and names:
        rungs = {rated for rated, role in roles.items() if not role and registered_name(rated) not in names}
    names = names or {registered_name(rated) for rated, role in roles.items() if not role}
    found = grades(figures.standings(state, official=False), names, rungs, roles.keys())
    return [
        line if line.elo is not None or line.note else line._replace(note=_unrated(authors.get(line.author)))
        for line in found
    ]


def _unrated(author: Author | None) -> str:
    """Return why an author has no rating, and so the mark 0."""
    if author is None or author.active is not None:
        return "not rated yet"
    return "no accepted version" if author.versions else "sent nothing"
