"""Show the progress of a regression test: first its expected cost, then its state."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

from arbiter.cli.output import duration_text, note, print_stderr_line
from arbiter.cli.progress import match_line
from arbiter.text import counted, printable
from arbiter.trials.regression.best_of_n import ChoiceTrial
from arbiter.trials.regression.choice_text import progress_text, state_text
from arbiter.trials.regression.report_text import awaited_evidence, elo_text
from arbiter.trials.regression.trial_state import Trial
from rating.sequential.runs import FIRST_LOOK

if TYPE_CHECKING:
    from rich.live import Live

    from arbiter.match.record import MatchSummary
    from arbiter.trials.regression.experiment import Experiment

PILOT = 4
"""Blocks whose variance is enough to estimate the cost of the test."""
PACE = 8
"""Matches whose time is enough to estimate the pace: the first ones include the start of the workers."""
GUESSED_VARIANCE = 0.09
"""The assumed variance of a match's score; measured: 0.07 to 0.1 in the four games."""
TOLD_BY_POINTS = 0.75
"""The assumed share of that variance with points; measured: 0.6 to 0.85 in the four games."""
EVERY, LINE_SECONDS = 16, 10.0
"""Blocks and seconds between two lines without a terminal, so that a log stays short."""
FAULTS_SHOWN = 3
"""Faults printed as they happen; the report counts all."""
SECONDS = 0.5
"""Seconds between two updates of the line on a terminal, so that it can be read."""


class Watch:
    """Shows the state of a test: one updated line on a terminal, a line now and then elsewhere."""

    def __init__(self, experiment: Experiment, at_once: int) -> None:
        self._experiment, self._at_once = experiment, at_once
        self._live: Live | None = None
        self._begun = self._shown = time.monotonic()
        self._played = self._told = self._faults = 0
        self._priced = False
        self._out: set[int] = set()

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True, markup=False, highlight=False, emoji=False)
            self._live = Live(console=console, auto_refresh=False)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
        if self._faults > FAULTS_SHOWN:
            note(f"and {counted(self._faults - FAULTS_SHOWN, 'more fault')}")

    def start(self, trial: Trial | ChoiceTrial) -> None:
        """Print the expected cost before the first match, or the state of a test that was begun before."""
        experiment = self._experiment
        self._begun = time.monotonic()
        self._told = trial.blocks_taken
        there = counted(trial.from_store, "match")
        there += f", {counted(trial.blocks_taken, 'whole block')}, from the store ({experiment.name})"
        if trial.verdict == "out_of_budget":
            note(f"the budget was spent before: {there}; a larger --max-blocks continues")
        elif trial.verdict is not None:
            note(f"decided before, nothing to play: {there}; --fresh starts over")
        elif trial.from_store:
            note(f"continuing: {there}")
        if isinstance(trial, ChoiceTrial):
            self._out.update(_eliminated(trial))
        if trial.verdict is None and not trial.from_store:
            self._note_expected_cost(trial)

    def _note_expected_cost(self, trial: Trial | ChoiceTrial) -> None:
        experiment, test, size = self._experiment, self._experiment.test, self._experiment.block_size
        text = f"{experiment.game.name}, blocks of {size} matches, {self._at_once} at once"
        if test.most_blocks is not None and test.most_blocks < FIRST_LOOK:
            note(f"--max-blocks {test.most_blocks}: nothing is decided before {FIRST_LOOK} blocks")
        if isinstance(trial, ChoiceTrial):
            note(f"{text}; {len(trial.tables)} candidates, each on the same deals")
        else:
            guess = GUESSED_VARIANCE * (TOLD_BY_POINTS if test.measure == "points" else 1.0)
            worse, better = (
                test.expected_blocks(elo, guess / size * test.share**2) for elo in (test.elo0, test.elo1)
            )
            note(
                f"{text}; expected: {worse * size:.0f} matches if the difference is {test.elo0:+g} Elo,"
                f" {better * size:.0f} if it is {test.elo1:+g}"
            )

    def show_match(self, trial: Trial | ChoiceTrial, match: MatchSummary) -> None:
        """Count a match, print its fault or what it decides, and show the state when it is time."""
        self._played += 1
        if match.faulty is not None:
            self._faults += 1
            if self._faults <= FAULTS_SHOWN:
                of = f"{trial.name_of(match.table or 1)}: " if isinstance(trial, ChoiceTrial) else ""
                note(of + match_line(match))
        if isinstance(trial, ChoiceTrial):
            for table in _eliminated(trial):
                if table not in self._out:
                    self._out.add(table)
                    text = f"after {counted(trial.blocks, 'block')}: {state_text(trial, table)}"
                    note(f"{trial.name_of(table)} is out {text}")
        if trial.verdict is not None or self._played < PACE:
            return
        if isinstance(trial, Trial) and not self._priced and trial.run.blocks >= PILOT:
            self._priced = True
            note(self._cost_text(trial))
        since, blocks = time.monotonic() - self._shown, trial.blocks_taken
        if self._live is not None and since >= SECONDS:
            self._live.update(printable(self._state_line(trial)), refresh=True)
        elif self._live is None and blocks >= self._told + EVERY and since >= LINE_SECONDS:
            self._told = blocks
            print_stderr_line(self._state_line(trial))
        else:
            return
        self._shown = time.monotonic()

    def _matches_per_second(self) -> float:
        return self._played / max(time.monotonic() - self._begun, 1e-3)

    def _cost_text(self, trial: Trial) -> str:
        """Return the expected cost of the test in words, by the variance and pace of the first blocks."""
        test, size, pace = self._experiment.test, self._experiment.block_size, self._matches_per_second()
        parts = [
            f"{blocks * size:.0f} matches (some {duration_text(blocks * size / pace)}) if it is {elo:+g} Elo"
            for elo, blocks in zip((test.elo0, test.elo1), test.cost(trial.run), strict=True)
        ]
        text = f"estimated from {trial.run.blocks} blocks: {', '.join(parts)}"
        if test.most_blocks is not None and test.most_blocks < max(test.cost(trial.run)):
            text += f"; {counted(test.most_blocks, 'block')} are probably too few"
        return text

    def _state_line(self, trial: Trial | ChoiceTrial) -> str:
        pace = self._matches_per_second()
        if isinstance(trial, ChoiceTrial):
            return f"{progress_text(trial)}, {60 * pace:.0f} matches a minute"
        report = trial.report
        text = (
            f"Elo {elo_text(trial)}, {counted(report.blocks, 'block')}, {counted(report.matches, 'match')}, "
        )
        text += f"{60 * pace:.0f} a minute; {awaited_evidence(trial)}"
        if report.to_go is not None and report.to_go >= 1:
            left = duration_text(report.to_go * self._experiment.block_size / pace)
            text += f", about {left} left"
        return text


def _eliminated(trial: ChoiceTrial) -> list[int]:
    """Return the tables of the candidates that are out of the race."""
    return [table for table in trial.tables if table not in trial.in_race]
