"""Read results by line: CSV and match records.

CSV is `white,black,result[,round[,table]]`, result `1-0`, `0-1` or `1/2-1/2`. A first row that names white,
black and result sets the order of the columns; it may name round, table, match and event; other columns are
skipped. The apostrophe before a cell that a spreadsheet would compute is removed (`rating.text`).

Match records are JSON: each line, or each object from a line `{` to a line `}`, has `players` by seat and
either `points` by seat (or `places`) or a `forfeit` with its `seat`.

`sides`, `owners`, `substitute`, `round`, `table`, `season`, `seed` and `id` are optional; other keys are
ignored. Without `owners` a name such as `random#2` is a copy of `random`: both are rated, but have no result
with each other. The seat of a `substitute` has no results.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice
from operator import eq, itemgetter
from typing import Any

from rating.errors import MalformedGame, ResultError
from rating.matches import Match
from rating.reading.gathering import OUTCOMES, SEED, GameColumns
from rating.text import unescape_csv_cell

_COPY = re.compile(r"#[0-9]+$")
# JSON can escape lone surrogates, which UTF-8 cannot encode.
_HALF = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder()
_CUT = ValueError("a record is truncated, and another one follows on its line")
# Maximum starts of a record tried on a line: each try may take time linear in its length.
_MOST_TRIED = 100
_OPENING = re.compile(r'\s*\{\s*"[^"\\]*"\s*:')
# Rows checked together: they stay in the processor's cache, which halves the time per row, and are fewer than
# the 700 new lists that trigger Python's garbage collector.
_BATCH = 600
# Maximum cells cached as clean: 10 MB.
_MOST_KEPT = 50_000


def read_csv(pieces: Iterable[str], file: str, line: int = 1) -> Iterator[GameColumns | MalformedGame]:
    """Yield the results and the malformed rows in the `pieces` of a CSV file, each of whole lines.

    Games and problems are each in the file's order; `file` is its name in problems, `line` its first line. A
    row with an unclosed quote is malformed, and reading continues after its first line.
    """
    kept: list[tuple[int, list[str]]] = []  # pieces in which an open row may have begun, as lines
    offset = read = line - 1  # the lines before those of `rows`; those taken from the pieces

    def numbered() -> Iterator[Iterable[str]]:
        for piece in pieces:
            kept.append((offset + rows.line_num, [piece]))
            # Only a line feed ends a line, as in a binary file.
            yield io.StringIO(piece)

    lines = chain.from_iterable(numbered())
    rows = csv.reader(lines, strict=True)
    place: dict[str, int] | None = None
    heading: list[str] = []
    clean: set[str] = set()
    ended = False
    while not ended:
        batch: list[Sequence[str]] = []
        before = offset + rows.line_num
        while len(kept) > 1 and kept[1][0] <= before:
            del kept[0]
        broken: MalformedGame | None = None
        try:
            # Rows read before an error stay in the batch.
            batch.extend(islice(rows, _BATCH))
            ended = len(batch) < _BATCH
        except csv.Error as error:
            first = (_last_lines(batch, before) or [before])[-1] + 1
            after, said = offset + rows.line_num, str(error)
            if after > first:
                said = "a quote opened here is not closed"
                read = max(read, after)
                rows = csv.reader(chain(_lines_between(kept, first, read), lines), strict=True)
                offset = first
            broken = MalformedGame(file, first, f"not CSV: {said}")
        if place is None:
            start = next((k for k, row in enumerate(batch) if any(map(_clean_cell, row))), None)
            if start is not None:
                heading = _clean_heading(batch[start])
                place = {name: k for k, name in enumerate(GameColumns._fields[:5])}
                if {"white", "black", "result"} <= set(heading):
                    place = {name: heading.index(name) for name in GameColumns._fields if name in heading}
                    before = _last_lines(batch[: start + 1], before)[-1]
                    del batch[: start + 1]
                else:
                    heading = []
        if place is not None:
            yield from _games(batch, before, place, clean, file, heading)
        if broken is not None:
            yield broken


def _clean_heading(row: Sequence[str]) -> list[str]:
    return [_clean_cell(cell).lower() for cell in row]


def _lines_between(kept: list[tuple[int, list[str]]], first: int, last: int) -> list[str]:
    """Return the lines after line `first` up to line `last` from kept pieces, each with its offset."""
    found: list[str] = []
    for number, (before, lines) in enumerate(kept):
        if len(lines) == 1:
            lines = list(io.StringIO(lines[0]))
            kept[number] = (before, lines)
        found += lines[max(first - before, 0) : max(last - before, 0)]
    return found


def _last_lines(rows: Iterable[Sequence[str]], before: int) -> list[int]:
    """Return the line on which each row ends; the first row begins after line `before`."""
    return list(accumulate((1 + sum(cell.count("\n") for cell in row) for row in rows), initial=before))[1:]


def _clean_cell(cell: str) -> str:
    """Return a cell stripped, without the apostrophe before what a spreadsheet would compute."""
    return unescape_csv_cell(cell.strip()).strip()


def _games(
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
        or not all(map(_is_whole_number, rounds | tables))
    ):
        lines = _last_lines(batch, before)
        faulty = {k: fault for k, fault in enumerate(map(_row_problem, *games[:5])) if fault}
        yield from (
            MalformedGame(file, lines[k], fault)
            for k, fault in faulty.items()
            if any(map(_clean_cell, batch[k])) and not (heading and _clean_heading(batch[k]) == heading)
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
    cleaned = {cell: text for cell in new if (text := _clean_cell(cell)) != cell}
    if len(clean) < _MOST_KEPT:
        clean |= new - cleaned.keys()
    if cleaned:
        cells = [cleaned.get(cell, cell) for cell in cells]
        different = set(cells)
    return cells, different


def _is_whole_number(text: str) -> bool:
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
        if not _is_whole_number(text):
            return f"{name} {text!r}: give a whole number or nothing"
    return ""


def read_jsonl(
    lines: Iterable[str], file: str, line: int = 1
) -> Iterator[tuple[Match, str, int] | MalformedGame]:
    """Yield the matches of a file with the season and line of each, in order, or the problem.

    `line` is the first line. A record may span several lines, the first being `{` and the last `}`. A record
    after a truncated one on the same line is still read.
    """
    opening = ""  # the start of the file's records
    for number, text in _objects(lines, line):
        if not text.strip():
            continue
        try:
            shapes: list[Any] = [json.loads(text)]
        except ValueError as error:
            shapes = _split_records(text, opening) or [error]
        except RecursionError as error:
            shapes = [error]
        if not opening and (found := _OPENING.match(text)):
            opening = found[0].lstrip()
        for shape in shapes:
            if isinstance(shape, Exception):
                yield MalformedGame(file, number, f"not JSON: {shape}")
                continue
            try:
                match = _parse_match(shape)
                event = _text_in(shape, "season")
                if not event and (seed := _text_in(shape, "seed")):
                    event = f"{SEED}{seed}"
                yield match, event, number
            except ResultError as error:
                yield MalformedGame(file, number, str(error))


def _objects(lines: Iterable[str], first: int) -> Iterator[tuple[int, str]]:
    """Yield each line with its number; an object over several lines comes as one text with its first line."""
    start, held = 0, list[str]()
    for number, text in enumerate(lines, start=first):
        if held and text[:1].isspace() and text.strip():
            held.append(text)
            continue
        if held and text.rstrip() == "}":
            yield start, "".join([*held, text])
            held = []
            continue
        if held:
            yield start, "".join(held)
            held = []
        if text.rstrip() == "{":
            start, held = number, [text]
        else:
            yield number, text
    if held:
        yield start, "".join(held)


def _split_records(text: str, opening: str) -> list[Any]:
    """Return the records on a broken line, each from an `opening` on, and errors between; [] if none."""
    if not opening:
        found = _OPENING.match(text) or _OPENING.search(text, 1)
        opening = found[0].lstrip() if found else "\n\n"
    shapes: list[Any] = []
    behind = at = tried = 0
    while (at := text.find(opening, at)) >= 0 and tried < _MOST_TRIED:
        try:
            shape, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            shape, end = None, 0
        if not (isinstance(shape, dict) and "players" in shape):
            at, tried = at + 1, tried + 1
            continue
        shapes += [_CUT] * bool(text[behind:at].strip()) + [shape]
        behind = at = end
    return shapes + [_CUT] * bool(shapes and text[behind:].strip())


def _parse_match(record: Any) -> Match:
    """Return the match of a record; ResultError for a wrong type, a lone surrogate, or as in `Match`."""
    if not isinstance(record, dict):
        raise ResultError("not a match record: each line is a JSON object")
    players = record.get("players")
    if not (isinstance(players, list) and all(isinstance(name, str) and name for name in players)):
        raise ResultError("a match record needs players: a list of names by seat")
    if any(_HALF.search(name) for name in players):
        raise ResultError("a name contains half of a surrogate pair, which is no character")
    forfeit = record.get("forfeit")
    if forfeit is not None and not (isinstance(forfeit, dict) and _is_integer(forfeit.get("seat"))):
        raise ResultError('forfeit: expected null or an object such as {"seat": 2}')
    owners = _list_in(record, "owners", str)
    substitute = _whole_number_in(record, "substitute")
    return Match(
        players,
        _list_in(record, "points", (int, float)),
        _list_in(record, "places", (int, float)),
        None if forfeit is None else forfeit["seat"],
        _list_in(record, "sides", int),
        _whole_number_in(record, "round"),
        _whole_number_in(record, "table"),
        _text_in(record, "id") or None,
        [_COPY.sub("", name) for name in players] if owners is None else owners,
        () if substitute is None else (substitute,),
    )


def _is_integer(value: object) -> bool:
    """True for an int below 10^15 in size that is no bool."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15


def _has_type(value: object, kind: type | tuple[type, ...]) -> bool:
    """True for an instance of `kind` that is no bool; numbers must be below 10^15 in size, or NaN."""
    if not isinstance(value, kind) or isinstance(value, bool):
        return False
    return not isinstance(value, int | float) or value != value or abs(value) < 1e15


def _whole_number_in(record: dict[str, Any], name: str) -> int | None:
    """Return a key's integer, None if missing; ResultError for anything else."""
    value = record.get(name)
    if value is not None and not _is_integer(value):
        raise ResultError(f"{name} is {value!r}: give a whole number or null")
    return value


def _text_in(record: dict[str, Any], name: str) -> str:
    """Return a key's text; empty if it is missing or no text."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def _list_in(record: dict[str, Any], name: str, kind: type | tuple[type, ...]) -> list[Any] | None:
    """Return a key's list of values of `kind`, None if missing; ResultError for anything else."""
    value = record.get(name)
    if value is None:
        return None
    if not (isinstance(value, list) and all(_has_type(x, kind) for x in value)):
        raise ResultError(f"{name}: expected null or a list with one value of the right type per seat")
    return value
