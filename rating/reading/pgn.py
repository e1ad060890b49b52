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

Reading line by line takes some 25 microseconds a game and 2 a line of moves. Most files repeat one layout, so
after two games in a row with the same one the next games are read many at once (`pgn_alike`); others are read
line by line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rating.errors import MalformedGame
from rating.reading.gathering import GameColumns
from rating.reading.pgn_alike import Layout
from rating.reading.pgn_lines import TAGS, PgnGame, PgnLines

# Characters split at once: few enough to stay in the processor's cache; fewer after a game that is not alike.
_MOST_TRIED, _LEAST_TRIED = 65_536, 4_096


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


class _PgnReader:
    """Reads a file piece by piece and collects its games and problems until `take_found` returns them."""

    def __init__(self, file: str, line: int) -> None:
        self._by_line = PgnLines(file, self._store_game)
        self._lines = line - 1  # read so far
        self._last: tuple[str, ...] = ()  # the tags of the last game that was read by line
        self._layout: Layout | None = None
        self._tried = _LEAST_TRIED
        self._held = ""  # the start of a game of this layout
        self._found: list[list[str]] = [[] for _ in TAGS]
        self._problems: list[MalformedGame] = []

    def read(self, piece: str) -> None:
        """Read a piece of whole lines, games of the known layout at once, others by line."""
        piece, self._held = self._held + piece, ""
        at = 0
        while at < len(piece):
            if self._layout is not None and piece.startswith(self._layout.opens, at):
                at = self._read_alike(self._layout, piece, at)
                if self._held:
                    return
            at = self._read_line(piece, at)

    def _read_line(self, piece: str, at: int) -> int:
        """Read a line of the piece; return where the next one begins."""
        end = piece.find("\n", at) + 1 or len(piece)
        self._lines += 1
        self._by_line.read_line(self._lines, piece[at:end])
        return end

    def take_found(self) -> Iterator[GameColumns | MalformedGame]:
        """Yield the games and the problems since the last call, and forget them."""
        yield GameColumns(*self._found)
        yield from self._problems
        self._found, self._problems = [[] for _ in TAGS], []

    def finish(self) -> None:
        """Read what is left, after the last piece."""
        at = 0
        while at < len(self._held):
            at = self._read_line(self._held, at)
        self._by_line.finish()

    def _store_game(self, game: PgnGame) -> None:
        """Store a game or its problem; a second game of a layout makes that the known one."""
        problem = game.find_problem()
        if problem is not None:
            self._problems.append(problem)
            return
        for name, column in zip(TAGS, self._found, strict=True):
            column.append(game.tag_value(name))
        names = tuple(game.tags)
        if names == self._last and (self._layout is None or names != self._layout.names):
            self._layout = Layout(names)
        self._last = names

    def _read_alike(self, layout: Layout, piece: str, at: int) -> int:
        """Take the games of the layout from `at` on; return where the first line of another one begins.

        No game is taken while a comment is open, or a game to which the first tag may belong. The last
        game of the piece is held until the next one follows.
        """
        if not self._by_line.is_apart(layout.names[0]):
            return at
        while True:
            end = piece.rfind(layout.mark, at, at + self._tried)
            if end < 0:
                end = piece.find(layout.mark, at)
            if end < 0:
                if len(piece) - at < _MOST_TRIED:
                    self._held = piece[at:]
                return at
            start = at + len(layout.opens)
            values = layout.split_games(piece[start : end + len(layout.opens)])
            if values is None:
                if self._tried == _LEAST_TRIED:
                    return at
                self._tried = _LEAST_TRIED
                continue
            self._tried = min(self._tried * 4, _MOST_TRIED)
            games = len(values[""])
            if not values[""][-1][1 : -len(layout.opens)].strip():
                # No moves, so more of its tags may follow.
                games, end = games - 1, piece.rfind(layout.mark, at, end)
                if not games:
                    return at
            self._by_line.end_game()
            for name, column in zip(TAGS, self._found, strict=True):
                cells = values.get(name, [""] * games)[:games]
                if name == "Event" and any(cell[:1] == "?" or cell[-1:] == "?" for cell in set(cells)):
                    cells = [cell.strip("?") for cell in cells]
                column += cells
            self._lines += piece.count("\n", at, end + 1)
            at = end + 1
