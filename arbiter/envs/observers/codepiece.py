"""Codepiece: the 233 cells of the published engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.core import core_of
from arbiter.envs.observers.observer import MatchBatch, Observer, Vector, bit_rows, bits, flat
from arbiter.envs.play import Play
from arbiter.games.codepiece import FIRST_CARD, NO_TRUMP, SEATS, TRICKS, WORDS, Codepiece, CodepieceState
from arbiter.rules import Seat

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
        # The rules of this class alone, not those of one made of it.
        if type(game) is Codepiece and core_of("codepiece") is not None:
            self.batch = "arbiter.envs.codepiece_batch:CodepieceBatch"

    def size(self, seat: Seat) -> int:  # noqa: ARG002
        return CELLS

    def vector(self, play: Play, seat: Seat) -> Vector:
        mine = play.turn == seat
        return observation(cast("CodepieceState", play.state), seat, play.legal(seat) if mine else None)

    def masks(self, matches: MatchBatch) -> NDArray[np.int8]:
        found = []
        for state, seat in zip(matches.states, matches.seats, strict=True):
            if state.trump != NO_TRUMP:
                found.append(state.playable(seat))
            else:
                found.append(sum(1 << action for action in state.legal(seat)))
        return bit_rows(found, self.actions)

    def vectors(self, matches: MatchBatch, rows: NDArray[np.int64], ids: NDArray[np.int64]) -> Vector:
        _, hands, bids, highest, _, trumps, tricks, _, _, _, won = zip(*matches.states, strict=True)
        count, seats = len(hands), matches.seats
        seat, bid, trump, each = np.array(seats), np.array(highest), np.array(trumps), np.arange(count)
        closed = np.fromiter(map(len, bids), np.int64, count) >= SEATS
        named = trump != NO_TRUMP
        seen = np.zeros((count, CELLS), np.float32)
        seen[:, :52] = bit_rows([hand[who] >> FIRST_CARD for hand, who in zip(hands, seats, strict=True)], 52)
        cards, row, _ = flat(tricks)
        seen[row, 52 + cards - FIRST_CARD] = 1
        seen[:, 104:156] = 1 - seen[:, :52] - seen[:, 52:104]
        seen[rows, 156 + ids] = 1
        # Bidding, choosing trump, play.
        seen[each, np.where(named, 221, np.where(closed, 220, 219))] = 1
        seen[:, 223], seen[:, 224], seen[:, 225] = seat / 3, seat & 1, 1
        seen[:, 226], seen[:, 227] = bid / 13, np.where(closed, bid / 13, 0)
        seen[:, 228] = np.array(won).sum(axis=1) / TRICKS
        seen[named, 229 + trump[named]] = 1
        return seen

    def action_name(self, action: int) -> str:
        return WORDS[action]


def observation(state: CodepieceState, seat: Seat, legal: Sequence[int] | None) -> Vector:
    """The cells that a seat sees, with its legal actions where it is to act; see `CodepieceObserver`."""
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
