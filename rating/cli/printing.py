"""Tables for people and programs: rich on a terminal, plain aligned lines in a pipe, CSV.

Nothing here knows what is printed. A column whose cells are numbers is set to the right.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Sequence

from rating.text import csv_cell, printable

Cell = str | int | float | None


def print_table(heading: Sequence[str], rows: Sequence[Sequence[str]], *, left: Sequence[int] = ()) -> None:
    """Print rows of text under a heading; columns `left` are set to the left, the others to the right."""
    heading = [printable(cell) for cell in heading]
    rows = [[printable(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, header_style="bold", pad_edge=False)
        for number, name in enumerate(heading):
            table.add_column(name, justify="left" if number in left else "right", no_wrap=True)
        for row in rows:
            # Names are names: `[b]` is not markup.
            table.add_row(*(Text(cell) for cell in row))
        # A cell that is cut short would be a wrong number: rather let the terminal wrap.
        widest = Console(width=10_000).measure(table).maximum
        Console(width=max(Console().width, widest)).print(table)
        return
    for line in align(heading, rows, left):
        print(line)


def align(heading: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int]) -> list[str]:
    """Lines whose columns line up, two blanks apart."""
    width = [max(len(row[k]) for row in (heading, *rows)) for k in range(len(heading))]
    return [
        "  ".join(
            cell.ljust(width[k]) if k in left else cell.rjust(width[k]) for k, cell in enumerate(row)
        ).rstrip()
        for row in (heading, *rows)
    ]


def csv_text(heading: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """The same as CSV (RFC 4180 but for bare line feeds); None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(map(csv_cell, row) for row in (heading, *rows))
    return text.getvalue()
