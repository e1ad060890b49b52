"""A regression test under way: results in any order, blocks taken in theirs, until there is a verdict.

Nothing here plays or stores: from the same matches comes the same verdict, whether they were just played,
read again after an interruption, or brought together from several machines. So nothing counts, no fault
either, before all blocks in front of it are whole.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple

from arbiter.match import original
from arbiter.regress.blocks import BASE, CANDIDATE, block_score
from rating.sequential.runs import Run

if TYPE_CHECKING:
    from arbiter.match import MatchSummary
    from arbiter.regress.experiment import Experiment
    from arbiter.season.slices import Slice
    from rating.sequential.runs import Report

VerdictOfTrial = Literal[
    "better", "not_better", "out_of_budget", "identical_play", "candidate_faulty", "base_faulty"
]
FIELD = "field"
MOST_LEFT_OUT = 3
"""So many blocks left out, and more than a tenth of all, end a test: somebody else's faults decide it."""
SHARE_LEFT_OUT = 10
_EXIT = {"better": 0, "candidate_faulty": 3, "base_faulty": 3}


class Played(NamedTuple):
    """A match of a block that was counted, and the score in it of the candidate, or of the version there."""

    match: MatchSummary
    score: float | None


class FaultSeen(NamedTuple):
    """A match that ended by a fault of `version`: candidate, base, or field."""

    version: str
    match: MatchSummary

    def __str__(self) -> str:
        match = self.match
        return f"{match.id}: {match.players[match.faulty or 0]} forfeits ({match.fault}): {match.detail}"


class Trial:
    """The state of a test. `add` takes matches; `verdict` is None until it is decided.

    `run` holds the blocks counted so far and `played` their matches, `left_out` the numbers of those that
    count for nobody, `faults` those of both. Of a slice `own`, its blocks are in order with nothing between;
    only a fault that fails the candidate then is a verdict.
    """

    def __init__(self, experiment: Experiment, own: Slice | None = None) -> None:
        self.experiment = experiment
        self.run = Run()
        self.verdict: VerdictOfTrial | None = None
        self.left_out: list[int] = []
        self.faults: list[FaultSeen] = []
        self.played: list[Played] = []
        self._own = own
        self._report: tuple[Run, Report] | None = None
        self._waiting: dict[int, dict[str, MatchSummary]] = {}
        self._next = self.after(0)

    @property
    def blocks_taken(self) -> int:
        """Blocks counted or left out."""
        return self.run.blocks + len(self.left_out)

    @property
    def exit_code(self) -> int:
        """What the command returns: 0 where the candidate may go in."""
        if self.verdict == "identical_play":
            return 0 if self.experiment.non_regression else 1
        return _EXIT.get(str(self.verdict), 1)

    @property
    def report(self) -> Report:
        """LLR, Elo, interval, expected blocks to go."""
        if self._report is None or self._report[0] is not self.run:
            # An interval takes some 20 ms, and is asked for several times.
            self._report = self.run, self.experiment.test.report(self.run)
        return self._report[1]

    def after(self, block: int) -> int:
        """The block to be played after one, from 0; beyond the budget too."""
        block += 1
        while self._own is not None and not self._own.has(0, block):
            block += 1
        return block

    def faults_of(self, version: str) -> dict[str, int]:
        """How often a version made which fault."""
        return dict(Counter(str(fault.match.fault) for fault in self.faults if fault.version == version))

    def add(self, match: MatchSummary) -> None:
        """A match that was played; it counts as soon as its block and all before it are whole."""
        assert match.round is not None
        self._waiting.setdefault(match.round, {})[match.id] = match
        while self.verdict is None and self._take(self._next):
            self._next = self.after(self._next)
        if self.verdict is None and self.experiment.fail_at_once:
            self._fail_at_once()

    def close(self) -> list[int]:
        """Take what is whole though blocks before it are not, and end; the numbers of blocks passed over.

        For parts that were played apart, where some never came.
        """
        missing = []
        last = max(self._waiting, default=0)
        for block in range(self._next, max(last, self.experiment.test.most_blocks or 0) + 1):
            if self.verdict is not None:
                break
            if not self._take(block):
                missing.append(block)
        if self.verdict is None:
            self.verdict = "out_of_budget"
        return missing

    def _take(self, block: int) -> bool:
        """Count a block; False where matches of it are missing."""
        found = self._waiting.get(block, {})
        if len(found) < self.experiment.block_size:
            return False
        del self._waiting[block]
        # As they were planned: m10 comes after m9.
        matches = sorted(found.values(), key=lambda match: match.rotation)
        self.faults += _faults_in(matches)
        score, of_match = block_score(bool(self.experiment.field), matches)
        if score is None:
            self.left_out.append(block)
        else:
            self.run = self.experiment.test.add(self.run, score)
            self.played += [Played(match, of_match[match.id]) for match in matches]
        self._decide()
        return True

    def _decide(self) -> None:
        verdict, most = self.run.verdict, self.experiment.test.most_blocks
        taken, lost = self.blocks_taken, len(self.left_out)
        if self.experiment.fail_at_once and self.faults_of(CANDIDATE):
            self.verdict = "candidate_faulty"
        elif self.experiment.fail_at_once and self.faults_of(BASE):
            self.verdict = "base_faulty"
        elif self._own is not None:
            return
        elif verdict == "better" and self.faults_of(BASE):
            self.verdict = "base_faulty"
        elif verdict is not None:
            self.verdict = verdict
        elif lost >= MOST_LEFT_OUT and lost * SHARE_LEFT_OUT > taken:
            self.verdict = "base_faulty"
        elif most is not None and taken >= most:
            self.verdict = "out_of_budget"

    def _fail_at_once(self) -> None:
        """A fault of the candidate in the block that is next need not wait for the rest of the block."""
        begun = _faults_in(
            sorted(self._waiting.get(self._next, {}).values(), key=lambda match: match.rotation)
        )
        found = [fault for fault in begun if fault.version == CANDIDATE]
        if found:
            self.faults += found[:1]
            self.verdict = "candidate_faulty"


def _faults_in(matches: list[MatchSummary]) -> list[FaultSeen]:
    found = []
    for match in matches:
        if match.faulty is not None:
            name = original(match.players[match.faulty])
            found.append(FaultSeen(name if name in (BASE, CANDIDATE) else FIELD, match))
    return found
