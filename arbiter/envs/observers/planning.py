"""Planning: observations, and ids that do not depend on the programme."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from arbiter.envs.match_state import Play
from arbiter.envs.observers.observer import Observer, Vector, bits
from arbiter.games.game import Seat
from arbiter.games.planning import Planning, PlanningState

_CORE_CARDS = 64
"""A set of cards is a number of 64 bits in C; larger decks are played in Python."""


class PlanningObserver(Observer):
    """int8 cells 0 and 1. Ids: declarations 0..m, then the n cards in index order.

    n is the number of cards in the deck, s of seats, m = n // s the most cards that a seat can be dealt:
    with the tournament's deck n = 52, s = 4, m = 13, so that cards are the ids 14..65 in any programme.
    Values by seat start with the observing seat, then clockwise. "One-hot m+1" has a 1 in the place of the
    number.

    | cells | what | tournament |
    |---|---|---|
    | n | own hand | 0:52 |
    | s x n | cards that each seat has played in this deal | 52:260 |
    | s x n | the card of each seat in the trick on the table | 260:468 |
    | s x (m+1) | declarations, one-hot, zeros while unknown: the others' until all have declared | 468:524 |
    | s x (m+1) | tricks taken, one-hot | 524:580 |
    | m+1 | cards dealt to each, one-hot | 580:594 |
    | s | the leader of this trick, while declaring of the first | 594:598 |
    | s | the seats to act | 598:602 |
    | 1 | 1 while seats declare | 602 |

    The first suit of the deck is trump, always.
    """

    def __init__(self, game: Planning) -> None:
        self._seats = game.seats
        self._cards = len(game.deck)
        self._numbers = self._cards // self._seats + 1
        self._names = (*map(str, range(self._numbers)), *game.deck.names)
        self.actions = self._numbers + self._cards
        self._compile(game, Planning, self._cards <= _CORE_CARDS)

    def size(self, seat: Seat) -> int:  # noqa: ARG002
        s = self._seats
        return self._cards * (1 + 2 * s) + self._numbers * (2 * s + 1) + 2 * s + 1

    def vector(self, play: Play, seat: Seat) -> Vector:
        state = cast("PlanningState", play.state)
        _, to_act, hands, declared, taken, trick, leader, size = state
        dealt = play.first.hands
        s, n, m, offset = self._seats, self._cards, self._numbers, state.game.tricks.offset
        value, at = hands[seat] >> offset, n
        order = (*range(seat, s), *range(seat))
        for other in order:
            value |= (dealt[other] ^ hands[other]) >> offset << at
            at += n
        if trick:
            for place, card in enumerate(trick):
                value |= 1 << at + (leader + place - seat) % s * n + card - offset
        at += s * n
        for other in order:
            number = declared[other]
            if number is not None and (trick is not None or other == seat):
                value |= 1 << at + number
            at += m
        for other in order:
            value |= 1 << at + taken[other]
            at += m
        value |= 1 << at + size
        at += m
        value |= 1 << at + (leader - seat) % s
        at += s
        if play.turn >= 0:
            for other in to_act:
                value |= 1 << at + (other - seat) % s
        at += s
        if trick is None:
            value |= 1 << at
        return bits(value, at + 1)

    def translated(self, play: Play) -> bool:
        """False with the tournament's programme: then the ids are the game's own."""
        return cast("PlanningState", play.state).game.tricks.offset != self._numbers

    def legal(self, play: Play, seat: Seat) -> Sequence[int]:
        """Return the legal ids: the game's, with cards shifted."""
        legal = play.legal(seat)
        state = cast("PlanningState", play.state)
        shift = self._numbers - state.game.tricks.offset
        if state.trick is None or not shift:
            return legal
        return [action + shift for action in legal]

    def act(self, play: Play, seat: Seat, action: int) -> None:
        offset = cast("PlanningState", play.state).game.tricks.offset
        if action >= self._numbers:
            action += offset - self._numbers
        elif action >= offset:
            # More than any declaration of this programme; the game has cards there.
            action = -1
        play.act(seat, action)

    def action_name(self, action: int) -> str:
        return self._names[action]
