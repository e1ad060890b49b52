"""Output for people: tables on stdout, notes and progress on stderr."""

from __future__ import annotations

import csv
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

import click

from arbiter.text import counted, csv_cell, json_text, markdown, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from arbiter.match.record import MatchSummary
    from arbiter.season.administration import RankChange

Table: TypeAlias = "tuple[Sequence[str], Sequence[Sequence[Any]]]"
GAP = "   "
"""Between two columns of a table."""
NO_CHANGE = "no rank, rating or points changed"


def change_rows(moved: Iterable[RankChange]) -> list[list[str]]:
    """Return a row of player, rank, Elo and points, each ``before -> now``, for each visible change."""
    # Imported here: most commands print no change.
    from arbiter.season.administration import shown_change

    rows = []
    for row in moved:
        before, now = shown_change(row)
        if before != now:
            rows.append([row["player"], *(f"{old} -> {new}" for old, new in zip(before, now, strict=True))])
    return rows


@contextmanager
def ignore_closed_stdout() -> Iterator[None]:
    """Ignore a closed stdout in this block, so that the exit code stays right."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(text: str) -> None:
    """Print text on stdout, with control characters from bots and files escaped."""
    click.echo(printable(text))


def print_json(value: Any) -> None:
    click.echo(json_text(value), nl=False)


def print_result(style: str, shape: Any, print_text: Callable[[], object]) -> None:
    """Print `shape` as JSON, or call `print_text`; a closed stdout does not change the exit code."""
    with ignore_closed_stdout():
        if style == "json":
            print_json(shape)
        else:
            print_text()


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "", left: Sequence[int] = (0,)
) -> None:
    """Print a table on stdout; the columns in `left` are aligned left, the others right."""
    # Not with rich.table: its import takes as long as the rest of `show`.
    from rich.cells import cell_len

    lines = [list(columns), *(list(map(_one_line, row)) for row in rows)]
    widths = [max(map(cell_len, cells)) for cells in zip(*lines, strict=True)]
    text = []
    for line in lines:
        cells = []
        for column, (cell, width) in enumerate(zip(line, widths, strict=True)):
            words = cell.rstrip()
            blank = " " * (width - cell_len(words))
            cells.append(words + blank if column in left else blank + words)
        text.append(f" {GAP.join(cells)}".rstrip())
    text.insert(1, " " + "─" * (sum(widths) + len(GAP) * (len(widths) - 1)))
    if title:
        say(title)
    click.echo("\n".join(["", *text, ""]))


def _one_line(cell: object) -> str:
    return printable(str(cell)).replace("\n", " ").expandtabs()


def print_csv(columns: Sequence[str], rows: Iterable[Sequence[object]], file: TextIO | None = None) -> None:
    """Print CSV with a heading to a file, by default stdout; None is an empty cell."""
    writer = csv.writer(file or sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(csv_cell, row) for row in rows)


def print_markdown(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a Markdown table on stdout, with escaped cells."""
    lines = [columns, ["---"] * len(columns), *([markdown(str(cell)) for cell in row] for row in rows)]
    for line in lines:
        click.echo("| " + " | ".join(line) + " |")


def note(text: str) -> None:
    """Print ``arbiter: TEXT`` on stderr."""
    print_stderr_line(f"arbiter: {text}")


def print_stderr_line(line: str) -> None:
    """Print a line on stderr; a closed stderr is ignored."""
    with suppress(OSError):
        # Not with click.echo, which would write into a progress bar.
        print(printable(line), file=sys.stderr, flush=True)


def result_text(match: MatchSummary) -> str:
    """``greedy 12, random 3``, or the forfeit; a substitute is marked."""
    players = seat_names(match)
    if match.faulty is not None:
        return f"{players[match.faulty]} forfeits ({match.fault}): {match.detail}"
    return ", ".join(f"{player} {point}" for player, point in zip(players, match.points or (), strict=True))


def seat_names(match: MatchSummary) -> list[str]:
    """Return the players by seat, a substitute marked ``(substitute)``."""
    names = enumerate(match.players)
    return [f"{name} (substitute)" if seat == match.substitute else name for seat, name in names]


def suspended_line(players: int) -> str:
    """``7 players are suspended (arbiter status names them)``."""
    verb, them = ("is", "it") if players == 1 else ("are", "them")
    return f"{counted(players, 'player')} {verb} suspended (arbiter status names {them})"


def duration_text(seconds: float) -> str:
    """Format seconds: ``260 ms``, ``1.9 s``, ``4 min 5 s``, ``27 h``, ``3 d 4 h``."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds % 1 and seconds < 10 else f"{seconds:.0f} s"
    for size, unit, less, part in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        whole = round(seconds / less)
        if whole * less >= size:
            big, small = divmod(whole, size // less)
            return f"{big} {unit}" + (f" {small} {part}" if small else "")
    raise AssertionError("a minute or more has a unit")


def time_text(moment: datetime) -> str:
    """Format a time in the local time zone: ``2026-12-01 18:00:00``."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"


def print_as(
    style: str, shape: Any, figures: Table, table: Table, title: str = "", left: Sequence[int] = (0,)
) -> None:
    """Print `shape` as JSON, `figures` as CSV, or `table` as Markdown or text, by `style`."""
    if style == "json":
        print_json(shape)
    elif style == "csv":
        print_csv(*figures)
    elif style == "markdown":
        print_markdown(*table)
    else:
        print_table(*table, title, left)
