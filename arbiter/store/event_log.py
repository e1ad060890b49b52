"""The events of a season, as a numbered log: written with what happened, in the same transaction."""

from __future__ import annotations

import json
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import moment
from arbiter.store.row_values import legible

if TYPE_CHECKING:
    from collections.abc import Mapping


class Happening(StrEnum):
    """Kinds of events."""

    MATCH = "match"
    """A match was stored; the subject is its id."""
    ROUND = "round"
    """A round was planned."""
    STANDINGS = "standings"
    """The standings after the round are there, or changed."""
    STATE = "state"
    """Somebody asked to stop, results are held back, or the season is over; the subject is a word for it."""
    SUBMISSION = "submission"
    """An author's program was received, accepted or refused; the subject is its id.

    The detail has `author`, `version` and `state`.
    """
    SUSPENDED = "suspended"
    """Somebody is suspended from a round on; the detail has `player` and `because`."""
    REQUEST = "request"
    """An author's request came into another state; the subject is its id.

    The detail has `author`, `kind` and `state`.
    """
    REJUDGED = "rejudged"
    """A match was played again, or put back; the subject is its id. The detail has `run`, the one before."""
    REVIEW = "review"
    """A match was reviewed; the subject is its id."""


SHOWN = tuple(
    kind.value
    for kind in (
        Happening.MATCH,
        Happening.ROUND,
        Happening.STANDINGS,
        Happening.STATE,
        Happening.REVIEW,
    )
)
"""What all who look at a site hear of."""
NOTHING: Mapping[str, Any] = MappingProxyType({})


FROZEN = "frozen"
"""The subject of the state from which on the results of further rounds are held back."""


class Happened(NamedTuple):
    """One event; `moment` is None where it was not kept.

    Numbers count from 1 and have no gaps: in the store those of all, for onlookers those that they hear of.
    """

    number: int
    kind: Happening
    round: int
    subject: str
    moment: str | None = None
    detail: Mapping[str, Any] = NOTHING


def log(
    connection: sa.Connection,
    season: int,
    kind: Happening,
    round_number: int,
    subject: str = "",
    /,
    **detail: str | int,
) -> None:
    """Add an event within a transaction; the season's row keeps two writers apart."""
    table, is_shown = db_schema.seasons, kind.value in SHOWN
    count = sa.update(table).filter_by(id=season).values(events=table.c.events + int(is_shown))
    connection.execute(count)
    shown = connection.execute(sa.select(table.c.events).filter_by(id=season)).scalar_one()
    number = last_number(connection, season) + 1
    row: dict[str, Any] = {"season_id": season, "number": number, "kind": kind.value, "round": round_number}
    row |= {"shown": shown if is_shown else None}
    row |= {"subject": subject, "moment": moment(), "detail": json.dumps(detail) if detail else None}
    connection.execute(sa.insert(db_schema.events).values(row))


def last_number(connection: sa.Connection, season: int) -> int:
    """The number of a season's last event, 0 before the first."""
    last = sa.select(sa.func.max(db_schema.events.c.number)).filter_by(season_id=season)
    return int(connection.execute(last).scalar() or 0)


def happened(row: sa.Row[Any]) -> Happened:
    """An event from its row, with its number in the store."""
    with legible(f"event {row.number}"):
        detail = NOTHING if row.detail is None else dict(json.loads(row.detail))
    return Happened(row.number, Happening(row.kind), row.round, row.subject, row.moment, detail)


def held_after(connection: sa.Connection, season: int) -> int | None:
    """The number of the event from which on results are held back; None where they are not."""
    table = db_schema.events.c
    frozen = sa.select(sa.func.min(table.number)).filter_by(
        season_id=season, kind=Happening.STATE.value, subject=FROZEN
    )
    told = sa.select(db_schema.seasons.c.seed_told).filter_by(id=season)
    if connection.execute(told).scalar() is not None:
        return None
    found: int | None = connection.execute(frozen).scalar()
    return found


def since_freeze(connection: sa.Connection, season: int, last_round: int) -> tuple[int, list[Happened]]:
    """The number of the event from which on results after a round are held back, and what is sent after it.

    That is what happens to the season as a whole, numbered on without gaps: those in the store would tell
    how much else happened.
    """
    table = db_schema.events
    mine = {"season_id": season, "kind": Happening.STATE.value}
    first = sa.select(sa.func.min(table.c.shown)).filter_by(**mine, subject=FROZEN, round=last_round)
    number: int = connection.execute(first).scalar_one()
    later = sa.select(table).filter_by(**mine).where(table.c.shown > number).order_by(table.c.shown)
    rows = enumerate(connection.execute(later), number + 1)
    return number, [happened(row)._replace(number=at) for at, row in rows]
