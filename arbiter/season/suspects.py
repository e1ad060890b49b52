"""Whom the voids of a match are due to: found out by playing it without each of its players in turn.

A void is our machine's failure, unless a bot has found a way to make one. Nobody can see which; but the
machine fails whoever plays, and a bot only where it sits. So a match that was void too often is played
without one player after the other, sweep after sweep, until the voids spare the plays without one of them
beyond chance. That player then sits out all matches of this run that are void too often, and loses them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING

from arbiter.match import Absence, original

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.errors import VoidMatch
    from arbiter.match import MatchSpec
    from arbiter.rules import Seat

SWEEPS = 8
"""Most times that a match is played without each player."""
CHANCE = 0.05
"""At most, that one of the players is blamed where the machine fails at random."""


class Suspects:
    """The matches of a run that were void too often, one searched after the other."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._doubted: deque[tuple[MatchSpec, VoidMatch]] = deque()
        """Matches with what ends the run if it is nobody's fault; the first is searched."""
        self._voids: list[int] = []
        """Of the first match, by who was absent."""
        self._sweeps = self._awaited = 0

    def __bool__(self) -> bool:
        """True while a match is searched."""
        return bool(self._doubted)

    def doubt(self, spec: MatchSpec, end: VoidMatch) -> list[MatchSpec]:
        """What to play since a match was void too often; `end` if its absent player is not to blame."""
        if spec.absence is not None:
            raise end
        self._doubted.append((spec, end))
        return self._next() if len(self._doubted) == 1 else []

    def learn(self, spec: MatchSpec, is_void: bool) -> list[MatchSpec]:
        """What to play after a match without one of its players; VoidMatch if the search was in vain."""
        assert spec.absence is not None
        self._voids[spec.absence.seat] += is_void
        self._awaited -= 1
        if self._awaited:
            return []
        searched, end = self._doubted[0]
        found = blamed(self._voids, self._sweeps)
        if found is not None:
            self._known.add(original(searched.players[found].name))
            return self._next()
        if all(self._voids) or not any(self._voids) or self._sweeps == SWEEPS:
            raise end
        return self._sweep(searched)

    def _next(self) -> list[MatchSpec]:
        """The doubted matches whose culprits are known, without these, and a search in the next one."""
        plays: list[MatchSpec] = []
        while self._doubted:
            spec, _ = self._doubted[0]
            at_fault = [n for n, player in enumerate(spec.players) if original(player.name) in self._known]
            if len(at_fault) != 1:
                self._voids, self._sweeps = [0] * len(spec.players), 0
                return plays + self._sweep(spec)
            plays.append(replace(spec, absence=Absence(at_fault[0], at_fault=True)))
            self._doubted.popleft()
        return plays

    def _sweep(self, spec: MatchSpec) -> list[MatchSpec]:
        self._sweeps += 1
        self._awaited = len(spec.players)
        return [replace(spec, absence=Absence(seat)) for seat in range(len(spec.players))]


def is_trial(spec: MatchSpec) -> bool:
    """True for a match without a player, of which nothing is kept but whether it was void."""
    return spec.absence is not None and not spec.absence.at_fault


def blamed(voids: Sequence[int], sweeps: int) -> Seat | None:
    """The only seat without which no play was void, if that is no chance; `voids` by who was away.

    Of n players and V voids: that voids at random spare the plays without one of them has a probability of at
    most n C(n s - s, V) / C(n s, V), after s sweeps.
    """
    spared = [seat for seat, number in enumerate(voids) if not number]
    played, total = len(voids) * sweeps, sum(voids)
    chance = len(voids) * comb(played - sweeps, total) / comb(played, total)
    return spared[0] if len(spared) == 1 and chance <= CHANCE else None
