"""What people see: tables on stdout, notes and progress on stderr."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from arbiter.text import csv_cell, markdown, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

GAP = "   "
"""Between the columns of a table."""


@contextmanager
def even_unread() -> Iterator[None]:
    """Print what is said in here; if nobody reads any more, go on to the exit code all the same."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(text: str) -> None:
    """Text on stdout; what comes from bots and files cannot steer the reader's terminal."""
    click.echo(printable(text))


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    click.echo(json.dumps(value, indent=2))


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], title: str = "", left: Sequence[int] = (0,)
) -> None:
    """A table on stdout; the columns numbered in `left` are text, the others figures."""
    # Not a table of rich, which takes as long to load as all else that shows a match.
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


def _one_line(cell: str) -> str:
    return printable(cell).replace("\n", " ").expandtabs()


def print_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Comma-separated lines on stdout, with a heading; an empty cell where there is no value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(csv_cell, row) for row in rows)
    click.echo(text.getvalue(), nl=False)


def print_markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A Markdown table on stdout; the columns are headings of ours."""
    lines = [columns, ["---"] * len(columns), *(map(markdown, row) for row in rows)]
    for line in lines:
        click.echo("| " + " | ".join(line) + " |")


def note(text: str) -> None:
    """One line on stderr."""
    tell(f"arbiter: {text}")


def tell(line: str) -> None:
    """One line on stderr; if nobody reads there any more, the work goes on."""
    with suppress(OSError):
        click.echo(printable(line), err=True)


def counted(many: int, what: str) -> str:
    """``1 round``, ``2 rounds``, ``3 matches``."""
    return f"{many} {what}" + ("" if many == 1 else "es" if what.endswith("ch") else "s")


def number(value: float | None, digits: int = 0) -> str:
    """A figure, or a dash where there is none."""
    return "-" if value is None else f"{value:.{digits}f}"


def faults_text(faults: dict[str, int]) -> str:
    """``crash 4, timeout 1``."""
    return ", ".join(f"{kind} {count}" for kind, count in faults.items())


STANDINGS = [
    "rank",
    "player",
    "elo",
    "low",
    "high",
    "matches",
    "results",
    "wins",
    "draws",
    "losses",
    "points",
]


def show_standings(standings: dict[str, Any], style: str) -> None:
    """Standings in the style asked for."""
    if style == "json":
        print_json(standings)
    elif style == "csv":
        rows = [[row[key] for key in STANDINGS] for row in standings["players"]]
        print_csv(STANDINGS, rows)
    elif style == "markdown":
        print_markdown(*standings_table(standings))
    else:
        print_standings(standings)


def standings_table(standings: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Headings and rows as people read them."""
    columns = ["#", "player", "Elo", "±", "matches", "points", "won", "drawn", "lost", "faults"]
    rows = [
        [
            str(row["rank"]),
            row["player"],
            number(row["elo"]),
            number(None if row["elo"] is None else (row["high"] - row["low"]) / 2),
            str(row["matches"]),
            number(row["points"]),
            str(row["wins"]),
            str(row["draws"]),
            str(row["losses"]),
            faults_text(row["faults"]),
        ]
        for row in standings["players"]
    ]
    return columns, rows


def print_standings(standings: dict[str, Any]) -> None:
    """Standings as a table, with what a reader must know below it."""
    rounds = standings["rounds_played"]
    columns, rows = standings_table(standings)
    title = f"{standings['season']}: {standings['game']}, {counted(rounds, 'round')} played"
    print_table(columns, rows, title, left=(1, 9))
    kind = standings["intervals"]
    click.echo(f"95 % intervals by {kind}; drawelo {standings['drawelo']:.1f}")
    for warning in standings["warnings"]:
        say(f"note: {warning}")


HISTORY = ["round", "rank", "player", "elo", "low", "high"]
SHOWN_ROUNDS = 10


def show_history(season: str, rounds: Sequence[dict[str, Any]], style: str) -> None:
    """Standings after each round: every figure for programs, some ten rounds for people."""
    rows = [
        {"round": standings["rounds_played"], **{key: row[key] for key in HISTORY[1:]}}
        for standings in rounds
        for row in standings["players"]
    ]
    if style == "json":
        print_json({"season": season, "history": rows})
    elif style == "csv":
        print_csv(HISTORY, [list(row.values()) for row in rows])
    elif rounds:
        last = len(rounds)
        shown = sorted({1 + (last - 1) * k // max(SHOWN_ROUNDS - 1, 1) for k in range(SHOWN_ROUNDS)})
        elo = {(row["round"], row["player"]): row["elo"] for row in rows}
        names = [row["player"] for row in rounds[-1]["players"]]
        columns = ["player", *(f"round {after}" for after in shown)]
        table = [[name, *(number(elo.get((after, name))) for after in shown)] for name in names]
        if style == "markdown":
            print_markdown(columns, table)
        else:
            print_table(columns, table, f"{season}: Elo after each round")
