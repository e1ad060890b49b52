"""The choices for a table: games and their options, the package's bots, saved tables."""

from __future__ import annotations

import json
import os
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from typing_extensions import TypedDict

from arbiter.errors import ConfigError
from arbiter.games import find, make, names
from arbiter.games.samples import programs
from arbiter.replay.export.atomic_files import write_atomically
from arbiter.web.applet.table_forms import TableForm

MOST = 20
"""Saved tables."""
LONGEST = 50_000
"""Characters of a saved table."""
_TYPES = {bool: "boolean", int: "integer", str: "string", list: "list", type(None): "integer"}
"""The type of an option by that of its default; None means a number."""


class OptionChoice(TypedDict):
    """An option of a game."""

    name: str
    help: str
    type: str
    default: Any


class GameChoice(TypedDict):
    """A game, and the seats of its default table."""

    name: str
    title: str
    seats: int
    seat_word: str
    options: list[OptionChoice]


class ShippedBot(TypedDict):
    """A bot of the package; `who` names it as an occupant."""

    name: str
    game: str
    who: str


def games() -> list[GameChoice]:
    """Return every game with its options, their types and defaults, and its seats."""
    return [_game_choice(name) for name in names()]


def _game_choice(name: str) -> GameChoice:
    kind, usual = find(name), make(name, {})
    options: list[OptionChoice] = []
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


def bots() -> list[ShippedBot]:
    """Return the bots of the package, by game."""
    found = programs()
    return [{"name": name, "game": game, "who": f"bot:{shlex.join(words)}"} for game, name, words in found]


def saved_tables_file() -> Path:
    """Return the path of the file: below ``$XDG_STATE_HOME``, by default ``~/.local/state``."""
    state = os.environ.get("XDG_STATE_HOME", "")
    folder = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    return folder / "arbiter" / "applet.json"


class SavedTables:
    """The tables saved in a file, newest first; `note` is why the file was ignored, or ""."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.tables: list[TableForm] = []
        self.note = ""
        try:
            self.tables = _read(file)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, RecursionError, ValidationError):
            self.note = f"{file} cannot be read and is ignored: its saved tables are not available"

    def add(self, table: TableForm) -> None:
        """Save a table as the newest of `MOST`, unless too long; in memory alone if writing fails."""
        if len(table.model_dump_json()) > LONGEST:
            return
        self.tables = [table, *(other for other in self.tables if other != table)][:MOST]
        with suppress(OSError, ConfigError):
            shapes = {"tables": [one.model_dump(mode="json") for one in self.tables]}
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(str(self._file), json.dumps(shapes, indent=1) + "\n")


def _read(file: Path) -> list[TableForm]:
    """Read the tables of a file; ValueError, ValidationError or RecursionError for an invalid one."""
    with file.open(encoding="utf-8") as lines:
        found = json.loads(lines.read(2 * MOST * LONGEST))
    if not isinstance(found, dict) or not isinstance(found.get("tables"), list):
        raise ValueError("no list of tables")
    return [TableForm.model_validate(table) for table in found["tables"][:MOST]]
