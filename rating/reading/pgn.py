"""Read PGN like other rating programs: only the tags of a game matter; moves are skipped.

    [Event "Spring"]      [Round "3"]      [White "a"]      [Black "b"]      [Result "1/2-1/2"]

    1/2-1/2

White, Black and Result are required; Round, Event, Table and MatchId (the same for all games of a match) are
optional. A game ends where tags begin again, also within a line. Tags without moves between them are two
games if White, Black and Result are all repeated, from the game's first tag, or after an empty line or a
broken tag. Otherwise they are one game's.

A malformed game is reported with its line, never skipped silently: one of these tags is missing, broken or
given twice, a result is not `1-0`, `0-1` or `1/2-1/2` (nor is `*`, an unfinished game), the moves end in
another result than the tag's (`*` matches any), moves without tags, an unclosed comment. Other tags may be
broken or repeated, and an Event may contain unescaped quotes.

Comments are in braces or after a semicolon. They may contain anything except the tags of a whole game on
separate lines: an open comment ends there. A line that starts with % is skipped (PGN standard of 1994,
sections 5, 6 and 8).

Reading line by line takes some 25 microseconds a game. Most files repeat one layout: the same tags in the
same order, a line each, and moves without comments. So after two games in a row with the same layout one
regular expression matches the next games whole; other lines are again read one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rating.errors import MalformedGame
from rating.reading.gathering import OUTCOMES, GameColumns
from rating.reading.pgn_lines import ENDS, TAGS, PgnGame, PgnLines

# A value without escapes and without surrounding blanks.
_VALUE = r'[^\s"\\](?:[^"\\\n]*[^\s"\\])?'
_MOVES = r"([^\[{;%]*)(?<=\n)(?=\[)"


def read_pgn(pieces: Iterable[str], file: str, line: int = 1) -> Iterator[GameColumns | MalformedGame]:
    """Yield the games and the malformed ones in the `pieces` of a PGN file, each of whole lines.

    Games and problems are each in the file's order; `file` is its name in problems, `line` its first line.
    """
    reader = _PgnReader(file, line)
    for piece in pieces:
        reader.read(piece)
        yield from reader.take_found()
    reader.finish()
    yield from reader.take_found()


def _layout_pattern(layout: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of a whole game with exactly these tags, including White, Black and Result.

    Its groups are the tags that are read, by name, and last the moves. Another game must follow, so that the
    match is complete.
    """
    tags, named = "", ""
    for name in layout:
        if name in ("White", "Black"):
            differs = rf'(?!(?P={named})")' if named else ""
            value, named = f"{differs}(?P<{name}>{_VALUE})", name
        elif name == "Result":
            value = f"(?P<Result>{'|'.join(map(re.escape, OUTCOMES))})"
        elif name in TAGS:
            value = f"(?P<{name}>(?:{_VALUE})?)"
        else:
            value = r'[^"\\\n]*'
        tags += rf'\[{name} "{value}"\]\r?\n'
    return re.compile(tags + _MOVES)


def _agrees(moves: str, result: str) -> bool:
    """True if the moves have at most one result, at their end, and it is the tag's."""
    end = moves.strip()
    if end in (result, "", "*"):
        return True
    ends = [words[-1] for line in moves.split("\n") if (words := line.split())]
    if not ENDS.isdisjoint(ends[:-1]):
        return False
    return ends[-1] not in ENDS or ends[-1] == "*" or OUTCOMES[ends[-1]] == OUTCOMES[result]


class _PgnReader:
    """Reads a file piece by piece and collects its games and problems until `take_found` returns them."""

    def __init__(self, file: str, line: int) -> None:
        self._by_line = PgnLines(file, self._store_game)
        self._lines = line - 1  # read so far
        self._layout: tuple[str, ...] = ()
        self._pattern: re.Pattern[str] | None = None
        self._alike: tuple[str, ...] = ()  # the pattern's layout
        self._opens = ""  # the start of a game that it matches
        self._found: list[list[str]] = [[] for _ in TAGS]
        self._problems: list[MalformedGame] = []

    def read(self, piece: str) -> None:
        """Read a piece of whole lines, games of the known layout at once, others by line."""
        at = 0
        while at < len(piece):
            if self._pattern is not None and piece.startswith(self._opens, at):
                at = self._read_alike(self._pattern, piece, at)
            end = piece.find("\n", at) + 1 or len(piece)
            self._lines += 1
            self._by_line.read_line(self._lines, piece[at:end])
            at = end

    def take_found(self) -> Iterator[GameColumns | MalformedGame]:
        """Yield the games and the problems since the last call, and forget them."""
        yield GameColumns(*self._found)
        yield from self._problems
        self._found, self._problems = [[] for _ in TAGS], []

    def finish(self) -> None:
        self._by_line.finish()

    def _store_game(self, game: PgnGame) -> None:
        """Store a game or its problem; a second game of a layout makes that the known one."""
        problem = game.find_problem()
        if problem is not None:
            self._problems.append(problem)
            return
        for name, column in zip(TAGS, self._found, strict=True):
            column.append(game.tag_value(name))
        layout = tuple(game.tags)
        if layout == self._layout and layout != self._alike:
            self._pattern, self._alike = _layout_pattern(layout), layout
            self._opens = f"[{layout[0]} "
        self._layout = layout

    def _read_alike(self, pattern: re.Pattern[str], piece: str, start: int) -> int:
        """Take the games of the known layout from `start` on; return where the first other line begins.

        No game is taken while a comment is open, or a game to which the first tag may belong.
        """
        if not self._by_line.is_apart(self._alike[0]):
            return start
        games: list[tuple[str, ...]] = []
        at = last = start
        result = pattern.groupindex["Result"] - 1
        while found := pattern.match(piece, at):
            cells = found.groups()
            if not _agrees(cells[-1], cells[result]):
                break
            games.append(cells)
            last, at = at, found.end()
        if games and not games[-1][-1].strip():
            # More of its tags may follow.
            games.pop()
            at = last
        if games:
            self._by_line.end_game()
            columns = dict(zip(pattern.groupindex, zip(*games, strict=True), strict=False))
            for name, column in zip(TAGS, self._found, strict=True):
                values = columns.get(name)
                if name == "Event" and values is not None:
                    values = tuple(value.strip("?") for value in values)
                column.extend([""] * len(games) if values is None else values)
            self._lines += piece.count("\n", start, at)
        return at
