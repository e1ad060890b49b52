"""What to imagine of games that name no imagining of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from arbiter.cards import Stream
from arbiter.envs.imagining.match import DEALS, Imagined, Unheard
from arbiter.rules import AnyGame, Deal, Seat

_SAMPLE = 200
_TRIES = 2000


class ImaginedAnyGame(Imagined):
    """Games of other packages, if an action is named as the one card that it lays, or names no card.

    The deck is all that is seen in 200 deals. What is said of a deal besides the own cards, such as a card
    that was turned up, is met by trying one deal after the other.
    """

    def __init__(self, game: AnyGame, seat: Seat) -> None:
        deck: set[int] = set()
        for number in range(_SAMPLE):
            deal = game.deal(0, Stream.of_deal("arbiter-imagined-cards", number + 1, 0), None)
            if deal is not None:
                deck.update(deal.extra, *deal.hands)
        super().__init__(game, seat, [game.card_name(card) for card in sorted(deck)])
        self._dealt: list[str] = []
        self._pinned: dict[str, tuple[Seat, int]] = {}
        self._luck: Stream | None = None

    def hear(self, words: Sequence[str]) -> None:
        if words[0] != DEALS and self._own and not self._begun:
            self._dealt.append(" ".join(words))
            try:
                self._begin()
            except Unheard:
                # It is not part of the dealing, or more is to come.
                self._dealt.pop()
            else:
                self._begun = False
                self._pin(words)
                return
        super().hear(words)

    def _deal(self, words: Sequence[str]) -> None:
        super()._deal(words)
        self._dealt, self._pinned = [" ".join([DEALS, *words])], {}

    def _pin(self, words: Sequence[str]) -> None:
        """Keep cards that were named where they fit, so that they are not searched for again."""
        for seat, hand in enumerate(self.play.deal.hands):
            for place, card in enumerate(map(self.game.card_name, hand)):
                if seat != self.seat and card in words:
                    self._pinned[card] = seat, place
                    self.shown[seat][card] = 1

    def shape(self, hands: list[list[str]]) -> dict[str, Any]:
        for card, (seat, place) in self._pinned.items():
            hand = hands[seat]
            at = hand.index(card)
            hand[at], hand[place] = hand[place], hand[at]
        return super().shape(hands)

    def mixed(self, cards: list[str]) -> list[str]:
        if self._luck is None:
            return cards
        return [cards[place] for place in self._luck.shuffled(len(cards))]

    def _filled(self, laid: list[Counter[str]]) -> Deal:
        self._luck = None
        for _ in range(_TRIES):
            deal = super()._filled(laid)
            said = [wording[self.seat] for wording in self.game.dealt(deal)]
            if said[: len(self._dealt)] == self._dealt:
                return deal
            if len(said) < len(self._dealt):
                break
            self._luck = self._luck or Stream("arbiter-imagined-deals")
        raise Unheard("no cards that others may have fit what was told")
