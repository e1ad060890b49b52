"""What to imagine of Planning and Codepiece, where an action lays one card or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arbiter.cards import Deck
from arbiter.envs.imagining.match import Imagined, Said
from arbiter.games.codepiece import DECK, FIRST_CARD, Codepiece
from arbiter.games.planning import Planning
from arbiter.rules import Action, AnyGame, Seat


class _ImaginedTricks(Imagined):
    """An action from id `first` on is a card's; those before it name none."""

    def __init__(self, game: AnyGame, seat: Seat, deck: Deck, first: Action) -> None:
        super().__init__(game, seat, deck.names)
        self._names = (*((),) * first, *((name,) for name in deck.names))

    def cards_of(self, state: Any, seat: Seat, action: Action) -> Sequence[str]:  # noqa: ARG002
        return self._names[action]


class ImaginedPlanning(_ImaginedTricks):
    """Planning."""

    def __init__(self, game: Planning, seat: Seat) -> None:
        super().__init__(game, seat, game.deck, game.tricks.offset)

    @classmethod
    def options_told(cls, said: Said) -> dict[str, Any]:
        """``set_deck V C``, ``set_players n i``, ``set_game d c1 s1 ... cd sd``"""
        told: dict[str, Any] = {}
        if "set_deck" in said:
            told["deck"] = " ".join(said["set_deck"])
        if "set_players" in said:
            told["seats"] = int(said["set_players"][0])
        if "set_game" in said:
            numbers = list(map(int, said["set_game"][1:]))
            told["deals"] = [list(pair) for pair in zip(numbers[::2], numbers[1::2], strict=True)]
        return told


class ImaginedCodepiece(_ImaginedTricks):
    """Codepiece."""

    def __init__(self, game: Codepiece, seat: Seat) -> None:
        super().__init__(game, seat, DECK, FIRST_CARD)

    @classmethod
    def options_told(cls, said: Said) -> dict[str, Any]:
        """``set_game d D1 ... Dd``"""
        return {"dealers": list(map(int, said["set_game"][1:]))} if "set_game" in said else {}
