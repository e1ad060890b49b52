"""News of a season: told once to everybody, under the store's numbers, from where a listener was."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.season.administration import suspend
from arbiter.season.results import SeasonResults
from arbiter.season.snapshot.front_page import front
from arbiter.season.snapshot.live_round import current_round
from arbiter.season.snapshot.reader import read_state
from arbiter.season.snapshot.season_state import with_changes
from arbiter.store.backup import back_up
from arbiter.store.event_log import EventKind, LoggedEvent
from arbiter.web.http import live_events as live_module
from arbiter.web.http.live_events import MOST_MISSED, WAITING, Listener, LiveEvents, encode
from arbiter.web.http.watched_seasons import Seasons
from arbiter.web.rendering.templates import render
from tests.fixtures.databases import put_back
from tests.fixtures.site import visiting
from tests.fixtures.zoo import CONFIG, Kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from starlette.testclient import TestClient


@pytest.fixture
def seasons(kept: Kept) -> Iterator[Seasons]:
    with closing(Seasons([kept.file])) as seasons:
        yield seasons


@pytest.fixture(scope="module")
def calm(shown: Kept) -> Iterator[Seasons]:
    """Seasons of which nobody changes anything."""
    with closing(Seasons([shown.file])) as seasons:
        yield seasons


def heard(
    seasons: Seasons, last_id: str | None, chunks: int, meanwhile: Callable[[], object] = lambda: None
) -> str:
    """The first chunks that a listener is sent, who comes with `last_id`; `meanwhile` is done as it waits."""

    async def listen() -> str:
        live = LiveEvents(seasons)
        state = seasons.state("small")
        assert state is not None
        news = live.listen(state, "here", last_id)
        found = []
        async with asyncio.timeout(60):
            for _ in range(chunks):
                found.append(await anext(news))
                if len(found) == 2:
                    meanwhile()
        assert live.listening == 1
        assert isinstance(news, AsyncGenerator)
        await news.aclose()
        assert live.listening == 0
        return b"".join(found).decode()

    return asyncio.run(listen())


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"^id: (\d+)$", text, re.MULTILINE)]


def test_who_comes_back_is_told_what_he_missed_and_who_comes_first_from_now_on(
    calm: Seasons, shown: Kept
) -> None:
    last = shown.season.last_event()
    assert numbers(heard(calm, "3", 2)) == list(range(4, last + 1))
    assert numbers(heard(calm, None, 2)) == []


@pytest.mark.parametrize("odd", ["-1", "1e3", "", "\u0663", "99999", "9" * 5000, "x"])
def test_an_unknown_number_gets_the_present_state(calm: Seasons, shown: Kept, odd: str) -> None:
    told = heard(calm, odd, 2)
    assert numbers(told) == [shown.season.last_event()]
    assert 'event: state\ndata: {"state":"waiting"}' in told


def test_news_reach_who_waits(seasons: Seasons, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "POLL_SECONDS", 0.01)
    monkeypatch.setattr("arbiter.web.http.watched_seasons.POLL_SECONDS", 0.0)
    told = heard(seasons, None, 3, lambda: kept.play(matches=1))
    assert f'event: match\ndata: {{"id":"{kept.season.summaries()[-1].id}","round":3}}' in told
    assert numbers(told) == [kept.season.last_event()]


def test_nobody_is_told_of_what_is_newer_than_what_pages_show(
    seasons: Seasons, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.web.http.watched_seasons.POLL_SECONDS", 0.0)
    state = seasons.state("small")
    kept.season.publish_seed(2)
    assert state is not None
    assert state.events(state.event - 1, MOST_MISSED)[-1].number == state.event
    assert state.events(state.event, MOST_MISSED) == []
    newer = seasons.state("small")
    assert newer is not None
    assert [event.subject for event in newer.events(state.event, MOST_MISSED)] == ["over"]


def test_a_listener_that_does_not_read_is_dropped_and_holds_little() -> None:
    listener = Listener(0)
    for number in range(1, 10 * WAITING):
        listener.put([(number, encode(LoggedEvent(number, EventKind.ROUND, number, "")))])
    assert listener.dropped
    assert listener.waiting.qsize() == WAITING


def test_onlookers_hear_nothing_of_what_only_webhooks_are_told(kept: Kept) -> None:
    before = kept.season.last_event()
    kept.season.authors.add("ann", "ann", "token", False, "test")
    book = kept.season.submissions
    number = book.add("ann", "a" * 64, "file", 9)[0].id
    book.refuse(number, [])
    suspend(SeasonResults(kept.config, kept.season), "p1", "it cheats")
    state = read_state(kept.config, kept.season)
    # Nor do the numbers tell of it.
    assert state.event == before + 1
    assert [event.kind for event in state.events(before, MOST_MISSED)] == [EventKind.STANDINGS]


def test_events_have_the_documented_form() -> None:
    kinds: list[tuple[EventKind, dict[str, Any]]] = [
        (EventKind.MATCH, {"id": "r002/t01/m0", "round": 2}),
        (EventKind.ROUND, {"round": 2}),
        (EventKind.STANDINGS, {"after_round": 2}),
    ]
    for kind, data in kinds:
        sent = encode(LoggedEvent(7, kind, 2, "r002/t01/m0")).decode()
        lines = dict(line.split(": ", 1) for line in sent.strip().splitlines())
        assert (lines["id"], lines["event"]) == ("7", kind.value)
        assert json.loads(lines["data"]) == data
    assert encode(LoggedEvent(8, EventKind.STATE, 0, "over")).endswith(b'data: {"state":"over"}\n\n')


def test_one_too_many_gets_429_with_seconds(onlooker: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert onlooker.get("/api/v1/seasons/none/events").status_code == 404
    monkeypatch.setattr(live_module, "MOST_OF_ADDRESS", 0)
    answer = onlooker.get("/api/v1/seasons/small/events")
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "30"
    assert (answer.json()["error"]["limit"], answer.json()["error"]["seconds"]) == (0, 30)


def test_who_was_away_too_long_is_not_told_everything() -> None:
    assert live_module._resume_after("1", MOST_MISSED + 2) is None
    assert live_module._resume_after("2", MOST_MISSED + 2) == 2


def test_the_live_page_has_a_row_for_every_match_and_says_that_nobody_plays(onlooker: TestClient) -> None:
    page = onlooker.get("/seasons/small/live").text
    assert re.findall(r'data-key="([^"]+)"', page) == [
        f"r003/t0{table}/m{rotation}" for table in (1, 2) for rotation in range(4)
    ]
    assert page.count("to be played") == 5
    assert "in play" not in page
    assert "3 of 8 matches are played" in page
    assert "The season is not being played now" in page


def test_a_match_in_play_comes_first_and_is_not_to_be_played(kept: Kept) -> None:
    state = read_state(kept.config, kept.season)
    kept.remove("r003/t01/m1")
    state = with_changes(state, holder="a coordinator")
    page = render("live", state, wall=None, live=current_round(state), front=front(state), names=state.names)
    shown = dict(
        re.findall(r'<tr data-key="([\w/]+)"><th scope="row">(?:<span[^>]*>)?(in play|to be played)?', page)
    )
    assert [match for match, words in shown.items() if words == "in play"] == ["r003/t01/m1"]
    assert shown["r003/t01/m3"] == "to be played"
    assert page.index("Table 1 <span") < page.index('id="live-standings"') < page.index('id="live-tables"')


def test_the_wall_screen_has_standings_tables_and_what_happened(onlooker: TestClient) -> None:
    page = onlooker.get("/seasons/small/live?wall=1").text
    assert re.findall(r'<h2 id="([\w-]+)"', page) == ["wall-top", "live-tables", "wall-told", "wall-stage"]
    assert page.count("<h3>Table") == 2


def test_the_live_page_sums_up_each_table(kept: Kept, visitor: TestClient) -> None:
    kept.play(matches=2)
    table = current_round(read_state(kept.config, kept.season))["round"]["tables"][0]  # type: ignore[index]
    played = [match for match in table["matches"] if match["points"] is not None]
    assert played
    sums = dict.fromkeys(played[0]["players"], 0)
    for match in played:
        for name, points in zip(match["players"], match["points"], strict=True):
            sums[name] += points
    assert {one["player"]: one["points"] for one in table["sums"]} == sums


def test_a_season_that_is_not_begun_says_who_starts_and_when(tmp_path: Path) -> None:
    file = tmp_path / "soon.yaml"
    opens = "2100-01-01T12:00:00+00:00"
    file.write_text(CONFIG.replace("season: small", f"season: soon\nopens: {opens}"))
    with visiting(file) as client:
        page = client.get("/seasons/soon").text
        assert "Round 1 begins <time data-soon" in page
        assert all(f"/players/p{n}" in page for n in range(6))
        assert "committed" not in page
        for path in (
            "/standings",
            "/live",
            "/live?wall=1",
            "/crosstable",
            "/rules",
            "/matches",
            "/calendar.ics",
        ):
            assert client.get(f"/seasons/soon{path}").status_code == 200
        found = client.get("/api/v1/seasons/soon").json()
        assert (found["state"], found["commitment"], found["seed"]) == ("new", None, None)
    assert not list(tmp_path.glob("*.sqlite*"))


def test_listeners_come_again_for_a_season_that_was_put_back(
    seasons: Seasons, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_module, "POLL_SECONDS", 0.01)
    monkeypatch.setattr("arbiter.web.http.watched_seasons.POLL_SECONDS", 0.0)
    back_up(kept.config.store, kept.file.with_name("copy"))
    kept.play()

    async def listen() -> list[bytes]:
        state = seasons.state("small")
        assert state is not None
        news = LiveEvents(seasons).listen(state, "here", None)
        async with asyncio.timeout(60):
            found = [await anext(news), await anext(news)]
            put_back(kept.config.store, kept.file.with_name("copy"))
            return found + [chunk async for chunk in news]

    assert numbers(b"".join(asyncio.run(listen())).decode()) == []
