"""Read plain rows of CSV many at once, as numbers: a file has many rows and few different cells.

The commas and line feeds of a piece are found in one array. Its cells, eight bytes at a time as integers, are
looked up in tables of those known; only new ones become text, which is cleaned and checked once. Only a piece
whose rows are all good and of one width, quoted around whole cells or not at all, is taken; the others are
read by row (`rows`), which finds the same games and reports what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from rating.arrays import Ints
from rating.reading.csv_cells import clean_cell, is_whole_number
from rating.reading.gathering import OUTCOMES, GameColumns, NameNumbers, NumberedGames

Words = npt.NDArray[np.uint64]

_COMMA, _LINE_FEED, _QUOTE = b',\n"'
# The first 0 to 8 bytes of a little-endian word.
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
# A piece with a longer cell, in bytes, is read by row, and so are all once this many cells are known (10 MB).
_LONGEST, _MOST_KNOWN = 64, 50_000
_SLOT_BITS = 15
_MIXER = np.uint64(0x9E3779B97F4A7C15)
_UNKNOWN, _WRONG = -3, -2


class PlainCsv:
    """The cells of a file known so far; `place` maps each column to its cell."""

    def __init__(self, place: Mapping[str, int]) -> None:
        self._place = place
        self._names, self._events = NameNumbers(), NameNumbers()

        def number_name(cell: str) -> int:
            return self._names[text] if (text := clean_cell(cell)) else _WRONG

        def number_whole(cell: str) -> int:
            return int(text or -1) if is_whole_number(text := clean_cell(cell)) else _WRONG

        players, rounds = _KnownCells(number_name), _KnownCells(number_whole)
        results = _KnownCells(lambda cell: OUTCOMES.get(clean_cell(cell), _WRONG))
        events = _KnownCells(lambda cell: self._events[clean_cell(cell)])
        self._cells = (players, players, results, rounds, rounds, events)

    def number_games(self, piece: str) -> NumberedGames | None:
        """Return the games of a piece of whole lines, None unless all of its rows are plain and good."""
        if "match" in self._place or any(cells.is_full for cells in self._cells) or "\0" in piece:
            return None
        if "\r" in piece:
            if piece.count("\r") != piece.count("\r\n"):
                return None
            piece = piece.replace("\r\n", "\n")
        text = piece.encode() + b"\n" * (not piece.endswith("\n"))
        split = _split_rows(text)
        if split is None:
            return None
        starts, sizes = split
        words = np.ndarray(len(text) + _LONGEST, "<u8", text + bytes(_LONGEST + 8), strides=(1,))
        columns: list[Ints] = []
        for name, cells in zip(GameColumns._fields, self._cells, strict=False):
            at = self._place.get(name, len(starts))
            if at < len(starts):
                numbers = cells.number(text, words, starts[at], sizes[at])
            else:
                numbers = np.broadcast_to(np.int64(cells.number_text("")), starts.shape[1])
            if numbers is None or int(numbers.min()) == _WRONG:
                return None
            columns.append(numbers)
        if (columns[0] == columns[1]).any():
            return None
        return NumberedGames(self._names, self._events, *columns)


def _split_rows(text: bytes) -> tuple[Ints, Ints] | None:
    """Return where each cell starts and its size, by column and row; None for rows of different widths."""
    data = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero((data == _COMMA) | (data == _LINE_FEED))
    rows = int(np.count_nonzero(data == _LINE_FEED))
    if len(ends) % rows or (data[ends.reshape(rows, -1)[:, -1]] != _LINE_FEED).any():
        return None
    starts = np.empty_like(ends)
    starts[0], starts[1:] = 0, ends[:-1] + 1
    sizes = ends - starts
    if b'"' in text:
        # Quotes are only around whole cells if as many are there as such cells need.
        quoted = (sizes >= 2) & (data[starts] == _QUOTE) & (data[ends - 1] == _QUOTE)
        if 2 * np.count_nonzero(quoted) != np.count_nonzero(data == _QUOTE):
            return None
        starts += quoted
        sizes -= 2 * quoted
    if int(sizes.max()) > _LONGEST:
        return None
    return starts.reshape(rows, -1).T, sizes.reshape(rows, -1).T


class _KnownCells:
    """Numbers cells by `number` of their text."""

    def __init__(self, number: Callable[[str], int]) -> None:
        self.number_text = number
        self.is_full = False
        self._number_empty = np.array([number("")])
        # By length in words: the codes of the last word, and of that with those before; the numbers by code.
        self._tables: list[tuple[_Codes, _Codes]] = []
        self._numbers: list[Ints] = []

    def number(self, text: bytes, words: Words, starts: Ints, sizes: Ints) -> Ints | None:
        """Return the numbers of cells of `text`, in which a word begins at each byte; None for too many."""
        codes = np.zeros(len(starts), np.int64)
        last = max(int(sizes.max()) - 1, 0) // 8
        for k in range(last + 1):
            if k == len(self._tables):
                own = _Codes()
                self._tables.append((own, _Codes() if k else own))
                self._numbers.append(self._number_empty)
            own, joined = self._tables[k]
            word = words[starts + 8 * k]
            word &= _MASKS[np.clip(sizes - 8 * k, 0, 8) if last else sizes]
            more = own.encode(word)
            codes = joined.encode((codes << 32 | more).view(np.uint64)) if k else more
        numbers = self._numbers[last]
        if (most := int(codes.max())) >= len(numbers):
            if most >= _MOST_KNOWN:
                self.is_full = True
                return None
            numbers = np.append(numbers, np.full(most + 1 - len(numbers), _UNKNOWN))
            self._numbers[last] = numbers
        found = numbers[codes]
        if int(found.min()) == _UNKNOWN:
            new = np.flatnonzero(found == _UNKNOWN)
            some, first = np.unique(codes[new], return_index=True)
            rows = new[first]
            ends = starts[rows] + sizes[rows]
            cells = (text[a:b].decode() for a, b in zip(starts[rows].tolist(), ends.tolist(), strict=True))
            numbers[some] = list(map(self.number_text, cells))
            found = numbers[codes]
        return found


class _Codes:
    """Codes for integers, from 0 in the order in which they come."""

    def __init__(self) -> None:
        self._known = {0: 0}
        # A table by hash; what has no slot is only in the dictionary.
        self._keys = np.zeros(1 << _SLOT_BITS, np.uint64)
        self._codes = np.zeros(1 << _SLOT_BITS, np.int64)

    def encode(self, keys: Words) -> Ints:
        slots = _slots(keys)
        codes = self._codes[slots]
        missed = np.flatnonzero(self._keys[slots] != keys)
        if missed.size:
            new, which = np.unique(keys[missed], return_inverse=True)
            known = self._known
            found = np.array([known.setdefault(key, len(known)) for key in new.tolist()])
            codes[missed] = found[which]
            slots = _slots(new)
            self._keys[slots], self._codes[slots] = new, found
        return codes


def _slots(keys: Words) -> Ints:
    return ((keys * _MIXER) >> np.uint64(64 - _SLOT_BITS)).view(np.int64)
