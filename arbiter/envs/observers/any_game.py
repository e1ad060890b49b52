"""The observation of games that name no observer of their own."""

from __future__ import annotations

import numpy as np

from arbiter.cards import Stream
from arbiter.envs.observers.observer import Observer, Vector
from arbiter.envs.play import Play
from arbiter.rules import AnyGame, Seat

_SAMPLE = 200


class AnyGameObserver(Observer):
    """A seat's own cards and legal actions, which is all that can be told without knowing the rules.

    int8: cells 0 .. c-1, how many copies of each card the seat holds, by card index; c, 1 if it is
    its turn; then a cell for each action, 1 if it is legal for this seat now.

    c is one more than the highest card index in 200 sample deals; cards above that are left out.
    """

    high = 127

    def __init__(self, game: AnyGame) -> None:
        self.actions = game.actions
        self.cards = 1
        for number in range(_SAMPLE):
            deal = game.deal(0, Stream.of_deal("arbiter-envs-cards", number + 1, 0), None)
            for hand in (*deal.hands, deal.extra) if deal else ():
                self.cards = max(self.cards, *(card + 1 for card in hand), 1)

    def size(self, seat: Seat) -> int:  # noqa: ARG002
        return self.cards + 1 + self.actions

    def vector(self, play: Play, seat: Seat) -> Vector:
        cells = np.zeros(self.size(seat), np.int8)
        for card in play.game.hand(play.state, seat):
            if card < self.cards:
                cells[card] += 1
        if seat == play.turn:
            cells[self.cards] = 1
            cells[np.asarray(play.legal(seat), np.intp) + self.cards + 1] = 1
        return cells
