"""Places for requests that compute; bodies: whose they are comes first, then how long they are and how long they take."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.web.http import concurrency_limits, request_bodies
from arbiter.web.http.authentication import SESSION
from arbiter.web.http.request_guard import Guard
from arbiter.web.http.watched_seasons import Seasons
from arbiter.web.views import cached_views
from tests.fixtures.site import ADDRESS, Asked, Authored, ask

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from starlette.types import ASGIApp

PAUSE = "/api/v1/seasons/small/pause"
DRIPS = [("cookie", "arbiter_login=x"), ("content-length", "100")]
BASE = "/api/v1/seasons/small"
PIECE = b"x" * 16_000
JSON = ("content-type", "application/json")
CHUNKED = ("transfer-encoding", "chunked")
API = [
    ("POST", f"{BASE}/players/p1/suspend"),
    ("POST", f"{BASE}/matches/r001-t02-m0/annul"),
    ("POST", f"{BASE}/pause"),
    ("PUT", ADDRESS),
]
PAGES = ["/logout", "/me/submissions", "/me/submissions/1/activate", "/admin/pause", "/admin/annul"]


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        (("10.0.0.1", 1), "10.0.0.1"), (("2001:db8::1", 1), "2001:db8::/64"),
        (("2001:db8::ffff:1", 1), "2001:db8::/64"), (("::ffff:10.0.0.1", 1), "10.0.0.1"),
        *(((host, 1), "127.0.0.1") for host in ("127.0.0.1", "127.9.8.7", "::ffff:127.0.0.2", "::1")),
        (("testclient", 1), "testclient"), (None, ""),
    ],
)  # fmt: skip
def test_a_network_of_one_house_counts_as_one_address(client: Any, expected: str) -> None:
    assert concurrency_limits.address_of(client) == expected


def beside(app: ASGIApp, slow: Sequence[Asked], quick: Sequence[Asked]) -> list[int]:
    """The statuses of some requests while others wait for their clients."""

    async def statuses() -> list[int]:
        waiting = [asyncio.create_task(one.of(app)) for one in slow]
        for one in slow:
            await one.waiting.wait()
        found = [(await one.of(app)).status for one in quick]
        for one in slow:
            one.gone.set()
        await asyncio.gather(*waiting)
        return found

    return asyncio.run(statuses())


def test_bodies_that_drip_keep_nobody_out(site: Authored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency_limits, "MOST", 2)
    slow = [Asked("POST", "/login", DRIPS) for _ in range(5)]
    quick = [Asked("GET", path) for path in ("/healthz", "/seasons", "/seasons/small", "/login")]
    assert beside(site.client.app, slow, quick) == [200] * 4


def test_readers_that_take_nothing_keep_nobody_out(site: Authored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency_limits, "MOST", 1)

    class Stuck(Asked):
        async def send(self, message: Any) -> None:
            self.waiting.set()
            await self.gone.wait()

    assert beside(site.client.app, [Stuck("GET", "/login")], [Asked("GET", "/login")]) == [200]


def test_an_address_has_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency_limits, "MOST_OF_ADDRESS", 1)

    async def statuses() -> list[int]:
        computed = asyncio.Event()

        async def computes(_scope: Any, _receive: Any, send: Any) -> None:
            await computed.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        app = Guard(concurrency_limits.ConcurrencyLimits(computes, Seasons([])))
        asked = [Asked("GET", "/", address=f"10.0.0.{number}") for number in (1, 1, 2)]
        answers = [asyncio.create_task(one.of(app)) for one in asked]
        await answers[1]
        computed.set()
        await asyncio.gather(*answers)
        # Whoever is answered leaves his place.
        return [one.status for one in asked] + [(await Asked("GET", "/").of(app)).status]

    assert asyncio.run(statuses()) == [200, 429, 200, 200]


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """All places are taken."""
    monkeypatch.setattr(concurrency_limits, "MOST", 0)


@pytest.mark.usefixtures("full")
def test_an_organiser_is_let_in_when_all_is_taken(site: Authored, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as before:
        before.setattr(concurrency_limits, "MOST", 200)
        site.log_in("olga")
    app, cookie = site.client.app, site.client.cookies[SESSION]
    token = ("authorization", f"Bearer {site.tokens['olga']}")
    assert ask(app, "POST", PAUSE, [token]).status == 200
    assert ask(app, "GET", "/admin", [("cookie", f"{SESSION}={cookie}")]).status == 200
    assert ask(app, "GET", "/healthz").status == 200


@pytest.mark.usefixtures("full")
def test_others_are_asked_to_come_again_when_all_is_taken(site: Authored) -> None:
    app, ann = site.client.app, ("authorization", f"Bearer {site.tokens['ann']}")
    for who in ([], [ann], [("authorization", "Bearer dead")], [("cookie", "arbiter_session=dead")]):
        asked = ask(app, "POST", PAUSE, who)
        assert (asked.status, asked.headers["retry-after"]) == (429, "1")
        assert json.loads(asked.body)["error"].items() >= {"limit": 0, "seconds": 1}.items()


@pytest.mark.usefixtures("full")
def test_who_only_says_that_he_is_an_organiser_is_bounded(
    site: Authored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concurrency_limits, "MOST_APART", 0)
    olga = ("authorization", f"Bearer {site.tokens['olga']}")
    assert ask(site.client.app, "POST", PAUSE, [olga]).status == 429


def test_what_is_kept_needs_no_place_and_what_found_none_is_made_later(
    site: Authored, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(site.client.app, "GET", "/seasons/small").status == 200
    monkeypatch.setattr("arbiter.web.http.watched_seasons.POLL_SECONDS", 3600.0)
    with monkeypatch.context() as full:
        full.setattr(concurrency_limits, "MOST", 0)
        assert ask(site.client.app, "GET", "/seasons/small").status == 200
        assert ask(site.client.app, "GET", "/seasons/small/crosstable").status == 429
    assert ask(site.client.app, "GET", "/seasons/small/crosstable").status == 200


def test_a_browser_that_is_refused_reads_a_sentence(site: Authored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency_limits, "MOST", 0)
    asked = ask(site.client.app, "GET", "/login", [("accept", "text/html,*/*")])
    assert asked.headers["content-type"].startswith("text/plain")
    assert asked.body == b"too many requests are under way; try again in a moment\n"


def test_of_many_who_say_who_they_are_few_are_looked_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most = 0, 0
    headers = [(b"cookie", b"arbiter_session=dead")]
    state = SimpleNamespace(frozen=1)
    seasons: Any = SimpleNamespace(
        watched={"small": SimpleNamespace(show=lambda: state, is_ready=lambda: True)}
    )

    async def look(*_: object) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0)
        inside -= 1

    async def crowd() -> list[Any]:
        app: Any = cached_views.CachedViews(concurrency_limits.ConcurrencyLimits(seasons, seasons), seasons)
        scope = {"type": "http", "headers": headers}
        return await asyncio.gather(*(app._state(dict(scope), "small") for _ in range(100)))

    monkeypatch.setattr(cached_views, "run_in_threadpool", look)
    assert (asyncio.run(crowd()), most) == ([(state, None)] * 100, cached_views.MOST_LOOKUPS)


def test_of_a_stranger_no_body_is_taken(site: Authored) -> None:
    for method, path in API:
        for who in ([], [("authorization", "Bearer dead")]):
            asked = ask(site.client.app, method, path, [*who, JSON], [PIECE])
            assert (asked.status, asked.taken) == (401, 0), path
    for path in PAGES:
        asked = ask(site.client.app, "POST", path, [("cookie", f"{SESSION}=dead")], [PIECE])
        assert (asked.status, asked.headers["location"], asked.taken) == (303, "/login", 0), path


def to(site: Authored) -> Iterator[Asked]:
    """Requests whose bodies are for us, each of 80 kB in five pieces."""
    olga = ("authorization", f"Bearer {site.tokens['olga']}")
    site.log_in("olga")
    session = ("cookie", f"{SESSION}={site.client.cookies[SESSION]}")
    for more in ([], [CHUNKED]):
        yield Asked("POST", API[0][1], [olga, JSON, *more], [PIECE] * 5)
        yield Asked("POST", "/login", more, [PIECE] * 5)
        yield Asked("POST", "/admin/pause", [session, *more], [PIECE] * 5)


def test_no_body_is_longer_than_any_of_ours(site: Authored) -> None:
    async def found(asked: list[Asked]) -> list[tuple[int, int]]:
        return [(one.status, one.taken) for one in [await one.of(site.client.app) for one in asked]]

    # With its length told, nothing is taken; without, what comes up to the bound.
    assert asyncio.run(found(list(to(site)))) == [(413, 0)] * 3 + [(413, 5)] * 3


@pytest.mark.parametrize(("method", "path"), [("POST", "/login"), API[0], ("PUT", ADDRESS)])
def test_a_body_has_a_time_in_all(
    site: Authored, monkeypatch: pytest.MonkeyPatch, method: str, path: str
) -> None:
    monkeypatch.setattr(request_bodies, "SECONDS", -1.0)
    olga = ("authorization", f"Bearer {site.tokens['olga']}")
    asked = ask(site.client.app, method, path, [olga, JSON, CHUNKED])
    assert (asked.status, asked.headers["connection"]) == (408, "close")
    assert b"did not arrive within" in asked.body


def test_what_has_come_earns_time(site: Authored, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive that comes in pace is taken, however long that takes."""
    monkeypatch.setattr(request_bodies, "BYTES_A_SECOND", 1e-6)
    ann = ("authorization", f"Bearer {site.tokens['ann']}")

    class Slow(Asked):
        async def receive(self) -> object:  # type: ignore[override]
            message = await super().receive()
            # From here on, time without a byte has run out.
            monkeypatch.setattr(request_bodies, "SECONDS", -1.0)
            return message

    async def sent() -> Asked:
        return await Slow("PUT", ADDRESS, [ann], [b"PK", b"and more"]).of(site.client.app)

    assert asyncio.run(sent()).status == 202


def test_a_body_that_breaks_off_is_nobodys_failure(site: Authored) -> None:
    async def ask_and_leave() -> Asked:
        one = Asked("POST", "/login", [("content-length", "10")], [])
        one.gone.set()
        return await one.of(site.client.app)

    assert asyncio.run(ask_and_leave()).status == 400
