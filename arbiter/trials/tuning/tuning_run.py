"""A tuning under way: iterations played into a store, each with the numbers that follow from those before.

The bot meets itself with the numbers of both sides, in the blocks that a regression test has: the same deals
in all seatings. All that is kept are the matches, and each iteration's numbers before its first match. So
after any interruption the same blocks are read again, what is missing of them is played, and all goes on
as if nothing had happened.

The result of an iteration is the mean lead in points of the first side, `candidate` by name, over the other,
`base`; with a field that of its lead over the field less that of the other's. A match lost by a fault counts
as lost whole: sqrt(pi / 2) times the spread of leads so far, which is what half a result is worth in points
where leads are normal. A fault of somebody else leaves its block out.
"""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from statistics import fmean
from typing import TYPE_CHECKING

from arbiter.errors import BotCheckFailed, StoreError
from arbiter.match.spec import original
from arbiter.trials.regression.blocks import Meeting, block_specs, leads, version_at
from arbiter.trials.regression.own_season import find_name, open_season, play_blocks
from arbiter.trials.regression.program_identity import BASE, CANDIDATE
from arbiter.trials.regression.trial_state import FIELD, faults_in
from rating.descent import Descent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor

    from arbiter.match.record import MatchSummary
    from arbiter.season.events import MatchStored, MatchVoid, Stopped
    from arbiter.store import SeasonStore, Store
    from arbiter.trials.tuning.tuning_file import Tuning

LOST = math.sqrt(math.pi / 2.0)
"""Spreads of a match's lead that a match lost by a fault counts as."""
FAILED = 3
"""Iterations in a row in which no match ended without a fault, on whatever side: the bot fails in all."""


def resumed(
    tuning: Tuning,
    store: Store,
    fresh: bool = False,
    accept: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Tuning:
    """The tuning where it stands in the store, or begins, by `find_name`; `tell` gets why."""
    most = tuning.iterations * tuning.matches

    def is_over(name: str) -> bool:
        season = store.season(name)
        return season is not None and len(season.summaries()) >= most

    name = find_name(tuning.name, tuning.settings, store, is_over, fresh, accept, tell)
    return replace(tuning, name=name)


def open_tuning(tuning: Tuning, store: Store) -> SeasonStore:
    """Find the tuning in the store, or make it, with a seed drawn for `auto`."""
    return open_season(store, tuning.name, tuning.game.name, tuning.settings, tuning.seed)


class Course:
    """The state of a tuning: `descent` has its numbers, `faults` counts those of either side or the field."""

    def __init__(self, tuning: Tuning, season: SeasonStore) -> None:
        self.tuning, self.season = tuning, season
        self.descent = Descent(tuning.parameters, season.seed)
        self.faults = {CANDIDATE: 0, BASE: 0, FIELD: 0}
        self.level = 0
        """Iterations from the first on in which neither side was ahead."""
        self._leads, self._squares, self._failed = 0, 0.0, 0

    @property
    def over(self) -> bool:
        return self.descent.iteration >= self.tuning.iterations

    def play_iteration(self, executor: Executor) -> Iterator[MatchStored | MatchVoid | Stopped]:
        """Play what is not stored of the next iteration, and take it; each event as it happens.

        BotCheckFailed where the bot fails in all matches, VoidMatch as in `play_blocks`, StoreError where the
        stored matches were played with other numbers.
        """
        tuning, number = self.tuning, self.descent.iteration + 1
        one, other = self.descent.sides()
        self._keep(f"{number:06d}", {CANDIDATE: dict(one), BASE: dict(other)})
        meeting = Meeting(
            tuning.name,
            tuning.game,
            tuning.player(BASE, other),
            tuning.player(CANDIDATE, one),
            tuning.field,
            tuning.limits,
        )
        last = number * tuning.model.blocks
        first = last - tuning.model.blocks + 1
        blocks = (list(block_specs(meeting, self.season.seed, block)) for block in range(first, last + 1))
        with closing(play_blocks(self.season, blocks, executor)) as events:
            yield from events
        matches = self.season.summaries(last_round=last, first_round=first)
        if len(matches) == tuning.matches:
            # Fewer where somebody asked to stop.
            result = self._result(matches)
            self.level += result == 0.0 and self.level == self.descent.iteration
            self.descent.take(result)

    def _keep(self, digest: str, sides: dict[str, dict[str, float]]) -> None:
        self.season.keep_settings(digest, sides)
        if self.season.settings(digest) != sides:
            raise StoreError(f"iteration {digest.lstrip('0')} of {self.season.name} has other numbers here")

    def _result(self, matches: Sequence[MatchSummary]) -> float | None:
        """The result of an iteration, None where all its blocks are left out."""
        ahead = {match.id: fmean(leads(match)) for match in matches if match.faulty is None}
        self._leads += len(ahead)
        self._squares += math.fsum(lead * lead for lead in ahead.values())
        self._count_faults(matches)
        lost = LOST * (math.sqrt(self._squares / self._leads) if self._squares else 1.0)

        def lead(match: MatchSummary) -> float | None:
            """That of the first side, in points; less that of the other in its own matches with a field."""
            if match.faulty is None:
                return ahead[match.id] if version_at(match.players) == CANDIDATE else -ahead[match.id]
            return {CANDIDATE: -lost, BASE: lost}.get(original(match.players[match.faulty]))

        by_block = [list(map(lead, block)) for _, block in groupby(matches, key=attrgetter("round"))]
        counted = [value for block in by_block if None not in block for value in block if value is not None]
        return fmean(counted) if counted else None

    def _count_faults(self, matches: Sequence[MatchSummary]) -> None:
        faults = faults_in(matches)
        for fault in faults:
            self.faults[fault.version] += 1
        one_sided = {fault.version for fault in faults} in ({CANDIDATE}, {BASE})
        self._failed = 0 if len(faults) < len(matches) or one_sided else self._failed + 1
        if self._failed == FAILED:
            text = f"every match of {FAILED} iterations in a row ended by a fault, the last {faults[-1]}"
            raise BotCheckFailed(text)
