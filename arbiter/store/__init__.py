"""What is kept, in SQLite or PostgreSQL: seeds, rounds, matches, ratings, authors, submissions, events.

It imports `match` and `replay`; SQLAlchemy is used here alone. Never in it: a rule, a rating, a config.

| module | job |
|---|---|
| `address` | the addresses of stores, and which kind of database a driver is of; needs no SQLAlchemy |
| `backend`, `sqlite`, `postgres` | what is special to a kind: connections, lock, failures |
| `coordinator_lock` | who plays on a file |
| `backup` | a copy of a file while it is played on; seasons carried into another store |
| `database` | a database: opened, made or migrated; transactions; who plays on a season |
| `db_schema`, `migrations` | the tables, and how those of earlier versions become them |
| `season_store`, `matches`, `row_values` | a store's seasons: their rounds, matches and standings |
| `seats`, `match_lists` | who sat in which match; lists of matches, a part at a time |
| `rating_briefs` | the ratings of standings alone |
| `event_log` | a log of what happened, for whoever looks on |
| `orders` | an organiser's orders: matches annulled, players suspended |
| `authors`, `submissions`, `versions` | who may send programs, and what was sent |
| `submission_files` | what that takes on the disk, and what of it goes |
| `unstored_plays` | the plays that were void, and what language models used where nothing is stored |
| `controls` | whether a season is paused, or closed |
| `deliveries` | how far each webhook has heard of that |
| `audit` | who did what when |
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arbiter.store.event_log import Happened, Happening
    from arbiter.store.orders import Order, OrderKind, Orders, Outdated, RatedRound
    from arbiter.store.row_values import StoredMatch, StoredRound
    from arbiter.store.season_store import SeasonStore, Store

_PLACES = {
    "event_log": ("Happened", "Happening"),
    "orders": ("Order", "Orders", "Outdated", "RatedRound", "OrderKind"),
    "row_values": ("StoredMatch", "StoredRound"),
    "season_store": ("SeasonStore", "Store"),
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
