"""A store of either kind, and a season of two authors in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arbiter.store import SeasonStore, Store

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    made = Store(database)
    yield made
    made.close()


@pytest.fixture
def season(store: Store) -> SeasonStore:
    made = store.make_season("s", "planning", "1")
    for name in ("ann", "ben"):
        assert made.authors.add(name, name, f"token of {name}", False, "@console")
    return made
