"""Figures of a review: what a decision lost, and how sure that is.

Theory of operation. The program is asked several times, each time with worlds of its own. The option that is
best in the mean of all answers is so partly by luck, and its lead over what was done is too large by that. So
each answer judges the option that is best in all others: the mean of these leads is free of that bias, may
lie a little below 0, and its standard error is that of independent values.
"""

from __future__ import annotations

from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.replay.match_review import PhaseLoss

SAME_CHANCE = 0.005
"""Chances to win that differ by no more are the same."""
SURE = 3.0
"""Standard errors by which a loss lies above 0 that is called a mistake."""


class Worth(NamedTuple):
    """An option's expected points in its deal, and the chance to win the match, None if that is not told."""

    points: float
    win: float | None = None


class Judged(NamedTuple):
    """A decision judged; fields as in `match_review.ReviewedDecision`; `win` is the seat's own."""

    best: str | None
    loss: float | None
    se: float | None
    mistake: bool
    values: dict[str, float]
    win: float | None
    chance_lost: float | None = None


def judge_decision(answers: Sequence[Mapping[str, Worth]], done: str) -> Judged:
    """What was `done` against the other options, by one or more answers to the same question.

    Options count that stand in all of them.
    """
    options = [option for option in answers[0] if all(option in answer for answer in answers)]
    values = {option: fmean(answer[option].points for answer in answers) for option in options}
    wins = {option: _win(answers, option) for option in options}
    if done not in values:
        return Judged(None, None, None, False, values, None)
    best = _best(values, done)
    win_best, win_done = wins[best], wins[done]
    lost = None if win_best is None or win_done is None else win_best - win_done
    if len(answers) == 1:
        return Judged(best, values[best] - values[done], None, False, values, win_done, lost)
    leads = []
    for answer in answers:
        others = [other for other in answers if other is not answer]
        chosen = _best({option: fmean(other[option].points for other in others) for option in options}, done)
        leads.append(answer[chosen].points - answer[done].points)
    loss, se = fmean(leads), stdev(leads) / sqrt(len(leads))
    # One that gives up points for a better chance to win is no mistake.
    mistake = loss > max(SURE * se, 0) and (lost is None or lost > -SAME_CHANCE)
    return Judged(best, loss, se, mistake, values, win_done, lost)


def _best(values: Mapping[str, float], done: str) -> str:
    """The option of most points; what was done among equals."""
    return max(values, key=lambda option: (values[option], option == done))


def _win(answers: Sequence[Mapping[str, Worth]], option: str) -> float | None:
    told = [win for answer in answers if (win := answer[option].win) is not None]
    return fmean(told) if len(told) == len(answers) else None


class Losses(NamedTuple):
    """Sums of losses: their number, their sum, that of their squares."""

    decisions: int = 0
    total: float = 0.0
    squares: float = 0.0

    def plus(self, loss: float) -> Losses:
        return Losses(self.decisions + 1, self.total + loss, self.squares + loss * loss)

    @classmethod
    def together(cls, losses: Iterable[Losses]) -> Losses:
        return cls(*map(sum, zip(*losses, strict=True)))

    @property
    def shape(self) -> PhaseLoss:
        """With the standard error of independent decisions, which two at least have."""
        if not self.decisions:
            return _shape(0, None, None)
        mean, more = self.total / self.decisions, self.decisions - 1
        spread = max(self.squares - self.total * mean, 0.0) / more if more else None
        return _shape(self.decisions, mean, None if spread is None else sqrt(spread / self.decisions))


def clustered(matches: Iterable[Losses]) -> PhaseLoss:
    """The losses in some matches.

    Decisions of a match are not independent, so matches are the units: the error is of a ratio of sums.
    """
    counted = [of for of in matches if of.decisions]
    if not counted:
        return _shape(0, None, None)
    number, total, _ = Losses.together(counted)
    mean, many = total / number, len(counted)
    if many < 2:
        return _shape(number, mean, None)
    apart = sum((of.total - mean * of.decisions) ** 2 for of in counted)
    return _shape(number, mean, sqrt(apart * many / (many - 1)) / number)


def _shape(decisions: int, mean: float | None, se: float | None) -> PhaseLoss:
    return {"decisions": decisions, "mean_loss": rounded(mean), "se": rounded(se)}


def rounded(value: float | None) -> float | None:
    """To four digits; None as it is."""
    return None if value is None else round(value, 4)
