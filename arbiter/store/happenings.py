"""The events of a season, as a numbered log: written with what happened, in the same transaction."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

import sqlalchemy as sa

from arbiter.store import schema


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


FROZEN = "frozen"
"""The subject of the state from which on the results of further rounds are held back."""


class Happened(NamedTuple):
    """One event; numbers count from 1 and have no gaps."""

    number: int
    kind: Happening
    round: int
    subject: str


def log(
    connection: sa.Connection, season: int, kind: Happening, round_number: int, subject: str = ""
) -> None:
    """Add an event within a transaction; the season's row keeps two writers apart."""
    table = schema.seasons
    count = sa.update(table).filter_by(id=season).values(events=table.c.events + 1)
    connection.execute(count)
    number = connection.execute(sa.select(table.c.events).filter_by(id=season)).scalar_one()
    row = {"season_id": season, "number": number, "kind": kind.value, "round": round_number}
    connection.execute(sa.insert(schema.events).values(row | {"subject": subject}))


def happened(row: sa.Row[Any]) -> Happened:
    """An event from its row."""
    return Happened(row.number, Happening(row.kind), row.round, row.subject)


def since_freeze(connection: sa.Connection, season: int, last_round: int) -> tuple[int, list[Happened]]:
    """The number of the event from which on results after a round are held back, and what is sent after it.

    That is what happens to the season as a whole, numbered on without gaps: those in the store would tell
    how much else happened.
    """
    table = schema.events
    mine = {"season_id": season, "kind": Happening.STATE.value}
    first = sa.select(sa.func.min(table.c.number)).filter_by(**mine, subject=FROZEN, round=last_round)
    number: int = connection.execute(first).scalar_one()
    later = sa.select(table).filter_by(**mine).where(table.c.number > number).order_by(table.c.number)
    rows = enumerate(connection.execute(later), number + 1)
    return number, [happened(row)._replace(number=at) for at, row in rows]
