"""Read games of PGN that are alike, with the same tags in the same order and a line each, many at once.

A text of such games is split at its quotes: every second part is the value of a tag, and the layout fixes
what is between two of them. Only good games that reading line by line (`pgn_lines`) surely finds, too, are
taken; a text that may hold anything else is refused whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import eq

import numpy as np

from rating.arrays import Ints
from rating.reading.gathering import OUTCOMES
from rating.reading.pgn_lines import ENDS, TAGS

# A bracket at the start of a line may begin a tag.
_OPENS_LINE = re.compile(r"\n\s*\[")
# What may be more than a move.
_DOUBTFUL = re.compile(rf"[{{;\[%]|{'|'.join(map(re.escape, ENDS))}")
# Games of up to this mean length, in characters, hardly have moves: most texts after the tags are the same.
_SHORT = 256


class Layout:
    """The tags of games that are alike: `names` in their order, among them White, Black and Result.

    `opens` is how a game begins, up to its first quote, `mark` how one begins that follows another.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.opens = f'[{names[0]} "'
        self.mark = f"\n{self.opens}"
        self._between = [{f"]{end}[{name} " for end in ("\n", "\r\n")} for name in names[1:]]

    def split_games(self, text: str) -> dict[str, list[str]] | None:
        """Return the values of each tag by game, as "" what follows the tags; None if a game is not alike.

        The text begins behind `opens` and ends before the quote of the `mark` after its last game.
        """
        parts = text.split('"')
        width = 2 * len(self.names)
        if len(parts) % width:
            return None
        columns = [parts[place::width] for place in range(width)]
        values = dict(zip(self.names, columns[::2], strict=True)) | {"": columns[-1]}
        between = zip(self._between, columns[1:-1:2], strict=True)
        if (
            not all(found[0] in known and found.count(found[0]) == len(found) for known, found in between)
            or not all(_are_plain(name, values[name]) for name in self.names)
            or any(map(eq, values["White"], values["Black"]))
        ):
            return None
        pairs: Iterable[tuple[str, str]] = zip(values["Result"], columns[-1], strict=True)
        short = len(text) < _SHORT * len(columns[-1])
        ends = [self._find_end(*pair, search=short) for pair in (set(pairs) if short else pairs)]
        if None in ends:
            return None
        if not short:
            results = [end in OUTCOMES for end in ends]
            if _count_results(text, parts)[width - 1 :: width].tolist() != results:
                return None
        return values

    def _find_end(self, result: str, rest: str, *, search: bool) -> str | None:
        """Return the result at the end of the moves that follow a game's tags, "" without; None if in doubt.

        In doubt are other tags, an open comment, comments without moves, another end than `result`, and
        a result before the end: with `search` any, else only "*".
        """
        words = rest.rsplit(None, 2)
        if not rest.endswith(self.mark[:-1]):
            return None
        if len(words) == 2:
            return "" if words[0] == "]" else None
        moves, end, _ = words
        if not rest.startswith(("]\n", "]\r\n")) or ";" in moves or ("%" in moves and "\n%" in moves):
            return None
        opened = moves.rfind("{")
        if opened >= 0 and moves.find("}", opened) < 0:
            return None
        if "[" in moves and _OPENS_LINE.search(moves):
            return None
        if any(word in moves for word in (ENDS if search else "*")):
            return None
        if end not in ENDS:
            return None if _DOUBTFUL.search(end) else ""
        return end if end == "*" or OUTCOMES[end] == OUTCOMES[result] else None


def _are_plain(name: str, cells: list[str]) -> bool:
    """True if a tag's values have no line feeds or escapes and, if the tag is read, are good as they are."""
    different = set(cells[:1] if cells.count(cells[0]) == len(cells) else cells)
    joined = "".join(different)
    if "\n" in joined or "\\" in joined:
        return False
    if name == "Result":
        return OUTCOMES.keys() >= different
    if name not in TAGS:
        return True
    if "" in different and name in ("White", "Black"):
        return False
    return all(map(eq, map(str.strip, different), different))


def _count_results(text: str, parts: list[str]) -> Ints:
    """Count in each part of a text, between quotes, what may be a result: 1-0, 0-1, the 2-1 of 1/2-1/2."""
    codes = np.frombuffer(text.encode("latin-1", "replace"), np.uint8)
    dash = np.flatnonzero(codes[1:-1] == ord("-")) + 1
    before, after = codes[dash - 1], codes[dash + 1]
    results = (before == ord("1")) & (after == ord("0"))
    results |= ((before == ord("0")) | (before == ord("2"))) & (after == ord("1"))
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)) + 1)
    return np.diff(np.searchsorted(dash[results], ends), prepend=0)
