"""What to imagine of Chef's Hat: cards change hands before the play, partly in secret.

A deal can be given with its special action, exchange and opener, as records have them. So when this seat is
asked for something new, or the play begins, the deal is made up from what has been told by then. Hands are
imagined as they are in the play; what two others gave each other in secret is any cards that they hold then.

Under `gym2` a card got lies in the place of the one given, and shows in the order of the board when its
owner first discards. Where it lies with others is not known here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from arbiter.envs.imagining.match import Imagined, Said, Unheard
from arbiter.envs.play import Play
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.actions import DECK, SPECIALS, STEPS, cards_laid
from arbiter.games.chefs_hat.deal import CARDS, ROLES, SEATS, card_text
from arbiter.rules import Action, Seat

_SPECIAL, _EXCHANGE, _PLAY = "gen_special", "gen_exchange", "gen_move"
"""The parts of a deal, by what is asked in them."""
_LAID = tuple(tuple(map(card_text, cards_laid(action))) for action in range(STEPS))


class ImaginedChefsHat(Imagined):
    """Chef's Hat by both rule sets."""

    # A deal may end after fewer rounds than the rules know of, which are not told.
    told_besides = frozenset({"pizza", "end_deal"})

    def __init__(self, game: ChefsHat, seat: Seat) -> None:
        super().__init__(game, seat, list(map(card_text, DECK)))
        self._forget()

    @classmethod
    def options_told(cls, said: Said) -> dict[str, Any]:
        """``set_rules chefs_hat 1 [gym2]``, ``set_game matches n`` or ``set_game points n``"""
        told: dict[str, Any] = {}
        if "set_rules" in said:
            told["rules"] = "gym2" if "gym2" in said["set_rules"][2:] else "book"
            if told["rules"] == "book":
                told["max_rounds"] = None
        if "set_game" in said:
            what, number = said["set_game"]
            told |= {"matches": None, "points": None, what: int(number)}
        return told

    def hear(self, words: Sequence[str]) -> None:
        hear = {"set_roles": self._set_roles, "special": self._declared, "exchange": self._exchanged}
        if words[0] not in hear:
            super().hear(words)
            return
        if not self._own or self._part == _PLAY:
            raise Unheard(f"it is not the time for {words[0]}")
        hear[words[0]](words[1:])

    def asked(self, request: str) -> Play:
        if self._own:
            self._enter(request.split()[0], self.seat)
        return super().asked(request)

    def _forget(self) -> None:
        """Forget all of a deal but this seat's cards."""
        self._part = ""
        self._opener: Seat = 0
        self._roles: list[str] | None = None
        self._special: list[Any] | None = None
        self._gifts: list[tuple[Seat, Seat, int, list[str]]] = []
        """Giver, taker, how many cards, and which, where that was told."""
        self._forced: list[list[Any]] = []

    def _deal(self, words: Sequence[str]) -> None:
        super()._deal(words)
        self._forget()

    def sizes_of(self, number: int, cards: int) -> tuple[list[int], Seat]:  # noqa: ARG002
        return [cards] * SEATS, 0

    def cards_in(self, words: Sequence[str]) -> list[str]:
        if not CARDS.keys() >= set(words):
            raise Unheard("these are not cards")
        return list(words)

    def cards_of(self, state: Any, seat: Seat, action: Action) -> Sequence[str]:  # noqa: ARG002
        return _LAID[action]

    # Before the play.

    def _set_roles(self, words: Sequence[str]) -> None:
        """``set_roles``; those that are told again follow from the food fight."""
        if len(words) != SEATS or not set(words) <= set(ROLES):
            raise Unheard("there is to be a role for each seat")
        if self._special is None:
            self._roles = list(words)

    def _declared(self, words: Sequence[str]) -> None:
        """``special 3 food_fight``"""
        if len(words) != 2 or words[1] not in SPECIALS:
            raise Unheard("a seat and its special action are to be told")
        self._special = [_seat(words[0]), words[1]]

    def _exchanged(self, words: Sequence[str]) -> None:
        """``exchange 3 0 2 5 6``, or without the cards."""
        if len(words) < 3 or words[2] not in ("1", "2"):
            raise Unheard("giver, taker and the number of cards are to be told")
        giver, taker, number = _seat(words[0]), _seat(words[1]), int(words[2])
        cards = self.cards_in(words[3:])
        if len(cards) not in (0, number):
            raise Unheard(f"{number} cards are to be told, or none")
        self._gifts.append((giver, taker, number, cards))
        if giver == self.seat:
            self.shown[taker].update(cards)

    def hand(self) -> list[str]:
        held = Counter(self._own)
        for giver, taker, _, cards in self._gifts:
            if giver == self.seat:
                held.subtract(cards)
            elif taker == self.seat:
                held.update(cards)
        return [*held.elements()]

    def _enter(self, part: str, opener: Seat) -> None:
        """Begin a part of the deal, unless it has begun; `opener` leads in the play."""
        if self._part in (part, _PLAY):
            return
        self._part, self._opener, self._begun = part, opener, False
        self._begin()
        play = self.play
        if part == _EXCHANGE and play.turn != self.seat and play.to_act:
            # The Chef has chosen; what, nobody is told yet.
            play.act(play.turn, play.legal(play.turn)[0])

    def shape(self, hands: list[list[str]]) -> dict[str, Any]:
        shape: dict[str, Any] = {"hands": hands}
        if self._roles is not None:
            shape["roles"] = self._roles
            if self._part != _SPECIAL:
                shape["special"] = self._special
        if self._part == _PLAY:
            shape |= {"opener": self._opener, "forced": self._forced}
            if self._roles is not None:
                shape["exchange"] = self._exchange(hands) if len(self._gifts) == SEATS else None
        return shape

    def _exchange(self, hands: list[list[str]]) -> list[list[Any]]:
        """The four gifts with their cards; `hands` become those before them."""
        gifts = [
            (giver, taker, cards or hands[taker][:number]) for giver, taker, number, cards in self._gifts
        ]
        for giver, taker, cards in gifts:
            for card in cards:
                hands[taker].remove(card)
                hands[giver].append(card)
        return [list(gift) for gift in gifts]

    # The play.

    def _acts(self, seat: Seat, text: str, line: str) -> bool:
        self._enter(_PLAY, seat)
        forced, done = self._forced, False
        try:
            done = super()._acts(seat, text, line)
        finally:
            if not done:
                self._forced = forced
        return done

    def _begin(self) -> None:
        if self._part:
            super()._begin()

    def foreseen(self, seat: Seat, text: str) -> bool:
        """Under `gym2` an action may be a random one: the deal is then one in which it comes."""
        if not self.play.state.forced(seat):
            return False
        self._forced = [*self._forced, [seat, text]]
        return True


def _seat(word: str) -> Seat:
    if word not in ("0", "1", "2", "3"):
        raise Unheard(f"{word[:20]} is no seat")
    return int(word)
