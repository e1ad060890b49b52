"""A stored version of an author's program: its archive and the state of its inspection."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arbiter.store.row_values import explain_unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import sqlalchemy as sa

RECEIVED, ACCEPTED, REFUSED, DROPPED = "received", "accepted", "refused", "dropped"
STATES = (RECEIVED, "unpacked", "built", "checked", ACCEPTED, REFUSED, DROPPED)
"""In order; an inspection ends with one of the last three."""
OVER = (ACCEPTED, REFUSED, DROPPED)


@dataclass(frozen=True, slots=True)
class Submission:
    """One version of an author's program; `file` is its archive's name in the folder of all archives.

    `steps` are those of its inspection so far, `program` is what to start if it was accepted; `joins_round`
    is the first round planned with it since it was last made active, or None; `bytes` is its disk use, None
    if not measured. `judged` is the time of the verdict, `under` a digest of the machine and terms
    it was made with; None if not known.
    """

    id: int
    author: str
    version: int
    sha256: str
    file: str
    received: str
    state: str
    tries: int
    steps: tuple[Mapping[str, Any], ...]
    program: Mapping[str, Any] | None
    joins_round: int | None
    bytes: int | None
    judged: str | None
    under: str | None

    @property
    def over(self) -> bool:
        """True once the version is accepted, refused or dropped: its inspection has ended."""
        return self.state in OVER


def inspection_order(waiting: Iterable[Submission], inspected: Mapping[str, int]) -> list[Submission]:
    """Return unjudged versions in the order of their inspection.

    Next is always the oldest of the author with the fewest inspections; `inspected` are those of 24 hours.
    """
    counts, rest, ordered = Counter(inspected), sorted(waiting, key=lambda found: found.id), []
    while rest:
        first = min(rest, key=lambda found: counts[found.author])
        counts[first.author] += 1
        rest.remove(first)
        ordered.append(first)
    return ordered


def submission(row: sa.Row[Any]) -> Submission:
    """Return the version of a row; StoreError if it cannot be read."""
    shape = {name: row._mapping[name] for name in Submission.__slots__}
    with explain_unreadable(f"submission {row.id}"):
        shape["steps"] = tuple(dict(step) for step in json.loads(row.steps))
        shape["program"] = None if row.program is None else dict(json.loads(row.program))
    return Submission(**shape)
