"""Players who fault too often: in many matches in a row, or in a large share of those of their last rounds.

A match that another player's fault ended is not counted, as its own might have followed; nor is a
substitute.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from arbiter.match.spec import original

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.match.record import MatchSummary

ROUNDS = 8
"""Rounds with a player's matches over which its share of faults is taken."""


@dataclass(slots=True)
class _Round:
    """A player's counted matches of a round, and those ended by its faults."""

    number: int | None
    faults: int = 0
    matches: int = 0


@dataclass(slots=True)
class _FaultHistory:
    """A player's faults in a row up to its last match, and those of its last rounds."""

    row: int = 0
    rounds: deque[_Round] = field(default_factory=lambda: deque(maxlen=ROUNDS))

    def add(self, number: int | None, faulty: bool) -> None:
        """Count a match of a round, and whether the player's own fault ended it."""
        if not self.rounds or self.rounds[-1].number != number:
            self.rounds.append(_Round(number))
        self.rounds[-1].faults += faulty
        self.rounds[-1].matches += 1
        self.row = self.row + 1 if faulty else 0


class FaultHistories:
    """The faults of all players, match after match in the order of the plan."""

    def __init__(self) -> None:
        self._of: defaultdict[str, _FaultHistory] = defaultdict(_FaultHistory)

    def count(self, match: MatchSummary) -> None:
        """Count a match: for the faulty player alone, else for all; a substitute is not counted."""
        if match.faulty is None:
            for seat, name in enumerate(match.players):
                if seat != match.substitute:
                    self._of[original(name)].add(match.round, faulty=False)
        elif match.faulty != match.substitute:
            self._of[original(match.players[match.faulty])].add(match.round, faulty=True)

    def forget(self, names: Iterable[str]) -> None:
        """Forget the faults of these players."""
        for name in names:
            self._of.pop(name, None)

    @property
    def names(self) -> list[str]:
        """All players with counted matches."""
        return list(self._of)

    def reason(self, name: str, in_a_row: int, share: float) -> str | None:
        """Return why a player faults too often; None if it does not.

        Too often is `in_a_row` times in a row, or in more than `share` of the matches of its last `ROUNDS`
        rounds, of at least `in_a_row`; never where that is 0.
        """
        known = self._of.get(name)
        if known is None or not in_a_row:
            return None
        if known.row >= in_a_row:
            return f"its last {known.row} matches ended by its own fault"
        faults, matches = (sum(getattr(one, of) for one in known.rounds) for of in ("faults", "matches"))
        if matches >= in_a_row and faults > share * matches:
            return f"{faults} of its last {matches} matches ended by its own fault"
        return None
