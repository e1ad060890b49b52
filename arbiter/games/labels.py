"""A game in words for people: the faces of its cards, what an answer lays, sentences about a decision."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.games.cards import Card

PASS = "pass"
"""The word of an answer that lays nothing, in every game that has one."""
_SAID = {
    "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine",
    "T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace",
}  # fmt: skip
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


class Face(NamedTuple):
    """The picture of a card: `rank`; `suit`, C, D, H, S or "", or ``red`` for a coloured card.

    `say` is what a screen reader says.
    """

    rank: str
    suit: str
    say: str


class Faces(ABC):
    """The part of a `Game` that is for people; all of it has defaults but the names of cards."""

    takes: ClassVar[str] = "takes the trick"
    """The verb for the seat that `taker` names."""
    about: ClassVar[str] = ""
    """The game, for somebody who has never heard of it, in at most five sentences."""

    @abstractmethod
    def card_name(self, card: Card) -> str:
        """A card in the words of the protocol."""

    @abstractmethod
    def card_of(self, name: str) -> Card:
        """The card with this name; KeyError if there is none."""

    def card_names(self) -> Sequence[str]:
        """Return the names of all cards where a deal leaves some of them out; by default none."""
        return ()

    def face(self, name: str) -> Face:
        """The face of a card; by default that of ``TD``, value then suit, or else the name itself."""
        rank, suit = name[:-1], name[-1:]
        if rank and suit in SUITS:
            return Face(rank, suit, f"{_SAID.get(rank, rank)} of {SUITS[suit]}")
        return Face(name, "", _SAID.get(name, name))

    def cards_of(self, words: str) -> tuple[str, ...]:
        """The names of the cards that an answer lays or gives; by default its words, where all are cards."""
        names = tuple(words.split())
        try:
            for name in names:
                self.card_of(name)
        except KeyError:
            return ()
        return names

    def short(self, words: str) -> str:
        """An answer that lays cards, in a column of a sheet; by default its words."""
        return words

    def hand_text(self, cards: Iterable[Card]) -> str:
        """Cards for people: here in groups by the last letter of their names, the suit."""
        names = [self.card_name(card) for card in cards]
        return "   ".join(" ".join(suit) for _, suit in groupby(names, key=lambda name: name[-1])) or "-"

    def say_cards(self, names: Sequence[str]) -> str:
        """Cards read aloud, equal ones counted: ``ten of diamonds``, ``3 × 9, joker``."""
        # Most often it is one card, and a counter takes long to make.
        counts = Counter(names) if len(names) != 1 else {names[0]: 1}
        many = {name: f"{count} \N{MULTIPLICATION SIGN} " * (count > 1) for name, count in counts.items()}
        return ", ".join(times + self.face(name).say for name, times in many.items())

    def asks(self, request: str) -> str:
        """Return the words for a request to a seat, after "is to"."""
        return "play" if request == "gen_move" else f"answer {request}"

    def says(self, request: str, words: str) -> str:  # noqa: ARG002
        """Return the words for an answer, after the seat's name: ``plays ten of diamonds``."""
        if cards := self.cards_of(words):
            return f"plays {self.say_cards(cards)}"
        return "passes" if words == PASS else f"answers {words}"

    def says_deal(self, state: Any, names: Sequence[str]) -> str:  # noqa: ARG002
        """Return the result of a deal, its last state being `state`, in a sentence without its end.

        `names` are by seat. By default "": its points say it all.
        """
        return ""

    def must(self, state: Any, seat: int) -> str:  # noqa: ARG002
        """Return what the rules ask of the seat to act, for people: ``follow diamonds``; "" for nothing."""
        return ""
