"""Observations and action names: one observer for each game.

An observer has no state: it computes everything from a `Play`.
"""

from __future__ import annotations

from arbiter.envs.observers.observer import Observer
from arbiter.games import load_part
from arbiter.games.game import AnyGame

__all__ = ["Observer", "observer_of"]

_PLAIN = "arbiter.envs.observers.observer:AnyGameObserver"


def observer_of(game: AnyGame) -> Observer:
    """Return the observer that a game's class names, or the default for any game."""
    made: Observer = load_part(game, "observer", Observer, _PLAIN)(game)
    return made
