"""Two programs side by side, with their numbered common passages.

A passage is a common sequence of at least `RUN` tokens; passages do not overlap and exclude handed-out code.
"""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from arbiter.contest.integrity.program_sources import (
    MARK,
    programs_of_author,
    programs_of_others,
    programs_of_season,
    samples,
    shipped,
    to_build_on,
)
from arbiter.contest.integrity.tokens import RUN, runs, union

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from arbiter.contest.integrity.program_sources import SourceFile, Sources
    from arbiter.contest.integrity.schema import (
        ComparisonSide,
        Passage,
        PassagePlace,
        ShownFile,
        SourceComparison,
    )
    from arbiter.contest.integrity.tokens import Codes
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

TRIED = 8
"""The most places in the other program tried for a run of tokens."""
NEAR = 6
"""The most tokens between two passages that are joined to one."""
MOST_PASSAGES = 200
HIDDEN_HERE, HIDDEN_THERE = np.uint64(0), np.uint64(1)
"""Replace the hashes of excluded runs: different on either side, so that they do not match each other."""


class SharedRun(NamedTuple):
    """A common sequence of files `one` and `other`: `length` tokens from `start`, `there` from `place`."""

    one: int
    other: int
    start: int
    place: int
    length: int
    there: int


def side_by_side(config: Config, stored: SeasonStore, one: str, other: str) -> SourceComparison | None:
    """Read and compare two programs by key: the season's, its store's or samples.

    None if one is unknown, or both are the same.
    """
    house = [found for found in samples(config) if found.side["name"] not in _shipped_names()]
    known = {found.side["key"]: found for found in (*programs_of_others(config, stored), *samples(config))}
    known |= {found.side["key"]: found for found in programs_of_season(config, stored)}
    for author in {key.rpartition(MARK)[0] for key in (one, other)}:
        known |= {found.side["key"]: found for found in programs_of_author(config, stored, author)}
    if one == other or one not in known or other not in known:
        return None
    pair = known[one].read(), known[other].read()
    of_authors = not any("sample" in sources.side for sources in pair)
    handed_out = [_token_runs(found.read()) for found in house] if of_authors else []
    return compare(*pair, union([_shipped_runs(of_authors), *handed_out]))


@lru_cache(maxsize=1)
def _shipped_names() -> frozenset[str]:
    return frozenset(found.side["name"] for found in shipped())


@lru_cache(maxsize=2)
def _shipped_runs(whole: bool) -> Codes:
    """Return the runs of tokens of shipped samples: of all (`whole`), or only of starting points."""
    return union(
        _token_runs(found.read()) for found in shipped() if whole or found.side["name"] in to_build_on()
    )


def _token_runs(sources: Sources) -> Codes:
    return union(runs(file.tokens.codes) for file in sources.files)


def compare(one: Sources, other: Sources, given: Codes) -> SourceComparison:
    """Compare two programs; `given` are the hashes of handed-out runs of tokens."""
    found = _join_near_runs(_shared(one.files, other.files, given))[:MOST_PASSAGES]
    passages: list[Passage] = [
        {
            "number": number,
            "places": (
                _passage_lines(one.files, run.one, run.start, run.length),
                _passage_lines(other.files, run.other, run.place, run.there),
            ),
            "tokens": run.length,
        }
        for number, run in enumerate(found, 1)
    ]
    spans = (
        [(run.one, run.start, run.length) for run in found],
        [(run.other, run.place, run.there) for run in found],
    )
    halves = _comparison_side(one, spans[0], given), _comparison_side(other, spans[1], given)
    return {"halves": halves, "passages": passages}


