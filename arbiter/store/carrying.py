"""Seasons carried whole from one store into another, of either kind of database.

Every table that has rows of a season is carried, so one that is added to the schema is, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.store import schema

if TYPE_CHECKING:
    from arbiter.store import Store

FETCHED = 100
"""Rows at a time: a match has some 3 kB."""
OWN = [table for table in schema.metadata.sorted_tables if "season_id" in table.c]
"""The tables of seasons' parts, each after those that it refers to."""


def carry(source: Store, target: Store) -> None:
    """Put all seasons of one store into another, as they are at one moment, in one transaction.

    Seasons that the target holds stay. StoreError where one has the name of a season of the source, and
    where somebody plays on the source.
    """
    there = target.seasons()
    for name in source.seasons():
        if name in there:
            message = f"{target.name} holds a season {name} already"
            raise StoreError(f"{message}: move that store away, or name an empty one")
    if (who := source.holder()) is not None:
        raise StoreError(f"{source.name} is being played on by {who}: arbiter stop ends that")
    with source.snapshot() as reading, target.transaction() as writing:
        ids: dict[int, int] = {}
        for row in reading.execute(sa.select(schema.seasons).order_by(schema.seasons.c.id)).mappings():
            values = {name: value for name, value in row.items() if name != "id"}
            made = writing.execute(sa.insert(schema.seasons).values(values)).inserted_primary_key
            assert made is not None
            ids[row["id"]] = made.id
        for table in OWN:
            # Numbers of rows that other seasons may have, too, are counted anew, in the same order.
            columns = [column for column in table.c if column is not table.autoincrement_column]
            query = sa.select(*columns).order_by(*table.primary_key).execution_options(yield_per=FETCHED)
            for rows in reading.execute(query).mappings().partitions():
                own = [{**row, "season_id": ids[row["season_id"]]} for row in rows]
                writing.execute(sa.insert(table), own)
        for row in reading.execute(sa.select(schema.sessions)).mappings():
            target.insert_once(writing, schema.sessions, dict(row))
    target.checkpoint()
