"""The luck of one seat's cards in a match that somebody played by hand, in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.errors import BotCheckFailed, VoidMatch
from arbiter.match.clock import SECOND
from arbiter.trials.review.evaluator import Reference
from arbiter.trials.review.luck import leads_of, luck_of_deals

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.games.game import AnyGame, Deal, Seat
    from arbiter.match.spec import Limits, Player

THINKING_NS = 2 * SECOND
"""The time that a program is told to think for all deals of a match."""


def say_luck(
    judges: Iterable[Player],
    limits: Limits,
    game: AnyGame,
    deals: Sequence[Deal],
    points: Sequence[int],
    seat: Seat,
) -> str:
    """Return what the first of some programs that values answers makes of a seat's cards; "" if none does."""
    hands = [(deal, [None] * game.seats) for deal in deals]
    for judge in judges:
        try:
            with Reference(judge, limits, THINKING_NS // game.seats) as reference:
                luck = luck_of_deals(reference, game, hands)
        except BotCheckFailed:
            continue
        except VoidMatch:
            return ""
        own, lead = luck[seat], leads_of(game, points, luck)[seat]
        if own is None:
            return ""
        worth = f"The luck of the cards: {judge.name} values yours {_against(own)} the mean of the table."
        if lead is None:
            return worth
        ends = f"{_against(lead['low'])} to {_against(lead['high'])} it"
        without = f"without that luck {_against(lead['even'])} it"
        return f"{worth} You ended {_against(lead['points'])} it; {without} (95 %: {ends})."
    return ""


def _against(points: float) -> str:
    return f"{abs(points):.1f} {'below' if points < 0 else 'above'}"