def _shared(ones: Sequence[SourceFile], others: Sequence[SourceFile], given: Codes) -> Iterator[SharedRun]:
    """Yield the common sequences, in the order of the first program's tokens, without overlap."""
    hashes = [_own_runs(file, given, HIDDEN_HERE) for file in others]
    index: dict[int, list[tuple[int, int]]] = {}
    for number, row in enumerate(hashes):
        for place in np.flatnonzero(row != HIDDEN_HERE).tolist():
            known = index.setdefault(int(row[place]), [])
            if len(known) < TRIED:
                known.append((number, place))
    for one, file in enumerate(ones):
        row = _own_runs(file, given, HIDDEN_THERE)
        start = 0
        while start < len(row):
            places = index.get(int(row[start]), ())
            tried = (
                (_common_length(row, start, hashes[number], place), number, place) for number, place in places
            )
            count, other, place = max(tried, default=(0, 0, 0), key=itemgetter(0))
            if not count:
                start += 1
                continue
            length = count + RUN - 1
            yield SharedRun(one, other, start, place, length, length)
            # No later passage may overlap this one.
            hashes[other][max(0, place - RUN + 1) : place + length] = HIDDEN_HERE
            start += length


def _own_runs(file: SourceFile, given: Codes, hidden: np.uint64) -> Codes:
    """Return the hashes of a file's runs of tokens, with `hidden` in place of handed-out ones."""
    row = runs(file.tokens.codes)
    return np.where(np.isin(row, given), hidden, row)


def _common_length(row: Codes, start: int, other: Codes, place: int) -> int:
    """Return the number of consecutive equal runs from `start` and `place` on."""
    count, step = 0, 64
    while True:
        ours, theirs = row[start + count : start + count + step], other[place + count : place + count + step]
        size = min(len(ours), len(theirs))
        differ = np.flatnonzero(ours[:size] != theirs[:size])
        if len(differ):
            return count + int(differ[0])
        count += size
        if size < step:
            return count
        step *= 2


def _join_near_runs(found: Iterable[SharedRun]) -> list[SharedRun]:
    """Join sequences that are at most `NEAR` tokens apart on both sides."""
    joined: list[SharedRun] = []
    for run in found:
        if joined:
            last = joined[-1]
            here, there = run.start - last.start - last.length, run.place - last.place - last.there
            if last[:2] == run[:2] and max(here, there) <= NEAR and there >= 0:
                length, far = run.start + run.length - last.start, run.place + run.there - last.place
                joined[-1] = last._replace(length=length, there=far)
                continue
        joined.append(run)
    return joined


def _passage_lines(files: Sequence[SourceFile], number: int, start: int, length: int) -> PassagePlace:
    """Return the lines from token `start` on over `length` tokens of file `number`."""
    lines = files[number].tokens.lines
    return {"file": number, "first": int(lines[start]), "last": int(lines[start + length - 1])}


def _comparison_side(sources: Sources, spans: Iterable[tuple[int, int, int]], given: Codes) -> ComparisonSide:
    """Return a program as JSON; a span is the number of a file, a first token, a number of tokens."""
    own = [~_handed_out_mask(file, given) for file in sources.files]
    shared = [np.zeros(len(mask), bool) for mask in own]
    for number, start, length in spans:
        shared[number][start : start + length] = True
    every = sum(int(mask.sum()) for mask in own)
    covered = sum(int((mask & there).sum()) for mask, there in zip(own, shared, strict=True))
    return {
        "side": sources.side,
        "covered": round(covered / (every or 1), 4),
        "files": [_shown_file(file, ~mask) for file, mask in zip(sources.files, own, strict=True)],
        "left_out": list(sources.left_out),
    }


def _handed_out_mask(file: SourceFile, given: Codes) -> NDArray[np.bool_]:
    """Return a mask of the tokens in handed-out runs."""
    mask = np.zeros(len(file.tokens.codes), bool)
    for start in np.flatnonzero(np.isin(runs(file.tokens.codes), given)):
        mask[start : start + RUN] = True
    return mask


def _shown_file(file: SourceFile, given: NDArray[np.bool_]) -> ShownFile:
    """Return a file as JSON; its handed-out lines have only tokens in the mask `given`."""
    own = set(file.tokens.lines[~given].tolist())
    handed_out = sorted(set(file.tokens.lines[given].tolist()) - own)
    return {"name": file.name, "lines": file.text.split("\n"), "given": handed_out}
