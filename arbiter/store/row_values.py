"""Rows of a season's tables as values: rounds, matches, standings. Damaged rows raise StoreError."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.match.packing import unpack
from arbiter.match.record import MatchSummary
from arbiter.match.spec import AGAIN_MARK
from arbiter.store import db_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.match.packing import PackedMatch
    from arbiter.match.record import MatchRecord

DIGITS = "0123456789"
_FIGURE = (int, float)
_RATING = (int, float, NoneType)
STANDINGS: Mapping[str, tuple[type, ...]] = {
    "season": (str,), "game": (str,), "rounds_played": (int,), "warnings": (list,), "players": (list,),
}  # fmt: skip
"""The required keys of standings and their types; those of earlier versions may have no others."""
STANDING: Mapping[str, tuple[type, ...]] = {
    "rank": (int,), "player": (str,), "elo": _RATING, "low": _RATING, "high": _RATING, "matches": (int,),
    "results": (int,), "wins": (int,), "draws": (int,), "losses": (int,), "points": _FIGURE,
    "faults": (dict,),
}  # fmt: skip
"""The required keys of a player in standings."""


class PlannedRound(NamedTuple):
    """A planned round without its tables; `complete` once all its matches are stored.

    `digest` is its config's; `planned` is when it was planned, None if not recorded.
    """

    number: int
    digest: str
    complete: bool
    planned: datetime | None


@dataclass(frozen=True, slots=True)
class StoredRound:
    """A planned round with its tables."""

    number: int
    digest: str
    tables: tuple[tuple[str, ...], ...]
    complete: bool
    planned: datetime | None = field(default=None, compare=False)


Planned: TypeAlias = PlannedRound | StoredRound


class StoredMatch(NamedTuple):
    """A stored match; unreadable parts are None, and `problem` is why."""

    id: str
    summary: MatchSummary | None
    record: MatchRecord | None
    problem: str


def stored_match(match_id: str, summary: str, kept: bytes) -> StoredMatch:
    """Return a match from its columns; unreadable parts are None, with the reason."""
    short, record, problems = None, None, []
    try:
        short = MatchSummary.from_json(json.loads(summary))
    except (ValueError, TypeError, KeyError) as error:
        problems.append(f"its summary cannot be read: {error!r}")
    try:
        record = unpack(kept, match_id)
    except StoreError as error:
        problems.append(str(error))
    return StoredMatch(match_id, short, record, "; ".join(problems))


def row_of(match: PackedMatch) -> dict[str, Any]:
    """Return the columns of a match without its key and round."""
    summary = json.dumps(match.summary.to_json())
    return {"wall_ns": match.wall_ns, "summary": summary, "record": match.record}


@contextmanager
def explain_unreadable(what: str) -> Iterator[None]:
    """Raise StoreError that names `what` for a ValueError, TypeError, KeyError or AttributeError within."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"{what} cannot be read: {error}") from None


def read_summary(text: str, what: str) -> MatchSummary:
    """Return a summary from its JSON; StoreError names `what` if it cannot be read."""
    with explain_unreadable(what):
        return MatchSummary.from_json(json.loads(text))


def read_json(text: str | None, what: str) -> dict[str, Any] | None:
    """Return the mapping of a stored JSON text, None for None; StoreError names `what` if unreadable."""
    if text is None:
        return None
    with explain_unreadable(what):
        shape = json.loads(text)
    if not isinstance(shape, dict):
        raise StoreError(f"{what} cannot be read: {text[:40]!r} is not a mapping")
    return shape


def read_standings(text: str | None, number: int) -> dict[str, Any] | None:
    """Return the standings after a round, None for None; StoreError names the damaged place."""
    what = f"the standings of round {number}"
    shape = read_json(text, what)
    if shape is not None:
        _check(shape, STANDINGS, what)
        for place, row in enumerate(shape["players"], 1):
            _check(row, STANDING, f"{what}, row {place},")
    return shape


def read_moment(text: str, what: str) -> datetime:
    """Return a stored time; StoreError names `what` if it cannot be read."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise StoreError(f"{what} cannot be read: expected a time with a zone, got {text!r}")
    return moment


def read_planned(text: str | None, number: int) -> datetime | None:
    """Return when a round was planned; None if not recorded."""
    return None if text is None else read_moment(text, f"the time at which round {number} was planned")


def _check(shape: Any, types: Mapping[str, tuple[type, ...]], what: str) -> None:
    """Raise StoreError unless `shape` is a mapping with all keys of `types`, each value of its types."""
    for key, expected in types.items():
        if not isinstance(shape, dict) or key not in shape:
            raise StoreError(f"{what} cannot be read: it has no {key}")
        if not isinstance(shape[key], expected):
            raise StoreError(f"{what} cannot be read: its {key} is {str(shape[key])[:40]!r}")


def read_tables(text: str, number: int) -> tuple[tuple[str, ...], ...]:
    """Return the players of each table from a round's JSON; StoreError if it cannot be read."""
    with explain_unreadable(f"the tables of round {number}"):
        return tuple(map(tuple, json.loads(text)))


def plan_order(
    number: sa.ColumnElement[int] = db_schema.matches.c.round,
    match_id: sa.ColumnElement[str] = db_schema.matches.c.id,
) -> tuple[sa.ColumnElement[Any], ...]:
    """Return sort columns for the plan's order: round, table, rotation (as text, ``m10`` precedes ``m2``).

    A match with a substitute follows the one it replaces. The columns default to those of `matches`.
    """
    first = sa.func.rtrim(match_id, AGAIN_MARK)
    place = sa.func.rtrim(first, DIGITS)
    return number, sa.func.length(place), place, sa.func.length(first), match_id


def plan_order_key(match: MatchSummary) -> tuple[int, int, str, int, str]:
    """Return the sort key of a match in the plan's order."""
    first = match.id.rstrip(AGAIN_MARK)
    place = first.rstrip(DIGITS)
    return match.round or 0, len(place), place, len(first), match.id
