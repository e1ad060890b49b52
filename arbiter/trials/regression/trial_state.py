"""The state of a regression test: takes results in any order and counts blocks in order, until a verdict.

Nothing here plays or stores: the same matches give the same verdict, whether just played or read again after
an interruption. So no result and no fault counts before all earlier blocks are complete. Only sums, three
numbers a block, and the few matches to look at are kept: a test may last for years.
"""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import count
from typing import TYPE_CHECKING, Literal, NamedTuple

from arbiter.match.spec import original
from arbiter.trials.regression.blocks import block_score, block_specs, match_score, version_at
from arbiter.trials.regression.program_identity import BASE, CANDIDATE
from rating.sequential.runs import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from arbiter.match.record import MatchSummary
    from arbiter.match.spec import MatchSpec
    from arbiter.trials.regression.experiment import Experiment
    from rating.sequential.runs import Report


VerdictOfTrial = Literal[
    "better", "not_better", "out_of_budget", "identical_play", "candidate_faulty", "base_faulty"
]
FIELD = "field"
MOST_LEFT_OUT = 3
"""This many uncounted blocks end a test if they are more than one in `SHARE_LEFT_OUT`."""
SHARE_LEFT_OUT = 10
WORST = 5
"""Maximum matches listed in a report, so that the page of CI stays short."""
_EXIT = {"better": 0, "candidate_faulty": 3, "base_faulty": 3}


class ScoredMatch(NamedTuple):
    """A match of a counted block, and the score of the version at its table."""

    match: MatchSummary
    score: float | None


class FaultSeen(NamedTuple):
    """A match that ended by a fault of `version`: candidate, base, or field."""

    version: str
    match: MatchSummary

    def __str__(self) -> str:
        return f"{self.short_text}: {self.match.detail}"

    @property
    def short_text(self) -> str:
        """The fault without its detail, which may quote the bot's standard error."""
        match = self.match
        return f"{match.id}: {match.players[match.faulty or 0]} forfeits ({match.fault})"


class Trial:
    """The state of a test. `add` takes matches; `verdict` is None until it is decided.

    `run` holds the blocks counted so far, `scores` the score of each; `left_out` the numbers of those that do
    not count, `faults` the first `WORST` of each version; `from_store` is the number of matches read from the
    store, `next_block` the number of the block to count next.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.run = Run()
        self.scores = array("d")
        self.verdict: VerdictOfTrial | None = None
        self.from_store = 0
        self.left_out: list[int] = []
        self.faults: list[FaultSeen] = []
        self._ratios, self._evidence = array("d"), array("d")
        self._kinds: Counter[tuple[str, str]] = Counter()
        self._ends: Counter[tuple[str, int]] = Counter()
        self._lost: list[ScoredMatch] = []
        self._report: tuple[Run, Report] | None = None
        self._waiting: dict[int, dict[str, MatchSummary]] = {}
        self.next_block = 1

    @property
    def blocks_taken(self) -> int:
        """Blocks counted or left out."""
        return self.run.blocks + len(self.left_out)

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 if the candidate may replace the base."""
        if self.verdict == "identical_play":
            return 0 if self.experiment.non_regression else 1
        return _EXIT.get(str(self.verdict), 1)

    @property
    def report(self) -> Report:
        """LLR, Elo, interval, expected blocks to go."""
        if self._report is None or self._report[0] is not self.run:
            # An interval takes some 20 ms and is read several times.
            self._report = self.run, self.experiment.test.report(self.run)
        return self._report[1]

    def faults_of(self, version: str) -> dict[str, int]:
        """Return the number of a version's faults of each kind."""
        return {kind: times for (of, kind), times in self._kinds.items() if of == version}

    def tally(self, version: str = CANDIDATE) -> tuple[int, int, int]:
        """Return the numbers of counted matches that a version won, drew and lost."""
        return tally_of(self._ends, version)

    def ratio_history(self, most: int) -> list[tuple[int, float, float]]:
        """Return (block, LLR, ln e) after each counted block, or after `most` (2 or more) evenly spaced."""
        last = len(self._ratios) - 1
        steps = min(last, most - 1)
        places = [round(step * last / steps) for step in range(steps + 1)] if steps > 0 else range(last + 1)
        return [(place + 1, self._ratios[place], self._evidence[place]) for place in places]

    def matches_to_play(self, seed: str) -> Iterator[list[MatchSpec]]:
        """Yield the matches of each block to play, until the verdict."""
        most = self.experiment.test.most_blocks
        for block in count(1) if most is None else range(1, most + 1):
            if self.verdict is not None:
                return
            yield list(block_specs(self.experiment, seed, block))

    def worst(self) -> list[ScoredMatch]:
        """Return the matches to look at first: those ended by a fault, then, unless a fault is the verdict,
        those that the candidate lost, by score and then by its deficit in points.
        """
        if self.verdict == "identical_play":
            return []
        blamed = {"candidate_faulty": (CANDIDATE,), "base_faulty": (BASE, FIELD)}.get(str(self.verdict))
        if blamed:
            faults = [fault.match for fault in self.faults if fault.version in blamed]
            return [ScoredMatch(match, match_score(match)) for match in faults[:WORST]]
        return worst_of(self.faults, self._lost)

    def add(self, match: MatchSummary) -> None:
        """Take a match; it counts once all blocks up to its own are complete, but see `_fail_at_once`."""
        assert match.round is not None
        self._waiting.setdefault(match.round, {})[match.id] = match
        while self.verdict is None and self._count_block(self.next_block):
            self.next_block += 1
        if self.verdict is None and self.experiment.fail_at_once:
            self._fail_at_once()

    def _count_block(self, block: int) -> bool:
        """Count a block; False if matches of it are missing."""
        found = self._waiting.get(block, {})
        if len(found) < self.experiment.block_size:
            return False
        del self._waiting[block]
        matches = planned_order(found)
        self._count_faults(faults_in(matches))
        block_is = block_score(bool(self.experiment.field), matches)
        if block_is.score is None:
            self.left_out.append(block)
        else:
            self.run = self.experiment.test.add(self.run, block_is.score, block_is.margin, block_is.offset)
            self.scores.append(block_is.score)
            self._ratios.append(self.experiment.test.ratio(self.run))
            self._evidence.append(self.run.log_e)
            scored = [ScoredMatch(match, block_is.matches[match.id]) for match in matches]
            self._ends.update(count_outcomes(scored))
            self._lost = worst_of((), [*self._lost, *scored])
        self._set_verdict()
        return True

    def _set_verdict(self) -> None:
        """Set `verdict` if faults, the stop rule, or the largest number of blocks decide the test."""
        verdict, most = self.run.verdict, self.experiment.test.most_blocks
        taken, lost = self.blocks_taken, len(self.left_out)
        if self.experiment.fail_at_once and self.faults_of(CANDIDATE):
            self.verdict = "candidate_faulty"
        elif self.faults_of(BASE) and (self.experiment.fail_at_once or verdict == "better"):
            self.verdict = "base_faulty"
        elif verdict is not None:
            self.verdict = verdict
        elif lost >= MOST_LEFT_OUT and lost * SHARE_LEFT_OUT > taken:
            self.verdict = "base_faulty"
        elif most is not None and taken >= most:
            self.verdict = "out_of_budget"

    def _fail_at_once(self) -> None:
        """End the test at a fault of the candidate in the next block, even if the block is incomplete."""
        begun = faults_in(planned_order(self._waiting.get(self.next_block, {})))
        found = [fault for fault in begun if fault.version == CANDIDATE]
        if found:
            self._count_faults(found[:1])
            self.verdict = "candidate_faulty"

    def _count_faults(self, faults: Iterable[FaultSeen]) -> None:
        """Count faults by version and kind; keep the first `WORST` of each version."""
        for fault in faults:
            if sum(seen.version == fault.version for seen in self.faults) < WORST:
                self.faults.append(fault)
            self._kinds[fault.version, str(fault.match.fault)] += 1


