"""The grades of a course for each author: the rank among authors, and the mark, independent of them.

A mark is the number of the organiser's rungs (bots of known strength) rated below an author's program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from arbiter.season.config.settings_diff import VERSION_MARK, registered_name
from arbiter.season.snapshot.standing_marks import elo_of
from rating.ranks import shared_ranks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from arbiter.season.snapshot.schema import Row, Standings


class Grade(NamedTuple):
    """One author: the rated version, and its results; None before a rating.

    `elo`, `low` and `high` are in Elo, the latter the ends of the 95 % interval; `mark` counts the `rungs`
    rated below it, of which `above` is the best.
    """

    author: str
    version: str
    rank: int | None
    elo: float | None
    low: float | None
    high: float | None
    mark: int
    rungs: int
    above: str
    matches: int
    faults: int
    note: str

    @property
    def rated(self) -> str:
        """The name under which the version is rated."""
        return f"{self.author}{VERSION_MARK}{self.version}" if self.version else self.author


def grades(
    standings: Standings, authors: Iterable[str], rungs: Collection[str], playing: Collection[str]
) -> list[Grade]:
    """Return a grade for each author, the best first, authors without a rating last and by name.

    An author's rating is that of the active version (in `playing`, by rated name), or of the last rated one
    before it. `rungs` are by rated name. Equals share a rank.
    """
    rows = [row for row in standings["players"] if row["elo"] is not None]
    ladder = [row for row in rows if row["player"] in rungs]
    best: dict[str, Row] = {}
    for row in rows:
        name = registered_name(row["player"])
        if row["player"] not in rungs and (
            name not in best or _version_sort_key(row, playing) > _version_sort_key(best[name], playing)
        ):
            best[name] = row
    known = sorted(set(authors), key=lambda name: (name.casefold(), name))
    rated = sorted((best[name] for name in known if name in best), key=lambda row: -elo_of(row))
    reasons = standings["suspended"]
    ranks = shared_ranks(map(elo_of, rated))
    found = [_grade(row, rank, ladder, reasons) for row, rank in zip(rated, ranks, strict=True)]
    empty = (None, None, None, None, 0, len(ladder), "", 0, 0)
    return found + [Grade(name, "", *empty, reasons.get(name, "")) for name in known if name not in best]


def _grade(row: Row, rank: int, rungs: Sequence[Row], reasons: Mapping[str, str]) -> Grade:
    author, _, version = row["player"].partition(VERSION_MARK)
    below = [rung for rung in rungs if elo_of(rung) < elo_of(row)]
    return Grade(
        author,
        version,
        rank,
        row["elo"],
        row["low"],
        row["high"],
        len(below),
        len(rungs),
        max(below, key=elo_of)["player"] if below else "",
        row["matches"],
        sum(row["faults"].values()),
        reasons.get(row["player"], reasons.get(author, "")),
    )


def _version_sort_key(row: Row, playing: Collection[str]) -> tuple[bool, int, str]:
    """Return a sort key, larger for the active version, and for later ones."""
    version = row["player"].partition(VERSION_MARK)[2]
    return row["player"] in playing, len(version), version
