"""Copies: programs whose sources are unusually similar for the season.

The programs of a season are compared with each other, with those of other seasons, and with the samples, but
not those of one owner. Handed-out code is ignored: between two authors all code of samples; between an author
and a sample the starter kits, each game's simplest bot, and code common to several samples. The weight of a
fingerprint falls with the number of programs that have it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from arbiter.contest.integrity.program_sources import (
    programs_of_others,
    programs_of_season,
    samples,
    to_build_on,
)
from arbiter.contest.integrity.schema import in_words
from arbiter.contest.integrity.tokens import NONE, fingerprints, union
from arbiter.text import counted, first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from arbiter.contest.integrity.program_sources import Sources
    from arbiter.contest.integrity.schema import CopiesReach, CopyRow, Side
    from arbiter.contest.integrity.tokens import Codes
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

LEAST, FEWEST = 0.3, 16
"""The least similarity of a row; the fewest common fingerprints for a comparison, some 80 tokens."""
STANDS_OUT = 4.0
"""The least distance of a row's similarity from the median of all pairs, in robust standard deviations."""
NARROWEST = 0.05
"""The least standard deviation: most pairs have nothing in common."""
NORMAL = 1.4826
"""The ratio of standard deviation to median absolute deviation."""
MOST_ROWS = 100


class FingerprintedProgram(NamedTuple):
    """A program's fingerprints, by file and all together."""

    side: Side
    files: dict[str, Codes]
    left_out: list[str]
    prints: Codes

    @classmethod
    def of(cls, sources: Sources) -> FingerprintedProgram:
        """Compute the fingerprints; the texts are not kept."""
        files = {file.name: fingerprints(file.tokens.codes) for file in sources.files}
        return cls(sources.side, files, [one["file"] for one in sources.left_out], union(files.values()))


class Resemblance(NamedTuple):
    """The similarity of two programs, given by their places in the list."""

    one: int
    other: int
    similarity: float
    jaccard: float
    common: int


def find_copies(
    stored: SeasonStore, config: Config, against: Iterable[str] = ()
) -> tuple[list[CopyRow], CopiesReach]:
    """Read all programs; return the pairs that stand out, most similar first, and which could be compared.

    `against` are addresses of other stores.
    """
    mine = [FingerprintedProgram.of(one.read()) for one in programs_of_season(config, stored)]
    others = [FingerprintedProgram.of(one.read()) for one in programs_of_others(config, stored, against)]
    rows = outlying_pairs(mine, others, [FingerprintedProgram.of(one.read()) for one in samples(config)])
    return rows, _describe_reach(mine)


def _describe_reach(mine: Sequence[FingerprintedProgram]) -> CopiesReach:
    lacking = [one.side["key"] for one in mine if len(one.prints) < FEWEST]
    able = len(mine) - len(lacking)
    said = f"{able} of {counted(len(mine), 'program')} could be compared"
    if lacking:
        said += f"; too little source to compare: {first_few(lacking)}"
    return {"programs": len(mine), "able": able, "lacking": lacking, "say": said}


def outlying_pairs(
    mine: Sequence[FingerprintedProgram],
    others: Sequence[FingerprintedProgram],
    shipped: Sequence[FingerprintedProgram],
) -> list[CopyRow]:
    """Return the pairs of these programs that stand out, most similar first."""
    every = [*mine, *others, *shipped]
    found = list(similarities(mine, others, shipped))
    middle, spread = middle_and_spread([like.similarity for like in found])
    rows = [
        _row(every, like, (like.similarity - middle) / spread, middle)
        for like in found
        if like.similarity >= LEAST
        and like.common >= FEWEST
        and like.similarity >= middle + STANDS_OUT * spread
    ]
    return sorted(rows, key=lambda row: (-row["similarity"], -row["common"]))[:MOST_ROWS]


def middle_and_spread(similarities: Sequence[float]) -> tuple[float, float]:
    """Return the median of all pairs, and a standard deviation from the median absolute deviation."""
    if not similarities:
        return 0.0, NARROWEST
    values = np.array(similarities)
    middle = float(np.median(values))
    return middle, max(NORMAL * float(np.median(np.abs(values - middle))), NARROWEST)


def handed_out(shipped: Sequence[FingerprintedProgram]) -> tuple[Codes, Codes]:
    """Return the fingerprints to ignore between two authors, and between an author and a sample."""
    everything = np.concatenate([NONE, *(one.prints for one in shipped)])
    known, times = np.unique(everything, return_counts=True)
    kits = [one.prints for one in shipped if one.side["name"] in to_build_on()]
    return known, union([known[times > 1], *kits])


def similarities(
    mine: Sequence[FingerprintedProgram],
    others: Sequence[FingerprintedProgram],
    shipped: Sequence[FingerprintedProgram],
) -> Iterator[Resemblance]:
    """Yield the similarity of each pair of different owners with one of `mine`, numbered over all three."""
    every = [*mine, *others, *shipped]
    known, columns = np.unique(np.concatenate([NONE, *(one.prints for one in every)]), return_inverse=True)
    rows = np.repeat(np.arange(len(every)), [len(one.prints) for one in every])
    has = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(every), len(known)))
    rare = np.log((len(every) + 1) / has.sum(axis=0))
    authors = len(mine) + len(others)
    by_all, beside_samples = handed_out(shipped)
    for base, first, last in ((by_all, 0, authors), (beside_samples, authors, len(every))):
        own = has * ~np.isin(known, base)
        heavy = own * rare
        many, common = ((part[: len(mine)] @ own[first:last].T).toarray() for part in (own, heavy))
        sizes = heavy.sum(axis=1)
        for one in range(len(mine)):
            for other in range(max(first, one + 1), last):
                if _owner_key(every[one].side) == _owner_key(every[other].side):
                    continue
                if (number := round(many[one, other - first])) < FEWEST:
                    yield Resemblance(one, other, 0.0, 0.0, number)
                    continue
                both = float(common[one, other - first])
                least, all_of_both = min(sizes[one], sizes[other]), sizes[one] + sizes[other] - both
                yield Resemblance(one, other, float(both / least), float(both / all_of_both), number)


def _owner_key(side: Side) -> tuple[bool, str]:
    return side.get("sample", False), side["name"]


def _row(every: Sequence[FingerprintedProgram], like: Resemblance, height: float, middle: float) -> CopyRow:
    """Return a pair as a row: rounded figures, files with common code, and the question in words."""
    one, other = every[like.one], every[like.other]
    first, second = in_words(one.side), in_words(other.side)
    asks = f"Is {first} made from" if other.side.get("sample") else f"Have {first} and"
    end = "" if other.side.get("sample") else " a common source"
    share, usual = (f"{100 * value:.0f} %" for value in (like.similarity, middle))
    say = f"{asks} {second}{end}? The other has {share} of the smaller one's own code ({usual} is usual)."
    common = np.intersect1d(one.prints, other.prints)
    return {
        "players": (one.side, other.side),
        "similarity": round(like.similarity, 4),
        "jaccard": round(like.jaccard, 4),
        "common": like.common,
        "stands_out": round(height, 1),
        "files": (_files_with_fingerprints(one, common), _files_with_fingerprints(other, common)),
        "left_out": (one.left_out, other.left_out),
        "say": say,
    }


def _files_with_fingerprints(program: FingerprintedProgram, common: Codes) -> list[str]:
    return [name for name, prints in program.files.items() if np.isin(prints, common).any()]
