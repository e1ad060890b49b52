"""Rows of CSV as columns of stripped cells, checked together; a bad row is reported with its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import eq, itemgetter

from rating.errors import MalformedGame
from rating.reading.gathering import OUTCOMES, GameColumns
from rating.text import unescape_csv_cell

# Maximum cells cached as clean: 10 MB.
_MOST_KEPT = 50_000


def good_games(
    batch: Sequence[Sequence[str]],
    before: int,
    place: dict[str, int],
    clean: set[str],
    file: str,
    heading: list[str],
) -> Iterator[GameColumns | MalformedGame]:
    """Yield the games of the rows after line `before`; `place` maps each column to its cell.

    Empty rows are skipped, and so are rows that repeat the `heading`, as in joined files.
    """
    columns = [_column(batch, place.get(name), clean) for name in GameColumns._fields]
    games = GameColumns(*(cells for cells, _ in columns))
    white, black, result, rounds, tables = (different for _, different in columns[:5])
    if (
        "" in white
        or "" in black
        or any(map(eq, games.white, games.black))
        or not OUTCOMES.keys() >= result
        or not all(map(is_whole_number, rounds | tables))
    ):
        lines = last_lines(batch, before)
        faulty = {k: fault for k, fault in enumerate(map(_row_problem, *games[:5])) if fault}
        yield from (
            MalformedGame(file, lines[k], fault)
            for k, fault in faulty.items()
            if any(map(clean_cell, batch[k])) and not (heading and clean_heading(batch[k]) == heading)
        )
        games = GameColumns(*([cell for k, cell in enumerate(column) if k not in faulty] for column in games))
    yield games


def _column(rows: Sequence[Sequence[str]], at: int | None, clean: set[str]) -> tuple[Sequence[str], set[str]]:
    """Return cell `at` of each row, empty in shorter rows, and the set of different cells.

    Cells repeat, and few need cleaning: `clean` caches those that do not.
    """
    if at is None:
        return ("",) * len(rows), {""}
    try:
        cells = list(map(itemgetter(at), rows))
    except IndexError:
        cells = [row[at] if at < len(row) else "" for row in rows]
    different = set(cells)
    new = different - clean
    cleaned = {cell: text for cell in new if (text := clean_cell(cell)) != cell}
    if len(clean) < _MOST_KEPT:
        clean |= new - cleaned.keys()
    if cleaned:
        cells = [cleaned.get(cell, cell) for cell in cells]
        different = set(cells)
    return cells, different


def clean_cell(cell: str) -> str:
    """Return a cell stripped, without the apostrophe before what a spreadsheet would compute."""
    return unescape_csv_cell(cell.strip()).strip()


def clean_heading(row: Sequence[str]) -> list[str]:
    return [clean_cell(cell).lower() for cell in row]


def last_lines(rows: Iterable[Sequence[str]], before: int) -> list[int]:
    """Return the line on which each row ends; the first row begins after line `before`."""
    return list(accumulate((1 + sum(cell.count("\n") for cell in row) for row in rows), initial=before))[1:]


def is_whole_number(text: str) -> bool:
    """True for an empty text, and for at most 15 decimal digits."""
    return not text or (text.isdecimal() and len(text) <= 15)


def _row_problem(white: str, black: str, result: str, number: str, table: str) -> str:
    """Return what is wrong with a row's cells, or ""."""
    for name, text in (("white", white), ("black", black), ("result", result)):
        if not text:
            return f"the row has no {name}: give white,black,result[,round[,table]]"
    if result not in OUTCOMES:
        return f"expected 1-0, 0-1 or 1/2-1/2, got {result!r}"
    if white == black:
        return f"{white} plays against itself"
    for name, text in (("round", number), ("table", table)):
        if not is_whole_number(text):
            return f"{name} {text!r}: give a whole number or nothing"
    return ""
