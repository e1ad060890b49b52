"""Answers kept with the state they were made of."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.season.snapshot import season_figures
from arbiter.web.http import watched_seasons
from arbiter.web.http.watched_seasons import WatchedSeason
from arbiter.web.views import cached_views
from tests.fixtures.zoo import Kept

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from arbiter.season.snapshot.season_state import SeasonState


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[SeasonState]:
    """States of which standings were made."""
    found: list[SeasonState] = []
    whole = season_figures.standings

    def standings(state: SeasonState, after: int | None = None, **how: Any) -> object:
        found.append(state)
        return whole(state, after, **how)

    monkeypatch.setattr(season_figures, "standings", standings)
    monkeypatch.setattr("arbiter.web.http.watched_seasons.POLL_SECONDS", 3600.0)
    return found


ADDRESS = "/api/v1/seasons/small/standings"


def test_what_many_ask_for_is_made_once_and_again_for_what_a_query_asks(
    visitor: TestClient, made: list[SeasonState]
) -> None:
    (answer,) = {visitor.get(ADDRESS).text for _ in range(3)}
    assert len(made) == 1
    assert visitor.get(f"{ADDRESS}?after_round=1").text != answer
    assert len(made) == 2


@pytest.mark.parametrize(
    "query", ["x=1", "after_round=", "AFTER_ROUND=1", "against=p1", "&&=&", "%ff=%00", "a=1&a=2", "x" * 900]
)
def test_what_no_page_knows_of_a_query_makes_nothing_anew(
    visitor: TestClient, made: list[SeasonState], query: str
) -> None:
    plain = visitor.get("/seasons/small")
    odd = visitor.get(f"/seasons/small?{query}")
    assert (odd.text, odd.headers["etag"]) == (plain.text, plain.headers["etag"])
    assert len(made) == 1


def test_a_query_is_the_same_however_it_is_put(visitor: TestClient, made: list[SeasonState]) -> None:
    forms = ("after_round=1", "after_round=01", "x=y&after_round=1", "after_round=2&after_round=1")
    assert len({visitor.get(f"/seasons/small?{form}").text for form in forms}) == 1
    assert len(made) == 1


@pytest.mark.parametrize(
    "address",
    [
        "/seasons/small/matches?player=nobody",
        "/seasons/small/matches?round=99",
        "/api/v1/seasons/small/matches?against=nobody",
        "/api/v1/seasons/small/matches?cursor=99",
    ],
)
def test_what_nothing_answers_to_is_not_kept(
    visitor: TestClient, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    kept: list[object] = []
    monkeypatch.setattr(cached_views._LruCache, "keep", lambda _, key, answer: kept.append((key, answer)))
    assert visitor.get(address).status_code == 200
    assert kept == []


def test_queries_move_nothing_without_one(
    visitor: TestClient, made: list[SeasonState], monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(visitor.get(ADDRESS).content)
    monkeypatch.setattr(cached_views, "MOST_BYTES", 2 * size)
    for limit in range(1, 20):
        visitor.get(f"/api/v1/seasons/small/matches?limit={limit}")
    visitor.get(ADDRESS)
    assert len(made) == 1


def test_a_page_of_matches_that_is_not_there_is_no_page(visitor: TestClient) -> None:
    assert visitor.get("/seasons/small/matches?page=1").status_code == 200
    assert visitor.get("/seasons/small/matches?page=2").status_code == 404


def test_it_is_made_anew_when_something_has_happened(
    visitor: TestClient, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.web.http.watched_seasons.POLL_SECONDS", 0.0)
    before = visitor.get("/api/v1/seasons/small").json()
    kept.play(matches=1)
    assert visitor.get("/api/v1/seasons/small").json()["matches"] == before["matches"] + 1


def test_no_more_is_kept_than_there_is_room_for(
    visitor: TestClient, made: list[SeasonState], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached_views, "MOST_BYTES", 10)
    visitor.get(ADDRESS)
    visitor.get(ADDRESS)
    assert len(made) == 2


def test_a_head_has_the_headers_of_the_whole(visitor: TestClient) -> None:
    whole, head = visitor.get("/seasons/small"), visitor.head("/seasons/small")
    assert head.content == b""
    assert head.headers["content-length"] == whole.headers["content-length"]
    assert head.headers["etag"] == whole.headers["etag"]


def test_what_was_asked_for_is_made_of_a_new_state_before_it_is_shown(
    visitor: TestClient, kept: Kept, made: list[SeasonState], monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.get(ADDRESS)
    monkeypatch.setattr("arbiter.web.http.watched_seasons.POLL_SECONDS", 0.0)
    kept.play(matches=1)
    visitor.get("/healthz")
    assert len(made) == 2
    assert made[0] is not made[1]
    visitor.get(ADDRESS)
    assert len(made) == 2


@pytest.mark.slow
def test_a_state_that_is_no_longer_shown_takes_no_memory(
    visitor: TestClient, kept: Kept, made: list[SeasonState], monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.get(ADDRESS)
    first = weakref.ref(made.pop())
    monkeypatch.setattr("arbiter.web.http.watched_seasons.POLL_SECONDS", 0.0)
    kept.play(matches=1)
    visitor.get(ADDRESS)
    gc.collect()
    assert first() is None


def test_while_the_next_state_is_read_the_one_before_is_shown(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.monotonic()
    monkeypatch.setattr(watched_seasons, "time", SimpleNamespace(monotonic=lambda: now))
    watched, made_ready = WatchedSeason(kept.file), threading.Event()

    def prepare(_new: object, _before: object) -> None:
        made_ready.wait(30)

    watched.prepare = prepare
    before = watched.state()
    kept.play(matches=1)
    now += 1.5 * watched_seasons.POLL_SECONDS
    assert watched.show() is before
    assert watched.show() is before
    made_ready.set()
    assert watched.state() is not before
    watched.close()


def test_a_state_that_nobody_asked_for_lately_is_read_again_first(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.monotonic()
    monkeypatch.setattr(watched_seasons, "time", SimpleNamespace(monotonic=lambda: now))
    watched = WatchedSeason(kept.file)
    before = watched.show()
    kept.play(matches=1)
    now += 60
    assert watched.show() is not before
    watched.close()
