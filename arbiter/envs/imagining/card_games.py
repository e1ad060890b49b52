"""What to imagine of the games in which cards stay where they were dealt until they are laid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.cards import Stream
from arbiter.envs.imagining.match import DEALS, Imagined, Unheard
from arbiter.games.codepiece import DECK, FIRST_CARD
from arbiter.games.combinations import RANKS, table
from arbiter.games.planning import Planning

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from arbiter.rules import Action, AnyGame, Deal, Seat

_SAMPLE = 200
_TRIES = 2000


class ImaginedTricks(Imagined):
    """Planning and Codepiece: an action is a card's, or names none."""

    def __init__(self, game: AnyGame, seat: Seat) -> None:
        deck, first = (game.deck, game.tricks.offset) if isinstance(game, Planning) else (DECK, FIRST_CARD)
        super().__init__(game, seat, deck.names)
        self._names = (*((),) * first, *((name,) for name in deck.names))

    def _cards_of(self, state: Any, seat: Seat, action: Action) -> Sequence[str]:  # noqa: ARG002
        return self._names[action]


class ImaginedDouDizhu(Imagined):
    """Dou Dizhu: combinations of cards without suits, and three cards that all have seen."""

    def __init__(self, game: AnyGame, seat: Seat) -> None:
        super().__init__(game, seat, [game.card_name(card) for card in range(54)])
        self._extra: list[str] = []

    def hear(self, words: Sequence[str]) -> None:
        """See `Imagined.hear`; also ``show_cards``."""
        if words[0] != "show_cards":
            super().hear(words)
            return
        if not self._own or self._begun:
            raise Unheard("cards are shown when they have been dealt")
        extra = self._cards_in(words[2:])
        if words[1:2] != [str(len(extra))] or not set(extra) <= set(RANKS):
            raise Unheard("these are not cards, after their number")
        self._extra = extra
        self._shown[self._starter].update(extra)

    def _deal(self, words: Sequence[str]) -> None:
        super()._deal(words)
        self._extra = []

    def _cards_in(self, words: Sequence[str]) -> list[str]:
        return [*words[0]] if len(words) == 1 else []

    def _cards_of(self, state: Any, seat: Seat, action: Action) -> Sequence[str]:  # noqa: ARG002
        counts = table().cards[action]
        return [rank for i, rank in enumerate(RANKS) for _ in range(counts >> 4 * i & 7)]

    def _shape(self, hands: list[list[str]]) -> dict[str, Any]:
        return super()._shape(hands) | {"extra": self._extra}


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
        """See `Imagined.hear`; also whatever else is said of a deal before the first decision."""
        if words[0] != DEALS and self._own and not self._begun:
            self._dealt.append(" ".join(words))
            try:
                self._begin()
            except Unheard:
                # It is no part of the dealing, or there is more to come.
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
        """Cards that were named stay where they fit, so that this need not be tried again."""
        for seat, hand in enumerate(self.play.deal.hands):
            for place, card in enumerate(map(self.game.card_name, hand)):
                if seat != self.seat and card in words:
                    self._pinned[card] = seat, place
                    self._shown[seat][card] = 1

    def _shape(self, hands: list[list[str]]) -> dict[str, Any]:
        for card, (seat, place) in self._pinned.items():
            hand = hands[seat]
            at = hand.index(card)
            hand[at], hand[place] = hand[place], hand[at]
        return super()._shape(hands)

    def _mixed(self, cards: list[str]) -> list[str]:
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
