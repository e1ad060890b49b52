"""A season whose file is `CONFIG` of the test's module, in a store in memory; processes that start bots are used again."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from tests.fixtures.warm_processes import warm_processes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arbiter.season.config import Config
    from tests.fixtures.made_up_seasons import Configured, Opened

__all__ = ["configured", "opened", "opened_season", "store", "warm_processes"]


@pytest.fixture
def store() -> Iterator[Store]:
    with closing(Store("sqlite://")) as made:
        yield made


@pytest.fixture
def configured(request: pytest.FixtureRequest, tmp_path: Path) -> Configured:
    """Writes the season's file, `old` in it replaced, and reads it."""

    def write(old: str = "", new: str = "") -> Config:
        text: str = request.module.CONFIG
        assert old in text
        path = tmp_path / "s.yaml"
        path.write_text(text.replace(old, new) if old else text)
        return load(path)

    return write


@pytest.fixture
def opened(configured: Configured, store: Store) -> Opened:
    """Opens the season under that file, as a new process would."""
    return lambda old="", new="": Season.open(configured(old, new), store)


@pytest.fixture
def opened_season(opened: Opened) -> Season:
    return opened()
