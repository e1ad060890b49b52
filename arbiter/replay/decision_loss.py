"""Figures of a review: the loss of a decision, and its standard error.

Theory of operation. The program is asked several times, each time with new determinizations. The option with
the best mean is best partly by luck, so its lead over the decision is biased upwards. So each
answer values the option that is best in all others: the mean of these leads is free of that bias, may be a
little below 0, and its standard error is that of independent values.
"""

from __future__ import annotations

from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.replay.match_review import PhaseLoss

SAME_CHANCE = 0.005
"""Win probabilities that differ by no more count as equal."""
SURE = 3.0
"""A loss more standard errors above 0 is a mistake."""


class OptionValue(NamedTuple):
    """An option's expected points in its deal, and the probability of winning the match, None if unknown."""

    points: float
    win: float | None = None


class JudgedDecision(NamedTuple):
    """A judged decision; fields as in `match_review.ReviewedDecision`; `win` is the seat's own."""

    best: str | None
    loss: float | None
    se: float | None
    mistake: bool
    values: dict[str, float]
    win: float | None
    chance_lost: float | None = None


def judge_decision(answers: Sequence[Mapping[str, OptionValue]], done: str) -> JudgedDecision:
    """Compare the option `done` with the others, by one or more answers to the same question.

    Only options in all answers count; without `done` among them nothing is judged. One answer gives no
    standard error and no mistake.
    """
    options = [option for option in answers[0] if all(option in answer for answer in answers)]
    values = {option: fmean(answer[option].points for answer in answers) for option in options}
    wins = {option: _mean_win(answers, option) for option in options}
    if done not in values:
        return JudgedDecision(None, None, None, False, values, None)
    best = _best(values, done)
    win_best, win_done = wins[best], wins[done]
    lost = None if win_best is None or win_done is None else win_best - win_done
    if len(answers) == 1:
        return JudgedDecision(best, values[best] - values[done], None, False, values, win_done, lost)
    leads = []
    for answer in answers:
        others = [other for other in answers if other is not answer]
        chosen = _best({option: fmean(other[option].points for other in others) for option in options}, done)
        leads.append(answer[chosen].points - answer[done].points)
    loss, se = fmean(leads), stdev(leads) / sqrt(len(leads))
    # Giving up points for a better chance to win is no mistake.
    mistake = loss > max(SURE * se, 0) and (lost is None or lost > -SAME_CHANCE)
    return JudgedDecision(best, loss, se, mistake, values, win_done, lost)


def _best(values: Mapping[str, float], done: str) -> str:
    """Return the option with the most points; `done` if it is among equals."""
    return max(values, key=lambda option: (values[option], option == done))


def _mean_win(answers: Sequence[Mapping[str, OptionValue]], option: str) -> float | None:
    """Return the mean probability of winning; None if one of the answers has none."""
    known = [win for answer in answers if (win := answer[option].win) is not None]
    return fmean(known) if len(known) == len(answers) else None


class LossSums(NamedTuple):
    """Running sums of losses: number, total, sum of squares."""

    decisions: int = 0
    total: float = 0.0
    squares: float = 0.0

    def plus(self, loss: float) -> LossSums:
        """Return the sums with one more decision."""
        return LossSums(self.decisions + 1, self.total + loss, self.squares + loss * loss)

    @classmethod
    def together(cls, losses: Iterable[LossSums]) -> LossSums:
        return cls(*map(sum, zip(*losses, strict=True)))

    @property
    def shape(self) -> PhaseLoss:
        """The mean, None without decisions, and its error if they are independent, None below two."""
        if not self.decisions:
            return _rounded_loss(0, None, None)
        mean, more = self.total / self.decisions, self.decisions - 1
        spread = max(self.squares - self.total * mean, 0.0) / more if more else None
        return _rounded_loss(self.decisions, mean, None if spread is None else sqrt(spread / self.decisions))


def clustered_loss(matches: Iterable[LossSums]) -> PhaseLoss:
    """Return the mean loss over matches with a clustered standard error, None with fewer than two matches.

    Decisions of a match are not independent, so matches are the clusters: the error is of a ratio of sums.
    """
    counted = [of for of in matches if of.decisions]
    if not counted:
        return _rounded_loss(0, None, None)
    number, total, _ = LossSums.together(counted)
    mean, many = total / number, len(counted)
    if many < 2:
        return _rounded_loss(number, mean, None)
    apart = sum((of.total - mean * of.decisions) ** 2 for of in counted)
    return _rounded_loss(number, mean, sqrt(apart * many / (many - 1)) / number)


def _rounded_loss(decisions: int, mean: float | None, se: float | None) -> PhaseLoss:
    return {"decisions": decisions, "mean_loss": rounded(mean), "se": rounded(se)}


def rounded(value: float | None) -> float | None:
    """Round to four digits; None stays None."""
    return None if value is None else round(value, 4)
