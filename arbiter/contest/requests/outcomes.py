"""The outcome of a request so far: results by opponent, the score with its interval, a verdict."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from arbiter.replay.result_text import lead_of
from arbiter.trials.gauntlet import OpponentRow, faults_of, results_of, rows_against, score_of
from arbiter.trials.regression.blocks import half_width
from arbiter.trials.regression.figures import RatioLine, ratio_line
from arbiter.trials.regression.program_identity import BASE, CANDIDATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.contest.requests.request_play import RequestPlay
    from arbiter.match.record import MatchSummary

VERDICTS = {
    "better": "is better",
    "not_better": "is not better",
    "out_of_budget": "is undecided, and has no matches left",
    "identical_play": "plays exactly as the base does",
    "candidate_faulty": "makes faults",
    "base_faulty": "cannot be compared, since the base makes faults",
}
"""Verdicts of a regression test, as the predicate of a sentence about the version."""


class RequestOutcome(TypedDict):
    """The outcome of a request: the share of all results won, from 0 to 1, and its 95 % interval.

    The interval is computed over boards, since matches on the same cards are dependent; None for fewer than
    two boards or equal scores. `points` is the mean lead per match over the mean of all others. `verdict` is
    that of a test, or None, `e` its evidence that the candidate is better, `line` its log-likelihood ratio by
    block.
    """

    matches: int
    boards: int
    wins: int
    draws: int
    losses: int
    score: float | None
    interval: list[float] | None
    points: float | None
    faults: dict[str, int]
    opponents: list[OpponentRow]
    verdict: str | None
    e: float | None
    line: RatioLine | None


def outcome_of(play: RequestPlay) -> RequestOutcome:
    """Return the outcome of the matches played so far."""
    test = play.trial is not None
    player = CANDIDATE if test else str(play.request.wish["player"])
    against = [BASE] if test else [str(name) for name in play.request.wish["against"]]
    rows = _opponent_rows(play.matches, player, against)
    wins, draws, losses = _sums(rows)
    boards: dict[int | None, list[MatchSummary]] = defaultdict(list)
    for match in play.matches:
        boards[match.round].append(match)
    leads = [lead for match in play.matches if (lead := lead_of(match, player)) is not None]
    scores = [score_of(*_sums(_opponent_rows(of, player, against))) for of in boards.values()]
    return {
        "matches": len(play.matches),
        "boards": len(boards),
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "score": score_of(wins, draws, losses),
        "interval": interval([score for score in scores if score is not None]),
        "points": fmean(leads) if leads else None,
        "faults": faults_of(play.matches, player),
        "opponents": rows,
        "verdict": play.trial.verdict if play.trial is not None else None,
        "e": play.trial.report.e if play.trial is not None else None,
        "line": ratio_line(play.trial) if play.trial is not None else None,
    }


def score_text(outcome: RequestOutcome) -> str:
    """Return a test's verdict, then ``won 62.5 % of 24 results (95 %: 40.1 to 84.9 %)``; "" without."""
    if outcome["score"] is None:
        return ""
    results = outcome["wins"] + outcome["draws"] + outcome["losses"]
    ends = outcome["interval"]
    sure = "" if ends is None else f" (95 %: {100 * ends[0]:.1f} to {100 * ends[1]:.1f} %)"
    said = f"won {100 * outcome['score']:.1f} % of {results} results{sure}"
    return said if outcome["verdict"] is None else f"{VERDICTS[outcome['verdict']]}: it {said}"


def interval(scores: Sequence[float]) -> list[float] | None:
    """Return the ends of the 95 % interval of a mean score, within 0 and 1, or None."""
    if not (half := half_width(scores)):
        return None
    middle = fmean(scores)
    return [max(middle - half, 0.0), min(middle + half, 1.0)]


def _opponent_rows(matches: Sequence[MatchSummary], player: str, against: Sequence[str]) -> list[OpponentRow]:
    return rows_against(results_of(matches, player, against), matches, against)


def _sums(rows: Iterable[OpponentRow]) -> tuple[int, int, int]:
    """Return the numbers of wins, draws and losses against all opponents."""
    counts = [(row["wins"], row["draws"], row["losses"]) for row in rows]
    wins, draws, losses = map(sum, zip(*counts, strict=True))
    return wins, draws, losses
