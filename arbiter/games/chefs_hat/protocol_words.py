"""A deal of Chef's Hat in words: commands for bots, labels for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from arbiter.games.cards import Card
from arbiter.games.chefs_hat.actions import (
    FOOD_FIGHT,
    JOKER,
    JOKERS_OF,
    LONE_JOKER,
    NO_SPECIAL,
    PASS,
    QUANTITY_OF,
    SPECIALS,
    STEP_IDS,
    VALUE_OF,
    cards_laid,
)
from arbiter.games.chefs_hat.deal import CARDS, ROLES, SEATS, Gift, card_text
from arbiter.games.chefs_hat.state import ChefsHatState
from arbiter.games.game import Action, Command, Seat, Tell
from arbiter.games.labels import Face, Faces

EVERYBODY = tuple(range(SEATS))
_JOKER = card_text(JOKER)
_SPECIALLY = {
    "food_fight": "declares a food fight: roles are reversed",
    "dinner_served": "serves dinner: no exchange",
    "none": "declares nothing special",
}


# To bots.


def words(cards: Iterable[Card]) -> str:
    """Return the names of cards, separated by blanks."""
    return " ".join(map(card_text, cards))


def set_roles(roles: tuple[int, ...]) -> Command:
    """Return the command with the roles by seat."""
    return "set_roles " + " ".join(ROLES[role] for role in roles)


def special(seat: Seat, action: Action) -> Command:
    """Return the command for a special action that a seat declares."""
    return f"special {seat} {SPECIALS[action - NO_SPECIAL]}"


def gift_wording(given: Gift) -> tuple[Command, ...]:
    """Return the command for a gift, worded for each seat."""
    giver, taker, cards = given
    plain = f"exchange {giver} {taker} {len(cards)}"
    return tuple(f"{plain} {words(cards)}" if seat in (giver, taker) else plain for seat in EVERYBODY)


def opening_news(before: ChefsHatState, seat: Seat, action: Action, after: ChefsHatState) -> Iterator[Tell]:
    """Yield the news after an action before the play; gifts once all are decided."""
    if before.asking_special:
        if action != NO_SPECIAL:
            yield Tell(EVERYBODY, special(seat, action))
        if action == FOOD_FIGHT:
            roles = after.setting.roles
            assert roles is not None
            yield Tell(EVERYBODY, set_roles(roles))
    elif after.in_play:
        for given in after.setting.exchange or ():
            # Neighbouring seats with the same command are grouped, so that seats stay in order.
            for command, seats in groupby(enumerate(gift_wording(given)), key=lambda worded: worded[1]):
                yield Tell(tuple(seat for seat, _ in seats), command)


def ending(after: ChefsHatState) -> tuple[Tell, ...]:
    """Return the news of the end of a round, or of the deal."""
    if after.to_act:
        return (Tell(EVERYBODY, f"pizza {after.to_act[0]}"),)
    return (Tell(EVERYBODY, f"end_deal {' '.join(map(str, after.points()))}"),)


# To people.


class ChefsHatFaces(Faces):
    """The words and card faces of Chef's Hat for people: requests, answers, cards."""

    def card_name(self, card: Card) -> str:
        return card_text(card)

    def card_of(self, name: str) -> Card:
        return CARDS[name]

    def hand_text(self, cards: Iterable[Card]) -> str:
        """Return cards for people, equal ones together in groups."""
        return "   ".join(words(same) for _, same in groupby(sorted(cards))) or "-"

    def face(self, name: str) -> Face:
        return Face("J", "", "joker") if name == _JOKER else Face(name, "", name)

    def cards_of(self, words: str) -> tuple[str, ...]:
        """Return the cards of a discard, in the protocol's form or as people write it, or of a gift."""
        action = STEP_IDS.get(words, _SHORT.get(words))
        return super().cards_of(words) if action is None else tuple(map(card_text, cards_laid(action)))

    def short(self, words: str) -> str:
        return short(STEP_IDS[words])

    def asks(self, request: Command) -> str:
        name, _, count = request.partition(" ")
        if name == "gen_exchange":
            return "give a card" if count == "1" else f"give {count} cards"
        return "declare something special, or not" if name == "gen_special" else super().asks(request)

    def says(self, request: Command, words: str) -> str:
        if request.startswith("gen_exchange"):
            return f"gives {self.say_cards(self.cards_of(words))}"
        return _SPECIALLY.get(words) or super().says(request, words)


def winner(points: Sequence[int], state: ChefsHatState) -> str:
    """Return the winner by the points of the match, then by its last deal, whose final state is `state`."""
    last = state.points()
    first = max(range(SEATS), key=lambda seat: (points[seat], last[seat]))
    return f"winner: seat {first} ({points[first]} points; {ROLES[3 - last[first]]} in the last deal)"


def short(action: Action) -> str:
    """Return a discard as people write it: ``3x7+2J``."""
    if action == PASS:
        return "-"
    if action == LONE_JOKER:
        return "J"
    jokers = ("", "+J", "+2J")[JOKERS_OF[action]]
    return f"{QUANTITY_OF[action]}x{VALUE_OF[action]}{jokers}"


_SHORT = {short(action): action for action in range(PASS)}
