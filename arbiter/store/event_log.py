"""The numbered events of a season, each written in the transaction of what it reports."""

from __future__ import annotations

import json
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import timestamp
from arbiter.store.row_values import explain_unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping


class EventKind(StrEnum):
    MATCH = "match"
    """A match was stored; the subject is its id."""
    ROUND = "round"
    """A round was planned."""
    STANDINGS = "standings"
    """The standings after the round were stored or changed."""
    STATE = "state"
    """The season stops, continues, freezes its results or ends; the subject is a word for it."""
    SUBMISSION = "submission"
    """An author's program was received, accepted or refused; the subject is its id.

    The detail has `author`, `version` and `state`.
    """
    SUSPENDED = "suspended"
    """A player is suspended from a round on; the detail has `player` and `because`."""
    REQUEST = "request"
    """An author's request changed its state; the subject is its id.

    The detail has `author`, `kind` and `state`.
    """
    REJUDGED = "rejudged"
    """A match was replayed or restored; the subject is its id, the detail's `run` counts replacements."""
    REVIEW = "review"
    """A match was reviewed; the subject is its id."""
    ANNOUNCEMENT = "announcement"
    """An organiser's text became visible; the subject is its number."""


SHOWN = tuple(
    kind.value
    for kind in (
        EventKind.MATCH,
        EventKind.ROUND,
        EventKind.STANDINGS,
        EventKind.STATE,
        EventKind.REVIEW,
        EventKind.ANNOUNCEMENT,
    )
)
"""The public events, which the site shows to everyone."""
NEVER_HELD = (EventKind.STATE.value, EventKind.ANNOUNCEMENT.value)
"""Of these the events that are public also while results are held back: they concern the whole season."""
NOTHING: Mapping[str, Any] = MappingProxyType({})


FROZEN = "frozen"
"""The subject of the state event after which results are held back."""


class LoggedEvent(NamedTuple):
    """One event; `timestamp` is None if not recorded.

    Numbers count from 1 without gaps: in the store over all events, for viewers over the public ones.
    """

    number: int
    kind: EventKind
    round: int
    subject: str
    moment: str | None = None
    detail: Mapping[str, Any] = NOTHING


def log_event(
    connection: sa.Connection,
    season: int,
    kind: EventKind,
    round_number: int,
    subject: str = "",
    /,
    **detail: Any,
) -> None:
    """Add an event within a transaction; updating the season's row serialises writers."""
    is_shown = kind.value in SHOWN
    connection.execute(_COUNT, {"of_season": season, "more": int(is_shown)})
    row: dict[str, Any] = {"of_season": season, "kind": kind.value, "round": round_number, "subject": subject}
    row |= {"moment": timestamp(), "detail": json.dumps(detail) if detail else None}
    connection.execute(_INSERT_SHOWN if is_shown else _INSERT_HIDDEN, row)


def last_number(connection: sa.Connection, season: int) -> int:
    """Return the number of a season's last event, 0 before the first."""
    return int(connection.execute(_LAST, {"of_season": season}).scalar() or 0)


# One event a match: building these statements takes longer than executing them.
_THE_SEASON: sa.BindParameter[int] = sa.bindparam("of_season")
_COUNTED = sa.select(db_schema.seasons.c.events).where(db_schema.seasons.c.id == _THE_SEASON)
_COUNT = (
    sa.update(db_schema.seasons)
    .where(db_schema.seasons.c.id == _THE_SEASON)
    .values(events=db_schema.seasons.c.events + sa.bindparam("more"))
)
_LAST = sa.select(sa.func.max(db_schema.events.c.number)).where(db_schema.events.c.season_id == _THE_SEASON)
_INSERT_HIDDEN = sa.insert(db_schema.events).values(
    season_id=_THE_SEASON, number=sa.func.coalesce(_LAST.scalar_subquery(), 0) + 1
)
_INSERT_SHOWN = _INSERT_HIDDEN.values(shown=_COUNTED.scalar_subquery())


def event_of(row: sa.Row[Any]) -> LoggedEvent:
    """Return the event of a row, with its number in the store."""
    with explain_unreadable(f"event {row.number}"):
        detail = NOTHING if row.detail is None else dict(json.loads(row.detail))
    return LoggedEvent(row.number, EventKind(row.kind), row.round, row.subject, row.moment, detail)


def freeze_number(connection: sa.Connection, season: int) -> int | None:
    """Return the number of the event after which results are held back; None if they are not."""
    table = db_schema.events.c
    frozen = sa.select(sa.func.min(table.number)).filter_by(
        season_id=season, kind=EventKind.STATE.value, subject=FROZEN
    )
    told = sa.select(db_schema.seasons.c.seed_told).filter_by(id=season)
    if connection.execute(told).scalar() is not None:
        return None
    found: int | None = connection.execute(frozen).scalar()
    return found


def since_freeze(connection: sa.Connection, season: int, last_round: int) -> tuple[int, list[LoggedEvent]]:
    """Return the number of the event that froze results after a round, and the public events since.

    These concern the season as a whole and are renumbered without gaps: the store's numbers would reveal how
    many others there are.
    """
    table = db_schema.events
    frozen = {"kind": EventKind.STATE.value, "subject": FROZEN, "round": last_round}
    first = sa.select(sa.func.min(table.c.shown)).filter_by(season_id=season, **frozen)
    number: int = connection.execute(first).scalar_one()
    later = sa.select(table).filter_by(season_id=season).where(table.c.kind.in_(NEVER_HELD))
    later = later.where(table.c.shown > number).order_by(table.c.shown)
    rows = enumerate(connection.execute(later), number + 1)
    return number, [event_of(row)._replace(number=at) for at, row in rows]
