"""How much of a result the cards explain: the value of each seat's hand, before anybody has played.

Theory of operation. The program that reviews plays a deal in all seats, up to each one's first decision, by
its own values; what that decision is worth then depends on the cards alone, and on nobody's play. A seat's
luck is its value less the mean of all seats', so luck sums to 0 in a deal, and over all seats that a player
has in turn with the same cards. Where a deal depends on how the one before it ended, only the first one is
luck.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from arbiter.review.losses import judge_decision

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.review.answers import Worth
    from arbiter.review.reference import Reference
    from arbiter.rules import AnyGame, Deal, Seat

ANSWERS = 2
"""Times that a decision is asked about that only values a deal."""
MOST_DECISIONS = 100
"""Of a deal until each seat has decided once; a seat that has not is not valued."""


def best_value(answers: Sequence[Mapping[str, Worth]]) -> tuple[str, float]:
    """The best option of some answers, and its expected points."""
    judged = judge_decision(answers, next(iter(answers[0])))
    best = max(judged.values, key=lambda option: judged.values[option])
    return best, judged.values[best]


def value_deal(reference: Reference, game: AnyGame, deal: Deal) -> list[float | None]:
    """The points that each seat may expect of a deal; None for one that never decides in it."""
    alone = game.given([deal])
    reference.begin()
    for wording in (*alone.greeting(), *alone.dealt(deal)):
        for hearer, command in enumerate(wording):
            reference.hear(hearer, command)
    state = alone.start(deal)
    values: list[float | None] = [None] * game.seats
    for _ in range(MOST_DECISIONS):
        if not state.to_act or None not in values:
            break
        seat: Seat = state.to_act[0]
        word, points = best_value(reference.value(alone, state, seat, ANSWERS))
        if values[seat] is None:
            values[seat] = points
        action = alone.parse(state, seat, word)
        after = state.apply(seat, action)
        for hearers, command in alone.news(state, seat, action, after):
            for hearer in hearers:
                reference.hear(hearer, command)
        state = after
    return values


def luck_of(values: Sequence[float | None], sides: Sequence[int] | None) -> list[float] | None:
    """By seat, how many points better its cards are than those of all in the mean; None if one is unknown.

    Partners have the mean of their values, which is that of their side.
    """
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    middle = fmean(known)
    if sides is None:
        return [value - middle for value in known]
    own = [[value for value, of in zip(known, sides, strict=True) if of == side] for side in sides]
    return [fmean(values) - middle for values in own]
