"""Chef's Hat as a seat hears it: cards change hands before the play, partly in secret.

Two cards that are not known are no gift that has an id, so an exchange between others cannot be played with
unknown cards. But a deal can be given with its special action, exchange and opener, as records have them.
So when this seat is asked for something new, or the play begins, the deal is what was heard by then; what
two others gave each other is unknown cards that they hold then, and known ones where there are no others.

Under `gym2` a card got lies in the place of the one given, and shows in the order of the board when its
owner first discards. Where it lies with others is not known here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from arbiter.games.cards import UNKNOWN, Card
from arbiter.games.chefs_hat.actions import (
    DECK,
    DINNER_SERVED,
    FIRST_PAIR,
    JOKER,
    NO_SPECIAL,
    SPECIALS,
)
from arbiter.games.chefs_hat.deal import (
    CARDS,
    CHEF,
    ROLES,
    SEATS,
    SOUSCHEF,
    ChefsHatDeal,
    Gift,
    card_text,
    reversed_roles,
)
from arbiter.games.game import Action, AnyGame, Command, Deal, Seat
from arbiter.games.information_state import Hearing, Unheard

_SPECIAL, _EXCHANGE, _PLAY = "gen_special", "gen_exchange", "gen_move"
"""The parts of a deal, by what is asked in them."""
_DECK = Counter(DECK)


class ChefsHatHearing(Hearing):
    """Chef's Hat by both rule sets."""

    # A deal may end after fewer rounds than the rules know of, which no message gives.
    told_besides: ClassVar[frozenset[str]] = frozenset({"pizza", "end_deal"})

    def begin(self, words: Sequence[str]) -> None:
        own = _cards_in(words[2:])
        if words[1:2] != [str(len(own))]:
            raise Unheard("these are not cards of the deck, after their number")
        unknown = (UNKNOWN,) * len(own)
        hands = tuple(own if seat == self.seat else unknown for seat in range(SEATS))
        self.renew(_checked(ChefsHatDeal(hands)))
        self._part = ""
        self._opener: Seat = 0
        self._roles: tuple[int, ...] | None = None
        self._special: tuple[Seat, Action] | None = None
        self._gifts: list[tuple[Seat, Seat, int, tuple[Card, ...]]] = []
        """Giver, taker, how many cards, and which, where that was heard."""

    def completes(self, command: Command) -> bool:
        verb, *words = command.split()
        hear = {"set_roles": self._set_roles, "special": self._declared, "exchange": self._exchanged}
        if verb not in hear:
            return False
        if self._part == _PLAY:
            raise Unheard(f"it is not the time for {verb}")
        hear[verb](words)
        return True

    def asked(self, request: Command) -> None:
        if self.deal is not None:
            self._enter(request.split()[0], self.seat)
        super().asked(request)

    def tells(self, words: Sequence[str]) -> bool:
        if words[0] == "play" and len(words) == 3:
            self._enter(_PLAY, _seat(words[1]))
        return super().tells(words)

    def held(self, seat: Seat, action: Action, cards: Counter[str]) -> ChefsHatDeal:
        """See `Hearing.held`; where an action is a random one under `gym2`, it is known to the deal."""
        deal: ChefsHatDeal = self.deal
        forced = self.state.forced(seat)
        if cards == self.laid[seat] and not forced:
            return deal
        lots = (*deal.lots, (seat, action)) if forced else deal.lots
        return self._known([*self.laid[:seat], cards, *self.laid[seat + 1 :]], lots)

    def due(self, *, further: bool) -> Command:
        if self.deal is None or self._part == _PLAY:
            return super().due(further=further)
        if self._roles is None or len(self._gifts) == SEATS:
            return _PLAY
        own, roles = self.deal.hands[self.seat], self._roles
        if self._special is None:
            asked = self._part == _EXCHANGE or (self._part == _SPECIAL and further)
            if own.count(JOKER) == 2 and self.game.options["rules"] == "book" and not asked:
                return _SPECIAL
        elif self._special[1] == DINNER_SERVED:
            return _PLAY
        else:
            roles = reversed_roles(roles)
        if sorted(roles) != list(range(SEATS)):
            return _PLAY
        return f"{_EXCHANGE} {2 if roles[self.seat] == CHEF else 1}"

    def alone(self) -> tuple[AnyGame, ChefsHatDeal]:
        """See `Hearing.alone`; once the play has begun, the hands are those after the exchange."""
        game = type(self.game)(**{**self.game.options, "matches": 1, "points": None})
        if self._part != _PLAY:
            return game, self.deal
        hands = tuple(map(self.first.hand, range(SEATS)))
        return game, replace(self.deal, hands=hands, exchange=None)

    def barred(self, seat: Seat) -> Iterable[Card]:
        """Return the cards lower than those that a seat had to give: these were its lowest."""
        got = [cards for giver, _, _, cards in self._forced_gifts() if giver == seat and cards]
        return range(1, max(got[0])) if got else ()

    def fits(self, deal: Deal) -> bool:
        """Return False where what a seat had to give, unseen, cannot have been its lowest cards."""
        hands = [sorted(hand) for hand in deal.hands]
        return all(
            cards or hands[taker][number - 1] <= min(hands[giver][number:], default=JOKER)
            for giver, taker, number, cards in self._forced_gifts()
        )

    def _forced_gifts(self) -> list[tuple[Seat, Seat, int, tuple[Card, ...]]]:
        """The gifts that were no choice, once the play has begun."""
        roles = self.first.setting.roles if self._part == _PLAY else None
        return [gift for gift in self._gifts if roles and roles[gift[0]] > SOUSCHEF]

    # Before the play.

    def _set_roles(self, words: Sequence[str]) -> None:
        """``set_roles``; those that come again follow from the food fight."""
        if len(words) != SEATS or not set(words) <= set(ROLES):
            raise Unheard("there is to be a role for each seat")
        if self._special is None:
            self._roles = tuple(map(ROLES.index, words))

    def _declared(self, words: Sequence[str]) -> None:
        """``special 3 food_fight``"""
        if len(words) != 2 or words[1] not in SPECIALS:
            raise Unheard("a seat and its special action are to be told")
        self._special = _seat(words[0]), NO_SPECIAL + SPECIALS.index(words[1])

    def _exchanged(self, words: Sequence[str]) -> None:
        """``exchange 3 0 2 5 6``, or without the cards."""
        if len(words) < 3 or words[2] not in ("1", "2"):
            raise Unheard("giver, taker and the number of cards are to be told")
        giver, taker, number = _seat(words[0]), _seat(words[1]), int(words[2])
        cards = _cards_in(words[3:])
        if len(cards) not in (0, number):
            raise Unheard(f"{number} cards are to be told, or none")
        if giver == self.seat and Counter(cards) - Counter(self.deal.hands[giver]):
            raise Unheard("these cards are not in hand")
        self._gifts.append((giver, taker, number, cards))

    def _enter(self, part: str, opener: Seat) -> None:
        """Begin a part of the deal, unless it has begun; `opener` leads in the play."""
        if self._part in (part, _PLAY):
            return
        self._part, self._opener = part, opener
        self.start(self._known(self.laid, ()))
        if part == _EXCHANGE and self.state.to_act not in ((), (self.seat,)):
            # The Chef has chosen; what, nobody hears yet.
            self.state = self.state._replace(to_act=(self.seat,), chosen=(FIRST_PAIR,))

    def _known(self, laid: Sequence[Counter[str]], lots: tuple[tuple[Seat, Action], ...]) -> ChefsHatDeal:
        """The deal as far as it is known in this part, if these cards have been laid; Unheard."""
        own = self.deal.hands[self.seat]
        hands: list[list[Card]] = []
        for seat in range(SEATS):
            got = Counter[str]()
            for giver, taker, _, cards in self._gifts:
                if (giver, taker) == (self.seat, seat):
                    got.update(map(card_text, cards))
            if self._special is not None and self._special[0] == seat and self._surely_kept():
                got |= Counter({card_text(JOKER): 2})
            hand = [CARDS[name] for name in (laid[seat] | got).elements()] if seat != self.seat else [*own]
            if len(hand) > len(own):
                raise Unheard("there are not so many such cards")
            hands.append(hand + [UNKNOWN] * (len(own) - len(hand)))
        known: dict[str, Any] = {"roles": self._roles, "lots": lots}
        if self._roles is not None and self._part != _SPECIAL:
            known |= {"special_known": True, "special": self._special}
        if self._part == _PLAY:
            known |= {"opener": self._opener, "seat": self._opener}
            if self._roles is not None:
                exchange = self._given_back(hands) if len(self._gifts) == SEATS else None
                known |= {"exchange_known": True, "exchange": exchange}
        return _checked(ChefsHatDeal(tuple(map(tuple, hands)), **known))

    def _surely_kept(self) -> bool:
        """True where who declared a special action, which takes both jokers, cannot have given one away."""
        return self._part == _EXCHANGE or not self._gifts

    def _given_back(self, hands: list[list[Card]]) -> tuple[Gift, ...]:
        """The four gifts with their cards; other `hands` become those before them."""
        gifts = tuple(
            Gift(giver, taker, tuple(sorted(cards or hands[taker][-number:])))
            for giver, taker, number, cards in self._gifts
        )
        for giver, taker, cards in gifts:
            for card in cards:
                if taker != self.seat:
                    hands[taker].remove(card)
                if giver != self.seat:
                    hands[giver].append(card)
        return gifts


def _checked(deal: ChefsHatDeal) -> ChefsHatDeal:
    """The deal; Unheard where it has a card more often than the deck."""
    if Counter(card for hand in deal.hands for card in hand if card < UNKNOWN) - _DECK:
        raise Unheard("there are not so many such cards")
    return deal


def _cards_in(words: Sequence[str]) -> tuple[Card, ...]:
    if not CARDS.keys() >= set(words):
        raise Unheard("these are not cards")
    return tuple(map(CARDS.__getitem__, words))


def _seat(word: str) -> Seat:
    if word not in ("0", "1", "2", "3"):
        raise Unheard(f"{word[:20]} is no seat")
    return int(word)
