"""Matches made up from what a bot hears, so that it sees what an environment would show it.

game, seat = greeted(game, {"set_players": ["4", "2"], ...})
match = imagined(game, seat)
match.hear(["set_cards", "2", "TD", "AS"])
match.hear(["declare", "0", "1"])
play = match.asked("gen_move")
observer_of(game).vector(play, seat)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.envs.imagining.greetings import greeted, verbs
from arbiter.envs.imagining.match import Imagined, Unheard

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.rules import AnyGame, Seat

__all__ = ["Imagined", "Unheard", "greeted", "imagined", "verbs"]


def imagined(game: Any, seat: Seat) -> Imagined:
    """A match of a game, before anything of it is heard."""
    # What another game needs is not loaded.
    module = type(game).__module__
    if module == "arbiter.games.chefs_hat":
        from arbiter.envs.imagining.chefs_hat import ImaginedChefsHat

        return ImaginedChefsHat(game, seat)
    from arbiter.envs.imagining import card_games

    forms: dict[str, Callable[[AnyGame, Seat], Imagined]] = {
        "arbiter.games.planning": card_games.ImaginedTricks,
        "arbiter.games.codepiece": card_games.ImaginedTricks,
        "arbiter.games.dou_dizhu": card_games.ImaginedDouDizhu,
    }
    return forms.get(module, card_games.ImaginedAnyGame)(game, seat)
