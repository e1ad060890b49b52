"""A costly decision in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.replay.decision_loss import SURE

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame
    from arbiter.replay.match_review import ReviewedDecision


def say_decision(game: AnyGame, decision: ReviewedDecision) -> str:
    """Return what was done, what would have been better, and by how much, without who did it.

    ``declares 0, worth 2.4 points. Better: declares 1, worth 5.1. Loss: 2.7 ± 0.3.``
    """
    request, done, best, loss = decision["request"], decision["done"], decision["best"], decision["loss"]
    if best is None or loss is None:
        return f"{game.says(request, done)}."
    values, lost = decision["values"], decision["chance_lost"]
    spread = "" if decision["se"] is None else f" \N{PLUS-MINUS SIGN} {decision['se']:.1f}"
    chance = f", and {100 * lost:.0f} % of the chance to win" if lost is not None and lost >= 0.005 else ""
    was, better = game.says(request, done), game.says(request, best)
    return (
        f"{was}, worth {_points(values[done])} points. Better: {better}, worth {_points(values[best])}."
        f" Loss: {_points(loss)}{spread}{chance}."
    )


def _points(value: float) -> str:
    """Points with one digit, their sign a minus sign, none before 0."""
    return f"{round(value, 1) + 0.0:.1f}".replace("-", "\N{MINUS SIGN}")


def excuse_of(decision: ReviewedDecision) -> str:
    """Return why a loss is called no mistake; "" for one that is, and where nothing is lost."""
    loss, se, lost = decision["loss"], decision["se"], decision["chance_lost"]
    if decision["mistake"] or loss is None or loss <= 0:
        return ""
    if se is None:
        return "how sure the program is, it does not tell"
    if loss > SURE * se:
        assert lost is not None
        return f"for {100 * -lost:.0f} % more chance to win"
    return "within the uncertainty"
