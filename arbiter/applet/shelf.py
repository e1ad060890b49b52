"""What a table can be set with: the games and their options, the bots that come with the package."""

from __future__ import annotations

import shlex
from typing import Any

from arbiter.games import find, make, names
from arbiter.samples import programs

_TYPES = {bool: "boolean", int: "integer", str: "string", list: "list", type(None): "integer"}
"""Of an option, by that of its default; what is not given by default is a number."""


def games() -> list[dict[str, Any]]:
    """Every game with its options, their types and defaults, and how many may sit down."""
    return [_game(name) for name in names()]


def _game(name: str) -> dict[str, Any]:
    kind, usual = find(name), make(name, {})
    options = []
    for key, text in kind.option_help.items():
        default = usual.options.get(key)
        shape = {"name": key, "help": text, "type": _TYPES.get(type(default), "any"), "default": default}
        options.append(shape)
    return {
        "name": name,
        "title": kind.title,
        "seats": usual.seats,
        "seat_word": kind.seat_word,
        "options": options,
    }


def bots() -> list[dict[str, str]]:
    """The bots that come with the package, by game; `who` seats one."""
    found = programs()
    return [{"name": name, "game": game, "who": f"bot:{shlex.join(words)}"} for game, name, words in found]
