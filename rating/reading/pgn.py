"""PGN as rating programs read it: the tags of a game say who met whom and how it ended; moves are skipped.

    [Event "Spring"]      [Round "3"]      [White "a"]      [Black "b"]      [Result "1/2-1/2"]

    1/2-1/2

White, Black and Result are required; Round, Event, Table and MatchId (the same for all games of a match) are
read where given. A game ends where tags begin again.

A game that cannot be counted is a Problem with its line, never left out silently: one of these tags is
missing or broken, a result is none of `1-0`, `0-1`, `1/2-1/2` (an unfinished game, `*`, is one), the moves
end in another result than the tag says (`*` says nothing), moves without tags, a comment never closed.
Other tags may be broken, and an Event may hold quotes that are not escaped.
Comments stand in braces or after a semicolon and may hold anything; a line that starts with % is skipped
(PGN standard of 1994, sections 5, 6 and 8).

Games are read line by line, which takes some 25 microseconds each. Most files repeat one layout: the same
tags in the same order, a line each, and moves without comments. So once two games in a row had the same
layout, one regular expression takes the next ones whole, as long as they have it too; whatever it does not
match goes line by line again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rating.errors import MalformedGame
from rating.reading.gathering import OUTCOMES, GameColumns

_TAG = re.compile(r'\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_NAME = re.compile(r"\s*\[\s*([^\W\d][^\s\"\[\]]*)\s")
_QUOTED = re.compile(r'\s*\[\s*\w+\s+"(.*)"\s*\]\s*$')
_ESCAPED = re.compile(r"\\(.)")
_ENDS = {"1-0", "0-1", "1/2-1/2", "*"}
# The tags that are read, in the order of GameColumns.
_READ = ("White", "Black", "Result", "Round", "Table", "Event", "MatchId")
# A value without escapes, with no blanks around it.
_VALUE = r'[^\s"\\](?:[^"\\\n]*[^\s"\\])?'
_MOVES = r"([^\[{;%]*)(?<=\n)(?=\[)"


def read_pgn(pieces: Iterable[str], file: str) -> Iterator[GameColumns | MalformedGame]:
    """The games in the `pieces` of a PGN file, each of whole lines, and the malformed ones.

    Games and problems are each in the file's order; `file` names it in problems.
    """
    reader = _PgnReader(file)
    for piece in pieces:
        reader.read(piece)
        yield from reader.take_found()
    reader.finish()
    yield from reader.take_found()


def _layout_pattern(layout: Iterable[str]) -> re.Pattern[str]:
    """The pattern of a whole game with exactly these tags, White, Black and Result among them.

    Its groups are the tags that are read, by name, and last the moves. Another game must follow, so that
    nothing more belongs to this one.
    """
    tags, named = "", ""
    for name in layout:
        if name in ("White", "Black"):
            differs = rf'(?!(?P={named})")' if named else ""
            value, named = f"{differs}(?P<{name}>{_VALUE})", name
        elif name == "Result":
            value = f"(?P<Result>{'|'.join(map(re.escape, OUTCOMES))})"
        elif name in _READ:
            value = f"(?P<{name}>(?:{_VALUE})?)"
        else:
            value = r'[^"\\\n]*'
        tags += rf'\[{name} "{value}"\]\r?\n'
    return re.compile(tags + _MOVES)


def _agrees(moves: str, result: str) -> bool:
    """True when the moves end where their only result is, and it is that of the tag or none."""
    end = moves.strip()
    if end in (result, "", "*"):
        return True
    ends = [words[-1] for line in moves.split("\n") if (words := line.split())]
    if not _ENDS.isdisjoint(ends[:-1]):
        return False
    return ends[-1] not in _ENDS or ends[-1] == "*" or OUTCOMES[ends[-1]] == OUTCOMES[result]


class _PgnReader:
    def __init__(self, file: str) -> None:
        self._file = file
        self._lines = 0  # read so far
        self._comment = 0  # the line where an open comment begins
        self._layout: tuple[str, ...] = ()
        self._pattern: re.Pattern[str] | None = None
        self._leading = ""  # the pattern's first tag
        self._found: list[list[str]] = [[] for _ in _READ]
        self._problems: list[MalformedGame] = []
        self._begin()

    def _begin(self) -> None:
        """A new game, its first line not met yet."""
        self._first = 0
        self._tags: dict[str, tuple[str, int]] = {}
        self._moves = False
        self._end: tuple[str, int] | None = None
        self._bad: MalformedGame | None = None

    def read(self, piece: str) -> None:
        """Read whole lines."""
        at = 0
        while at < len(piece):
            if self._pattern is not None and piece.startswith("[", at):
                at = self._read_alike(self._pattern, piece, at)
            end = piece.find("\n", at) + 1 or len(piece)
            self._lines += 1
            self._read_line(self._lines, piece[at:end])
            at = end

    def take_found(self) -> Iterator[GameColumns | MalformedGame]:
        """The games and problems found since the last call."""
        yield GameColumns(*self._found)
        yield from self._problems
        self._found, self._problems = [[] for _ in _READ], []

    def finish(self) -> None:
        """Count the game whose lines were read, if there are any."""
        if self._comment:
            self._first = self._first or self._comment
            self._fault(self._comment, "this comment is never closed: everything after it is lost")
        if self._first:
            problem = self._bad or self._check()
            if problem is not None:
                self._problems.append(problem)
            else:
                for name, column in zip(_READ, self._found, strict=True):
                    column.append(self._value(name))
                layout = tuple(self._tags)
                if layout == self._layout:
                    self._pattern, self._leading = _layout_pattern(layout), layout[0]
                self._layout = layout
        self._begin()

    def _read_alike(self, pattern: re.Pattern[str], piece: str, start: int) -> int:
        """Take the games of the known layout from `start` on; return where the first other line begins.

        None is taken while a comment, or a game that the first tag would belong to, is open.
        """
        if self._comment or (self._first and not self._moves and self._leading not in self._tags):
            return start
        games: list[tuple[str, ...]] = []
        at = last = start
        result = pattern.groupindex["Result"] - 1
        while found := pattern.match(piece, at):
            game = found.groups()
            if not _agrees(game[-1], game[result]):
                break
            games.append(game)
            last, at = at, found.end()
        if games and not games[-1][-1].strip():
            # More of its tags may follow.
            games.pop()
            at = last
        if games:
            self.finish()
            columns = dict(zip(pattern.groupindex, zip(*games, strict=True), strict=False))
            for name, column in zip(_READ, self._found, strict=True):
                cells = columns.get(name)
                if name == "Event" and cells is not None:
                    cells = tuple(cell.strip("?") for cell in cells)
                column.extend([""] * len(games) if cells is None else cells)
            self._lines += piece.count("\n", start, at)
        return at

    def _read_line(self, number: int, line: str) -> None:
        if self._comment:
            closed = line.find("}")
            if closed < 0:
                return
            self._comment = 0
            line = line[closed + 1 :]
        elif line.startswith("%"):
            return
        elif line.lstrip().startswith("["):
            if self._moves:
                self.finish()
            while found := _TAG.match(line):
                name, value = found.groups()
                if name in self._tags:
                    self.finish()
                self._first = self._first or number
                self._tags[name] = (value, number)
                line = line[found.end() :]
            if line.lstrip().startswith("["):
                self._first = self._first or number
                self._read_broken_tag(number, line)
                return
        if not line.isspace():
            self._read_moves(number, line)

    def _read_broken_tag(self, number: int, line: str) -> None:
        """A fault only where something is to be read from it."""
        named = _NAME.match(line)
        name = named.group(1) if named else ""
        if name == "Event" and (whole := _QUOTED.match(line)):
            # Quotes that were not escaped; it tells events apart all the same.
            self._tags.setdefault(name, (whole.group(1), number))
        elif not name or name in _READ:
            self._fault(number, f'{line.strip()[:40]!r} is no tag: write [Name "value"]')

    def _read_moves(self, number: int, line: str) -> None:
        if "{" in line or ";" in line:
            line = self._without_comments(number, line)
        tokens = line.split()
        if not tokens:
            return
        self._first = self._first or number
        self._moves = True
        if not self._tags:
            self._fault(number, "moves without tags: a game starts with [White], [Black] and [Result]")
        if self._end:
            self._fault(number, "moves after the result: the next game lacks its tags")
        if tokens[-1] in _ENDS:
            self._end = (tokens[-1], number)

    def _without_comments(self, number: int, line: str) -> str:
        kept = []
        while line:
            at = min((place for mark in "{;" if (place := line.find(mark)) >= 0), default=len(line))
            kept.append(line[:at])
            if line[at : at + 1] != "{":
                break
            closed = line.find("}", at)
            if closed < 0:
                self._comment = number
                break
            line = line[closed + 1 :]
        return " ".join(kept)

    def _fault(self, number: int, text: str) -> None:
        if self._bad is None:
            self._bad = MalformedGame(self._file, number, text)

    def _check(self) -> MalformedGame | None:
        for name in ("White", "Black", "Result"):
            if not self._value(name):
                line = self._tags.get(name, ("", self._first))[1]
                return MalformedGame(self._file, line, f"the game has no {name}")
        result, line = self._value("Result"), self._tags["Result"][1]
        if result == "*":
            return MalformedGame(self._file, line, "the game is not finished: its result is *")
        if result not in OUTCOMES:
            return MalformedGame(self._file, line, f"{result!r} is no result: write 1-0, 0-1 or 1/2-1/2")
        if self._value("White") == self._value("Black"):
            return MalformedGame(self._file, self._first, f"{self._value('White')} plays against itself")
        if self._end and self._end[0] != "*" and OUTCOMES[self._end[0]] != OUTCOMES[result]:
            text = f"the moves end {self._end[0]}, the tag says {result}"
            return MalformedGame(self._file, self._end[1], text)
        return None

    def _value(self, name: str) -> str:
        value = self._tags.get(name, ("", 0))[0]
        value = (_ESCAPED.sub(r"\1", value) if "\\" in value else value).strip()
        return value.strip("?") if name == "Event" else value
