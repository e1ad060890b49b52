"""What a table can be set with: the games and their options, the bots that come with the package."""

from __future__ import annotations

import shlex
from typing import Any

from typing_extensions import TypedDict

from arbiter.games import find, make, names
from arbiter.samples import programs

_TYPES = {bool: "boolean", int: "integer", str: "string", list: "list", type(None): "integer"}
"""Of an option, by that of its default; what is not given by default is a number."""


class Option(TypedDict):
    """An option of a game."""

    name: str
    help: str
    type: str
    default: Any


class Game(TypedDict):
    """A game, and how many may sit down at its usual table."""

    name: str
    title: str
    seats: int
    seat_word: str
    options: list[Option]


class Bot(TypedDict):
    """A bot of the package; `who` seats it."""

    name: str
    game: str
    who: str


def games() -> list[Game]:
    """Every game with its options, their types and defaults, and how many may sit down."""
    return [_game(name) for name in names()]


def _game(name: str) -> Game:
    kind, usual = find(name), make(name, {})
    options: list[Option] = []
    for key, text in kind.option_help.items():
        default = usual.options.get(key)
        kind_of = _TYPES.get(type(default), "any")
        options.append({"name": key, "help": text, "type": kind_of, "default": default})
    return {
        "name": name,
        "title": kind.title,
        "seats": usual.seats,
        "seat_word": kind.seat_word,
        "options": options,
    }


def bots() -> list[Bot]:
    """The bots that come with the package, by game."""
    found = programs()
    return [{"name": name, "game": game, "who": f"bot:{shlex.join(words)}"} for game, name, words in found]
