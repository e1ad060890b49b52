"""A version of an author's program as the store has it: what was sent, and how far its inspection is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arbiter.store.row_values import legible

if TYPE_CHECKING:
    from collections.abc import Mapping

    import sqlalchemy as sa

RECEIVED, ACCEPTED, REFUSED, DROPPED = "received", "accepted", "refused", "dropped"
STATES = (RECEIVED, "unpacked", "built", "checked", ACCEPTED, REFUSED, DROPPED)
"""In their order; an inspection ends with one of the last three."""
OVER = (ACCEPTED, REFUSED, DROPPED)


@dataclass(frozen=True, slots=True)
class Submission:
    """One version of an author's program; `file` is its archive's name in the folder of all of them.

    `steps` are those of its inspection so far, `program` what is started if it was accepted;
    `joins_round` the first round that is planned with it since it was made active last, None where none is;
    `bytes` what its files take on the disk, None where nobody has counted. `judged` is the moment of the
    verdict, `under` a digest of the machine and the terms that it was made under; None where not known.
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
        return self.state in OVER


def submission(row: sa.Row[Any]) -> Submission:
    """A version from its row; StoreError for one that cannot be read."""
    shape = {name: row._mapping[name] for name in Submission.__slots__}
    with legible(f"submission {row.id}"):
        shape["steps"] = tuple(dict(step) for step in json.loads(row.steps))
        shape["program"] = None if row.program is None else dict(json.loads(row.program))
    return Submission(**shape)
