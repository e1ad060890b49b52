"""Creation of a store's tables in an empty database, and migration of older stores."""

from __future__ import annotations

from functools import lru_cache

import sqlalchemy as sa
from sqlalchemy.schema import CreateColumn, CreateIndex, CreateTable, DDLElement

from arbiter.store.db_schema import HEAD, metadata, version

STEPS = {
    # Only the reason's text distinguished a failed qualification from an organiser's suspension.
    "0009": "UPDATE suspensions SET verb = 'failed'"
    " WHERE verb = 'suspend' AND substr(because, 1, 22) = 'failed qualification: '",
    # All events were public.
    "0016": "UPDATE events SET shown = number",
}
"""SQL by version, executed in older stores once they have all tables and columns."""


def make(connection: sa.Connection) -> None:
    """Create all tables in an empty database, in the connection's transaction."""
    for statement in _create_statements(connection.dialect):
        connection.exec_driver_sql(statement)
    connection.execute(sa.insert(version).values(version_num=HEAD))


@lru_cache(maxsize=1)
def _create_statements(dialect: sa.Dialect) -> tuple[str, ...]:
    """Return the statements that create tables and indexes; cached, since compiling them is slow."""
    tables = metadata.sorted_tables
    made: list[DDLElement] = [CreateTable(table) for table in tables]
    made += [CreateIndex(index) for table in tables for index in sorted(table.indexes, key=str)]
    return tuple(str(statement.compile(dialect=dialect)) for statement in made)


def upgrade(connection: sa.Connection) -> str:
    """Add what an older store lacks, in the connection's transaction; return its former version."""
    before: str = connection.execute(sa.select(version.c.version_num)).scalar_one()
    there = sa.inspect(connection)
    for table in metadata.sorted_tables:
        if not there.has_table(table.name):
            table.create(connection)
            continue
        known = {column["name"] for column in there.get_columns(table.name)}
        for column in table.c:
            if column.name not in known:
                added = CreateColumn(column).compile(dialect=connection.dialect)
                connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {added}")
    for number, step in STEPS.items():
        if before < number:
            connection.exec_driver_sql(step)
    connection.execute(sa.update(version).values(version_num=HEAD))
    return before
