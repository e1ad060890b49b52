"""Output for people: tables on stdout, notes and progress on stderr."""

from __future__ import annotations

import csv
import json
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from arbiter.text import counted, csv_cell, markdown, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from arbiter.match.record import MatchSummary

Table: TypeAlias = "tuple[Sequence[str], Sequence[Sequence[Any]]]"
GAP = "   "
"""Between the columns of a table."""


@contextmanager
def even_unread() -> Iterator[None]:
    """Print in this block; if the reader of stdout went away, go on, so that the exit code is right."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(text: str) -> None:
    """Print text on stdout; control characters from bots and files do not reach the terminal."""
    click.echo(printable(text))


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2))


def print_result(style: str, shape: Any, print_text: Callable[[], object]) -> None:
    """Print `shape` as JSON, or for people by `print_text`; a reader who went away changes no exit code."""
    with even_unread():
        if style == "json":
            print_json(shape)
        else:
            print_text()


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "", left: Sequence[int] = (0,)
) -> None:
    """Print a table on stdout; the columns numbered in `left` are text, the others figures."""
    # Not a table of rich: to import it takes as long as everything else that shows a match.
    from rich.cells import cell_len

    lines = [list(columns), *(list(map(_one_line, row)) for row in rows)]
    widths = [max(map(cell_len, cells)) for cells in zip(*lines, strict=True)]
    text = []
    for line in lines:
        cells = []
        for number, (cell, width) in enumerate(zip(line, widths, strict=True)):
            words = cell.rstrip()
            blank = " " * (width - cell_len(words))
            cells.append(words + blank if number in left else blank + words)
        text.append(f" {GAP.join(cells)}".rstrip())
    text.insert(1, " " + "─" * (sum(widths) + len(GAP) * (len(widths) - 1)))
    if title:
        say(title)
    click.echo("\n".join(["", *text, ""]))


def _one_line(cell: object) -> str:
    return printable(str(cell)).replace("\n", " ").expandtabs()


def print_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print comma-separated lines with a heading on stdout; a cell without a value is empty."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(csv_cell, row) for row in rows)


def print_markdown(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a Markdown table on stdout; the headings are ours, so they are not escaped."""
    lines = [columns, ["---"] * len(columns), *([markdown(str(cell)) for cell in row] for row in rows)]
    for line in lines:
        click.echo("| " + " | ".join(line) + " |")


def note(text: str) -> None:
    tell(f"arbiter: {text}")


def tell(line: str) -> None:
    """Print a line on stderr; if its reader went away, the work goes on."""
    with suppress(OSError):
        # Not by click, which would write into a bar that moves there.
        print(printable(line), file=sys.stderr, flush=True)


def result_text(match: MatchSummary) -> str:
    """``greedy 12, random 3``, or who forfeits and why; a substitute is marked."""
    players = seat_names(match)
    if match.faulty is not None:
        return f"{players[match.faulty]} forfeits ({match.fault}): {match.detail}"
    return ", ".join(f"{player} {point}" for player, point in zip(players, match.points or (), strict=True))


def seat_names(match: MatchSummary) -> list[str]:
    """The players by seat, a substitute with the mark ``(substitute)``."""
    names = enumerate(match.players)
    return [f"{name} (substitute)" if seat == match.substitute else name for seat, name in names]


def suspended_line(players: int) -> str:
    """``7 players are suspended (arbiter status names them)``."""
    verb, them = ("is", "it") if players == 1 else ("are", "them")
    return f"{counted(players, 'player')} {verb} suspended (arbiter status names {them})"


def duration(seconds: float) -> str:
    """Seconds for people: ``260 ms``, ``1.9 s``, ``4 min 5 s``, ``27 h``, ``3 d 4 h``."""
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


def moment_text(moment: datetime) -> str:
    """A moment by this machine's clock: ``2026-12-01 18:00:00``."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"


def print_as(
    style: str, shape: Any, figures: Table, table: Table, title: str = "", left: Sequence[int] = (0,)
) -> None:
    """Print one thing in the style asked for: `shape` as JSON, `figures` as CSV, `table` for people."""
    if style == "json":
        print_json(shape)
    elif style == "csv":
        print_csv(*figures)
    elif style == "markdown":
        print_markdown(*table)
    else:
        print_table(*table, title, left)
