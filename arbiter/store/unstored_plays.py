"""Plays that are not stored as matches: void plays, and the billed tokens and lost questions of models."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.match.token_usage import BilledTokens
from arbiter.store import db_schema
from arbiter.store.database import SeasonRows
from arbiter.store.row_values import explain_unreadable
from arbiter.store.seats import key_of, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class UnstoredTokenStore(SeasonRows):
    """The tokens of one season's plays that are not stored, by player: each method uses the database."""

    def add(self, billed: Mapping[str, tuple[int, int]]) -> None:
        """Add the input and output tokens of a play that is not stored, by player."""
        table = db_schema.outlays
        with self._store.transaction() as connection:
            for player, (asked, answered) in billed.items():
                key = {"season_id": self._id, "player": key_of(player)}
                self._store.insert_once(connection, table, key | {"input": 0, "output": 0})
                sums = {"input": table.c.input + asked, "output": table.c.output + answered}
                connection.execute(sa.update(table).filter_by(**key).values(sums))

    def all(self) -> dict[str, BilledTokens]:
        """Return the tokens of plays that are not stored, by player."""
        table = db_schema.outlays.c
        rows = self._all(self._own(table.player, table.input, table.output))
        return {name_of(row.player): BilledTokens(row.input, row.output) for row in rows}


class Voids(NamedTuple):
    """The number of void plays, in all and by player, most first."""

    all: int
    players: Mapping[str, int]


class VoidPlayStore(SeasonRows):
    """The stored void plays of one season: each method reads or writes the database."""

    def add(self, match: str, why: str, players: Iterable[str]) -> None:
        """Record a void play of a match and its reason `why`; it counts for each of `players`."""
        table = db_schema.voids
        with self._store.transaction() as connection:
            last = sa.select(sa.func.max(table.c.number)).filter_by(season_id=self._id)
            number = int(connection.execute(last).scalar() or 0) + 1
            row = {"season_id": self._id, "number": number, "match_id": match}
            row |= {"why": json.dumps(why), "players": json.dumps(sorted(set(players)))}
            connection.execute(sa.insert(table).values(row))

    def count(self) -> Voids:
        """Return the number of void plays, in all and by player."""
        rows = self._all(self._own(db_schema.voids.c.players).order_by(db_schema.voids.c.number))
        with explain_unreadable("the void plays"):
            sat: Counter[str] = Counter(player for row in rows for player in json.loads(row.players))
        return Voids(len(rows), dict(sorted(sat.items(), key=lambda one: (-one[1], one[0].casefold()))))

    def reasons(self) -> dict[str, list[str]]:
        """Return by match the reasons of its void plays, the first one first; matches by their last one."""
        table, found = db_schema.voids.c, dict[str, list[str]]()
        rows = self._all(self._own(table.match_id, table.why).order_by(table.number))
        with explain_unreadable("the void plays"):
            for row in rows:
                found[row.match_id] = [*found.pop(row.match_id, []), str(json.loads(row.why))]
        return found


MOST_OUTAGES = 20
"""The latest questions without an answer that are kept of a season."""


class OutageStore(SeasonRows):
    """The questions to models that made matches of one season void: each method uses the database."""

    def add(self, match: str, question: Mapping[str, Any]) -> None:
        """Keep a question, and no more than `MOST_OUTAGES`; its match is void."""
        table = db_schema.outages
        with self._store.transaction() as connection:
            last = sa.select(sa.func.max(table.c.number)).filter_by(season_id=self._id)
            number = int(connection.execute(last).scalar() or 0) + 1
            old = (
                sa.delete(table).filter_by(season_id=self._id).where(table.c.number <= number - MOST_OUTAGES)
            )
            connection.execute(old)
            row = {
                "season_id": self._id,
                "number": number,
                "match_id": match,
                "question": json.dumps(question),
            }
            connection.execute(sa.insert(table).values(row))

    def of(self, match: str) -> list[Mapping[str, Any]]:
        """Return the kept questions of a match, the first one first."""
        table = db_schema.outages.c
        rows = self._all(self._own(table.question, match_id=match).order_by(table.number))
        with explain_unreadable("the questions without an answer"):
            return [json.loads(row.question) for row in rows]
