"""The SQLite dialect of all stores: a statement is compiled once per process, not once per store."""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

COMPILED: LRUCache[Any, Any] = LRUCache(1000)
"""The compiled statements of all stores."""


class Dialect(SQLiteDialect_pysqlite):
    """All instances are equal, so that stores share the keys of `COMPILED`."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dialect)

    def __hash__(self) -> int:
        return hash(Dialect)
