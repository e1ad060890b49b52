"""How Chef's Hat is told to people: the faces of its cards, what an answer lays, what it means."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from arbiter.faces import Face, Faces
from arbiter.games.chefs_hat.actions import JOKER, STEP_IDS
from arbiter.games.chefs_hat.deal import CARDS, card_text
from arbiter.games.chefs_hat.wording import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.cards import Card
    from arbiter.rules import Command

_JOKER = card_text(JOKER)
_SPECIALLY = {
    "food_fight": "declares a food fight: roles are reversed",
    "dinner_served": "serves dinner: no exchange",
    "none": "declares nothing special",
}


class ChefsHatFaces(Faces):
    """The part of the game that is for people."""

    def card_name(self, card: Card) -> str:
        return card_text(card)

    def card_of(self, name: str) -> Card:
        return CARDS[name]

    def hand_text(self, cards: Iterable[Card]) -> str:
        """Equal cards together."""
        return "   ".join(words(same) for _, same in groupby(sorted(cards))) or "-"

    def face(self, name: str) -> Face:
        return Face("J", "", "joker") if name == _JOKER else Face(name, "", name)

    def cards_of(self, words: str) -> tuple[str, ...]:
        """The cards of a discard, or of a gift."""
        if words not in STEP_IDS:
            return super().cards_of(words)
        if words == "pass":
            return ()
        value, quantity, jokers = (int(part[1:]) for part in words.split(";"))
        return (str(value),) * quantity + (_JOKER,) * jokers

    def asks(self, request: Command) -> str:
        name, _, count = request.partition(" ")
        if name == "gen_exchange":
            return "give a card" if count == "1" else f"give {count} cards"
        return "declare something special, or not" if name == "gen_special" else super().asks(request)

    def says(self, request: Command, words: str) -> str:
        if request.startswith("gen_exchange"):
            return f"gives {self.say_cards(self.cards_of(words))}"
        return _SPECIALLY.get(words) or super().says(request, words)
