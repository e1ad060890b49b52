"""Find results that were given twice: the same games in two forms, or two joined exports of a season.

A whole round is hardly repeated by chance. Two sources, which are files or parts of them, repeat each other
if all rounds that both have contain the same results between the same names, in either order of names. One
source repeats itself if every result of some rounds occurs equally often, twice or more, and no result of the
others does; results of named matches are compared match by match. Without rounds all results of a source are
one round. Rounds of two events are never the same, unless one of the sources names no events.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rating.arrays import Bools, Ints

# Up to this many results all are compared; of more in one source first a sample.
_FEW = 20_000
# Minimum different repeated results, with less and with more evidence needed against chance.
_LEAST = 3
_LEAST_APART, _LEAST_UNROUNDED = 6, 8


class ResultSource(NamedTuple):
    """A file, or a part of it that begins at `line`."""

    file: str
    line: int
    results: int  # the number read before it


class ResultColumns(NamedTuple):
    """Columns of all results read; `match` is -1 for unnamed matches, `round` -1 for no round."""

    first: Ints
    second: Ints
    outcome: Ints
    round: Ints
    event: Ints
    match: Ints


def find_repeats(sources: Sequence[ResultSource], found: ResultColumns, nameless: int) -> Iterator[str]:
    """Yield a sentence for each pair of sources with the same results, and for each source that repeats them.

    `nameless` is the number of the empty event, -1 without one.
    """
    size = found.first.size
    bounds = [source.results for source in sources] + [size]
    parts = [slice(a, b) for a, b in pairwise(bounds)]
    for source, part in zip(sources, parts, strict=True):
        own = ResultColumns(*(column[part] for column in found))
        if own.first.size and _may_repeat(own):
            yield from (f"{_source_name(source)}: {text}" for text in _repeats_within(own))
    if len(sources) > 1 and size:
        number = np.repeat(np.arange(len(sources)), np.diff(bounds))
        for one, other, count in _repeats_between(number, found, nameless):
            both = f"{_source_name(sources[one])} and {_source_name(sources[other])}"
            yield f"{both}: {count} results are in both and count twice"


def _source_name(source: ResultSource) -> str:
    return source.file if source.line == 1 else f"{source.file} from line {source.line} on"


def _hash_rows(*columns: Ints) -> npt.NDArray[np.uint64]:
    """Return a hash of each row of the columns."""
    mixed = np.zeros(columns[0].size, np.uint64)
    for column in columns:
        mixed = (mixed + column.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _may_repeat(own: ResultColumns) -> bool:
    """False if a sample of many results shows hardly any repeated one."""
    if own.first.size <= _FEW:
        return True
    every = 1 << (own.first.size // _FEW).bit_length() + 2
    some = (own.first * 31 + own.second) & (every - 1) == 0
    keys = _hash_rows(*(column[some] for column in own))
    return bool(keys.size and np.unique(keys).size < 0.9 * keys.size)


def _repeats_within(own: ResultColumns) -> Iterator[str]:
    """Yield a sentence if the results of a source are repeated."""
    named = own.match >= 0
    block = _hash_rows(own.event, np.where(named, own.match, own.round), named.astype(np.int64))
    keys, counts = _count_blocks(block, _hash_rows(own.first, own.second, own.outcome))
    _, starts = np.unique(keys, return_index=True)
    often = np.gcd.reduceat(counts, starts)
    sizes = np.diff([*starts, counts.size])
    again = often > 1
    results = int(sizes[again].sum())
    least = _LEAST_UNROUNDED if bool(np.all(own.round < 0)) and not named.any() else _LEAST
    if not again.all():
        once: Bools = np.repeat(~again, sizes)
        least = max(least, _LEAST_APART)
        if (counts[once] > 1).any() or (sizes[again] < 2).any():
            return
    if results >= least:
        times = "twice" if int(often[again].max()) == 2 else "several times"
        yield f"{results} results, in whole rounds or matches, occur {times} and count that often"


def _count_blocks(
    block: npt.NDArray[np.uint64], key: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.uint64], Ints]:
    """Return the block of each different pair of block and key, in order, and its frequency."""
    order = np.lexsort((key, block))
    block, key = block[order], key[order]
    new = np.concatenate([[True], (block[1:] != block[:-1]) | (key[1:] != key[:-1])])
    starts = np.flatnonzero(new)
    return block[starts], np.diff(starts, append=block.size)


def _repeats_between(number: Ints, found: ResultColumns, nameless: int) -> Iterator[tuple[int, int, int]]:
    """Yield two sources with the same results in all rounds that both have, and the number of results."""
    swapped = found.first > found.second
    low, high = np.minimum(found.first, found.second), np.maximum(found.first, found.second)
    key = _hash_rows(low, high, np.where(swapped, -found.outcome, found.outcome) + 1)
    events = [set(np.unique(found.event[number == one]).tolist()) for one in range(int(number.max()) + 1)]
    rounds: list[dict[tuple[int, int], tuple[int, int]]] = [{} for _ in events]
    without: list[dict[tuple[int, int], tuple[int, int]]] = [{} for _ in events]
    whole: list[dict[tuple[int, int], tuple[int, int]]] = [{} for _ in events]
    for into, event, of in (
        (rounds, found.event, found.round),
        (without, None, found.round),
        (whole, None, None),
    ):
        for one, *at, count, total in _blocks(number, event, of, key):
            into[one][at[0], at[1]] = (count, total)
    holders: dict[tuple[int, int], set[int]] = defaultdict(set)
    for tables in (without, whole, rounds):
        for one, table in enumerate(tables):
            for held in table.values():
                holders[held].add(one)
    pairs = {pair for held in holders.values() if len(held) <= 50 for pair in combinations(sorted(held), 2)}
    pairs |= set(shared := _shared_matches(number, found.match))
    for one, other in sorted(pairs):
        plain = {nameless} in (events[one], events[other])
        mine, theirs = (without if plain else rounds)[one], (without if plain else rounds)[other]
        common = mine.keys() & theirs.keys()
        count = sum(mine[at][0] for at in common)
        unrounded = {at[1] for at in common} == {-1}
        if common and all(mine[at] == theirs[at] for at in common) and (count >= _LEAST or not unrounded):
            yield one, other, count
        elif (
            (plain or events[one] == events[other])
            and whole[one] == whole[other]
            and -1 in {at[1] for at in (*mine, *theirs)}
            and whole[one][0, 0][0] >= _LEAST
        ):
            yield one, other, whole[one][0, 0][0]
        elif (one, other) in shared:
            yield one, other, shared[one, other]


def _shared_matches(number: Ints, match: Ints) -> dict[tuple[int, int], int]:
    """Return pairs of sources whose named matches are all in the other, with the number of their results."""
    results = np.unique(np.stack([match, number])[:, match >= 0], axis=1, return_counts=True)
    (matches, sources), counts = results
    shared: dict[tuple[int, int], list[int]] = defaultdict(list)
    edges = np.flatnonzero(np.diff(matches, prepend=-1, append=-1))
    for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        for one, other in combinations(range(start, end), 2):
            shared[int(sources[one]), int(sources[other])].append(int(counts[other]))
    total = np.bincount(sources)
    return {
        (one, other): sum(held)
        for (one, other), held in shared.items()
        if len(held) == min(total[one], total[other])
    }


def _blocks(
    number: Ints, event: Ints | None, rounds: Ints | None, key: npt.NDArray[np.uint64]
) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield source, event, round (0 for None), count and sum of the keys of each block."""
    none = np.zeros(number.size, np.int64)
    events, rounds = none if event is None else event, none if rounds is None else rounds
    order = np.lexsort((rounds, events, number))
    columns = [column[order] for column in (number, events, rounds)]
    new = np.concatenate([[True], np.any([c[1:] != c[:-1] for c in columns], axis=0)])
    starts = np.flatnonzero(new)
    sums = np.add.reduceat(key[order], starts)
    counts = np.diff(starts, append=number.size)
    yield from zip(*(c[starts].tolist() for c in columns), counts.tolist(), sums.tolist(), strict=True)
