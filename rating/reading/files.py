"""Read files of results into a PairTable: PGN, CSV and match records, of any size, several at once.

The form of a file is known by its ending (.pgn, .csv, .jsonl, .ndjson, .json), else by its first character:
`[`, `%` and `;` are PGN, `{` is JSON lines, anything else CSV. `-` is standard input. Text is UTF-8; a line
that is not valid UTF-8 is read as Latin-1, as in old PGN files.

Rounds and tables keep their numbers. Rounds of several events (or seasons) are different rounds even with the
same number: those of the first event keep theirs, the others are shifted.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Literal, cast

import numpy as np

from rating.crosstable import PairTable, check_fault_rule
from rating.errors import MalformedGame, ReadError
from rating.matches import FaultRule, Match
from rating.notices import Notice, name_some
from rating.reading.gathering import ResultCollector
from rating.reading.pgn import read_pgn
from rating.reading.rows import read_csv, read_jsonl

Form = Literal["pgn", "csv", "jsonl"]

_ENDINGS: dict[str, Form] = {
    ".pgn": "pgn",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
}
_JSON_OBJECT = re.compile(rb'\{\s*"[^"\n]*"\s*:')
_JSON_LIST = re.compile(rb"\[\s*\{")
_LINE_FEED = 10
_MARK = b"\xef\xbb\xbf"
_MARKS = rb"(?:\xef\xbb\xbf)+"
_LEADING = re.compile(rb"\A" + _MARKS)
# A byte order mark is that of a joined file at the start of a line, or between a possible end of a record and
# a possible start of another. Elsewhere it is part of a name.
_LINE = rb"(?:(?<=\n)|\A)" + _MARKS + rb"|"
_JOINTS: dict[Form, re.Pattern[bytes]] = {
    "pgn": re.compile(_LINE + rb'(?<!")' + _MARKS + rb"(?=[ \t]*\[)"),
    "csv": re.compile(_LINE + rb'(?:(?<=[0-9\xbd])|(?<=[^,\n]"))' + _MARKS + rb"(?=[^,\n]+,[^,\n]*,)"),
    "jsonl": re.compile(_LINE + rb"(?<=\})" + _MARKS + rb"(?=[ \t]*\{)"),
}
# Bytes read at once: thousands of games, and small compared with the table.
_PIECE = 131_072


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The table; the matches, None unless all results come from match records; the skipped malformed games;
    `pointed` is True if any match has points; `notices` on the files.
    """

    table: PairTable
    matches: tuple[Match, ...] | None
    problems: tuple[MalformedGame, ...]
    pointed: bool
    notices: tuple[Notice, ...] = ()


def read_results(
    files: Sequence[str | Path],
    *,
    form: Form | None = None,
    skip_bad: bool = False,
    faults: FaultRule = "seed",
    stdin: BinaryIO | None = None,
) -> Reading:
    """Read the results of all `files`; players are in order of appearance.

    `form` overrides the form found by name; `faults` is as for `PairTable.from_matches`; `-` is read from
    `stdin`. Raises ReadError for a file that cannot be read or is named twice and, unless `skip_bad`, if any
    game is malformed, with all problems and their lines. A match record whose season and id were read before
    is malformed.
    """
    check_fault_rule(faults)
    gathering = ResultCollector(faults)
    read: set[str | Path] = set()
    notices: list[Notice] = []
    for file in files:
        name = str(file)
        shown = "<stdin>" if name == "-" else name
        try:
            same = name if name == "-" else Path(name).resolve()
            if same in read:
                raise ReadError(f"{shown}: given twice, its results would count twice")
            read.add(same)
            with _open(name, stdin) as stream:
                # At least 4096 bytes, or the whole file.
                start = _LEADING.sub(b"", stream.peek(4096))
                kind = form or _guess_form(name, start)
                _refuse_others(shown, kind, start)
                joints = _read_stream(gathering, stream, kind, shown)
                if joints:
                    where = name_some([f"line {line}" for line in joints])
                    text = f"{shown}: byte order mark skipped at {where}: files were joined there"
                    notices.append(Notice("joined-files", text))
        except OSError as error:
            raise ReadError(f"{name}: cannot be read: {error.strerror or error}") from error
    if gathering.problems and not skip_bad:
        count = len(gathering.problems)
        what = "1 malformed game" if count == 1 else f"{count} malformed games"
        raise ReadError(f"{what}: correct them, or use --skip-bad", tuple(gathering.problems))
    notices += [Notice("repeated-results", text) for text in gathering.repeats()]
    return Reading(
        gathering.table(),
        gathering.matches(),
        tuple(gathering.problems),
        gathering.pointed,
        tuple(notices),
    )


