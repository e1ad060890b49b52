"""A deal of Chef's Hat before the play: the special action, and the exchange of cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from arbiter.errors import IllegalAction
from arbiter.games.cards import Card
from arbiter.games.chefs_hat.actions import (
    ACTIONS,
    CLEARED,
    DINNER_SERVED,
    FIRST_GIFT,
    FIRST_PAIR,
    FOOD_FIGHT,
    JOKER,
    LONE_JOKER,
    NO_SPECIAL,
    PASS,
    SPECIALS,
    card_of_step,
    gift,
    gift_cards,
    gifts_from,
    step_of_card,
)
from arbiter.games.chefs_hat.deal import (
    CARDS,
    CHEF,
    DISHWASHER,
    NO_POINTS,
    SEATS,
    SOUSCHEF,
    ChefsHatDeal,
    Gift,
    hands_after,
    must_give,
    reversed_roles,
)
from arbiter.games.chefs_hat.gym_observation import EMPTY_BOARD, hand_cells
from arbiter.games.chefs_hat.state import Begin, ChefsHatState, LastActions, Setting
from arbiter.games.game import Action, Command, Seat


class _OpeningFields(NamedTuple):
    setting: Setting
    begin: Begin
    to_act: tuple[Seat, ...]
    asking_special: bool
    chosen: tuple[Action, ...]


class Opening(_OpeningFields, ChefsHatState):
    """A deal before its first discard; `chosen` are the gifts decided so far.

    `asking_special` is True if the request is for a special action, False for cards.
    """

    __slots__ = ()
    in_play: ClassVar[bool] = False
    table, rounds, board = CLEARED, 1, EMPTY_BOARD

    @property
    def request(self) -> Command:
        return "gen_special" if self.asking_special else f"gen_exchange {self.wanted}"

    @property
    def wanted(self) -> int:
        """Return the number of words: one for a special action, or one for each card to give."""
        return 1 if self.asking_special or self.chosen else 2

    def parse(self, text: str) -> Action:
        """Return the special action, or a gift of `wanted` cards, in hand or not; IllegalAction."""
        if self.asking_special:
            if text not in SPECIALS:
                raise IllegalAction(f"a special action is one of {', '.join(SPECIALS)}")
            return NO_SPECIAL + SPECIALS.index(text)
        words = text.split()
        cards = [CARDS.get(word.lstrip("0")) for word in words]
        found = [card for card in cards if card is not None]
        if len(found) != len(words):
            raise IllegalAction(f"a card is a number from 1 to {JOKER}")
        if len(found) != self.wanted:
            raise IllegalAction(f"{self.wanted} cards are to be given")
        return gift(found)

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """Return the special actions of the seat's role, or the cards it can give."""
        if not self.asking_special:
            return gifts_from(self.setting.hands[seat], self.wanted)
        return NO_SPECIAL, self._special_of(seat)

    def playable(self, seat: Seat) -> int:
        """Return `legal` as a mask."""
        return sum(1 << action for action in self.legal(seat))

    def apply(self, seat: Seat, action: Action) -> ChefsHatState:
        """Return the state after a declaration or a gift; cards move after both gifts. IllegalAction."""
        if not self.allows(seat, action):
            raise self._refusal(seat, action)
        setting = self.setting
        if self.asking_special:
            if action == NO_SPECIAL:
                return _begin_exchange(setting, self.begin)
            return _state_after_special(setting._replace(special=(seat, action)), self.begin)
        if not self.chosen:
            return self._replace(to_act=(_seat_of_role(setting, SOUSCHEF),), chosen=(action,))
        gifts = _all_gifts(setting, gift_cards(self.chosen[0]), gift_cards(action))
        return _begin_play(setting._replace(exchange=gifts), self.begin)

    def steps(self, seat: Seat, picked: Sequence[Card] = ()) -> tuple[Action, ...]:
        """Return the steps that declare or do not, or give cards not picked yet."""
        if self.asking_special:
            return LONE_JOKER, PASS
        left = list(self.setting.hands[seat])
        for card in picked:
            left.remove(card)
        return tuple(sorted(map(step_of_card, set(left))))

    def decision(self, picked: tuple[Card, ...], step: Action) -> tuple[Action | None, tuple[Card, ...]]:
        """See `ChefsHatState.decision`: `PASS` declares no special action, another step the seat's own.

        In the exchange, the last card completes a gift.
        """
        if self.asking_special:
            return (NO_SPECIAL if step == PASS else self._special_of(self.to_act[0])), ()
        cards = (*picked, card_of_step(step))
        return (None, cards) if len(cards) < self.wanted else (gift(cards), ())

    def points(self) -> tuple[int, ...]:
        """Return 0 for all: nothing is won before the play."""
        return NO_POINTS

    @property
    def last(self) -> Seat:
        """The opener; 0 while it is unknown."""
        return self.setting.opener

    def hand(self, seat: Seat) -> tuple[Card, ...]:
        """Return the cards dealt, including those chosen to give."""
        return tuple(sorted(self.setting.hands[seat]))

    def cards_left(self) -> list[int]:
        return [len(hand) for hand in self.setting.hands]

    def last_actions_after(self, said: LastActions, action: Action, after: ChefsHatState) -> LastActions:  # noqa: ARG002
        """Return `said` unchanged: no action before the play counts."""
        return said

    def board_after(self, seat: Seat, action: Action) -> bytes:  # noqa: ARG002
        """Return an empty board."""
        return EMPTY_BOARD

    def cells(self, seat: Seat) -> bytes:
        return hand_cells(self.hand(seat))

    def _special_of(self, seat: Seat) -> Action:
        """Return the food fight for the Dishwasher, dinner served for all others."""
        roles = self.setting.roles
        assert roles is not None
        return FOOD_FIGHT if roles[seat] == DISHWASHER else DINNER_SERVED

    def _refusal(self, seat: Seat, action: Action) -> IllegalAction:
        if seat not in self.to_act:
            return IllegalAction(f"it is not seat {seat}'s turn")
        if self.asking_special:
            if action == FOOD_FIGHT:
                return IllegalAction("only the Dishwasher may declare a food fight")
            if action == DINNER_SERVED:
                return IllegalAction("the Dishwasher may declare a food fight, not that dinner is served")
            return IllegalAction("a special action is to be declared, or none")
        if action not in (range(FIRST_GIFT, FIRST_PAIR) if self.wanted == 1 else range(FIRST_PAIR, ACTIONS)):
            return IllegalAction(f"{self.wanted} of one's own cards are to be given")
        name = " ".join(map(str, gift_cards(action)))
        return IllegalAction(f"{name} is not in hand", name)


