"""The differences between kinds of databases; the modules `sqlite` and `postgres` are kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    import sqlalchemy as sa
    from sqlalchemy.exc import DBAPIError


class Opened(Protocol):
    """The part of an open database that a kind uses."""

    name: str

    def reading(self) -> AbstractContextManager[sa.Connection]:
        """A connection for queries."""

    def checking(self, check: Callable[[], None], /) -> AbstractContextManager[None]:
        """Call this before each write."""

    def check(self) -> None:
        """StoreError where nothing may be written any more."""

    def only_through(
        self, take: Callable[[sa.Connection], None], give_back: Callable[[sa.Connection], None], /
    ) -> AbstractContextManager[None]:
        """Write alone on a connection on which `take` has succeeded."""


class StoreKind(Protocol):
    """SQLite or PostgreSQL."""

    def shown(self, url: sa.URL) -> str:
        """Return the name of the store in messages."""

    def place(self, name: str) -> str:
        """Return the place of the store of this name, spelled in one way."""

    def engine(self, url: sa.URL, create: bool, /) -> sa.Engine:
        """Connections to it; StoreError where there can be none."""

    def staying(self, name: str, /) -> Callable[[], None] | None:
        """A check that the store of this name is still the one that is open; None where it cannot change."""

    def lock_schema(self, connection: sa.Connection) -> None:
        """Make or change the tables alone: a second one waits until this transaction ends."""

    def refuse_hollow(self, connection: sa.Connection, name: str, /) -> None:
        """StoreError where a database without tables was a store."""

    def begin_snapshot(self, connection: sa.Connection) -> None:
        """Let all further queries of a transaction see the same moment."""

    def settle(self, connection: sa.Connection) -> None:
        """Apply persistent settings (journal mode and the like) to a database opened for writing."""

    def checkpoint(self, connection: sa.Connection) -> None:
        """Bring what is stored where a copy of it finds it."""

    def copying(self, url: sa.URL, target: Path, /) -> str:
        """The command that copies the store, without a password; "" where we do it ourselves."""

    def insert_once(self, table: sa.Table) -> sa.Insert:
        """Adds a row unless one with its key is there."""

    def explain(self, error: DBAPIError) -> str:
        """Return what the database says, in words that tell what to do."""

    def lives(self, connection: sa.Connection, /) -> bool:
        """False if an idle connection is lost."""

    def is_away(self, error: DBAPIError, /) -> bool:
        """True if the database cannot be reached for now, and may come back."""

    def held(self, store: Opened, season: str, /) -> AbstractContextManager[None]:
        """Play alone on a season, on all of a store where it is ""; StoreError names who already does."""

    def holder(self, store: Opened, season: str, /) -> str | None:
        """Return who plays on a season now, or on any where it is ""; None if nobody does."""
