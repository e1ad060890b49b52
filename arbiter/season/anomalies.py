"""Rounds with too many faults, which stop the season until the organiser has looked at them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from arbiter.errors import Anomaly

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.games.game import AnyGame
    from arbiter.match.record import MatchRecord, MatchSummary

LEAST = 8
"""Matches of a round from which its share of faults is checked."""
SHOWN = 4
"""Faults that are named."""
WHAT_NOW = (
    "arbiter matches and show give the causes; if the bots are not to blame, fix it and"
    " annul the round: arbiter annul CONFIG --round {number} --because TEXT --replay"
)


class FaultWatch:
    """Counts the matches of a round as they end; `most` is the share that may end by a fault.

    Round 0 is matches of any rounds that are played again.
    """

    def __init__(self, number: int, most: float, ended: Iterable[MatchSummary]) -> None:
        self._number, self._most = number, most
        self._ended = list(ended)

    def record(self, match: MatchSummary | None = None) -> bool:
        """Count one more match; return True when too many ended by faults."""
        if match is not None:
            self._ended.append(match)
        faults = sum(known.faulty is not None for known in self._ended)
        return len(self._ended) >= LEAST and faults > self._most * len(self._ended)

    def check(self) -> None:
        """Raise Anomaly, with what to do, if too many ended by faults."""
        if self.record():
            raise Anomaly(self._anomaly_text())

    def _anomaly_text(self) -> str:
        faults = [match for match in self._ended if match.faulty is not None]
        share = f"{len(faults)} of the first {len(self._ended)} matches"
        said = f"ended by faults ({_faults_by_player(faults)}), more than stop_when allows: {self._most:g}"
        if not self._number:
            return f"{share} played again {said}; arbiter annul CONFIG --undo MATCH brings first runs back"
        what_now = WHAT_NOW.format(number=self._number)
        return f"round {self._number}: {share} {said}; {what_now}; else allow more in stop_when"


def describe_anomaly(
    number: int, game: AnyGame, matches: Sequence[MatchSummary], records: Iterable[MatchRecord]
) -> str:
    """Return a text if all matches ended by faults: one fault by each player, or no answer at all; else "".

    `records` are those of `matches`, and are read only if all ended by faults.
    """
    if len(matches) < 2 or any(match.faulty is None for match in matches):
        return ""
    what = ""
    kinds = {match.fault for match in matches}
    faulty = {match.players[match.faulty] for match in matches if match.faulty is not None}
    (first, *_), *_ = game.greeting()
    if len(kinds) == 1 and len(faulty) == len(matches):
        what = f"every match ended by the same fault of another player ({_faults_by_player(matches)})"
    elif all(
        record.forfeit is not None and (record.forfeit.seat, record.forfeit.command) == (0, first)
        for record in records
    ):
        what = f"no bot answered at all ({_faults_by_player(matches)})"
    return (
        what and f"round {number}: {what}; {WHAT_NOW.format(number=number)}; else run the same command again"
    )


def _faults_by_player(matches: Iterable[MatchSummary]) -> str:
    """Return ``crash of alice 3, timeout of bob``: the `SHOWN` most frequent faults."""
    found = Counter(
        f"{match.fault} of {match.players[match.faulty]}" for match in matches if match.faulty is not None
    )
    said = [f"{what} {times}" if times > 1 else what for what, times in found.most_common(SHOWN)]
    return ", ".join([*said, *(["..."] if len(found) > SHOWN else [])])