def first_state(deal: ChefsHatDeal, begin: Begin, *, specials: bool) -> ChefsHatState:
    """Return the state of the first decision; with `specials` a holder of both jokers may be asked first."""
    hands = tuple(tuple(sorted(hand)) for hand in deal.hands)
    setting = Setting(deal, hands, deal.roles, None, None, 0)
    if deal.special is not None:
        return _state_after_special(setting._replace(special=deal.special), begin)
    if deal.roles is not None and specials and not (deal.special_known or deal.exchange_known):
        for seat, hand in enumerate(hands):
            if hand.count(JOKER) == 2:
                return Opening(setting, begin, (seat,), True, ())
    return _begin_exchange(setting, begin)


def _state_after_special(setting: Setting, begin: Begin) -> ChefsHatState:
    """Return the state after a special action: no exchange, or one by reversed roles."""
    assert setting.special is not None
    if setting.special[1] == DINNER_SERVED:
        return _begin_play(setting, begin)
    return _begin_exchange(setting._replace(roles=setting.roles and reversed_roles(setting.roles)), begin)


def _begin_exchange(setting: Setting, begin: Begin) -> ChefsHatState:
    """Return the state that asks the Chef for cards, or the play if the exchange is known or left out."""
    if setting.deal.exchange_known:
        return _begin_play(setting._replace(exchange=setting.deal.exchange), begin)
    # Under `gym2` seats may share a role, so that one has no counterpart; a set-up position may have too
    # few cards.
    shared = setting.roles is None or sorted(setting.roles) != list(range(SEATS))
    if shared or min(map(len, setting.hands)) < 2:
        return _begin_play(setting, begin)
    return Opening(setting, begin, (_seat_of_role(setting, CHEF),), False, ())


def _begin_play(setting: Setting, begin: Begin) -> ChefsHatState:
    hands = setting.hands
    return begin(setting, hands_after(hands, setting.exchange) if setting.exchange else hands)


def _all_gifts(setting: Setting, chefs: tuple[Card, ...], souschefs: tuple[Card, ...]) -> tuple[Gift, ...]:
    """Return the four gifts of an exchange, in the order of the news."""
    chef, souschef, waiter, dishwasher = (_seat_of_role(setting, role) for role in range(SEATS))
    hands = setting.hands
    return (
        Gift(dishwasher, chef, must_give(hands[dishwasher], 2)),
        Gift(chef, dishwasher, chefs),
        Gift(waiter, souschef, must_give(hands[waiter], 1)),
        Gift(souschef, waiter, souschefs),
    )


def _seat_of_role(setting: Setting, role: int) -> Seat:
    assert setting.roles is not None
    return setting.roles.index(role)