@contextmanager
def _open(name: str, stdin: BinaryIO | None) -> Iterator[io.BufferedReader]:
    """Open a file, or for ``-`` standard input, which stays open at the end."""
    if name != "-":
        with Path(name).open("rb") as stream:
            yield stream
        return
    stream = io.BufferedReader(cast("io.RawIOBase", sys.stdin.buffer if stdin is None else stdin))
    try:
        yield stream
    finally:
        stream.detach()  # leaves the process's input open


def _guess_form(name: str, start: bytes) -> Form:
    """Return the form by the name's ending, or else by the first character."""
    if Path(name).suffix.lower() in _ENDINGS:
        return _ENDINGS[Path(name).suffix.lower()]
    first = start.lstrip()[:1]
    return "pgn" if first in (b"[", b"%", b";") else "jsonl" if first == b"{" else "csv"


def _refuse_others(name: str, form: Form, start: bytes) -> None:
    """Raise ReadError for gzip, UTF-16, lines of bare CR, a JSON list, JSON or delimiters of another form."""
    text = start.lstrip()
    line = text.partition(b"\n")[0].strip()
    wrong = ""
    if start.startswith(b"\x1f\x8b"):
        wrong = "compressed by gzip: unpack it, as in zcat FILE | rating fit -"
    elif start.startswith((b"\xff\xfe", b"\xfe\xff")):
        wrong = "UTF-16: store it as UTF-8"
    elif b"\n" not in start and b"\r" in start[:-1]:
        wrong = "lines end with only a carriage return: end them with a line feed"
    elif form == "jsonl":
        if line.startswith(b"["):
            wrong = "a JSON list: give one record per line, as jq -c '.[]' writes them"
    elif _JSON_LIST.match(text):
        wrong = "a JSON list: give one record per line, as jq -c '.[]' writes them"
    elif _JSON_OBJECT.match(text):
        wrong = f"expected {form} by its name, got JSON: name it .jsonl or give --input jsonl"
    elif form == "csv" and b"," not in line:
        for mark, spoken in ((b";", "semicolons"), (b"\t", "tabs")):
            if line.count(mark) >= 2:
                wrong = f"cells are separated by {spoken}: separate them by commas"
    if wrong:
        raise ReadError(f"{name}: {wrong}")


class _Parts:
    """A stream split into the files joined in it, at byte order marks where a record may begin.

    `line` is the first of the next part, None at the end; `joints` are the lines of the marks.
    """

    def __init__(self, stream: BinaryIO, form: Form) -> None:
        self._stream, self._joint = stream, _JOINTS[form]
        self._rest = _LEADING.sub(b"", self._read_piece())
        self.line: int | None = 1
        self.joints: list[int] = []

    def pieces(self) -> Iterator[str]:
        """Yield the next part as text in pieces of whole lines, the last up to a mark; then `line` is set."""
        at, self.line = self.line or 1, None
        while data := self._rest or self._read_piece():
            # Most text is ASCII, which is tested fast.
            found = None if data.isascii() or _MARK not in data else self._joint.search(data)
            data, self._rest = (data[: found.start()], data[found.end() :]) if found else (data, b"")
            at += int(np.count_nonzero(np.frombuffer(data, np.uint8) == _LINE_FEED))
            if data:
                yield _decode_text(data)
            if found:
                self.line = at
                self.joints.append(at)
                return

    def _read_piece(self) -> bytes:
        """Read `_PIECE` bytes and the rest of the last line; nothing at the end."""
        data = self._stream.read(_PIECE)
        return data + self._stream.readline() if data else b""


def _decode_text(data: bytes) -> str:
    """Return the text of UTF-8; if it is not all valid, each invalid line is read as Latin-1."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "".join(map(_decode_line, io.BytesIO(data)))


def _decode_line(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _read_stream(gathering: ResultCollector, stream: BinaryIO, form: Form, name: str) -> list[int]:
    """Read a stream; return the lines at which files were joined by a byte order mark."""
    parts = _Parts(stream, form)
    while (line := parts.line) is not None:
        gathering.begin_source(name, line)
        if form == "jsonl":
            lines = chain.from_iterable(map(io.StringIO, parts.pieces()))
            gathering.add_matches(read_jsonl(lines, name, line), name)
        else:
            read = read_pgn if form == "pgn" else read_csv
            gathering.add_games(read(parts.pieces(), name, line))
    return parts.joints
