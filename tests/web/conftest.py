"""A site over a season that was played in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'arbiter-cards[web]'")
from starlette.testclient import TestClient

from arbiter.web.seasons import Seasons
from arbiter.web.site import make_site
from tests.kept_season import Kept, kept, original_season

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["kept", "original_season"]


@pytest.fixture
def visitor(kept: Kept) -> Iterator[TestClient]:
    """A client of a site with the kept season: two complete rounds, and a third that is begun."""
    seasons = Seasons([kept.file])
    for watched in seasons.watched.values():
        watched._looked = -1e9
    with TestClient(make_site(seasons), raise_server_exceptions=False) as client:
        yield client
    seasons.close()
