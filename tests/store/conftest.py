"""A store of either kind, and a season of two authors in it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.store import SeasonStore, Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Of a store, where a test makes one there."""
    return tmp_path / "season.sqlite"


@pytest.fixture
def server(postgres: str) -> Iterator[Store]:
    with closing(Store(postgres)) as made:
        yield made


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    with closing(Store(database)) as made:
        yield made


@pytest.fixture
def season(store: Store) -> SeasonStore:
    made = store.make_season("s", "planning", "1")
    for name in ("ann", "ben"):
        assert made.authors.add(name, name, f"token of {name}", False, "@console")
    return made
