"""A season's file: its keys, their places, what is wrong with them, what a change of them changes.

| module | job |
|---|---|
| `loader` | a season's file as typed values; further players: the programs that authors sent |
| `keys` | its keys and defaults; the keys that other files share with it |
| `value_types` | their types: what they take, and what is wrong with the rest |
| `game_option` | the game that a file names |
| `limits` | what bots are allowed, its defaults; needs no pydantic |
| `cross_checks` | mistakes that no single key shows; what a file names and is not there |
| `validation` | every kind of file: read, validate, place, raise; what is wrong, in our words |
| `submission_settings` | how authors send programs, and where these and requests are kept |
| `webhook_settings` | who is told what happens, and the secrets that it is signed with |
| `yaml_positions` | YAML with the places of values |
| `programs` | the programs that a file names, and those that bots are started with by a word |
| `readable_secrets` | what of a season lies where bots may read |
| `settings_diff` | what differs between two settings |
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
    # Loaded when asked for: commands that read no season's file need no pydantic.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "game_option" if name == "game_of" else "loader"
    return getattr(import_module(f"{__name__}.{module}"), name)
