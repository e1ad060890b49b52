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
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from rating.errors import MalformedGame, ResultError
from rating.matches import Match
from rating.reading.csv_cells import clean_cell, clean_heading, good_games, last_lines
from rating.reading.gathering import SEED, GameColumns, NumberedGames
from rating.reading.plain_csv import PlainCsv

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


def read_csv(
    pieces: Iterable[str], file: str, line: int = 1
) -> Iterator[GameColumns | NumberedGames | MalformedGame]:
    """Yield the results and the malformed rows in the `pieces` of a CSV file, each of whole lines.

    Games and problems are each in the file's order; `file` is its name in problems, `line` its first line. A
    row with an unclosed quote is malformed, and reading continues after its first line.
    """
    reader = _CsvReader(file, line - 1)
    first = next(pieces := iter(pieces), "")
    heading = first[: first.find("\n") + 1]
    pieces = chain([heading, first[len(heading) :]], pieces)
    for piece in pieces:
        if (games := reader.number_games(piece)) is not None:
            yield games
            continue
        more = 1
        while piece:
            piece = yield from reader.read_rows(piece)
            if piece:
                # Twice as many pieces each time, since an open row is read again from its start.
                following = list(islice(pieces, more))
                more *= 2
                if not following:
                    yield from reader.read_rows(piece, is_last=True)
                    break
                piece += "".join(following)


class _CsvReader:
    """Reads texts of whole lines after line `line` of the file, whose first row may be a heading."""

    def __init__(self, file: str, line: int) -> None:
        self._file, self._line = file, line
        self._place: dict[str, int] | None = None
        self._heading: list[str] = []
        self._clean: set[str] = set()
        self._plain: PlainCsv | None = None

    def number_games(self, text: str) -> NumberedGames | None:
        """Return all games of a text at once if its rows are plain and good, behind the first row."""
        games = None if self._plain is None else self._plain.number_games(text)
        if games is not None:
            self._line += games.white.size
        return games

    def read_rows(
        self, text: str, *, is_last: bool = False
    ) -> Generator[GameColumns | MalformedGame, None, str]:
        """Yield games and problems row by row; unless it `is_last`, return the rest from an open quote on."""
        taken = iter(io.StringIO(text))  # only a line feed ends a line, as in a binary file
        rows = csv.reader(taken, strict=True)
        offset = read = 0  # the lines before those of `rows`, and those taken from `taken`
        lines: list[str] = []
        rest, ended = "", False
        while not ended:
            batch: list[Sequence[str]] = []
            before = offset + rows.line_num
            broken: MalformedGame | None = None
            try:
                # Rows read before an error stay in the batch.
                batch.extend(islice(rows, _BATCH))
                ended = len(batch) < _BATCH
            except csv.Error as error:
                lines = lines or list(io.StringIO(text))
                first = (last_lines(batch, before) or [before])[-1]
                after, said = offset + rows.line_num, str(error)
                if ended := not is_last and said == "unexpected end of data":
                    rest = "".join(lines[first:])
                else:
                    if after > first + 1:
                        said = "a quote opened here is not closed"
                        read = max(read, after)
                        rows = csv.reader(chain(lines[first + 1 : read], taken), strict=True)
                        offset = first + 1
                    broken = MalformedGame(self._file, self._line + first + 1, f"not CSV: {said}")
            if self._place is None:
                before = self._find_heading(batch, before)
            if self._place is not None:
                yield from good_games(
                    batch, self._line + before, self._place, self._clean, self._file, self._heading
                )
            if broken is not None:
                yield broken
        self._line += offset + rows.line_num if not rest else first
        return rest

    def _find_heading(self, batch: list[Sequence[str]], before: int) -> int:
        """Set the place of each column by the first row that is not empty.

        Delete it from the batch if it is a heading; return the line before the next one.
        """
        start = next((k for k, row in enumerate(batch) if any(map(clean_cell, row))), None)
        if start is None:
            return before
        heading = clean_heading(batch[start])
        if {"white", "black", "result"} <= set(heading):
            self._place = {name: heading.index(name) for name in GameColumns._fields if name in heading}
            self._heading = heading
            before = last_lines(batch[: start + 1], before)[-1]
            del batch[: start + 1]
        else:
            self._place = {name: k for k, name in enumerate(GameColumns._fields[:5])}
        self._plain = PlainCsv(self._place)
        return before


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
