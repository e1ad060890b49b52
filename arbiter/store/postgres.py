"""What is special to a store in PostgreSQL: how it is reached, and what its failures mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from arbiter.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy.exc import DBAPIError

DRIVER = "postgresql+psycopg"
# What the address does not say: a server that is gone, or a network that is, is noticed in a minute.
DEFAULTS = {
    "application_name": "arbiter",
    "client_encoding": "utf8",
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
# By the SQLSTATE that a server gives: PostgreSQL's manual, appendix A.
MEANINGS = {
    "25006": "the store is read-only (a standby?); name a server that may be written to",
    "53100": "the server's disk is full; what was stored before stays",
    "53300": "the server takes no more connections; end some, or raise its max_connections",
    "55P03": "locked by another program; wait for it or end it",
}


def shown(url: sa.URL) -> str:
    """How messages name the store: by server and database, without user and password."""
    host = url.host or url.query.get("host", "")
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{host}{port}/{url.database or ''}"


def engine(url: sa.URL, _create: bool) -> sa.Engine:
    """Connections to the server; StoreError for another driver than ours, or where ours is missing."""
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername=DRIVER)
    if url.drivername != DRIVER:
        raise StoreError(f"no driver for the store {shown(url)!r}: write {DRIVER}://user@host/database")
    options = {name: value for name, value in DEFAULTS.items() if name not in url.query}
    try:
        return sa.create_engine(
            url,
            connect_args=options,
            # Whoever waits for the lock on the schema must then see what the other made.
            isolation_level="READ COMMITTED",
            # A server may have been started anew since a connection was last used.
            pool_pre_ping=True,
            use_native_hstore=False,
        )
    except ImportError:
        raise StoreError(
            f"the store {shown(url)} needs another package: pip install 'arbiter[postgres]'"
        ) from None


def insert_once(table: sa.Table) -> sa.Insert:
    """Adds a row unless one with its key is there."""
    return insert(table).on_conflict_do_nothing()


def state(error: DBAPIError) -> str | None:
    """The SQLSTATE of a server's error; None where no server gave one."""
    code: str | None = getattr(error.orig, "sqlstate", None)
    return code


def explain(error: DBAPIError) -> str:
    """What a server says, or why it says nothing, in words that tell what to do."""
    code, said = state(error), _said(error)
    if code in MEANINGS:
        return MEANINGS[code]
    if code == "42501":
        return f"{said}; the database's owner can grant it to you"
    if code is None and "password" in said:
        return f"{said}; give it in PGPASSWORD or ~/.pgpass"
    if code is None and 'database "' in said:
        return f"{said}; createdb makes it"
    if error.connection_invalidated:
        return f"the connection is lost: {said}; what was stored before stays"
    if code is None:
        return f"{said}; is the server running, and is this its address?"
    return f"damaged or no store: {said}"


def _said(error: DBAPIError) -> str:
    """The one line that matters: the server's own, or the reason at the end of the driver's."""
    diagnosis = getattr(error.orig, "diag", None)
    primary: str | None = getattr(diagnosis, "message_primary", None)
    if primary:
        return primary.splitlines()[0]
    lines = str(error.orig).splitlines() or ["no answer"]
    # Of several addresses of a server, the first one's failure stands in the second line.
    line = lines[1] if lines[0].startswith("Multiple connection attempts") and lines[1:] else lines[0]
    reason = line.rpartition(" failed: ")[2].removeprefix("FATAL:")
    return " ".join(reason.split())
