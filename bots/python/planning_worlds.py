"""Planning with cards as bits: worlds that agree with what is known, and fast play to the end of a deal.

Theory of operation. A card is one bit of an int and a hand is the union of its cards. The bits are ordered by
worth: plain cards by value (the suits side by side), all trumps above them. So the lowest bit of a set is the
card one gives away most lightly, the highest bit its strongest, and within a suit a higher bit is a higher
card. A set's strongest card has the number ``set.bit_length()``, which is why the lists below are indexed by
bit number + 1, their entry 0 unused.

Players are counted from the bot itself: 0 is the bot, 1 the next clockwise, and so on. Nothing here depends
on the seat, so that the same cards in another seat are played alike.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Iterable

from planning_kit import Table

__all__ = ["Deck", "Position", "bits", "deck_of", "first"]


def bits(cards: int) -> list[int]:
    """The cards of a set, weakest first."""
    found = []
    while cards:
        card = cards & -cards
        found.append(card)
        cards ^= card
    return found


class Deck:
    """The cards of a deck as bits, and the play of a simple player."""

    def __init__(self, values: str, suits: str) -> None:
        plain = [value + suit for value in values for suit in suits[1:]]
        self.cards = plain + [value + suits[0] for value in values]
        self.bit = {card: 1 << i for i, card in enumerate(self.cards)}
        self.suit = {suit: self.mask(value + suit for value in values) for suit in suits}
        trumps = self.suit[suits[0]]
        self.suit_of = [0]  # by bit number + 1: all cards of the card's suit
        self.above = [0]  # by bit number + 1: all cards that take a trick from the card
        for card in self.cards:
            suit = self.suit[card[1]]
            higher = suit & -(self.bit[card] << 1)
            self.suit_of.append(suit)
            self.above.append(higher if suit == trumps else higher | trumps)

    def mask(self, cards: Iterable[str]) -> int:
        """The set of these cards."""
        return sum(self.bit[card] for card in cards)

    def name(self, card: int) -> str:
        """The card of a bit as it is written."""
        return self.cards[card.bit_length() - 1]

    def choose(self, position: Position, need: int) -> int:
        """The card the simple player plays in a position, wanting ``need`` more tricks.

        Below its target it leads its strongest card and wins as cheaply as it can, or throws its weakest
        card. Else it leads its weakest and gets rid of the strongest card that does not win; if all win, of
        the strongest when it is the last to play, else of the weakest in the hope that it is beaten.
        """
        legal = position.legal
        winners = legal & self.above[position.top] if position.led else legal
        if need > 0:
            if not position.led:
                return 1 << (legal.bit_length() - 1)
            wanted = winners or legal
            return wanted & -wanted
        losers = legal ^ winners
        if losers or position.waiting == 1:
            return 1 << ((losers or legal).bit_length() - 1)
        return legal & -legal

    def play_out(
        self,
        hands: list[int],
        need: list[int],
        turn: int,
        led: int = 0,
        top: int = 0,
        taker: int = 0,
        waiting: int = 0,
        tricks: int = 0,
    ) -> None:
        """Let simple players play to the end of the deal; uses up ``hands``.

        ``need``: tricks each player still wants, counted down as they come, below 0 too. ``led``: all cards
        of the suit led, 0 if ``turn`` leads. ``top``: bit number + 1 of the card that wins so far, ``taker``
        its player. ``waiting``: players yet to play to the trick. ``tricks``: tricks to come, the one on the
        table included. ``choose`` is written out again here: calls would double the time of the loop in which
        the bots spend their lives.
        """
        suit_of, above = self.suit_of, self.above
        players = len(hands)
        while tricks:
            if not led:
                hand = hands[turn]
                if need[turn] > 0:
                    top = hand.bit_length()
                    card = 1 << (top - 1)
                else:
                    card = hand & -hand
                    top = card.bit_length()
                hands[turn] = hand ^ card
                led = suit_of[top]
                taker = turn
                waiting = players - 1
                turn = turn + 1 if turn + 1 < players else 0
            while waiting:
                hand = hands[turn]
                legal = hand & led or hand
                card = legal & above[top]
                if card:
                    if need[turn] > 0:
                        card &= -card
                        top = card.bit_length()
                        taker = turn
                    elif legal != card:
                        card = 1 << ((legal ^ card).bit_length() - 1)
                    else:
                        card = legal & -legal if waiting > 1 else 1 << (legal.bit_length() - 1)
                        top = card.bit_length()
                        taker = turn
                elif need[turn] > 0:
                    card = legal & -legal
                else:
                    card = 1 << (legal.bit_length() - 1)
                hands[turn] = hand ^ card
                waiting -= 1
                turn = turn + 1 if turn + 1 < players else 0
            need[taker] -= 1
            turn = taker
            led = 0
            tricks -= 1


deck_of = functools.lru_cache(maxsize=4)(Deck)  # made once a match, not once a move


class Position:
    """What a table knows, in bits, and counted from the bot."""

    def __init__(self, deck: Deck, table: Table) -> None:
        n, me = table.seats, table.me
        self.players = n
        self.hand = deck.mask(table.hand)
        self.legal = deck.mask(table.legal())
        self.tricks = table.tricks_left
        self.turn = ((table.turn if table.turn is not None else me) - me) % n
        self.waiting = n - len(table.trick) if table.trick else 0
        self.led = deck.suit[table.trick[0][1][1]] if table.trick else 0
        winning = table.winning()
        self.taker = (winning[0] - me) % n if winning else 0
        self.top = deck.bit[winning[1]].bit_length() if winning else 0
        self.on_table = deck.mask(card for _, card in table.trick)
        self.unseen = bits(deck.mask(table.unseen()))
        # Cards each player holds: everybody has a card for each trick to come, less those on the table.
        played = {(seat - me) % n for seat, _ in table.trick}
        self.room = [0] + [self.tricks - (i in played) for i in range(1, n)]
        self.room.append(len(self.unseen) - sum(self.room))  # the last place: cards that were not dealt
        # Suits shown to be missing. Declarations tell more, but nothing for sure: they are left out here.
        barred = [0] * (n + 1)
        for seat, suits in enumerate(table.void):
            for suit in suits:
                barred[(seat - me) % n] |= deck.suit[suit]
        self.barred = barred
        self._constrained = any(barred[1:])

    def world(self, rng: random.Random) -> list[int]:
        """Hands of all players that agree with everything known: the unseen cards dealt at random."""
        cards = list(self.unseen)
        draw = rng.random
        for i in range(len(cards) - 1, 0, -1):
            j = int(draw() * (i + 1))
            cards[i], cards[j] = cards[j], cards[i]
        if self._constrained:
            return self._fit(cards, rng)
        hands = [self.hand]
        start = 0
        for size in self.room[1 : self.players]:
            hands.append(sum(cards[start : start + size]))
            start += size
        return hands

    def _fit(self, cards: list[int], rng: random.Random) -> list[int]:
        """Deal shuffled cards to places that may hold them.

        Cards with the fewest possible places go first, each to one drawn in proportion to the room left, so
        that little stands in the way later. Where something does, cards already dealt move on (an augmenting
        path): a world is found whenever there is one, and there is, the true one.
        """
        barred = self.barred
        free = list(self.room)
        open_to = {card: [i for i in range(1, self.players + 1) if not barred[i] & card] for card in cards}
        cards.sort(key=lambda card: len(open_to[card]))
        held: list[list[int]] = [[] for _ in free]

        def make_room(card: int, tried: set[int]) -> bool:
            for place in open_to[card]:
                if place in tried:
                    continue
                tried.add(place)
                if free[place]:
                    free[place] -= 1
                    held[place].append(card)
                    return True
                for other in held[place]:
                    if make_room(other, tried):
                        held[place].remove(other)
                        held[place].append(card)
                        return True
            return False

        for card in cards:
            draw = int(rng.random() * sum(free[place] for place in open_to[card]))
            for place in open_to[card]:
                draw -= free[place]
                if draw < 0:
                    free[place] -= 1
                    held[place].append(card)
                    break
            else:
                make_room(card, set())
        return [self.hand] + [sum(held[place]) for place in range(1, self.players)]


def first(ahead: list[float], later: float) -> float:
    """The chance to end the match with the most points, of a place shared by k 1/k, when one is so far ahead
    of each other player and everybody makes a normally distributed number of points more, of this deviation.
    """
    if not later:
        return 0.0 if min(ahead) < 0 else 1 / (1 + ahead.count(0))
    chance = 0.0
    for half in range(-6, 7):  # the own points, in halves of a deviation
        part = math.exp(-half * half / 8) / 5.0133
        for margin in ahead:
            part *= math.erfc(-(margin / later + half / 2) / math.sqrt(2)) / 2
        chance += part
    return chance
