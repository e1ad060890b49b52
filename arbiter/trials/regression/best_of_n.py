"""The state of a choice among several candidates: blocks of all in the race, in order, until one is left.

Block k of each candidate is played on the same deals, each candidate at its own table. As in `trial_state`,
nothing here plays or stores, and no result counts before all earlier blocks are complete: so an interrupted
choice and an uninterrupted one end alike. If faults exclude a candidate, the choice starts again without it
from the first block, since others may have dropped out because of it; matches already played count again.
"""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from arbiter.trials.regression.blocks import block_score, block_specs
from arbiter.trials.regression.program_identity import BASE, CANDIDATE
from arbiter.trials.regression.trial_state import (
    MOST_LEFT_OUT,
    SHARE_LEFT_OUT,
    ScoredMatch,
    faults_in,
    planned_order,
    worst_of,
)
from rating.choose import STATES, VERDICTS, Choice

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.match.record import MatchSummary
    from arbiter.match.spec import MatchSpec
    from arbiter.trials.regression.experiment import Experiment
    from arbiter.trials.regression.trial_state import FaultSeen
    from rating.arrays import Floats


VerdictOfChoice: TypeAlias = Literal["best", "none", "out_of_budget", "candidates_faulty", "base_faulty"]
_EXIT = {"best": 0, "none": 1, "out_of_budget": 4, "candidates_faulty": 3, "base_faulty": 3}


class CandidateBlock(NamedTuple):
    """The block of one candidate; both numbers count from 1."""

    block: int
    table: int


