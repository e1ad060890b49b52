"""What to imagine of Dou Dizhu: combinations of cards without suits, and three cards that all have seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arbiter.envs.imagining.match import Imagined, Said, Unheard
from arbiter.games.dou_dizhu.combinations import RANKS, table
from arbiter.rules import Action, AnyGame, Seat


class ImaginedDouDizhu(Imagined):
    """Dou Dizhu: ``show_cards`` tells the three cards that the landlord got."""

    def __init__(self, game: AnyGame, seat: Seat) -> None:
        super().__init__(game, seat, [game.card_name(card) for card in range(54)])
        self._extra: list[str] = []

    @classmethod
    def options_told(cls, said: Said) -> dict[str, Any]:
        """``set_rules dou_dizhu 1 [double]``, ``set_game d L1 ... Ld``"""
        told: dict[str, Any] = {}
        if "set_rules" in said:
            told["bombs"] = "double" if "double" in said["set_rules"][2:] else "single"
        if "set_game" in said:
            told["landlords"] = list(map(int, said["set_game"][1:]))
        return told

    def hear(self, words: Sequence[str]) -> None:
        if words[0] != "show_cards":
            super().hear(words)
            return
        if not self._own or self._begun:
            raise Unheard("cards are shown when they have been dealt")
        extra = self.cards_in(words[2:])
        if words[1:2] != [str(len(extra))] or not set(extra) <= set(RANKS):
            raise Unheard("these are not cards, after their number")
        self._extra = extra
        self.shown[self.starter].update(extra)

    def _deal(self, words: Sequence[str]) -> None:
        super()._deal(words)
        self._extra = []

    def cards_in(self, words: Sequence[str]) -> list[str]:
        return [*words[0]] if len(words) == 1 else []

    def cards_of(self, state: Any, seat: Seat, action: Action) -> Sequence[str]:  # noqa: ARG002
        counts = table().cards[action]
        return [rank for i, rank in enumerate(RANKS) for _ in range(counts >> 4 * i & 7)]

    def shape(self, hands: list[list[str]]) -> dict[str, Any]:
        return super().shape(hands) | {"extra": self._extra}
