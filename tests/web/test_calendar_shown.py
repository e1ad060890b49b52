"""A season that goes by a calendar says on its pages when the next round begins, and until when there are rounds."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tests.kept_season import Kept
from tests.web.authored import visiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from starlette.testclient import TestClient


@pytest.fixture
def first(kept: Kept) -> datetime:
    """When round 1 was planned; the round that was under way is complete now."""
    kept.play()
    planned = kept.season.rounds()[0].planned
    assert planned is not None
    return planned


@pytest.fixture
def visit(kept: Kept) -> Iterator[Callable[[str], TestClient]]:
    """A client of a site over the season whose file has these lines, too."""
    with ExitStack() as stack:

        def visited(lines: str) -> TestClient:
            kept.file.write_text(f"{lines}\n{kept.file.read_text()}")
            return stack.enter_context(visiting(kept.file))

        yield visited


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
