"""What agents see and how they name their actions: one observer for each game.

An observer has no state: everything is computed from a `Play` when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from arbiter.envs.observers.any_game import AnyGameObserver
from arbiter.envs.observers.observer import Observer

if TYPE_CHECKING:
    from arbiter.rules import AnyGame

__all__ = ["Observer", "observer_of"]

_OBSERVERS = {
    "planning": "PlanningObserver",
    "codepiece": "CodepieceObserver",
    "dou_dizhu": "DouDizhuObserver",
    "chefs_hat": "ChefsHatObserver",
}


def observer_of(game: AnyGame) -> Observer:
    """The observer of a game: its own, or the plain one that suits all games."""
    if type(game).__module__ != f"arbiter.games.{game.name}" or game.name not in _OBSERVERS:
        return AnyGameObserver(game)
    module = import_module(f"arbiter.envs.observers.{game.name}")
    made = getattr(module, _OBSERVERS[game.name])(game)
    assert isinstance(made, Observer)
    return made
