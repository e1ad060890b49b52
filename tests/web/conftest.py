"""A site over a season that was played in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'arbiter-cards[web]'")

from tests.fixtures.site import site, visiting
from tests.fixtures.zoo import Kept

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.testclient import TestClient

__all__ = ["site"]


@pytest.fixture
def visitor(kept: Kept) -> Iterator[TestClient]:
    """A client of a site with the kept season: two complete rounds, and a third that is begun."""
    with visiting(kept.file) as client:
        yield client


@pytest.fixture(scope="module")
def onlooker(shown: Kept) -> Iterator[TestClient]:
    """The same for all tests of a file, which change nothing of the season."""
    with visiting(shown.file) as client:
        yield client
