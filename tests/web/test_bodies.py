"""Bodies: whose they are comes first, then how long they are and how long they take."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from arbiter.web import bodies
from arbiter.web.callers import SESSION
from tests.web.asked import Asked, ask
from tests.web.authored import ADDRESS, Authored
from tests.web.test_author_pages import log_in

if TYPE_CHECKING:
    from collections.abc import Iterator

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


@pytest.mark.parametrize(("method", "path"), API)
@pytest.mark.parametrize("token", [None, "dead"])
def test_of_a_stranger_to_the_api_no_body_is_taken(
    site: Authored, method: str, path: str, token: str | None
) -> None:
    who = [] if token is None else [("authorization", f"Bearer {token}")]
    asked = ask(site.client.app, method, path, [*who, JSON], [PIECE])
    assert (asked.status, asked.taken) == (401, 0)


@pytest.mark.parametrize("path", PAGES)
def test_of_a_stranger_to_the_pages_no_body_is_taken(site: Authored, path: str) -> None:
    asked = ask(site.client.app, "POST", path, [("cookie", f"{SESSION}=dead")], [PIECE])
    assert (asked.status, asked.headers["location"], asked.taken) == (303, "/login", 0)


def to(site: Authored) -> Iterator[Asked]:
    """Requests whose bodies are for us, each of 80 kB in five pieces."""
    olga = ("authorization", f"Bearer {site.tokens['olga']}")
    log_in(site, "olga")
    session = ("cookie", f"{SESSION}={site.client.cookies[SESSION]}")
    for more in ([], [CHUNKED]):
        yield Asked("POST", API[0][1], [olga, JSON, *more], [PIECE] * 5)
        yield Asked("POST", "/login", more, [PIECE] * 5)
        yield Asked("POST", "/admin/pause", [session, *more], [PIECE] * 5)


def test_no_body_is_longer_than_any_of_ours(site: Authored) -> None:
    async def found() -> list[tuple[int, int]]:
        asked = [await one.of(site.client.app) for one in to(site)]
        return [(one.status, one.taken) for one in asked]

    # With its length told, nothing is taken; without, what comes up to the bound.
    assert asyncio.run(found()) == [(413, 0)] * 3 + [(413, 5)] * 3


@pytest.mark.parametrize("path", ["/login", API[0][1]])
def test_a_body_has_a_time_in_all(site: Authored, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(bodies, "SECONDS", -1.0)
    olga = ("authorization", f"Bearer {site.tokens['olga']}")
    asked = ask(site.client.app, "POST", path, [olga, JSON, CHUNKED])
    assert (asked.status, asked.headers["connection"], b"did not come within" in asked.body) == (
        408,
        "close",
        True,
    )


def test_what_has_come_earns_time(site: Authored, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive that comes in pace is taken, however long that takes."""
    monkeypatch.setattr(bodies, "BYTES_A_SECOND", 1e-6)
    ann = ("authorization", f"Bearer {site.tokens['ann']}")

    class Slow(Asked):
        async def receive(self) -> object:  # type: ignore[override]
            message = await super().receive()
            # From here on, time without a byte has run out.
            monkeypatch.setattr(bodies, "SECONDS", -1.0)
            return message

    async def sent() -> Asked:
        return await Slow("PUT", ADDRESS, [ann], [b"PK", b"and more"]).of(site.client.app)

    assert asyncio.run(sent()).status == 202


def test_a_body_that_breaks_off_is_nobodys_failure(site: Authored) -> None:
    async def asked() -> Asked:
        one = Asked("POST", "/login", [("content-length", "10")], [])
        one.gone.set()
        return await one.of(site.client.app)

    assert asyncio.run(asked()).status == 400
