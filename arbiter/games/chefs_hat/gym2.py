"""The play of a deal under `gym2`: as in the published environment, deviations from the rule book included.

Theory of operation. States are immutable. `advance` takes the action that a player tries, legal or not,
and the random action that replaces it if `forced`; the caller draws that action, an environment with its
generator. In matches `apply` draws from the stream that the deal's `luck` seeds, and raises for illegal
actions.

Hands are stored as shown: 17 places, 0 for a card played, sorted at each discard.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from arbiter.errors import IllegalAction
from arbiter.games.cards import Card, Stream
from arbiter.games.chefs_hat.actions import (
    CLEARED,
    FIELDS,
    FIRST_PLAY,
    HAND,
    JOKER,
    JOKERS_OF,
    LEADS,
    LONE_JOKER,
    NOTHING,
    ONE_LEFT,
    OPENINGS,
    OVER,
    PASS,
    PASSING,
    QUANTITY_OF,
    SIZE_OF,
    STEP_NAMES,
    TWO_JOKERS,
    VALUE_OF,
    count_of,
    ids_of,
    mask_after,
    mask_of,
)
from arbiter.games.chefs_hat.deal import NO_POINTS, SEATS, Hands
from arbiter.games.chefs_hat.gym_observation import BOARDS, EMPTY_BOARD, board_cells
from arbiter.games.chefs_hat.state import ChefsHatState, LastActions, Setting
from arbiter.games.game import Action, Seat

PATIENCE = 5
"""After this many passes, or refused actions, in a row a seat's next action is random."""
_PAIRS = sum(FIELDS) & ~ONE_LEFT
"""All discards with two jokers."""
# Indexed by the discard on the table. Nothing beats a joker led alone.
_CAN = (*(over & ONE_LEFT for over in OVER[:LONE_JOKER]), 0, LEADS & ONE_LEFT, OPENINGS)
_LISTED = (*(over & _PAIRS for over in OVER[:LONE_JOKER]), 0, _PAIRS, 0)
_ZEROS = tuple((0,) * size for size in range(HAND))
_bytes = lru_cache(maxsize=1 << 14)(bytes)
_new = tuple.__new__


class _Gym2Fields(NamedTuple):
    setting: Setting
    max_rounds: int
    to_act: tuple[Seat, ...]
    hands: Hands
    masks: tuple[int, ...]
    board: bytes
    table: int
    said: tuple[Action, ...]
    last: Seat
    passes: tuple[int, ...]
    misses: tuple[int, ...]
    order: tuple[Seat, ...]
    scores: tuple[int, ...]
    rounds: int
    random_actions: tuple[tuple[Seat, Action], ...]


