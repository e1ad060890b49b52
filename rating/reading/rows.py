"""CSV of results: `white,black,result[,round[,table]]`, result `1-0`, `0-1` or `1/2-1/2`.

A first row that names white, black and result sets the order of the columns; it may name round, table, match
and event, and columns of other names are skipped. The apostrophe before a cell that a spreadsheet would
compute is removed (`rating.text`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, islice
from operator import eq

from rating.errors import Problem
from rating.reading.games import OUTCOMES, Games
from rating.text import from_csv_cell

__all__ = ["read_csv"]

# Rows checked together: they stay in the processor's cache, which halves the time of a row.
_BATCH = 1024


def read_csv(pieces: Iterable[str], file: str) -> Iterator[Games | Problem]:
    """The results in the `pieces` of a CSV file, each of whole lines, and the malformed rows.

    Games and problems are each in the file's order; `file` names it in problems.
    """
    # Lines end with a line feed alone, as those of a binary file do.
    rows = csv.reader(chain.from_iterable(map(io.StringIO, pieces)), strict=True)
    place: dict[str, int] | None = None
    ended = False
    while not ended:
        batch: list[Sequence[str]] = []
        before = rows.line_num
        broken: Problem | None = None
        try:
            # Rows that were read before an error stay in the batch.
            batch.extend(islice(rows, _BATCH))
            ended = len(batch) < _BATCH
        except csv.Error as error:
            broken = Problem(file, rows.line_num, f"not CSV: {error}")
        if place is None:
            first = next((k for k, row in enumerate(batch) if any(map(_clean, row))), None)
            if first is not None:
                heading = [_clean(cell).lower() for cell in batch[first]]
                place = {name: k for k, name in enumerate(Games._fields[:5])}
                if {"white", "black", "result"} <= set(heading):
                    place = {name: heading.index(name) for name in Games._fields if name in heading}
                    before = _last_lines(batch[: first + 1], before)[-1]
                    del batch[: first + 1]
        if place is not None:
            yield from _games(batch, before, place, file)
        if broken is not None:
            yield broken


def _last_lines(rows: Iterable[Sequence[str]], before: int) -> list[int]:
    """The line on which each row ends, the first beginning after line `before`."""
    return list(accumulate((1 + sum(cell.count("\n") for cell in row) for row in rows), initial=before))[1:]


@lru_cache(maxsize=50_000)
def _clean(cell: str) -> str:
    return from_csv_cell(cell.strip()).strip()


def _games(
    batch: Sequence[Sequence[str]], before: int, place: dict[str, int], file: str
) -> Iterator[Games | Problem]:
    """The games of the rows after line `before`; `place` gives each column's cell. Empty rows are skipped."""
    games = Games(*_columns(batch, place))
    if not (
        all(games.white)
        and all(games.black)
        and not any(map(eq, games.white, games.black))
        and OUTCOMES.keys() >= set(games.result)
        and all(map(_is_whole, {*games.round, *games.table}))
    ):
        lines = _last_lines(batch, before)
        faulty = {k: fault for k, fault in enumerate(map(_fault, *games[:5])) if fault}
        yield from (
            Problem(file, lines[k], fault) for k, fault in faulty.items() if any(map(_clean, batch[k]))
        )
        games = Games(*([cell for k, cell in enumerate(column) if k not in faulty] for column in games))
    yield games


def _columns(rows: Sequence[Sequence[str]], place: dict[str, int]) -> Iterator[Sequence[str]]:
    """The columns of Games; rows may be short or long."""
    try:
        columns = dict(enumerate(zip(*rows, strict=True)))
    except ValueError:
        columns = {at: tuple(row[at] if at < len(row) else "" for row in rows) for at in place.values()}
    for name in Games._fields:
        if name not in place:
            yield ("",) * len(rows)
            continue
        cells = columns.get(place[name]) or ("",) * len(rows)
        # Cells repeat, and few need cleaning.
        cleaned = {cell: text for cell in set(cells) if (text := _clean(cell)) != cell}
        yield tuple(cleaned.get(cell, cell) for cell in cells) if cleaned else cells


def _is_whole(text: str) -> bool:
    return not text or (text.isdecimal() and len(text) <= 15)


def _fault(white: str, black: str, result: str, number: str, table: str) -> str:
    """The fault of a row, empty if it has none."""
    for name, text in (("white", white), ("black", black), ("result", result)):
        if not text:
            return f"the row has no {name}: give white,black,result[,round[,table]]"
    if result not in OUTCOMES:
        return f"{result!r} is no result: write 1-0, 0-1 or 1/2-1/2"
    if white == black:
        return f"{white} plays against itself"
    for name, text in (("round", number), ("table", table)):
        if not _is_whole(text):
            return f"{name} {text!r}: give a whole number or nothing"
    return ""
