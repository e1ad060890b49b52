"""The figures of a regression test as JSON, for its command, a site and a chart."""

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
"""Maximum points of a chart's line: more cannot be seen, and a page's cost stays bounded."""


class Membership(TypedDict):
    """A test's family: its name, the test's number in it, and the alpha that all its tests share."""

    name: str
    number: int
    alpha: float


class StopRule(TypedDict):
    """The keys of the stop rule of `arbiter regress`."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    bounds: str
    max_blocks: int | None
    non_regression: bool


class TrialFigures(TypedDict):
    """A test's result so far. `elo` with its 95 % interval allows for the stop rule.

    Values without meaning are None: before the first block, and without variance. `e` is the evidence
    against elo0 (1 is no evidence), and `at_any_time` the interval of the Elo by results: both hold at every
    look. `wins`, `draws` and `losses` count the candidate's matches, `left_out` are the blocks that do not
    count.
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
    """A test's LLR after counted blocks, as (blocks, LLR); `bounds` decide for `levels`, in Elo or nElo.

    If evidence decides for the upper level, `evidence` has the natural logarithms of e, and `enough` the
    deciding one.
    """

    points: Sequence[Sequence[float]]
    evidence: NotRequired[Sequence[Sequence[float]]]
    enough: NotRequired[float]
    bounds: Sequence[float]
    levels: Sequence[float]
    unit: str


def figures(trial: Trial) -> TrialFigures:
    experiment, report = trial.experiment, trial.report
    test = experiment.test
    versions = (CANDIDATE, BASE, FIELD) if experiment.field else (CANDIDATE, BASE)
    wins, draws, losses = trial.tally()
    # Without variance, ratio and interval have no meaning.
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
    """Return the family of a test, or None; the test's level is the alpha of its stop rule."""
    settings = experiment.settings
    if (member := settings.get("of_family")) is None:
        return None
    return {"name": settings["family"], "number": member["number"], "alpha": settings["alpha"]}


def ratio_line(trial: Trial) -> RatioLine:
    """Return the LLR of a test by block, at most `MOST_POINTS` points; no points without variance."""
    test = trial.experiment.test
    way = [] if trial.verdict == "identical_play" else trial.ratio_history(MOST_POINTS)
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
