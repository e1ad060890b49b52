"""A season's file: its keys, their places, their problems, and the effect of changes.

| module | job |
|---|---|
| `loader` | a season's file as typed values; further players: the programs that authors sent |
| `keys` | its keys and defaults; the keys that other files share with it |
| `value_types` | their types, with parsers and messages |
| `game_option` | the game that a file names |
| `cross_checks` | mistakes that involve several keys; missing files |
| `validation` | every kind of file: read, validate, locate, raise; plain messages |
| `submission_settings` | sizes and places of submissions and requests |
| `webhook_settings` | receivers of events, and the secrets of their signatures |
| `yaml_positions` | YAML with the positions of values |
| `programs` | the programs that a file names, and the languages that start bots |
| `readable_secrets` | files of a season that bots could read |
| `settings_diff` | the differences between two settings |
| `writer` | a config as the text of a file |
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arbiter.season.config.game_option import game_of
    from arbiter.season.config.loader import Config, Entry, as_before, as_it_was, digest_of, load

__all__ = ["Config", "Entry", "as_before", "as_it_was", "digest_of", "game_of", "load"]


def __getattr__(name: str) -> Any:
    # Imported lazily: commands that read no season's file need no pydantic.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "game_option" if name == "game_of" else "loader"
    return getattr(import_module(f"{__name__}.{module}"), name)
