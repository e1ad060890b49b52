"""The base of trick-taking games: hands as bit masks, following suit, winners of tricks.

Cards are *action ids*: the card's index plus an offset for the other actions of the game, so that the
bits of a hand are action ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arbiter.games.cards import Card, Deck
from arbiter.games.game import Action, Command, Deal, Game, S, Tell
from arbiter.games.labels import SUITS

_REMEMBERED = 1 << 16
_HANDS = 1 << 10


class Tricks:
    """Tables for one deck, trump suit (or None) and offset; built once per game."""

    __slots__ = ("_all", "_hands", "_spread", "deck", "offset", "strength", "suit_mask", "suits")

    def __init__(self, deck: Deck, trump: int | None, offset: int = 0) -> None:
        n = len(deck.values)
        self.deck = deck
        self.offset = offset
        self.suits = tuple(((1 << n) - 1) << (offset + suit * n) for suit in range(len(deck.suits)))
        below = (0,) * offset  # never read: those actions are not cards
        self._all = (1 << offset + len(deck)) - 1
        # suit_mask[action]: all cards of that card's suit.
        self.suit_mask = below + tuple(self.suits[deck.suit(card)] for card in range(len(deck)))
        # strength[led][action]: the card's strength in a trick to which `led` was led.
        by_suit = []
        for led in range(len(deck.suits)):
            row = list(below)
            for card in range(len(deck)):
                suit, value = deck.suit(card), card % n
                row.append(2 * n + value if suit == trump else n + value if suit == led else 0)
            by_suit.append(tuple(row))
        self.strength: tuple[tuple[int, ...], ...] = ((),) * offset + tuple(
            by_suit[deck.suit(card)] for card in range(len(deck))
        )
        self._spread: dict[int, tuple[Action, ...]] = {}
        self._hands: dict[int, tuple[Card, ...]] = {}

    def actions_of(self, mask: int) -> tuple[Action, ...]:
        """Return the cards of a mask as action ids, ascending, unknown ones last."""
        found: tuple[Action, ...] = ()
        for suit in self.suits:
            if part := mask & suit:
                found += self._spread.get(part) or self._spread_suit(part)
        if mask > self._all:
            found += self._spread_suit(mask & ~self._all)
        return found

    def cards_of(self, hand: int) -> tuple[Card, ...]:
        """Return the cards of a hand's mask, ascending, unknown ones last; cached."""
        if (cards := self._hands.get(hand)) is None:
            if len(self._hands) >= _HANDS:
                self._hands.clear()
            cards = self._hands[hand] = tuple([action - self.offset for action in self.actions_of(hand)])
        return cards

    def to_follow(self, hand: int, led: Action) -> tuple[Action, ...]:
        """Return the cards that may be played to a trick in which `led` was led."""
        if part := hand & self.suit_mask[led]:
            return self._spread.get(part) or self._spread_suit(part)
        return self.actions_of(hand)

    def must_follow(self, hand: int, led: Action) -> str:
        """Return the suit that a hand must follow after `led`, for people; "" if it has none of it."""
        suit = self.deck.names[led - self.offset][-1]
        return f"follow {SUITS.get(suit, suit)}" if hand & self.suit_mask[led] else ""

    def winner(self, trick: tuple[Action, ...]) -> int:
        """Return the place in the order of play of the card that takes a full trick."""
        return trick.index(max(trick, key=self.strength[trick[0]].__getitem__))

    def over(self, trump: int) -> tuple[int, ...]:
        """Return by action, for a card that wins a trick so far, the mask of cards that beat it."""
        masks = []
        for card in range(len(self.deck)):
            suit = self.suits[self.deck.suit(card)]
            higher = suit & ~((2 << (card + self.offset)) - 1)
            masks.append(higher if self.deck.suit(card) == trump else higher | self.suits[trump])
        return (0,) * self.offset + tuple(masks)

    def mask_of(self, cards: tuple[int, ...]) -> int:
        """Return the mask of cards, given as indices in the deck."""
        mask = 0
        for card in cards:
            mask |= 1 << (card + self.offset)
        return mask

    def _spread_suit(self, part: int) -> tuple[Action, ...]:
        """Return the bits of one suit's mask, ascending, and cache them (8,192 for a suit of 13)."""
        if len(self._spread) >= _REMEMBERED:
            self._spread.clear()
        actions = tuple(i for i in range(part.bit_length()) if part >> i & 1)
        self._spread[part] = actions
        return actions


FOLLOW_SUIT = "if your hand has cards of the suit led, the suit of the trick's first card, answer with one"
"""Advice for a bot that does not follow suit."""


class DeckGame(Game[S]):
    """A game with cards of a `Deck`, which the protocol names by value and suit: ``TD``."""

    deck: Deck

    def dealt(self, deal: Deal) -> Iterable[tuple[Command, ...]]:
        """Yield set_cards, for each seat its own, in the order dealt."""
        yield tuple(f"set_cards {len(hand)} {' '.join(map(self.card_name, hand))}" for hand in deal.hands)

    def card_name(self, card: Card) -> str:
        return self.deck.names[card]

    def card_of(self, name: str) -> Card:
        return self.deck.index[name]

    def card_names(self) -> Sequence[str]:
        return self.deck.names


def play_news(deck: Deck, seats: int, offset: int) -> tuple[tuple[tuple[Tell, ...], ...], ...]:
    """Return the news of each card played, by seat and action id."""
    everybody, names = tuple(range(seats)), ("",) * offset + deck.names
    return tuple(tuple((Tell(everybody, f"play {seat} {name}"),) for name in names) for seat in everybody)
