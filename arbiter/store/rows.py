"""Rows of a season's tables as values: rounds, matches, and what of them cannot be read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.match import AGAIN_MARK, MatchSummary
from arbiter.packing import unpack
from arbiter.store import schema

if TYPE_CHECKING:
    from arbiter.match import MatchRecord


@dataclass(frozen=True, slots=True)
class StoredRound:
    """A planned round: its tables and its config's digest; `complete` when all its matches are stored.

    `planned` is when, None where that was not kept.
    """

    number: int
    digest: str
    tables: tuple[tuple[str, ...], ...]
    complete: bool
    planned: datetime | None = field(default=None, compare=False)


class StoredMatch(NamedTuple):
    """A stored match; what cannot be read of it is None, and `problem` says why."""

    id: str
    summary: MatchSummary | None
    record: MatchRecord | None
    problem: str


def stored_match(match_id: str, summary: str, kept: bytes) -> StoredMatch:
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


def read_json(text: str | None, what: str) -> dict[str, Any] | None:
    """The value of a stored text, None where there is none; StoreError names what cannot be read."""
    try:
        shape: dict[str, Any] | None = None if text is None else json.loads(text)
    except ValueError as error:
        raise StoreError(f"{what} cannot be read: {error}") from None
    return shape


def read_tables(text: str, number: int) -> tuple[tuple[str, ...], ...]:
    try:
        return tuple(map(tuple, json.loads(text)))
    except (ValueError, TypeError) as error:
        raise StoreError(f"the tables of round {number} cannot be read: {error}") from None


def in_order() -> tuple[sa.ColumnElement[Any], ...]:
    """Matches by round, table and rotation: as text, ``m10`` of Codepiece would stand before ``m2``.

    One with a substitute follows the one that it follows in play.
    """
    match = schema.matches.c
    first = sa.func.rtrim(match.id, AGAIN_MARK)
    place = sa.func.rtrim(first, "0123456789")
    return match.round, sa.func.length(place), place, sa.func.length(first), match.id
