"""The views of agents and the names of their actions: one observer for each game.

An observer has no state: everything is computed from a `Play` when it is asked for.
"""

from __future__ import annotations

from arbiter.envs.observers.observer import Observer
from arbiter.games import load_part
from arbiter.games.game import AnyGame

__all__ = ["Observer", "observer_of"]

_PLAIN = "arbiter.envs.observers.observer:AnyGameObserver"


def observer_of(game: AnyGame) -> Observer:
    """The observer of a game: the one that its class names, or the plain one that suits all games."""
    made: Observer = load_part(game, "observer", Observer, _PLAIN)(game)
    return made
