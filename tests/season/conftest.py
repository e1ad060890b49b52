"""A store for a season."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def store() -> Iterator[Store]:
    """In memory."""
    with closing(Store("sqlite://")) as made:
        yield made