class ChoiceTrial:
    """The state of a choice. `add` takes matches; `verdict` is None until it is decided.

    `faults` are those in counted blocks, by the candidate's table; `out` has the excluding faults;
    `played` the counted matches of each candidate; the rest as in `Trial`.
    """

    def __init__(self, experiment: Experiment) -> None:
        test = experiment.test
        self.experiment = experiment
        self.rule = Choice(test.elo0, test.elo1, test.alpha, test.beta, test.most_blocks, test.share)
        self.from_store = 0
        self.out: dict[int, FaultSeen] = {}
        self._waiting: dict[CandidateBlock, dict[str, MatchSummary]] = {}
        self._reset_counts()

    def _reset_counts(self) -> None:
        """Reset all counts, for the candidates that are not out."""
        self.competing = [table for table in self.tables if table not in self.out]
        self.verdict: VerdictOfChoice | None = None if self.competing else "candidates_faulty"
        self.standing = self.rule.start(max(len(self.competing), 1))
        self.left_out: list[int] = []
        self.faults: list[tuple[int, FaultSeen]] = []
        self.played: dict[int, list[ScoredMatch]] = {table: [] for table in self.tables}
        self._rows: list[Floats] = []
        self.next_block = 1

    @property
    def tables(self) -> range:
        """The tables of the candidates, from 1."""
        return range(1, len(self.experiment.candidates) + 1)

    @property
    def in_race(self) -> list[int]:
        """The tables of candidates that still play."""
        return [table for table in self.competing if self.state_of(table) == "playing"]

    @property
    def blocks_taken(self) -> int:
        """Blocks counted or left out."""
        return len(self._rows) + len(self.left_out)

    @property
    def blocks(self) -> int:
        """The number of counted blocks."""
        return len(self._rows)

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 if one was chosen."""
        return _EXIT.get(str(self.verdict), 1)

    @property
    def leader(self) -> int:
        """The table of the candidate in the lead."""
        return self.competing[int(self.standing.leader)]

    @property
    def scores(self) -> Floats:
        """Scores of counted blocks, shape (blocks, competing), NaN after a candidate left the race."""
        return np.array(self._rows).reshape(len(self._rows), len(self.competing))

    def groups(self) -> list[list[int]]:
        """Return the tables of those competing in groups without a sure difference, best first."""
        if not self.competing:
            return []
        found = self.rule.groups(self.scores, self.standing)
        return [[self.competing[number] for number in group] for group in found]

    def state_of(self, table: int) -> str:
        """Return a candidate's state: playing, behind, no_better, level or faulty."""
        if table in self.out:
            return "faulty"
        return STATES[int(self.standing.state[self.competing.index(table)])]

    def scores_of(self, table: int) -> Floats:
        """Return the scores of the candidate at a table in its counted blocks; empty if it is faulty."""
        if table in self.out:
            return np.empty(0)
        column = self.scores[:, self.competing.index(table)]
        return column[~np.isnan(column)]

    def name_of(self, table: int) -> str:
        return self.experiment.candidates[table - 1].name

    def faults_of(self, version: str, table: int | None = None) -> dict[str, int]:
        """Return the number of faults of each kind, of a version at all tables or at one."""
        seen = [*self.faults, *((at, fault) for at, fault in self.out.items())]
        kinds = (str(f.match.fault) for at, f in seen if f.version == version and table in (None, at))
        return dict(Counter(kinds))

    def add(self, match: MatchSummary) -> None:
        """Take a match; it counts once its block and all before it are complete."""
        assert match.round is not None
        assert match.table is not None
        self._waiting.setdefault(CandidateBlock(match.round, match.table), {})[match.id] = match
        while self.verdict is None and self._count_block(self.next_block):
            pass

    def matches_to_play(self, seed: str) -> Iterator[list[MatchSpec]]:
        """Yield the matches of each block to play, of the candidates then in the race."""
        asked: set[CandidateBlock] = set()
        while self.verdict is None:
            turn = next((turn for turn in self._next_blocks() if turn not in asked), None)
            if turn is None:
                return
            asked.add(turn)
            yield list(block_specs(self.experiment.meeting_at(turn.table), seed, *turn))

    def worst(self) -> list[ScoredMatch]:
        """Return the matches to look at first: faults of candidates, then losses of the leader."""
        own = [fault for _, fault in self.faults if fault.version == CANDIDATE]
        if self.verdict == "base_faulty":
            own = [fault for _, fault in self.faults if fault.version != CANDIDATE]
            return [ScoredMatch(fault.match, None) for fault in own][:MOST_LEFT_OUT]
        lost = self.played[self.leader] if self.competing else []
        return worst_of([*self.out.values(), *own], lost)

    def _next_blocks(self) -> Iterator[CandidateBlock]:
        """Yield the blocks to come of the candidates in the race, up to the largest number."""
        most = self.rule.most_blocks
        for block in count(self.next_block) if most is None else range(self.next_block, most + 1):
            for table in self.in_race:
                yield CandidateBlock(block, table)

    def _count_block(self, block: int) -> bool:
        """Count a block of all in the race; False if matches of it are missing."""
        found = {table: self._waiting.get(CandidateBlock(block, table), {}) for table in self.in_race}
        if any(len(matches) < self.experiment.block_size for matches in found.values()):
            return False
        self.next_block += 1
        matches = {table: planned_order(of_it) for table, of_it in found.items()}
        faults = [(table, fault) for table, played in matches.items() for fault in faults_in(played)]
        bad = {table: fault for table, fault in reversed(faults) if fault.version == CANDIDATE}
        if self.experiment.fail_at_once and bad:
            self.out |= dict(sorted(bad.items()))
            self._reset_counts()
            return True
        self.faults += faults
        self._add_scores(block, matches)
        self._set_verdict()
        return True

    def _add_scores(self, block: int, matches: Mapping[int, Sequence[MatchSummary]]) -> None:
        """Add a block to the standing, or leave it out if it has no score for one of them."""
        scores = {table: block_score(bool(self.experiment.field), of_it) for table, of_it in matches.items()}
        row = np.full(len(self.competing), np.nan)
        for table, score in scores.items():
            if score.score is None:
                self.left_out.append(block)
                return
            row[self.competing.index(table)] = score.score
        self._rows.append(row)
        self.standing = self.rule.add(self.standing, row)
        for table, of_it in matches.items():
            self.played[table] += [ScoredMatch(match, scores[table].matches[match.id]) for match in of_it]

    def _set_verdict(self) -> None:
        """Set `verdict` if the rule, faults of the base, or the largest number of blocks decides."""
        verdict, most = VERDICTS[int(self.standing.verdict)], self.rule.most_blocks
        base, lost = self.faults_of(BASE), len(self.left_out)
        if base and (self.experiment.fail_at_once or verdict == "best"):
            self.verdict = "base_faulty"
        elif verdict is not None:
            self.verdict = cast("VerdictOfChoice", verdict)
        elif lost >= MOST_LEFT_OUT and lost * SHARE_LEFT_OUT > self.blocks_taken:
            self.verdict = "base_faulty"
        elif most is not None and self.blocks_taken >= most:
            self.verdict = "out_of_budget"
