"""A game in words for people: the faces of its cards, the cards of an answer, sentences about a decision."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.games.cards import Card

PASS = "pass"
"""The word of an answer that lays no cards, in all games."""
_SAID = {
    "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine",
    "T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace",
}  # fmt: skip
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


class Face(NamedTuple):
    """The picture of a card: `rank`; `suit`, C, D, H, S or "", or ``red`` for a coloured card.

    `say` is the text for screen readers.
    """

    rank: str
    suit: str
    say: str


class Faces(ABC):
    """The labels of a `Game` for people; all have defaults except the names of cards."""

    takes: ClassVar[str] = "takes the trick"
    """The verb for the seat that `taker` names."""
    about: ClassVar[str] = ""
    """An introduction to the game in at most five sentences."""

    @abstractmethod
    def card_name(self, card: Card) -> str:
        """Return the protocol's name of a card."""

    @abstractmethod
    def card_of(self, name: str) -> Card:
        """Return the card with this name; KeyError."""

    def card_names(self) -> Sequence[str]:
        """Return the names of all cards, for games that do not deal all of them; by default ()."""
        return ()

    def face(self, name: str) -> Face:
        """Return the face of a card; by default names are read as ``TD``, value then suit, or else shown."""
        rank, suit = name[:-1], name[-1:]
        if rank and suit in SUITS:
            return Face(rank, suit, f"{_SAID.get(rank, rank)} of {SUITS[suit]}")
        return Face(name, "", _SAID.get(name, name))

    def cards_of(self, words: str) -> tuple[str, ...]:
        """Return the names of the cards in an answer; by default its words, if all of them are cards."""
        names = tuple(words.split())
        try:
            for name in names:
                self.card_of(name)
        except KeyError:
            return ()
        return names

    def short(self, words: str) -> str:
        """Return an answer that lays cards in its form for a column of a sheet; by default its words."""
        return words

    def hand_text(self, cards: Iterable[Card]) -> str:
        """Return cards for people; by default in groups by the last letter of their names, the suit."""
        names = [self.card_name(card) for card in cards]
        return "   ".join(" ".join(suit) for _, suit in groupby(names, key=lambda name: name[-1])) or "-"

    def say_cards(self, names: Sequence[str]) -> str:
        """Return cards as read aloud, equal ones counted: ``ten of diamonds``, ``3 × 9, joker``."""
        # Usually it is one card, and a Counter is slow to make.
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
        """Return the result of a deal with last state `state`, as a sentence without its full stop.

        `names` are by seat. By default "": its points suffice.
        """
        return ""

    def must(self, state: Any, seat: int) -> str:  # noqa: ARG002
        """Return the obligation of the seat to act, for people: ``follow diamonds``; by default ""."""
        return ""
