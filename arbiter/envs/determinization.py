"""Determinizations of an information state: the unseen cards, dealt at random.

    worlds = Worlds(hearing)
    plays = worlds.draw(64, Random(1))

Theory of operation. Unseen cards of the deck replace the unknown ones of a `Hearing`, and the actions are
replayed. The rules decide which cards a seat cannot hold: with such a card in its hand, among unknown ones,
an action of the seat would have been illegal. So games need no code for these inferences.

Under these restrictions all ways to deal the unseen cards are equally likely. Cards allowed in the same
places are of one kind; the splits of each kind over the remaining room are counted, and drawn in proportion
to their numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import accumulate
from math import comb
from random import Random
from typing import TypeAlias

from arbiter.envs.match_state import Play
from arbiter.errors import IllegalAction
from arbiter.games.cards import UNKNOWN, Card, Stream
from arbiter.games.game import AnyGame, Deal, Seat
from arbiter.games.information_state import BadCommand, Hearing

_TRIES = 1000
"""Tries per world: a drawn deal may still break the rules."""
_SAMPLE = 200
Split: TypeAlias = tuple[int, ...]
"""How many cards of a kind go to each place."""


class Worlds:
    """The determinizations of one match, at each decision of its seat; call `Hearing.asked` before.

    `barred` are, by seat, the cards that it cannot have now.
    """

    def __init__(self, hearing: Hearing) -> None:
        self.hearing = hearing
        self.barred: list[set[Card]] = []
        self._deck = _deck(hearing.game)
        self._deal, self._tested = -1, 0

    def draw(self, number: int, chance: Random) -> list[Play]:
        """Return `number` equally likely matches of only this deal, all of one `Game`; BadCommand.

        Unreported decisions are still open in them.
        """
        hearing = self.hearing
        game, deal = hearing.single_deal()
        done = hearing.done
        unseen = sorted((self._deck - Counter(card for card in _distinct(deal) if card < UNKNOWN)).elements())
        if len(hearing.played) != self._deal:
            self._deal, self._tested, self.barred = len(hearing.played), 0, [set() for _ in deal.hands]
        for seat, hand in enumerate(deal.hands):
            self.barred[seat].update(hearing.excluded_cards(seat))
            if seat != hearing.seat and len(done) > self._tested:
                room = _count_unknown(hand)
                cards = sorted(set(unseen) - self.barred[seat])
                for first in range(0, len(cards) if room else 0, room or 1):
                    self._bar_impossible(game, deal, seat, cards[first : first + room])
        self._tested = len(done)
        rooms = [*map(_count_unknown, (*deal.hands, deal.extra))]
        dealing = _Dealing(unseen, [*self.barred, set()], rooms)
        plays: list[Play] = []
        for _ in range(_TRIES * number):
            if len(plays) == number:
                break
            whole = _fill_in(deal, dealing.draw(chance))
            try:
                if hearing.is_consistent(whole):
                    plays.append(Play.of(game, whole, done))
            except IllegalAction:
                continue
        if len(plays) < number:
            raise BadCommand("no cards of the others explain what was heard")
        return plays

    def _bar_impossible(self, game: AnyGame, deal: Deal, seat: Seat, cards: Sequence[Card]) -> None:
        """Bar the cards that the seat cannot have: test all together, and halves if that is illegal."""
        places: list[Sequence[Card]] = [()] * (len(deal.hands) + 1)
        places[seat] = cards
        try:
            Play.of(game, _fill_in(deal, places), self.hearing.done)
        except IllegalAction:
            if len(cards) == 1:
                self.barred[seat].update(cards)
                return
            half = len(cards) // 2
            self._bar_impossible(game, deal, seat, cards[:half])
            self._bar_impossible(game, deal, seat, cards[half:])


class _Dealing:
    """Deals unseen cards to places with given rooms, and a remainder; `barred` is by place."""

    def __init__(self, unseen: Sequence[Card], barred: Sequence[set[Card]], rooms: Sequence[int]) -> None:
        over = len(unseen) - sum(rooms)
        if over < 0:
            raise BadCommand("more cards are unknown than the deck has left")
        self._rooms = (*rooms, over)
        kinds: dict[Split, list[Card]] = defaultdict(list)
        for card in unseen:
            places = [place for place, cards in enumerate(barred) if rooms[place] and card not in cards]
            kinds[(*places, len(rooms)) if over else tuple(places)].append(card)
        # Unrestricted cards come last.
        self._kinds = sorted(kinds.items(), key=lambda kind: len(kind[0]))
        self._ways = cache(self._count)

    def draw(self, chance: Random) -> list[list[Card]]:
        """Return the cards of each place; BadCommand if they cannot be dealt."""
        dealt: list[list[Card]] = [[] for _ in self._rooms]
        rooms = self._rooms
        for number, (places, cards) in enumerate(self._kinds):
            weights, splits = self._ways(number, rooms)
            if not weights or not weights[-1]:
                raise BadCommand("no cards of the others explain what was heard")
            (split,) = chance.choices(splits, cum_weights=weights)
            # Twice as fast as `shuffle`.
            mixed, at = sorted(cards, key=lambda _: chance.random()), 0
            for place, count in zip(places, split, strict=True):
                dealt[place] += mixed[at : at + count]
                at += count
            rooms = _room_left(rooms, places, split)
        return dealt

    def _count(self, number: int, rooms: Split) -> tuple[list[int], list[Split]]:
        """Return the cumulative numbers of ways to deal the kinds from this one on, and its splits."""
        places, cards = self._kinds[number]
        last = number == len(self._kinds) - 1
        weights, found = [], []
        for split in _splits(len(cards), [rooms[place] for place in places]):
            ways, left = 1, len(cards)
            for count in split:
                ways *= comb(left, count)
                left -= count
            after = _room_left(rooms, places, split)
            more = not any(after) if last else (self._ways(number + 1, after)[0] or [0])[-1]
            if more:
                weights.append(ways * more)
                found.append(split)
        return list(accumulate(weights)), found


def _splits(cards: int, rooms: Sequence[int]) -> Iterator[Split]:
    """Yield all ways to split a number of cards over rooms."""
    if not rooms:
        if not cards:
            yield ()
        return
    for count in range(max(0, cards - sum(rooms[1:])), min(cards, rooms[0]) + 1):
        for others in _splits(cards - count, rooms[1:]):
            yield (count, *others)


def _room_left(rooms: Split, places: Split, split: Split) -> Split:
    taken = dict(zip(places, split, strict=True))
    return tuple([room - taken.get(place, 0) for place, room in enumerate(rooms)])


def _count_unknown(cards: Sequence[Card]) -> int:
    return sum([card >= UNKNOWN for card in cards])


def _fill_in(deal: Deal, places: Sequence[Sequence[Card]]) -> Deal:
    """Return the deal with `places`, the cards by hand and then extra, instead of unknown ones."""
    filled = []
    for hand, cards in zip((*deal.hands, deal.extra), places, strict=False):
        new = iter(cards)
        filled.append(tuple([next(new, card) if card >= UNKNOWN else card for card in hand]))
    return replace(deal, hands=tuple(filled[:-1]), extra=filled[-1])


def _distinct(deal: Deal) -> Sequence[Card]:
    """Return the cards of a deal, each once, even if an extra card is also in a hand."""
    cards = [card for hand in deal.hands for card in hand]
    return cards if set(deal.extra) <= set(cards) else [*cards, *deal.extra]


@lru_cache(maxsize=8)
def _deck(game: AnyGame) -> Counter[Card]:
    """Return all cards: the named ones, or else those of sample deals."""
    if names := game.card_names():
        return Counter(map(game.card_of, names))
    found: Counter[Card] = Counter()
    for number in range(_SAMPLE):
        dealt = game.next_deal(0, Stream("arbiter-worlds", number), None)
        found |= Counter(_distinct(dealt)) if dealt is not None else Counter()
    return found
