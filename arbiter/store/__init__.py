"""The store of a season: its seed, its rounds, every match, the ratings after each round.

| module | job |
|---|---|
| `address` | the addresses of stores, and which kind of database a driver is of; needs no SQLAlchemy |
| `kind`, `sqlite`, `postgres` | what is special to a kind: connections, lock, failures |
| `hold` | who plays on a file |
| `backup` | a copy of a file while it is played on; seasons carried into another store |
| `database` | a database: opened, made or migrated; transactions; who plays on a season |
| `schema`, `upgrading` | the tables, and how those of earlier versions become them |
| `season`, `matches`, `rows` | a store's seasons: their rounds, matches and standings |
| `seats`, `lists` | who sat in which match; lists of matches, a part at a time |
| `briefs` | the ratings of standings alone |
| `happenings` | a log of what happened, for whoever looks on |
| `orders` | an organiser's orders: matches annulled, players suspended |
| `authors`, `submissions`, `versions` | who may send programs, and what was sent |
| `shelf` | what that takes on the disk, and what of it goes |
| `outlays` | what language models used in plays that are not stored |
| `voids` | the plays that were void, and who sat in them |
| `running` | whether a season is paused, or closed |
| `deliveries` | how far each webhook has heard of that |
| `audit` | who did what when |
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arbiter.store.happenings import Happened, Happening
    from arbiter.store.orders import Order, OrderKind, Orders, Outdated, RatedRound
    from arbiter.store.rows import StoredMatch, StoredRound
    from arbiter.store.season import SeasonStore, Store

_PLACES = {
    "happenings": ("Happened", "Happening"),
    "orders": ("Order", "Orders", "Outdated", "RatedRound", "OrderKind"),
    "rows": ("StoredMatch", "StoredRound"),
    "season": ("SeasonStore", "Store"),
}
__all__ = [
    "Happened",
    "Happening",
    "Order",
    "OrderKind",
    "Orders",
    "Outdated",
    "RatedRound",
    "SeasonStore",
    "Store",
    "StoredMatch",
    "StoredRound",
]


def __getattr__(name: str) -> Any:
    # Loaded when asked for: an address is read without SQLAlchemy, which takes longer to load than all else.
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
