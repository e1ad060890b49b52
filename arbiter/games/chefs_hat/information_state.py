"""The information state of Chef's Hat: cards change hands before the play, partly in secret.

Two unknown cards have no gift id, so an exchange between other seats cannot be played as an action.
But a deal can be given with its special action, exchange and opener, as in records. So when this seat gets a
request of a new part, or the play begins, the deal is built from the commands so far; the cards that two
others exchanged are unknown ones of their hands, or known ones if they have no unknown ones left.

Under `gym2` a card received takes the place of the one given, which shows in the order of the board at its
owner's first discard. For other seats this place is unknown here.
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
from arbiter.games.information_state import BadCommand, Hearing

_SPECIAL, _EXCHANGE, _PLAY = "gen_special", "gen_exchange", "gen_move"
"""The parts of a deal, by their requests."""
_DECK = Counter(DECK)


class ChefsHatHearing(Hearing):
    """The information state of a seat in Chef's Hat, by both rule sets."""

    # No message contains `max_rounds`, so a deal may end earlier than the rules here expect.
    derived_news: ClassVar[frozenset[str]] = frozenset({"pizza", "end_deal"})

    def begin(self, words: Sequence[str]) -> None:
        """Begin the next deal with ``set_cards``; BadCommand."""
        own = _parse_cards(words[2:])
        if words[1:2] != [str(len(own))]:
            raise BadCommand("expected the number of cards, then cards of the deck")
        unknown = (UNKNOWN,) * len(own)
        hands = tuple(own if seat == self.seat else unknown for seat in range(SEATS))
        self.begin_deal(_check_deck(ChefsHatDeal(hands)))
        self._part = ""
        self._opener: Seat = 0
        self._roles: tuple[int, ...] | None = None
        self._special: tuple[Seat, Action] | None = None
        self._gifts: list[tuple[Seat, Seat, int, tuple[Card, ...]]] = []
        """Giver, taker, the number of cards, and the cards, () if unknown."""

    def complete_deal(self, command: Command) -> bool:
        """Apply ``set_roles``, ``special`` or ``exchange``; False for another command. BadCommand."""
        verb, *words = command.split()
        hear = {
            "set_roles": self._apply_roles,
            "special": self._apply_special,
            "exchange": self._apply_exchange,
        }
        if verb not in hear:
            return False
        if self._part == _PLAY:
            raise BadCommand(f"it is not the time for {verb}")
        hear[verb](words)
        return True

    def asked(self, request: Command) -> None:
        """Begin the request's part of the deal, then as in `Hearing.asked`; BadCommand if it is not due."""
        if self.deal is not None:
            self._begin_part(request.split()[0], self.seat)
        super().asked(request)

    def apply_news(self, words: Sequence[str]) -> bool:
        """Apply an action as `Hearing.apply_news`; the first ``play`` begins the play before."""
        if words[0] == "play" and len(words) == 3:
            self._begin_part(_PLAY, _parse_seat(words[1]))
        return super().apply_news(words)

    def deal_after_laying(self, seat: Seat, action: Action, cards: Counter[str]) -> ChefsHatDeal:
        """See `Hearing.deal_after_laying`; a random action under `gym2` becomes one of the deal's `lots`."""
        deal: ChefsHatDeal = self.deal
        forced = self.state.forced(seat)
        if cards == self.laid[seat] and not forced:
            return deal
        lots = (*deal.lots, (seat, action)) if forced else deal.lots
        return self._known_deal([*self.laid[:seat], cards, *self.laid[seat + 1 :]], lots)

    def due_request(self, *, further: bool) -> Command:
        """See `Hearing.due_request`; before the play also ``gen_special`` and ``gen_exchange``."""
        if self.deal is None or self._part == _PLAY:
            return super().due_request(further=further)
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

    def single_deal(self) -> tuple[AnyGame, ChefsHatDeal]:
        """See `Hearing.single_deal`; in the play, the hands are those after the exchange."""
        game = type(self.game)(**{**self.game.options, "matches": 1, "points": None})
        if self._part != _PLAY:
            return game, self.deal
        hands = tuple(map(self.first.hand, range(SEATS)))
        return game, replace(self.deal, hands=hands, exchange=None)

    def excluded_cards(self, seat: Seat) -> Iterable[Card]:
        """Return the cards lower than the ones that a seat had to give, which were its lowest."""
        got = [cards for giver, _, _, cards in self._forced_gifts() if giver == seat and cards]
        return range(1, max(got[0])) if got else ()

    def is_consistent(self, deal: Deal) -> bool:
        """Return False if cards that a seat had to give cannot have been its lowest."""
        hands = [sorted(hand) for hand in deal.hands]
        return all(
            cards or hands[taker][number - 1] <= min(hands[giver][number:], default=JOKER)
            for giver, taker, number, cards in self._forced_gifts()
        )

    def _forced_gifts(self) -> list[tuple[Seat, Seat, int, tuple[Card, ...]]]:
        """Return the gifts that were not chosen; [] before the play."""
        roles = self.first.setting.roles if self._part == _PLAY else None
        return [gift for gift in self._gifts if roles and roles[gift[0]] > SOUSCHEF]

    # Before the play.

    def _apply_roles(self, words: Sequence[str]) -> None:
        """Store the roles by seat; ignored after a food fight, which implies the new ones. BadCommand."""
        if len(words) != SEATS or not set(words) <= set(ROLES):
            raise BadCommand("expected a role for each seat")
        if self._special is None:
            self._roles = tuple(map(ROLES.index, words))

    def _apply_special(self, words: Sequence[str]) -> None:
        """Store a special action, words such as ``3 food_fight``; BadCommand."""
        if len(words) != 2 or words[1] not in SPECIALS:
            raise BadCommand("expected a seat and its special action")
        self._special = _parse_seat(words[0]), NO_SPECIAL + SPECIALS.index(words[1])

    def _apply_exchange(self, words: Sequence[str]) -> None:
        """Add a gift, words such as ``3 0 2 5 6`` or without its cards, to `_gifts`; BadCommand."""
        if len(words) < 3 or words[2] not in ("1", "2"):
            raise BadCommand("expected giver, taker and the number of cards")
        giver, taker, number = _parse_seat(words[0]), _parse_seat(words[1]), int(words[2])
        cards = _parse_cards(words[3:])
        if len(cards) not in (0, number):
            raise BadCommand(f"expected {number} cards, or no cards")
        if giver == self.seat and Counter(cards) - Counter(self.deal.hands[giver]):
            raise BadCommand("these cards are not in hand")
        self._gifts.append((giver, taker, number, cards))

    def _begin_part(self, part: str, opener: Seat) -> None:
        """Begin a part of the deal if it has not begun; `opener` leads in the play."""
        if self._part in (part, _PLAY):
            return
        self._part, self._opener = part, opener
        self.start(self._known_deal(self.laid, ()))
        if part == _EXCHANGE and self.state.to_act not in ((), (self.seat,)):
            # The Chef has chosen cards that are still secret: any pair represents them.
            self.state = self.state._replace(to_act=(self.seat,), chosen=(FIRST_PAIR,))

    def _known_deal(
        self, laid: Sequence[Counter[str]], lots: tuple[tuple[Seat, Action], ...]
    ) -> ChefsHatDeal:
        """Return the deal as far as it is known in this part, given the cards laid by seat; BadCommand."""
        own = self.deal.hands[self.seat]
        hands: list[list[Card]] = []
        for seat in range(SEATS):
            got = Counter[str]()
            for giver, taker, _, cards in self._gifts:
                if (giver, taker) == (self.seat, seat):
                    got.update(map(card_text, cards))
            if self._special is not None and self._special[0] == seat and self._kept_jokers():
                got |= Counter({card_text(JOKER): 2})
            hand = [CARDS[name] for name in (laid[seat] | got).elements()] if seat != self.seat else [*own]
            if len(hand) > len(own):
                raise BadCommand("more such cards than the deck has")
            hands.append(hand + [UNKNOWN] * (len(own) - len(hand)))
        known: dict[str, Any] = {"roles": self._roles, "lots": lots}
        if self._roles is not None and self._part != _SPECIAL:
            known |= {"special_known": True, "special": self._special}
        if self._part == _PLAY:
            known |= {"opener": self._opener, "seat": self._opener}
            if self._roles is not None:
                exchange = self._undo_gifts(hands) if len(self._gifts) == SEATS else None
                known |= {"exchange_known": True, "exchange": exchange}
        return _check_deck(ChefsHatDeal(tuple(map(tuple, hands)), **known))

    def _kept_jokers(self) -> bool:
        """Return True if the seat that declared a special action still has both of its jokers."""
        return self._part == _EXCHANGE or not self._gifts

    def _undo_gifts(self, hands: list[list[Card]]) -> tuple[Gift, ...]:
        """Return the four gifts with their cards, and undo them in the other seats' `hands`."""
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


def _check_deck(deal: ChefsHatDeal) -> ChefsHatDeal:
    """Return the deal; BadCommand if it has a card more often than the deck."""
    if Counter(card for hand in deal.hands for card in hand if card < UNKNOWN) - _DECK:
        raise BadCommand("more such cards than the deck has")
    return deal


def _parse_cards(words: Sequence[str]) -> tuple[Card, ...]:
    """Return cards by the protocol's names; BadCommand for other words."""
    if not CARDS.keys() >= set(words):
        raise BadCommand("expected cards")
    return tuple(map(CARDS.__getitem__, words))


def _parse_seat(word: str) -> Seat:
    """Return a seat 0..3; BadCommand for any other word."""
    if word not in ("0", "1", "2", "3"):
        raise BadCommand(f"expected a seat 0..3, got {word[:20]}")
    return int(word)
