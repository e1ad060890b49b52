"""What a kind of database does in its own way: its addresses, its connections, its lock; a module is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    import sqlalchemy as sa
    from sqlalchemy.exc import DBAPIError


class Opened(Protocol):
    """What a kind is given of a database that is open."""

    name: str

    def reading(self) -> AbstractContextManager[sa.Connection]:
        """A connection for queries."""

    def apart(self) -> AbstractContextManager[sa.Connection]:
        """A connection that nobody else is given."""

    def only_through(self, connection: sa.Connection) -> AbstractContextManager[None]:
        """Write on this connection alone."""


class Kind(Protocol):
    """SQLite or PostgreSQL."""

    def absolute(self, url: str, folder: Path) -> str:
        """The address with a relative path taken from a folder."""

    def file(self, url: str) -> Path | None:
        """The file of this machine that it lies in, None if there is none."""

    def lasts(self, url: str) -> bool:
        """False where all is lost when the program ends."""

    def shown(self, url: sa.URL) -> str:
        """How messages name the store."""

    def place(self, name: str) -> str:
        """Where the store of this name lies, spelled in one way."""

    def engine(self, url: sa.URL, create: bool, /) -> sa.Engine:
        """Connections to it; StoreError where there can be none."""

    def lock_schema(self, connection: sa.Connection) -> None:
        """Make or change the tables alone: whoever comes second waits until this transaction ends."""

    def insert_once(self, table: sa.Table) -> sa.Insert:
        """Adds a row unless one with its key is there."""

    def explain(self, error: DBAPIError) -> str:
        """What it says, in words that tell what to do."""

    def held(self, store: Opened, season: str, /) -> AbstractContextManager[None]:
        """Play alone on a season; StoreError names whoever does already."""

    def holder(self, store: Opened, season: str, /) -> str | None:
        """Who plays on a season now, None if nobody does."""
