"""A match on real processes: conductor, channel, executors, language models, interactive play.

`play_match`, or `play_packed` for seasons, is the only function called across processes or machines.
The names are imported on first use, so that code which only handles files of bots works on systems that
cannot start them. The package imports `sandbox`, `replay`, `match` and `games`, and has no config, store,
season or asyncio.
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