def planned_order(matches: Mapping[str, MatchSummary]) -> list[MatchSummary]:
    """Return the matches in their planned order; by their ids m10 would come before m9."""
    return sorted(matches.values(), key=lambda match: match.rotation)


def faults_in(matches: Iterable[MatchSummary]) -> list[FaultSeen]:
    """Return the faults in these matches, in order."""
    found = []
    for match in matches:
        if match.faulty is not None:
            name = original(match.players[match.faulty])
            found.append(FaultSeen(name if name in (BASE, CANDIDATE) else FIELD, match))
    return found


def count_outcomes(played: Iterable[ScoredMatch]) -> Counter[tuple[str, int]]:
    """Count the matches that each version won (1), drew (0) and lost (-1)."""
    return Counter(
        (version_at(match.players), (score > 0.5) - (score < 0.5))
        for match, score in played
        if score is not None
    )


def tally_of(ends: Mapping[tuple[str, int], int], version: str = CANDIDATE) -> tuple[int, int, int]:
    """Return the matches that a version won, drew and lost, from the counts of `count_outcomes`."""
    won, drawn, lost = (ends.get((version, end), 0) for end in (1, 0, -1))
    return won, drawn, lost


def worst_of(faults: Iterable[FaultSeen], played: Iterable[ScoredMatch]) -> list[ScoredMatch]:
    """Return up to `WORST` matches: ended by the candidate's faults, then lost by it, as in `worst`."""
    own = [ScoredMatch(bad.match, match_score(bad.match)) for bad in faults if bad.version == CANDIDATE]
    lost = [
        each
        for each in played
        if each.match.points is not None
        and version_at(each.match.players) == CANDIDATE
        and (each.score or 0.0) < 0.5
    ]
    return [*own, *sorted(lost, key=_sort_key_worst_first)][:WORST]


def _sort_key_worst_first(played: ScoredMatch) -> tuple[float, float]:
    points = played.match.points or ()
    own = [points[s] for s, name in enumerate(played.match.players) if original(name) == CANDIDATE]
    return played.score or 0.0, sum(own) / len(own) - sum(points) / len(points)
