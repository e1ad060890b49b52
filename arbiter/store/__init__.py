"""What a season keeps: its seed, its rounds, every match, the ratings after each round.

| module | job |
|---|---|
| `address` | the addresses of stores, and which kind of database a driver is of; needs no SQLAlchemy |
| `kind`, `sqlite`, `postgres` | what is special to a kind: connections, lock, failures |
| `database` | a database: opened, made or migrated; transactions; who plays on a season |
| `store` | a database and its seasons |
| `season` | a season's rounds, matches and standings |
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arbiter.store.season import SeasonStore, StoredMatch, StoredRound
    from arbiter.store.store import Store

__all__ = ["SeasonStore", "Store", "StoredMatch", "StoredRound"]


def __getattr__(name: str) -> Any:
    # Loaded when asked for: an address is read without SQLAlchemy, which takes longer to load than all else.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "store" if name == "Store" else "season"
    return getattr(import_module(f"{__name__}.{module}"), name)