class Gym2State(_Gym2Fields, ChefsHatState):
    """A deal in play; `said` is each seat's last action since the last pizza.

    `masks` are the hands as masks, `board` shows the discard `table`. `passes` and `misses` (refused
    actions) count those in a row by seat; `order` is the seats that have finished, in order.
    """

    __slots__ = ()

    def refused(self, seat: Seat) -> tuple[Action, ...]:
        """Return the discards with two jokers, which only the opening play may have."""
        mask = self.masks[seat]
        return ids_of(mask & _LISTED[self.table]) if mask & TWO_JOKERS else ()

    def playable(self, seat: Seat) -> int:
        """Return the mask of the legal discards, and of the pass, which is always legal."""
        return self.masks[seat] & _CAN[self.table] | PASSING

    def forced(self, seat: Seat) -> bool:
        """Return True after `PATIENCE` passes or refused actions in a row."""
        return self.passes[seat] >= PATIENCE or self.misses[seat] >= PATIENCE

    def apply(self, seat: Seat, action: Action) -> Gym2State:
        """Return the state after the action, or after its random replacement; IllegalAction."""
        if seat not in self.to_act:
            raise IllegalAction(f"it is not seat {seat}'s turn")
        # `playable` inlined: a call would cost a twentieth of a ply.
        if action < 0 or not (self.masks[seat] & _CAN[self.table] | PASSING) >> action & 1:
            raise self._refusal(seat, action)
        if self.passes[seat] < PATIENCE and self.misses[seat] < PATIENCE:
            return self._after(seat, action, self.random_actions)
        action = self._random_action(self.legal(seat))
        return self._after(seat, action, (*self.random_actions, (seat, action)))

    def _random_action(self, can: tuple[Action, ...]) -> Action:
        """Return a random one of the actions: the known one, or drawn from the deal's stream."""
        number = len(self.random_actions)
        known = self.deal.lots[number : number + 1]
        if known and known[0][1] in can:
            return known[0][1]
        stream = Stream("arbiter-chefs-hat-luck-1", self.deal.luck, number)
        return can[stream.draw(len(can))]

    def advance(self, seat: Seat, tried: Action, forced: Action | None = None) -> Gym2State:
        """Return the state after the action `tried`, legal or not: a refused one only counts as a miss.

        `forced` is a random action that replaces it, and is recorded as such.
        """
        if forced is not None:
            return self._after(seat, forced, (*self.random_actions, (seat, forced)))
        if not self.playable(seat) >> tried & 1:
            return self._replace(misses=_replaced(self.misses, seat, self.misses[seat] + 1))
        return self._after(seat, tried, self.random_actions)

    def _after(self, seat: Seat, action: Action, lots: tuple[tuple[Seat, Action], ...]) -> Gym2State:
        """Return the state after a legal action; `lots` are the random actions so far."""
        (setting, limit, _, hands, masks, board, table, said, last, passes, misses,
         order, scores, rounds, _) = self  # fmt: skip
        if misses[seat]:
            misses = _replaced(misses, seat, 0)
        said = _replaced(said, seat, action)
        if action == PASS:
            passes = _replaced(passes, seat, passes[seat] + 1)
            if table == FIRST_PLAY:
                table = CLEARED
        else:
            if passes[seat]:
                passes = _replaced(passes, seat, 0)
            hand, board = _lay_cards(hands[seat], action)
            hands = _replaced(hands, seat, hand)
            mask = mask_after(masks[seat], action)
            masks = _replaced(masks, seat, mask)
            table, last = action, seat
            if not mask:
                scores = _replaced(scores, seat, SEATS - 1 - len(order))
                order = (*order, seat)
        live = passed = 0
        acted = True
        for mask, what in zip(masks, said, strict=True):
            if mask:
                live += 1
                if what == PASS:
                    passed += 1
                elif what == NOTHING:
                    acted = False
        ended = live == 1
        turn = seat
        if acted and passed >= live - 1:
            said = tuple([NOTHING if mask else what for mask, what in zip(masks, said, strict=True)])
            board, table = EMPTY_BOARD, CLEARED
            rounds += 1
            ended = ended or 0 < limit < rounds
            turn = last
            while not masks[turn]:
                turn = (turn + 1) % SEATS
        elif not ended:
            turn = (seat + 1) % SEATS
            while not masks[turn] or said[turn] == PASS:
                turn = (turn + 1) % SEATS
        fields = (
            setting, limit, (turn,), hands, masks, board, table, said, last, passes, misses,
            order, scores, rounds, lots,
        )  # fmt: skip
        # The tuple itself: the named constructor is slow.
        state = _new(Gym2State, fields)
        return state._place_rest() if ended else state

    def _place_rest(self) -> Gym2State:
        """Return the final state: place the seats that still hold cards.

        If the rounds are used up, every seat, finished or not, gets the place given by the number of seats
        finished by then: several may share a place, and a better one may stay empty.
        """
        if len(self.order) == SEATS - 1:
            rest = next(s for s in range(SEATS) if s not in self.order)
            return self._replace(to_act=(), order=(*self.order, rest), scores=_replaced(self.scores, rest, 0))
        scores, order = self.scores, self.order
        for seat in sorted(range(SEATS), key=lambda s: len(self.hand(s))):
            scores = _replaced(scores, seat, SEATS - 1 - len(order))
            if seat not in order:
                order = (*order, seat)
        return self._replace(to_act=(), order=order, scores=scores)

    def points(self) -> tuple[int, ...]:
        """Return the points by place so far; 0 for seats without a place."""
        return self.scores

    def hand(self, seat: Seat) -> tuple[Card, ...]:
        return tuple(sorted(card for card in self.hands[seat] if card))

    def cards_left(self) -> list[int]:
        return [count_of(mask) for mask in self.masks]

    def last_actions_after(self, said: LastActions, action: Action, after: Any) -> LastActions:  # noqa: ARG002
        """See `ChefsHatState.last_actions_after`; here the state stores it."""
        kept: LastActions = after.said
        return kept

    def board_after(self, seat: Seat, action: Action) -> bytes:
        return self.board if action == PASS else _lay_cards(self.hands[seat], action)[1]

    def cells(self, seat: Seat) -> bytes:
        return _bytes(self.hands[seat])

    def _refusal(self, seat: Seat, action: Action) -> IllegalAction:
        if not 0 <= action <= PASS:
            return IllegalAction("a discard or a pass is to be played")
        name = STEP_NAMES[action]
        if (self.masks[seat] & _LISTED[self.table]) >> action & 1:
            return IllegalAction(f"{name} has two jokers, which only the opening play may have", name)
        if self.table == FIRST_PLAY:
            return IllegalAction("the first play is elevens in hand, or a pass")
        return IllegalAction(f"{name} is not in hand, or does not beat the table", name)


