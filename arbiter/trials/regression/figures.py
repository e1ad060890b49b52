"""A regression test in figures, as JSON has them: of its command, of a site, of a chart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NotRequired

from typing_extensions import TypedDict

from arbiter.trials.regression.program_identity import BASE, CANDIDATE
from arbiter.trials.regression.report_text import at_any_time, by_results
from arbiter.trials.regression.trial_state import FIELD

if TYPE_CHECKING:
    from arbiter.trials.regression.experiment import Experiment
    from arbiter.trials.regression.trial_state import Trial

MOST_POINTS = 300
"""Of a chart's line: more could not be seen, and a page costs as much however long a test is."""


class Membership(TypedDict):
    """A test's family: its name, the number of the test in it, and the alpha that all its tests share."""

    name: str
    number: int
    alpha: float


class StopRule(TypedDict):
    """The keys of `arbiter regress` that say when a test stops."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    bounds: str
    max_blocks: int | None
    non_regression: bool


class TrialFigures(TypedDict):
    """A test's result so far. `elo` with the ends of its 95 % interval allows for the stop rule.

    None stands for what means nothing: before the first block, and without variance. `e` is the evidence
    against elo0, 1 being none, and `at_any_time` the interval of the Elo by results: both hold whenever
    somebody looks. `wins`, `draws` and `losses` count the candidate's matches, `left_out` are the blocks that
    count for nobody.
    """

    verdict: str | None
    llr: float | None
    bounds: Sequence[float]
    e: float
    elo: float | None
    low: float | None
    high: float | None
    measure: str
    by_results: Mapping[str, float] | None
    at_any_time: Mapping[str, float] | None
    nelo: float | None
    blocks: int
    matches: int
    wins: int
    draws: int
    losses: int
    faults: Mapping[str, Mapping[str, int]]
    left_out: Sequence[int]
    family: Membership | None
    test: StopRule
    game: Mapping[str, Any]
    candidate: Sequence[str]
    base: Sequence[str]
    field: Sequence[str]
    name: str
    attempt: int


class RatioLine(TypedDict):
    """A test's LLR after counted blocks, as (blocks, LLR); `bounds` speak for `levels`, in Elo or nElo.

    Where evidence decides for the upper level, `evidence` has the natural logarithms of e and `enough` the
    one that decides.
    """

    points: Sequence[Sequence[float]]
    evidence: NotRequired[Sequence[Sequence[float]]]
    enough: NotRequired[float]
    bounds: Sequence[float]
    levels: Sequence[float]
    unit: str


def figures(trial: Trial) -> TrialFigures:
    """The figures of a test as it stands."""
    experiment, report = trial.experiment, trial.report
    test = experiment.test
    versions = (CANDIDATE, BASE, FIELD) if experiment.field else (CANDIDATE, BASE)
    wins, draws, losses = trial.tally()
    # Without variance neither a ratio nor an interval means anything.
    level = trial.verdict == "identical_play"
    return {
        "verdict": trial.verdict,
        "llr": None if level else report.llr,
        "bounds": list(report.bounds),
        "e": report.e,
        "elo": report.elo,
        "low": None if level else report.low,
        "high": None if level else report.high,
        "measure": test.measure,
        "by_results": None if level or not report.blocks else by_results(trial),
        "at_any_time": at_any_time(trial) if report.blocks else None,
        "nelo": report.nelo,
        "blocks": report.blocks,
        "matches": report.matches,
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "faults": {version: trial.faults_of(version) for version in versions},
        "left_out": trial.left_out,
        "family": membership(trial.experiment),
        "test": {
            "elo0": test.elo0,
            "elo1": test.elo1,
            "alpha": test.alpha,
            "beta": test.beta,
            "bounds": test.scale,
            "max_blocks": test.most_blocks,
            "non_regression": experiment.non_regression,
        },
        "game": {"name": experiment.game.name, **experiment.game.options},
        "candidate": list(experiment.candidate.command),
        "base": list(experiment.base.command),
        "field": [player.name for player in experiment.field],
        "name": experiment.name,
        "attempt": experiment.attempt,
    }


def membership(experiment: Experiment) -> Membership | None:
    """The family of a test that has one; its own level is the alpha of its stop rule."""
    settings = experiment.settings
    if (member := settings.get("of_family")) is None:
        return None
    return {"name": settings["family"], "number": member["number"], "alpha": settings["alpha"]}


def ratio_line(trial: Trial) -> RatioLine:
    """The LLR of a test from block to block, at `MOST_POINTS` points at most; none where it means nothing."""
    test = trial.experiment.test
    way = [] if trial.verdict == "identical_play" else trial.way(MOST_POINTS)
    line: RatioLine = {
        "points": [(block, llr) for block, llr, _ in way],
        "bounds": list(test.bounds),
        "levels": [test.elo0, test.elo1],
        "unit": "nElo" if test.scale == "normalized" else "Elo",
    }
    if test.evidence:
        line["evidence"] = [(block, log_e) for block, _, log_e in way]
        line["enough"] = math.log(test.enough_evidence)
    return line
