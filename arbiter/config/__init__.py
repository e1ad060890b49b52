"""A season's file: its keys, their places, what is wrong with them, what a change of them changes.

| module | job |
|---|---|
| `season` | a season's file as typed values; further players: the programs that authors sent |
| `season_file` | its keys and defaults; the keys that other files share with it |
| `values` | their types: what they take, and what is wrong with the rest |
| `game` | the game that a file names |
| `limits` | what bots are allowed, its defaults; needs no pydantic |
| `checks` | mistakes that no single key shows; what a file names and is not there |
| `reading` | every kind of file: read, validate, place, raise; what is wrong, in our words |
| `submissions` | how authors send programs |
| `webhooks` | who is told what happens, and the secrets that it is signed with |
| `places` | YAML with the places of values |
| `languages` | the programs that a file names, and those that bots are started with by a word |
| `reach` | what of a season lies where bots may read |
| `changes` | what differs between two settings |
| `writing` | a config as the text of a file |
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arbiter.config.game import game_of
    from arbiter.config.season import Config, Entry, as_before, as_it_was, digest_of, load

__all__ = ["Config", "Entry", "as_before", "as_it_was", "digest_of", "game_of", "load"]


def __getattr__(name: str) -> Any:
    # Loaded when asked for: commands that read no season's file need no pydantic.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "game" if name == "game_of" else "season"
    return getattr(import_module(f"{__name__}.{module}"), name)
