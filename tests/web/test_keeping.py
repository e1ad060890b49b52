"""Answers kept with the state they were made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'arbiter-cards[web]'")

from arbiter.season.season import Season
from arbiter.web import figures, keeping
from tests.kept_season import Kept, played

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from arbiter.web.state import State


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[State]:
    """States of which standings were made."""
    found: list[State] = []
    whole = figures.standings

    def standings(state: State, after: int | None = None) -> object:
        found.append(state)
        return whole(state, after)

    monkeypatch.setattr(figures, "standings", standings)
    monkeypatch.setattr("arbiter.web.seasons.LOOK_SECONDS", 3600.0)
    return found


ADDRESS = "/api/v1/seasons/small/standings"


def test_what_many_ask_for_is_made_once(visitor: TestClient, made: list[State]) -> None:
    answers = {visitor.get(ADDRESS).text for _ in range(3)}
    assert (len(answers), len(made)) == (1, 1)


def test_what_a_query_asks_for_makes_another_answer(visitor: TestClient, made: list[State]) -> None:
    assert visitor.get(f"{ADDRESS}?after_round=1").text != visitor.get(ADDRESS).text
    assert len(made) == 2


def test_it_is_made_anew_when_something_has_happened(
    visitor: TestClient, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.web.seasons.LOOK_SECONDS", 0.0)
    before = visitor.get("/api/v1/seasons/small").json()
    plan = Season(kept.config, kept.season).plan()
    assert plan is not None
    kept.season.add_match(played(kept.config, plan.missing[0]))
    assert visitor.get("/api/v1/seasons/small").json()["matches"] == before["matches"] + 1


def test_no_more_is_kept_than_there_is_room_for(
    visitor: TestClient, made: list[State], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MOST_BYTES", 10)
    visitor.get(ADDRESS)
    visitor.get(ADDRESS)
    assert len(made) == 2


def test_a_head_has_the_headers_of_the_whole(visitor: TestClient) -> None:
    whole, head = visitor.get("/seasons/small"), visitor.head("/seasons/small")
    assert head.content == b""
    assert head.headers["content-length"] == whole.headers["content-length"]
    assert head.headers["etag"] == whole.headers["etag"]
