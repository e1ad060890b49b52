"""A season that goes by a calendar says on its pages when the next round begins, and until when there are rounds."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'arbiter-cards[web]'")
from starlette.testclient import TestClient

from arbiter.season.season import Season
from arbiter.web.seasons import Seasons
from arbiter.web.site import make_site
from tests.kept_season import Kept, kept, original_season, played

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

__all__ = ["kept", "original_season"]


@pytest.fixture
def first(kept: Kept) -> datetime:
    """When round 1 was planned; the round that was under way is complete now."""
    season = Season(kept.config, kept.season)
    plan = season.rounds.plan()
    assert plan is not None
    for spec in plan.missing:
        kept.season.add_match(played(kept.config, spec))
    season.rounds.finish(3)
    planned = kept.season.rounds()[0].planned
    assert planned is not None
    return planned


@pytest.fixture
def visit(kept: Kept) -> Iterator[Callable[[str], TestClient]]:
    """A client of a site over the season whose file has these lines, too."""
    opened: list[Seasons] = []

    def visited(lines: str) -> TestClient:
        kept.file.write_text(f"{lines}\n{kept.file.read_text()}")
        opened.append(Seasons([kept.file]))
        return TestClient(make_site(opened[-1]))

    yield visited
    for seasons in opened:
        seasons.close()


def test_the_next_round_is_told_with_its_moment(first: datetime, visit: Callable[[str], TestClient]) -> None:
    client = visit("every: 30m")
    begins = first + timedelta(minutes=90)
    season = client.get("/api/v1/seasons/small").json()
    assert season["next"] == {"round": 4, "begins": begins.isoformat()}
    for page in ("", "/live"):
        text = client.get(f"/seasons/small{page}").text
        assert f'Round 4 is due at <time datetime="{begins.isoformat(timespec="seconds")}">' in text


def test_a_season_with_an_end_does_not_say_of_how_many_rounds(
    first: datetime, visit: Callable[[str], TestClient]
) -> None:
    client = visit("until: 2999-01-01T00:00+00:00")
    assert client.get("/api/v1/seasons/small").json()["until"] == "2999-01-01T00:00:00+00:00"
    text = client.get("/seasons/small").text
    assert "Rounds are played as long as they end before <time" in text
    assert "3 rounds complete" in text


@pytest.mark.parametrize("lines", ["", "every: 30m"])
def test_nothing_is_told_of_rounds_without_a_moment(
    kept: Kept, visit: Callable[[str], TestClient], lines: str
) -> None:
    """Without a calendar they follow at once; and here one is under way."""
    assert visit(lines).get("/api/v1/seasons/small").json()["next"] is None


def test_a_season_that_is_over_says_so(
    kept: Kept, first: datetime, visit: Callable[[str], TestClient]
) -> None:
    kept.season.tell_seed(3)
    client = visit("every: 30m")
    for page in ("", "/live"):
        assert "The season is over." in client.get(f"/seasons/small{page}").text


def test_a_season_that_is_closed_tells_of_no_further_round(
    kept: Kept, first: datetime, visit: Callable[[str], TestClient]
) -> None:
    kept.season.running.close("olga")
    assert visit("every: 30m").get("/api/v1/seasons/small").json()["next"] is None