@dataclass(frozen=True, slots=True)
class Gym2Play:
    """Begins the play; a `max_rounds` below 1 means no limit."""

    max_rounds: int = -1

    def __call__(self, setting: Setting, hands: Hands) -> Gym2State:
        """Return the first state, in which the opener must play elevens or pass."""
        deal = setting.deal
        opener = deal.opener
        if opener is None:
            opener = joker_holder(hands, deal.counted_from)
        zero, nothing = NO_POINTS, (NOTHING,) * SEATS
        return Gym2State(
            setting=setting._replace(opener=opener),
            max_rounds=self.max_rounds,
            to_act=(opener,),
            # As in the published environment, the zeros come first only after the first discard.
            hands=tuple((*hand, *(0,) * (HAND - len(hand))) for hand in hands),
            masks=tuple(map(mask_of, hands)),
            board=EMPTY_BOARD,
            table=FIRST_PLAY,
            said=nothing,
            last=opener if deal.leader is None else deal.leader,
            passes=zero,
            misses=zero,
            order=(),
            scores=zero,
            rounds=1,
            random_actions=(),
        )


def joker_holder(hands: Hands, first: Seat) -> Seat:
    """Return the first seat from `first` on, clockwise, that holds a joker; `first` if no seat does."""
    for place in range(SEATS):
        seat = (first + place) % SEATS
        if JOKER in hands[seat]:
            return seat
    return first


def _lay_cards(hand: tuple[Card, ...], action: Action) -> tuple[tuple[Card, ...], bytes]:
    """Return the hand after a discard, and the board that shows it."""
    if not hand[0]:
        # Sorted since the first discard: zeros first, jokers last.
        quantity, end = QUANTITY_OF[action], HAND - JOKERS_OF[action]
        at = hand.index(VALUE_OF[action]) if quantity else end
        return (*_ZEROS[SIZE_OF[action]], *hand[:at], *hand[at + quantity : end]), BOARDS[action]
    left = list(hand)
    wanted = {VALUE_OF[action]: QUANTITY_OF[action]}
    if jokers := JOKERS_OF[action]:
        wanted[JOKER] = jokers
    laid = []
    # In order of place: after an exchange a joker may come first.
    for place, card in enumerate(hand):
        if wanted.get(card):
            wanted[card] -= 1
            laid.append(card)
            left[place] = 0
    left.sort()
    return tuple(left), board_cells(laid)


def _replaced(row: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    changed = list(row)
    changed[place] = value
    return tuple(changed)
