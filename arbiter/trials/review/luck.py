"""The part of a result that the cards explain: the value of each seat's hand before play.

The reviewing program plays a deal in all seats by its own values, up to the first decision of each; the
value of that decision depends only on the cards. A seat's luck is its value less the mean over all seats, so
luck sums to 0 in a deal, and over all seats that a player has in turn with the same cards. If a deal depends
on how the previous one ended, only the first one counts as luck.

A lead without luck is the lead less a part of the luck, since cards that the program values at ten points
more bring players more or less than ten. The part is fixed beforehand, by tests/bench/measure_luck.py.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import BotCheckFailed, VoidMatch
from arbiter.games import make
from arbiter.match.clock import SECOND
from arbiter.replay.decision_loss import judge_decision
from arbiter.trials.review.evaluator import Evaluator

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.games.game import AnyGame, Deal, Seat
    from arbiter.match.spec import Limits, Player
    from arbiter.replay.decision_loss import OptionValue
    from arbiter.replay.match_review import Lead

ANSWERS = 2
"""Requests for a decision that only evaluates a deal."""
MOST_DECISIONS = 100
"""Maximum decisions of a deal until each seat has decided once; a seat that has not gets no value."""
THINKING_NS = 2 * SECOND
"""Thinking time for all deals of an interactive match."""


def best_value(answers: Sequence[Mapping[str, OptionValue]]) -> tuple[str, float]:
    """Return the best option of these answers and its expected points."""
    judged = judge_decision(answers, next(iter(answers[0])))
    best = max(judged.values, key=lambda option: judged.values[option])
    return best, judged.values[best]


def value_deal(reference: Evaluator, game: AnyGame, deal: Deal, deals: int = 1) -> list[float | None]:
    """Ask `reference` for each seat's expected points in a deal, one of `deals` played in all.

    A seat that has not decided after `MOST_DECISIONS` decisions of all seats has None.
    """
    alone = game.given([deal])
    reference.begin(deals)
    for told in (alone.greeting(), alone.dealt(deal)):
        for wording in told:
            for hearer, command in enumerate(wording):
                reference.send_news(hearer, command)
        for seat in range(game.seats):
            reference.send_time(seat)
    state = alone.start(deal)
    values: list[float | None] = [None] * game.seats
    for _ in range(MOST_DECISIONS):
        if not state.to_act or None not in values:
            break
        seat = state.to_act[0]
        word, points = best_value(reference.value(alone, state, seat, ANSWERS))
        if values[seat] is None:
            values[seat] = points
        action = alone.parse(state, seat, word)
        after = state.apply(seat, action)
        for hearers, command in alone.news(state, seat, action, after):
            for hearer in hearers:
                reference.send_news(hearer, command)
        state = after
    return values


def luck_of(values: Sequence[float | None], sides: Sequence[int] | None) -> list[float] | None:
    """Return each seat's value, or the mean of its side, less the mean of all seats; None if any is None."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    middle = fmean(known)
    if sides is None:
        return [value - middle for value in known]
    own = [[value for value, of in zip(known, sides, strict=True) if of == side] for side in sides]
    return [fmean(values) - middle for values in own]


def luck_of_deals(
    reference: Evaluator, game: AnyGame, hands: Sequence[tuple[Deal, Sequence[float | None]]]
) -> list[float | None]:
    """Return each seat's luck, summed over all deals, or that of the first deal of a chained game.

    `hands` are the deals, each with every seat's expected points. A deal with a None among them is evaluated
    by `reference`; if one stays None, or without deals, the result is None for all seats.
    """
    unknown: list[float | None] = [None] * game.seats
    total = [0.0] * game.seats
    for deal, values in hands[:1] if game.chained else hands:
        if None in values:
            values = value_deal(reference, game, deal, len(hands))
        luck = luck_of(values, game.sides)
        if luck is None:
            return unknown
        total = [sum(both) for both in zip(total, luck, strict=True)]
    return [round(points, 3) for points in total] if hands else unknown


class Correction(NamedTuple):
    """The part of the luck subtracted from a lead, and the 95 % interval of the remaining lead, in points."""

    part: float
    low: float
    high: float


CORRECTIONS = {
    "planning": Correction(0.26, -19.8, 20.1),
    "codepiece": Correction(0.39, -68.3, 74.2),
    "dou_dizhu": Correction(0.72, -2.65, 2.49),
    "chefs_hat": Correction(0.98, -2.70, 2.69),
}
"""By game, for matches with default options."""


def leads_of(game: AnyGame, points: Sequence[int], luck: Sequence[float | None]) -> list[Lead | None]:
    """Return each seat's lead over the mean of all seats, with and without luck.

    None for a seat without `luck`; for all seats unless `CORRECTIONS` has the game with default options.
    """
    correction = CORRECTIONS.get(game.name) if game.options == make(game.name, {}).options else None
    middle = fmean(points)
    return [
        None if correction is None or lucky is None else _corrected_lead(won - middle, lucky, correction)
        for won, lucky in zip(points, luck, strict=True)
    ]


def _corrected_lead(lead: float, luck: float, by: Correction) -> Lead:
    """Return a lead, and the same less a part of the luck, with its interval."""
    even = lead - by.part * luck
    return {
        "points": round(lead, 2),
        "even": round(even, 2),
        "low": round(even - by.high, 2),
        "high": round(even - by.low, 2),
    }


def luck_text(
    judges: Iterable[Player],
    limits: Limits,
    game: AnyGame,
    deals: Sequence[Deal],
    points: Sequence[int],
    seat: Seat,
) -> str:
    """Start the `judges` in turn: a text on a seat's luck by the first that evaluates answers.

    "" if none does, on VoidMatch, or if the luck is unknown.
    """
    hands = [(deal, [None] * game.seats) for deal in deals]
    for judge in judges:
        try:
            with Evaluator(judge, limits, THINKING_NS // game.seats) as reference:
                luck = luck_of_deals(reference, game, hands)
        except BotCheckFailed:
            continue
        except VoidMatch:
            return ""
        own, lead = luck[seat], leads_of(game, points, luck)[seat]
        if own is None:
            return ""
        worth = f"Luck of the cards: {judge.name} values yours {_above_or_below(own)} the mean of the table."
        if lead is None:
            return worth
        ends = f"{_above_or_below(lead['low'])} to {_above_or_below(lead['high'])} it"
        without = f"without that luck {_above_or_below(lead['even'])} it"
        return f"{worth} You ended {_above_or_below(lead['points'])} it; {without} (95 %: {ends})."
    return ""


def _above_or_below(points: float) -> str:
    return f"{abs(points):.1f} {'below' if points < 0 else 'above'}"
