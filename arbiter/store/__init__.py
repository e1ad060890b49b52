"""Storage in SQLite or PostgreSQL: seeds, rounds, matches, ratings, authors, submissions, events.

It imports `match` and `replay`, and alone uses SQLAlchemy. It contains no rule, rating or config.

| module | job |
|---|---|
| `address` | store addresses and the database kind of a driver; needs no SQLAlchemy |
| `backend`, `sqlite`, `postgres` | what differs between database kinds: connections, lock, errors |
| `coordinator_lock` | the coordinator's lock on a file |
| `backup` | online backup of a file; copies of seasons to another store |
| `database` | a database: open, create, migrate; transactions; coordinator lock |
| `db_schema`, `migrations` | the tables, and the migration from earlier versions |
| `season_store`, `matches`, `row_values` | seasons with their rounds, matches and standings |
| `seats`, `match_lists` | index of players by match; paged match queries |
| `rating_briefs` | the ratings of standings, packed |
| `event_log` | the numbered events of a season |
| `orders` | an organiser's orders: matches annulled, players suspended |
| `authors`, `submissions`, `versions` | authors and their program versions |
| `submission_files` | disk use of submissions, and removal |
| `unstored_plays` | void plays, and the tokens of plays that are not stored |
| `announcements`, `clarifications` | texts of organisers, questions of authors |
| `controls` | whether a season is paused or closed |
| `deliveries` | the delivery state of each webhook |
| `audit` | the audit log |
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arbiter.store.event_log import EventKind, LoggedEvent
    from arbiter.store.orders import Order, OrderKind, Orders, Outdated, RatedRound
    from arbiter.store.row_values import StoredMatch, StoredRound
    from arbiter.store.season_store import SeasonStore, Store

_PLACES = {
    "event_log": ("LoggedEvent", "EventKind"),
    "orders": ("Order", "Orders", "Outdated", "RatedRound", "OrderKind"),
    "row_values": ("StoredMatch", "StoredRound"),
    "season_store": ("SeasonStore", "Store"),
}
__all__ = [
    "EventKind",
    "LoggedEvent",
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
    # Lazy: parsing an address needs no SQLAlchemy, the slowest import of all.
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
