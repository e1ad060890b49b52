"""Files of results in, a PairTable out: PGN, CSV and match records, of any size, several at once.

The form of a file is known by its ending (.pgn, .csv, .jsonl, .ndjson, .json), else by its first character:
`[`, `%` and `;` are PGN, `{` is JSON lines, anything else CSV. `-` is the standard input. Text is UTF-8, and
a line that is not is taken as Latin-1, as old PGN files are.

Rounds and tables keep their numbers. Rounds of several events (or seasons) are different rounds though they
bear the same number: those of the first event keep theirs, the others are moved on.
"""

from __future__ import annotations

import io
import re
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np

from rating.crosstable import PairTable
from rating.errors import OptionError, Problem, ReadError
from rating.matches import FaultRule, Ints, Match, expand
from rating.reading.pgn import Game, read_pgn
from rating.reading.records import read_csv, read_jsonl

__all__ = ["Form", "Reading", "read_results"]

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
# Matches that are expanded together.
_BATCH = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What files hold: the table, the matches where the files have them (`None` where not), the malformed
    games that were left out, and whether any match told its points.
    """

    table: PairTable
    matches: tuple[Match, ...] | None
    problems: tuple[Problem, ...]
    pointed: bool


def read_results(
    files: Sequence[str | Path],
    *,
    form: Form | None = None,
    skip_bad: bool = False,
    faults: FaultRule = "seed",
    stdin: BinaryIO | None = None,
) -> Reading:
    """The results of `files` together, players in the order in which they appear.

    `form` says what they are if their names do not; `faults` is as for `PairTable.from_matches`; `-` is read
    from `stdin`. Raises ReadError for a file that cannot be read and, unless `skip_bad`, if any game is
    malformed: with all problems, each with its line. A match record whose season and id were read before is
    malformed, and a file named twice is refused.
    """
    if faults not in ("seed", "drop", "separate"):
        raise OptionError(f"faults {faults!r}: give seed, drop or separate")
    gathered = _Gathered(faults)
    read: set[str | Path] = set()
    for file in files:
        name = str(file)
        shown = "<stdin>" if name == "-" else name
        try:
            same = name if name == "-" else Path(name).resolve()
            if same in read:
                raise ReadError(f"{shown}: given twice, its results would count twice")
            read.add(same)
            with _opened(name, stdin) as stream:
                start = _start(stream)
                kind = form or _form_of(name, start)
                _refuse_others(shown, kind, start)
                _read(gathered, stream, kind, shown)
        except OSError as error:
            raise ReadError(f"{name}: {error.strerror or error}") from error
    if gathered.problems and not skip_bad:
        count = len(gathered.problems)
        what = "1 malformed game" if count == 1 else f"{count} malformed games"
        raise ReadError(f"{what}: mend, or leave out with --skip-bad", tuple(gathered.problems))
    return Reading(gathered.table(), gathered.kept_matches(), tuple(gathered.problems), gathered.pointed)


def _opened(name: str, stdin: BinaryIO | None) -> io.BufferedReader:
    if name != "-":
        return Path(name).open("rb")
    # Closing what is read must not close the process's own input.
    given = sys.stdin.buffer if stdin is None else stdin
    return io.BufferedReader(_Unclosed(given))


class _Unclosed(io.RawIOBase):
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        found = (
            self._stream.read1(len(buffer))
            if hasattr(self._stream, "read1")
            else self._stream.read(len(buffer))
        )
        buffer[: len(found)] = found
        return len(found)


def _start(stream: io.BufferedReader) -> bytes:
    """What the file begins with, a few thousand bytes, without a byte order mark of UTF-8."""
    return stream.peek(4096).removeprefix(b"\xef\xbb\xbf")


def _form_of(name: str, start: bytes) -> Form:
    if Path(name).suffix.lower() in _ENDINGS:
        return _ENDINGS[Path(name).suffix.lower()]
    first = start.lstrip()[:1]
    return "pgn" if first in (b"[", b"%", b";") else "jsonl" if first == b"{" else "csv"


def _refuse_others(name: str, form: Form, start: bytes) -> None:
    """Refuse, in one line, what is often taken for a file of results and would be malformed line by line."""
    text = start.lstrip()
    line = text.partition(b"\n")[0].strip()
    says = ""
    if start.startswith(b"\x1f\x8b"):
        says = "compressed by gzip: unpack it, as in zcat FILE | rating fit -"
    elif start.startswith((b"\xff\xfe", b"\xfe\xff")):
        says = "UTF-16: store it as UTF-8"
    elif b"\n" not in start and b"\r" in start[:-1]:
        says = "lines end with a carriage return alone: end them with a line feed"
    elif form == "jsonl":
        if line.startswith(b"[") or line == b"{":
            says = "JSON over several lines or in a list: give one record a line, as jq -c writes them"
    elif _JSON_LIST.match(text):
        says = "a list of JSON: give one record a line, as jq -c '.[]' writes them"
    elif _JSON_OBJECT.match(text):
        says = "JSON, not what its name says: name it .jsonl or give --input jsonl"
    elif form == "csv" and b"," not in line:
        for mark, spoken in ((b";", "semicolons"), (b"\t", "tabs")):
            if line.count(mark) >= 2:
                says = f"cells are parted by {spoken}: part them by commas"
    if says:
        raise ReadError(f"{name}: {says}")


def _lines(stream: BinaryIO) -> Iterator[str]:
    """Lines as text, the byte order mark of the first taken off."""
    for number, line in enumerate(stream):
        start = line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line
        try:
            yield start.decode()
        except UnicodeDecodeError:
            yield start.decode("latin-1")


def _read(gathered: _Gathered, stream: BinaryIO, form: Form, name: str) -> None:
    if form == "jsonl":
        gathered.take_matches(read_jsonl(_lines(stream), name), name)
    else:
        read = read_pgn if form == "pgn" else read_csv
        gathered.take_games(read(_lines(stream), name))


class _Gathered:
    """Results as they come in: whole numbers in arrays, names once."""

    def __init__(self, faults: FaultRule) -> None:
        self._faults = faults
        self._index: dict[str, int] = {}
        self._events: dict[str, int] = {}
        self._named: dict[str, int] = {}
        self._columns = {name: array("q") for name in _COLUMNS}
        self._next_match = 0
        self._played, self._faulted, self._points = array("q"), array("q"), array("d")
        self._seen: set[tuple[int, int]] = set()
        self._known: dict[str, set[str]] = {}
        self._matches: list[Match] = []
        self._games_alone = False
        self.problems: list[Problem] = []
        self.pointed = False

    def take_games(self, games: Iterable[Game | Problem]) -> None:
        """Results of PGN and CSV; each is a match of its own unless it names its match."""
        first, second, outcome, rounds, tables, matches, events = self._columns.values()
        for game in games:
            if isinstance(game, Problem):
                self.problems.append(game)
                continue
            self._games_alone = True
            white, black = self._player(game.white), self._player(game.black)
            number = self._next_match
            if game.match:
                number = self._named.setdefault(f"{game.event} {game.match}", number)
            self._next_match = max(self._next_match, number + 1)
            for player in (white, black):
                if not game.match or (number, player) not in self._seen:
                    self._played[player] += 1
                    if game.match:
                        self._seen.add((number, player))
            first.append(white)
            second.append(black)
            outcome.append(game.outcome)
            rounds.append(game.round)
            tables.append(game.table)
            matches.append(number)
            events.append(self._events.setdefault(game.event, len(self._events)))

    def take_matches(self, found: Iterable[tuple[Match, str, int] | Problem], file: str) -> None:
        """Match records, expanded by the thousand; one that names itself counts once."""
        batch: list[Match] = []
        events: list[int] = []
        for item in found:
            if isinstance(item, Problem):
                self.problems.append(item)
                continue
            match, season, line = item
            if match.id is not None:
                known = self._known.setdefault(season, set())
                if match.id in known:
                    where = f" of season {season}" if season else ""
                    self.problems.append(Problem(file, line, f"match {match.id}{where} is given twice"))
                    continue
                known.add(match.id)
            batch.append(match)
            events.append(self._events.setdefault(season, len(self._events)))
            if len(batch) == _BATCH:
                self._expand(batch, events)
                batch, events = [], []
        self._expand(batch, events)

    def _expand(self, batch: list[Match], events: list[int]) -> None:
        for match in batch:
            for name in match.players:
                self._player(name)
        new = expand(batch, self._index, self._faults)
        event = np.array(events, np.int64)[new.match] if batch else new.match
        parts = (
            new.first,
            new.second,
            new.outcome,
            new.round,
            new.table,
            new.match + self._next_match,
            event,
        )
        for column, part in zip(self._columns.values(), parts, strict=True):
            column.frombytes(part.astype(np.int64).tobytes())
        self._next_match += len(batch)
        self._matches += batch
        self.pointed |= any(match.points is not None for match in batch)
        for total, more in (
            (self._played, new.played),
            (self._points, new.points),
            (self._faulted, new.faults),
        ):
            for k in np.flatnonzero(more).tolist():
                total[k] += more[k].item()

    def _player(self, name: str) -> int:
        number = self._index.get(name)
        if number is None:
            number = self._index[name] = len(self._index)
            self._played.append(0)
            self._faulted.append(0)
            self._points.append(0.0)
        return number

    def kept_matches(self) -> tuple[Match, ...] | None:
        """The matches, if all results come from matches."""
        return None if self._games_alone else tuple(self._matches)

    def table(self) -> PairTable:
        """All results so far."""
        column = {name: _ints(values) for name, values in self._columns.items()}
        rounds, events = column["round"], column.pop("event")
        if len(self._events) > 1 and rounds.size:
            column["round"] = np.where(rounds < 0, rounds, rounds + events * (int(rounds.max()) + 1))
        table = PairTable.from_results(list(self._index), **column)
        played, faults = _ints(self._played), _ints(self._faulted)
        points = np.array(self._points, np.float64)
        return replace(table, played=played, points=points, faults=faults, fault_rule=self._faults, _kept={})


_COLUMNS = ("first", "second", "outcome", "round", "table", "match", "event")


def _ints(values: array[int]) -> Ints:
    return np.array(values, np.int64)
