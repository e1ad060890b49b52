"""The game that a file names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError, Problem
from arbiter.games import make

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame


def game_of(value: object) -> AnyGame:
    """Return the game that the ``game`` key describes; ConfigError with paths that start at ``game``."""
    options: dict[str, Any] = dict(value) if isinstance(value, dict) else {}
    name = options.pop("name", None) if isinstance(value, dict) else value
    if not isinstance(name, str):
        raise ConfigError([Problem(("game",), "names no game", "write game: planning")])
    try:
        return make(name, options)
    except ConfigError as error:
        raise ConfigError(
            [replace(problem, path=("game", *problem.path)) for problem in error.problems]
        ) from None


def settings_of(game: AnyGame) -> dict[str, Any]:
    """Return a game and all its options as a season's settings."""
    return {"name": game.name, **game.options}
