"""Codepiece: the 233 cells of the published engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from arbiter.envs.match_state import Play
from arbiter.envs.observers.observer import Observer, Vector, bits
from arbiter.games.codepiece import FIRST_CARD, NO_TRUMP, SEATS, TRICKS, WORDS, Codepiece, CodepieceState
from arbiter.games.game import Seat

CELLS = 233
_CARDS = (1 << 52) - 1
_BIDDING, _CHOOSING, _PLAYING, _OVER = (1 << 219 + phase for phase in range(4))


class CodepieceObserver(Observer):
    """float32[233] from 0 to 1. Ids: 0 pass, 1..6 bids 8..13, 7..10 trumps S, H, D, C, 11..62 cards.

    | cells | what |
    |---|---|
    | 0:52 | own hand, in the order of suits C, D, H, S, each 2..A |
    | 52:104 | the trick on the table; the last one stays when the deal is over |
    | 104:156 | all other cards |
    | 156:219 | own legal actions; zeros when it is another's turn |
    | 219:223 | phase: bidding, choosing trump, play, over |
    | 223, 224, 225 | seat / 3; side; whether it is the seat's turn |
    | 226, 227, 228 | highest bid / 13; the same once bidding is closed, 0 before; tricks played / 13 |
    | 229:233 | trump: C, D, H, S |
    """

    dtype = np.float32

    def __init__(self, game: Codepiece) -> None:
        self.actions = game.actions
        self._compile(game, Codepiece)

    def size(self, seat: Seat) -> int:  # noqa: ARG002
        return CELLS

    def vector(self, play: Play, seat: Seat) -> Vector:
        mine = play.turn == seat
        return observation(cast("CodepieceState", play.state), seat, play.legal(seat) if mine else None)

    def action_name(self, action: int) -> str:
        return WORDS[action]


def observation(state: CodepieceState, seat: Seat, legal: Sequence[int] | None) -> Vector:
    """Return the observation of a seat, with its legal actions if it is to act; see `CodepieceObserver`."""
    to_act, hands, bids, bid, _, trump, trick, _, _, _, won = state
    hand = hands[seat] >> FIRST_CARD
    table = 0
    for card in trick:
        table |= 1 << card - FIRST_CARD
    value = hand | table << 52 | (_CARDS & ~(hand | table)) << 104
    closed = len(bids) >= SEATS
    if not to_act:
        value |= _OVER
    elif trump != NO_TRUMP:
        value |= _PLAYING
    else:
        value |= _CHOOSING if closed else _BIDDING
    if legal is not None:
        for action in legal:
            value |= 1 << 156 + action
    if trump != NO_TRUMP:
        value |= 1 << 229 + trump
    cells = bits(value, CELLS).astype(np.float32)
    cells[223:229] = (
        seat / 3,
        seat & 1,
        legal is not None,
        bid / 13,
        bid / 13 if closed else 0,
        (won[0] + won[1]) / TRICKS,
    )
    return cells
