"""Copies: programs whose sources are more alike than the season's others.

Compared are the programs of a season with each other, with those of other seasons, and with the samples;
those of one owner never. What was handed out counts for nobody: between two authors all that stands in a
sample; between an author and a sample the kits, each game's simplest bot, from which all start, and what
several samples share. A fingerprint counts the more the fewer programs have it.
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
from arbiter.contest.integrity.tokens import NONE, fingerprints, together
from arbiter.text import counted, first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from arbiter.contest.integrity.program_sources import Sources
    from arbiter.contest.integrity.schema import CopiesReach, CopyRow, Side
    from arbiter.contest.integrity.tokens import Codes
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

LEAST, FEWEST = 0.3, 16
"""The least similarity of a row; the fewest fingerprints in common that tell of any, some 80 tokens."""
STANDS_OUT = 4.0
"""The least height of a row above the middle of all pairs, in their spread."""
NARROWEST = 0.05
"""The spread of pairs that are all alike; most have nothing in common."""
NORMAL = 1.4826
"""A standard deviation in median absolute deviations."""
MOST_ROWS = 100


class Printed(NamedTuple):
    """A program as it is compared: its fingerprints, by file and all together."""

    side: Side
    files: dict[str, Codes]
    left_out: list[str]
    prints: Codes

    @classmethod
    def of(cls, sources: Sources) -> Printed:
        """Without the texts, which need not be kept."""
        files = {file.name: fingerprints(file.tokens.codes) for file in sources.files}
        return cls(sources.side, files, [one["file"] for one in sources.left_out], together(files.values()))


class Resemblance(NamedTuple):
    """How alike two programs are; each is given by its place in the list."""

    one: int
    other: int
    similarity: float
    jaccard: float
    common: int


def copies(
    stored: SeasonStore, config: Config, against: Iterable[str] = ()
) -> tuple[list[CopyRow], CopiesReach]:
    """The pairs that stand out, the likest first, and which programs could be compared; `against` are
    addresses of other stores.
    """
    mine = [Printed.of(one.read()) for one in programs_of_season(config, stored)]
    others = [Printed.of(one.read()) for one in programs_of_others(config, stored, against)]
    rows = standing_out(mine, others, [Printed.of(one.read()) for one in samples(config)])
    return rows, _reach(mine)


def _reach(mine: Sequence[Printed]) -> CopiesReach:
    lacking = [one.side["key"] for one in mine if len(one.prints) < FEWEST]
    able = len(mine) - len(lacking)
    said = f"{able} of {counted(len(mine), 'program')} could be compared"
    if lacking:
        said += f"; too little source to compare: {first_few(lacking)}"
    return {"programs": len(mine), "able": able, "lacking": lacking, "say": said}


def standing_out(
    mine: Sequence[Printed], others: Sequence[Printed], shipped: Sequence[Printed]
) -> list[CopyRow]:
    """The same for programs that were read."""
    every = [*mine, *others, *shipped]
    found = list(likenesses(mine, others, shipped))
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
    """The median of all pairs, and a standard deviation by the median deviation from it."""
    if not similarities:
        return 0.0, NARROWEST
    values = np.array(similarities)
    middle = float(np.median(values))
    return middle, max(NORMAL * float(np.median(np.abs(values - middle))), NARROWEST)


def handed_out(shipped: Sequence[Printed]) -> tuple[Codes, Codes]:
    """The fingerprints that count for nobody: of two authors, and of an author beside a sample."""
    everything = np.concatenate([NONE, *(one.prints for one in shipped)])
    known, times = np.unique(everything, return_counts=True)
    kits = [one.prints for one in shipped if one.side["name"] in to_build_on()]
    return known, together([known[times > 1], *kits])


def likenesses(
    mine: Sequence[Printed], others: Sequence[Printed], shipped: Sequence[Printed]
) -> Iterator[Resemblance]:
    """Every pair of different owners that has one of `mine`, numbered through all three."""
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
                if _owner(every[one].side) == _owner(every[other].side):
                    continue
                if (number := round(many[one, other - first])) < FEWEST:
                    yield Resemblance(one, other, 0.0, 0.0, number)
                    continue
                both = float(common[one, other - first])
                least, all_of_both = min(sizes[one], sizes[other]), sizes[one] + sizes[other] - both
                yield Resemblance(one, other, float(both / least), float(both / all_of_both), number)


def _owner(side: Side) -> tuple[bool, str]:
    return side.get("sample", False), side["name"]


def _row(every: Sequence[Printed], like: Resemblance, height: float, middle: float) -> CopyRow:
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
        "files": (_files_with(one, common), _files_with(other, common)),
        "left_out": (one.left_out, other.left_out),
        "say": say,
    }


def _files_with(program: Printed, common: Codes) -> list[str]:
    return [name for name, prints in program.files.items() if np.isin(prints, common).any()]
