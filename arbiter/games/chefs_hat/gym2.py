"""The play of a deal under `gym2`: as the published environment has it, departures included.

Theory of operation. The machine is pure. `advance` takes what a player asks for, legal or not,
and what is done instead where `forced` says that the player's action is a random one; one who
drives it brings the random numbers, an environment those of its own generator. At a table `apply`
takes them from the stream that the deal's `luck` names, and refuses what the rules refuse.

Hands are kept as they are shown: 17 places, 0 for a card played, sorted anew at each discard.
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
    discarded,
    ids_of,
    mask_of,
)
from arbiter.games.chefs_hat.deal import NO_POINTS, SEATS, Hands
from arbiter.games.chefs_hat.gym_observation import BOARDS, EMPTY_BOARD, board_cells
from arbiter.games.chefs_hat.state import ChefsHatState, Said, Setting
from arbiter.games.game import Action, Seat

PATIENCE = 5
"""After this many passes, or refused tries, in a row a seat's next action is a random one."""
_PAIRS = sum(FIELDS) & ~ONE_LEFT
"""All discards with two jokers."""
# By what is on the table. Nothing beats a joker that was led alone.
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

    `masks` are the hands as masks, `board` shows the discard that is `table`. `passes` and `misses`
    count those in a row by seat; `order` is who has finished so far.
    """

    __slots__ = ()

    def refused(self, seat: Seat) -> tuple[Action, ...]:
        """Discards with two jokers, after the opening play."""
        mask = self.masks[seat]
        return ids_of(mask & _LISTED[self.table]) if mask & TWO_JOKERS else ()

    def playable(self, seat: Seat) -> int:
        return self.masks[seat] & _CAN[self.table] | PASSING

    def forced(self, seat: Seat) -> bool:
        """After too many passes or refused tries."""
        return self.passes[seat] >= PATIENCE or self.misses[seat] >= PATIENCE

    def apply(self, seat: Seat, action: Action) -> Gym2State:
        """The state after the action or after the random one in its place; IllegalAction with the reason."""
        if seat not in self.to_act:
            raise IllegalAction(f"it is not seat {seat}'s turn")
        # As `playable`: a call would cost a twentieth of a ply.
        if action < 0 or not (self.masks[seat] & _CAN[self.table] | PASSING) >> action & 1:
            raise self._refusal(seat, action)
        if self.passes[seat] < PATIENCE and self.misses[seat] < PATIENCE:
            return self._done(seat, action, self.random_actions)
        action = self._lot(self.legal(seat))
        return self._done(seat, action, (*self.random_actions, (seat, action)))

    def _lot(self, can: tuple[Action, ...]) -> Action:
        """One of the actions: the one that is known, or by the luck of this deal."""
        number = len(self.random_actions)
        known = self.deal.lots[number : number + 1]
        if known and known[0][1] in can:
            return known[0][1]
        stream = Stream("arbiter-chefs-hat-luck-1", self.deal.luck, number)
        return can[stream.draw(len(can))]

    def advance(self, seat: Seat, tried: Action, forced: Action | None = None) -> Gym2State:
        """Return the state after a try: refused ones leave all but a counter as it is."""
        if forced is not None:
            return self._done(seat, forced, (*self.random_actions, (seat, forced)))
        if not self.playable(seat) >> tried & 1:
            return self._replace(misses=_set(self.misses, seat, self.misses[seat] + 1))
        return self._done(seat, tried, self.random_actions)

    def _done(self, seat: Seat, action: Action, lots: tuple[tuple[Seat, Action], ...]) -> Gym2State:
        """The state after an action that can be done; `lots` are the random actions so far."""
        (setting, limit, _, hands, masks, board, table, said, last, passes, misses,
         order, scores, rounds, _) = self  # fmt: skip
        if misses[seat]:
            misses = _set(misses, seat, 0)
        said = _set(said, seat, action)
        if action == PASS:
            passes = _set(passes, seat, passes[seat] + 1)
            if table == FIRST_PLAY:
                table = CLEARED
        else:
            if passes[seat]:
                passes = _set(passes, seat, 0)
            hand, board = _laid(hands[seat], action)
            hands = _set(hands, seat, hand)
            mask = discarded(masks[seat], action)
            masks = _set(masks, seat, mask)
            table, last = action, seat
            if not mask:
                scores = _set(scores, seat, SEATS - 1 - len(order))
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
        return state._ended() if ended else state

    def _ended(self) -> Gym2State:
        """Nobody is to act any more; those who are left are placed.

        Where the rounds are used up, all are placed at the number of those finished at that moment,
        who already was included: several may share a place, and a better one may stay empty.
        """
        if len(self.order) == SEATS - 1:
            rest = next(s for s in range(SEATS) if s not in self.order)
            return self._replace(to_act=(), order=(*self.order, rest), scores=_set(self.scores, rest, 0))
        scores, order = self.scores, self.order
        for seat in sorted(range(SEATS), key=lambda s: len(self.hand(s))):
            scores = _set(scores, seat, SEATS - 1 - len(order))
            if seat not in order:
                order = (*order, seat)
        return self._replace(to_act=(), order=order, scores=scores)

    def points(self) -> tuple[int, ...]:
        return self.scores

    def hand(self, seat: Seat) -> tuple[Card, ...]:
        return tuple(sorted(card for card in self.hands[seat] if card))

    def cards_left(self) -> list[int]:
        return [count_of(mask) for mask in self.masks]

    def said_after(self, said: Said, action: Action, after: Any) -> Said:  # noqa: ARG002
        """The rules need it, so that the state has it."""
        kept: Said = after.said
        return kept

    def board_after(self, seat: Seat, action: Action) -> bytes:
        return self.board if action == PASS else _laid(self.hands[seat], action)[1]

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
    """Begins the play; with `max_rounds` below 1 there may be any number of rounds."""

    max_rounds: int = -1

    def __call__(self, setting: Setting, hands: Hands) -> Gym2State:
        """The opener is to play elevens, or to pass."""
        deal = setting.deal
        opener = deal.opener
        if opener is None:
            opener = joker_holder(hands, deal.counted_from)
        zero, nothing = NO_POINTS, (NOTHING,) * SEATS
        return Gym2State(
            setting=setting._replace(opener=opener),
            max_rounds=self.max_rounds,
            to_act=(opener,),
            # As in the published environment, the zeros come first from the first discard on.
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
    """The first seat from `first` on, clockwise, that holds a joker; `first` itself if none does."""
    for place in range(SEATS):
        seat = (first + place) % SEATS
        if JOKER in hands[seat]:
            return seat
    return first


def _laid(hand: tuple[Card, ...], action: Action) -> tuple[tuple[Card, ...], bytes]:
    """The hand after a discard and the board with it."""
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
    # In the order of their places: after an exchange a joker may come first.
    for place, card in enumerate(hand):
        if wanted.get(card):
            wanted[card] -= 1
            laid.append(card)
            left[place] = 0
    left.sort()
    return tuple(left), board_cells(laid)


def _set(row: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    changed = list(row)
    changed[place] = value
    return tuple(changed)
