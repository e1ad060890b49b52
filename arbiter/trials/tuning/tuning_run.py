"""Play the iterations of a tuning into a store, each with the numbers that follow from the previous ones.

The bot meets itself with the numbers of both sides, in the blocks of a regression test: the same deals in all
seatings. Only the matches are stored, and each iteration's numbers before its first match. After an
interruption the same blocks are read again and missing matches are played, with the same result.

The result of an iteration is the mean lead in points of the first side, named `candidate`, over the other,
`base`; with a field it is the first side's mean lead over the field less the other's. A match lost by a fault
counts as a lead of -sqrt(pi / 2) times the spread of leads so far: half a result in points if leads are
normal. A block with a fault of a player of the field does not count.
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
"""The lead of a match lost by a fault, in spreads of leads."""
FAILED = 3
"""The tuning fails after this many iterations in a row whose matches all ended by faults."""


def find_tuning(
    tuning: Tuning,
    store: Store,
    fresh: bool = False,
    accept: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Tuning:
    """Find the tuning's name in the store, by `find_name`; return the tuning under it. `tell` as there."""
    most = tuning.iterations * tuning.matches

    def is_over(name: str) -> bool:
        """True if as many matches are stored as all iterations have."""
        season = store.season(name)
        return season is not None and len(season.summaries()) >= most

    name = find_name(tuning.name, tuning.settings, store, is_over, fresh, accept, tell)
    return replace(tuning, name=name)


def open_tuning(tuning: Tuning, store: Store) -> SeasonStore:
    """Find the tuning in the store, or create it, with a random seed for `auto`."""
    return open_season(store, tuning.name, tuning.game.name, tuning.settings, tuning.seed)


class TuningRun:
    """The state of a tuning: `descent` has its numbers, `faults` counts faults by side and of the field."""

    def __init__(self, tuning: Tuning, season: SeasonStore) -> None:
        self.tuning, self.season = tuning, season
        self.descent = Descent(tuning.parameters, season.seed)
        self.faults = {CANDIDATE: 0, BASE: 0, FIELD: 0}
        self.level = 0
        """The number of initial iterations in which neither side was ahead."""
        self._leads, self._squares, self._failed = 0, 0.0, 0

    @property
    def over(self) -> bool:
        return self.descent.iteration >= self.tuning.iterations

    def play_iteration(self, executor: Executor) -> Iterator[MatchStored | MatchVoid | Stopped]:
        """Play the missing matches of the next iteration and apply its result; yield events as they happen.

        BotCheckFailed if the bot fails in all matches, VoidMatch as in `play_blocks`, StoreError if stored
        matches were played with other numbers.
        """
        tuning, number = self.tuning, self.descent.iteration + 1
        one, other = self.descent.sides()
        self._store_numbers(f"{number:06d}", {CANDIDATE: dict(one), BASE: dict(other)})
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
            # Fewer after a request to stop.
            result = self._result(matches)
            self.level += result == 0.0 and self.level == self.descent.iteration
            self.descent.take(result)

    def _store_numbers(self, digest: str, sides: dict[str, dict[str, float]]) -> None:
        """Store both sides' numbers in an iteration; StoreError if other ones are stored."""
        self.season.keep_settings(digest, sides)
        if self.season.settings(digest) != sides:
            raise StoreError(
                f"iteration {digest.lstrip('0')} of {self.season.name} was stored with other numbers"
            )

    def _result(self, matches: Sequence[MatchSummary]) -> float | None:
        """Count the faults of an iteration, and return its result, None if none of its blocks count."""
        ahead = {match.id: fmean(leads(match)) for match in matches if match.faulty is None}
        self._leads += len(ahead)
        self._squares += math.fsum(lead * lead for lead in ahead.values())
        self._count_faults(matches)
        lost = LOST * (math.sqrt(self._squares / self._leads) if self._squares else 1.0)

        def lead(match: MatchSummary) -> float | None:
            """Return the first side's lead in points, or minus the other's in its matches with a field."""
            if match.faulty is None:
                return ahead[match.id] if version_at(match.players) == CANDIDATE else -ahead[match.id]
            return {CANDIDATE: -lost, BASE: lost}.get(original(match.players[match.faulty]))

        by_block = [list(map(lead, block)) for _, block in groupby(matches, key=attrgetter("round"))]
        counted = [value for block in by_block if None not in block for value in block if value is not None]
        return fmean(counted) if counted else None

    def _count_faults(self, matches: Sequence[MatchSummary]) -> None:
        """Count faults by side; BotCheckFailed after `FAILED` iterations with nothing but faults."""
        faults = faults_in(matches)
        for fault in faults:
            self.faults[fault.version] += 1
        one_sided = {fault.version for fault in faults} in ({CANDIDATE}, {BASE})
        self._failed = 0 if len(faults) < len(matches) or one_sided else self._failed + 1
        if self._failed == FAILED:
            text = f"every match of {FAILED} iterations in a row ended by a fault, the last {faults[-1]}"
            raise BotCheckFailed(text)
