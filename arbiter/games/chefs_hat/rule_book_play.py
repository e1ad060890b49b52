"""The play of a deal of Chef's Hat by the rule book."""

from __future__ import annotations

from typing import NamedTuple

from arbiter.errors import IllegalAction
from arbiter.games.cards import Card
from arbiter.games.chefs_hat.actions import (
    CLEARED,
    ELEVEN,
    FIELD_OF,
    FIRST_PLAY,
    JOKERS_OF,
    LEADS,
    LONE_JOKER,
    NONE_LEFT,
    ONE_LEFT,
    OPENINGS,
    OVER,
    PASS,
    PASSING,
    SHIFT_OF,
    STEP_NAMES,
    TWO_JOKERS,
    cards_of,
    count_of,
    mask_of,
)
from arbiter.games.chefs_hat.deal import NO_POINTS, SEATS, Hands, golden_eleven
from arbiter.games.chefs_hat.gym_observation import BOARDS, mask_cells
from arbiter.games.chefs_hat.state import ChefsHatState, Setting
from arbiter.games.game import Action, Seat

KEEP_HAND = "keep your hand: the cards of set_cards, as exchange changes them, less the cards you played"
DISCARD = "answer with a discard where the table is empty, such as after pizza, and not with pass"
FIRST_ELEVENS = "if you lead the first play of a match, answer with elevens, such as C11;Q1;J0"
BEAT = "answer with at least as many cards of a lower value than those on the table, or with pass"
"""Advice for bots."""
_new = tuple.__new__
_MAY = (*OVER, LEADS, OPENINGS)
"""By the discard on the table, the discards that are legal if they are in hand."""
_MAY_PASS = (*(PASSING,) * CLEARED, 0, 0)
_BIT = tuple(1 << seat for seat in range(SEATS))
_ALONE = tuple((seat,) for seat in range(SEATS))


def _following(seat: Seat, out: int) -> Seat:
    """Return the next seat clockwise not in `out`, which may be `seat` itself; -1 if all are in `out`."""
    for place in range(1, SEATS + 1):
        if not out >> (seat + place) % SEATS & 1:
            return (seat + place) % SEATS
    return -1


_NEXT = tuple(tuple(_following(seat, out) for out in range(1 << SEATS)) for seat in range(SEATS))


class _BookFields(NamedTuple):
    setting: Setting
    to_act: tuple[Seat, ...]
    hands: tuple[int, ...]
    table: int
    last: Seat
    out: int
    done: int
    order: tuple[Seat, ...]
    rounds: int


class BookState(_BookFields, ChefsHatState):
    """The play of a deal by the rule book; a tuple, so immutable, hashable and quick to make.

    `hands` are masks; `table` is the discard on the table, or `CLEARED`, or `FIRST_PLAY`; `last`
    discarded last; `out` is the bits of seats that have passed or have no cards left, `done` of
    the latter alone; `order` is the seats that have finished, in order.
    """

    __slots__ = ()
    random_actions = ()

    @classmethod
    def begin(cls, setting: Setting, hands: Hands) -> BookState:
        """Return the first state: the deal's opener, or the golden 11's holder, must lead elevens if held."""
        deal = setting.deal
        opener = deal.opener
        if opener is None:
            opener = golden_eleven(hands, deal.golden, deal.counted_from)
        setting = setting._replace(opener=opener)
        # Only given hands can leave the opener without an eleven.
        table = FIRST_PLAY if ELEVEN in hands[opener] else CLEARED
        return cls(setting, (opener,), tuple(map(mask_of, hands)), table, opener, 0, 0, (), 1)

    def playable(self, seat: Seat) -> int:
        """Return the discards that beat the table, and a pass; on an empty table, any discard but no pass."""
        table = self.table
        return self.hands[seat] & _MAY[table] | _MAY_PASS[table]

    def apply(self, seat: Seat, action: Action) -> BookState:
        setting, to_act, hands, table, last, out, done, order, rounds = self
        # `playable` and `mask_after` inlined: each call would cost a tenth of a ply.
        if (
            seat not in to_act
            or action < 0
            or not (hands[seat] & _MAY[table] | _MAY_PASS[table]) >> action & 1
        ):
            raise self._refusal(seat, action)
        if action == PASS:
            out |= _BIT[seat]
        else:
            hand = hands[seat]
            if action != LONE_JOKER:
                field = FIELD_OF[action]
                hand = hand & ~field | (hand & field) >> SHIFT_OF[action] & field
            if jokers := JOKERS_OF[action]:
                hand &= ONE_LEFT if jokers == 1 and hand & TWO_JOKERS else NONE_LEFT
            left = list(hands)
            left[seat] = hand
            hands = tuple(left)
            table, last = action, seat
            if not hand:
                bit = _BIT[seat]
                out |= bit
                done |= bit
                order = (*order, seat)
                if len(order) == SEATS - 1:
                    order = (*order, _NEXT[seat][done])
                    return BookState(setting, (), hands, table, last, out, done, order, rounds)
        turn = _NEXT[seat][out]
        if turn == last or turn < 0:
            # All others have passed: a pizza.
            turn = _NEXT[last][done] if done >> last & 1 else last
            table, out = CLEARED, done
            rounds += 1
        # `tuple.__new__`: the named constructor would cost a tenth of a ply.
        fields = (setting, _ALONE[turn], hands, table, last, out, done, order, rounds)
        return _new(BookState, fields)

    def points(self) -> tuple[int, ...]:
        """Return 3, 2, 1, 0 in the order of finishing, by seat."""
        order = self.order
        if len(order) < SEATS:
            return NO_POINTS
        return tuple(SEATS - 1 - order.index(seat) for seat in range(SEATS))

    def hand(self, seat: Seat) -> tuple[Card, ...]:
        return cards_of(self.hands[seat])

    def cards_left(self) -> list[int]:
        return [count_of(mask) for mask in self.hands]

    @property
    def board(self) -> bytes:
        return BOARDS[self.table]

    def board_after(self, seat: Seat, action: Action) -> bytes:  # noqa: ARG002
        return BOARDS[self.table if action == PASS else action]

    def cells(self, seat: Seat) -> bytes:
        return mask_cells(self.hands[seat])

    def _refusal(self, seat: Seat, action: Action) -> IllegalAction:
        table = self.table
        if seat not in self.to_act:
            return IllegalAction(f"it is not seat {seat}'s turn")
        if action == PASS:
            return IllegalAction("a seat that plays to an empty table must discard", fix=DISCARD)
        if not 0 <= action < PASS:
            return IllegalAction("a discard or a pass is to be played")
        if not self.hands[seat] >> action & 1:
            return IllegalAction(f"{STEP_NAMES[action]} is not in hand", STEP_NAMES[action], KEEP_HAND)
        if table == FIRST_PLAY:
            what = "the first play of a match is elevens, with or without jokers"
            return IllegalAction(what, fix=FIRST_ELEVENS)
        what = f"{STEP_NAMES[action]} does not beat {STEP_NAMES[table]}"
        return IllegalAction(what, STEP_NAMES[action], BEAT)
