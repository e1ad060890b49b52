"""The interface of a kind of database, implemented by the modules `sqlite` and `postgres`."""

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
        """Return a connection for queries."""

    def checking(self, check: Callable[[], None], /) -> AbstractContextManager[None]:
        """Call this before each write within the context."""

    def check(self) -> None:
        """Raise StoreError if nothing may be written any more."""

    def write_through(
        self, take: Callable[[sa.Connection], None], give_back: Callable[[sa.Connection], None], /
    ) -> AbstractContextManager[None]:
        """Write only on a connection on which `take` has succeeded."""


class StoreKind(Protocol):
    """What differs between kinds of database: addresses, locks, errors, statements."""

    def display_name(self, url: sa.URL) -> str:
        """Return the store's name for messages."""

    def place(self, name: str) -> str:
        """Return the canonical path or address of the store of this name."""

    def engine(self, url: sa.URL, create: bool, /) -> sa.Engine:
        """Create an engine; StoreError if that is impossible."""

    def replacement_check(self, name: str, /) -> Callable[[], None] | None:
        """Return a check that the open store was not replaced; None where it cannot be."""

    def lock_schema(self, connection: sa.Connection) -> None:
        """Take the schema lock until the transaction ends: a second process waits."""

    def check_not_hollow(self, connection: sa.Connection, name: str, /) -> None:
        """Raise StoreError if a database without tables was a store."""

    def begin_snapshot(self, connection: sa.Connection) -> None:
        """Let all further queries of the transaction see one snapshot."""

    def apply_settings(self, connection: sa.Connection) -> None:
        """Apply persistent settings (journal mode and the like) to a database opened for writing."""

    def checkpoint(self, connection: sa.Connection) -> None:
        """Write everything stored to where a copy includes it."""

    def backup_command(self, url: sa.URL, target: Path, /) -> str:
        """Return the command that copies the store, without password; "" if `back_up` does it itself."""

    def insert_once(self, table: sa.Table) -> sa.Insert:
        """Return a statement that adds a row unless its key exists."""

    def explain(self, error: DBAPIError) -> str:
        """Return the database's error as one line with the remedy."""

    def is_alive(self, connection: sa.Connection, /) -> bool:
        """Return False if an idle connection is lost."""

    def is_away(self, error: DBAPIError, /) -> bool:
        """Return True if the database is temporarily unreachable."""

    def hold(self, store: Opened, season: str, /) -> AbstractContextManager[None]:
        """Hold the coordinator lock of a season, of the whole store for ""; StoreError names the holder."""

    def holder(self, store: Opened, season: str, /) -> str | None:
        """Return who holds the lock of a season, of any season for ""; None if it is free."""
