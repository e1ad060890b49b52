"""One coordinator a season: whoever plays holds it, and whoever comes second is told who that is.

How a kind of database does it says its module. The hold ends with the process that has it, so nobody
waits for a lease to run out after a crash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from arbiter.store.database import Database


def held(store: Database, season: str = "") -> AbstractContextManager[None]:
    """Play alone on a season, or on all of a store; StoreError names whoever does already.

    On a server each season can be held apart; no name means all of them. A file is always held whole.
    """
    return store.kind.held(store, season)


def holder(store: Database, season: str = "") -> str | None:
    """Who plays on a season now, or on any of the store where none is named; None if nobody does."""
    return store.kind.holder(store, season)
