"""A match on real processes: conductor, channel, executors, language models, interactive play.

`play_match`, or `play_packed` of a season, is the one function that crosses a process or machine border.
All three names are imported at first use: what only names files of bots works on systems where none can
be started. It imports `sandbox`, `replay`, `match` and `games`. Never in it: a config, a store, a season,
asyncio.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arbiter.table.conductor import Conductor, play_match, play_packed

__all__ = ["Conductor", "play_match", "play_packed"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arbiter.table import conductor

    return getattr(conductor, name)
