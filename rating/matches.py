"""A match of 2 or more seats: its players and its end."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal

from rating.errors import ResultError

FaultRule = Literal["seed", "drop", "separate"]

# Includes numpy's integers.
_WHOLE = (int, Integral)


@dataclass(frozen=True, slots=True)
class Match:
    """One match: players by seat, and either points (more is better), places (less is better) or a faulty
    seat.

    `sides` has each seat's side, such as (0, 1, 0, 1); without it each seat plays alone. `owners` has each
    seat's owner; without it each player is its own owner. `unrated` seats, such as a substitute's, give no
    results. `round` and `table` are whole numbers; results that share them may be correlated; `id` is used
    only in messages. With a faulty seat points and places are ignored. Raises ResultError for inconsistent
    values.
    """

    players: Sequence[str]
    points: Sequence[float] | None = None
    places: Sequence[float] | None = None
    faulty: int | None = None
    sides: Sequence[int] | None = None
    round: int | None = None
    table: int | None = None
    id: str | None = None
    owners: Sequence[str] | None = None
    unrated: Sequence[int] = ()

    def __post_init__(self) -> None:
        seats = len(self.players)
        if seats < 2:
            raise self._error(f"has {seats} players: give at least two")
        if not all(isinstance(name, str) for name in self.players):
            raise self._error("has players that are not text: give one name per seat")
        if self.owners is not None and len(self.owners) != seats:
            raise self._error(f"has owners for {len(self.owners)} of {seats} seats: give one a seat")
        if self.sides is not None and len(self.sides) != seats:
            raise self._error(f"has sides for {len(self.sides)} of {seats} seats: give one a seat")
        if self.sides is not None and not all(isinstance(side, _WHOLE) for side in self.sides):
            raise self._error("has sides that are not whole numbers: give one a seat")
        for name, number in (("round", self.round), ("table", self.table)):
            if number is not None and not isinstance(number, _WHOLE):
                raise self._error(f"has {name} {number!r}: give a whole number")
            if number is not None and number < 0:
                raise self._error(f"has {name} {number}: count from 0 or 1")
        if not all(isinstance(seat, _WHOLE) and 0 <= seat < seats for seat in self.unrated):
            raise self._error(f"has unrated seats {list(self.unrated)}: seats are 0 to {seats - 1}")
        if self.faulty is not None:
            if not isinstance(self.faulty, _WHOLE):
                raise self._error(f"has faulty seat {self.faulty!r}: give a whole number")
            if not 0 <= self.faulty < seats:
                raise self._error(f"has faulty seat {self.faulty}: seats are 0 to {seats - 1}")
            return
        if (self.points is None) == (self.places is None):
            raise self._error("needs points, places or a faulty seat: give exactly one")
        for name, scores in (("points", self.points), ("places", self.places)):
            if scores is None:
                continue
            if len(scores) != seats:
                raise self._error(f"has {name} for {len(scores)} of {seats} seats: give one a seat")
            try:
                finite = all(map(math.isfinite, scores))
            except (TypeError, OverflowError):
                finite = False
            if not finite:
                raise self._error(f"has {name} that are not numbers: give one finite number a seat")

    def rated(self) -> Match | None:
        """Return the match of the rated seats; None if fewer than two are left, or an unrated one faulted."""
        if not self.unrated:
            return self
        kept = [seat for seat in range(len(self.players)) if seat not in self.unrated]
        if len(kept) < 2 or self.faulty in self.unrated:
            return None
        by_seat: dict[str, Any] = {
            name: None if (values := getattr(self, name)) is None else [values[seat] for seat in kept]
            for name in ("players", "points", "places", "sides", "owners")
        }
        faulty = None if self.faulty is None else kept.index(self.faulty)
        return replace(self, **by_seat, faulty=faulty, unrated=())

    def _error(self, what: str) -> ResultError:
        return ResultError(f"match {self.id or '/'.join(map(str, self.players))} {what}")


def rated_parts(matches: Iterable[Match]) -> list[Match]:
    """Return the rated part of each match that has one."""
    return [part for match in matches if (part := match.rated()) is not None]
