"""Under which names a site answers, and that no answer leads elsewhere."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import ConfigError
from arbiter.web.http.request_guard import Hosts
from arbiter.web.http.watched_seasons import Seasons
from arbiter.web.site import make_site
from tests.fixtures.site import ask, visiting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp

    from tests.fixtures.zoo import Kept

PUBLIC = ("https://cards.example.org/", "http://old.example.org:8080")


@pytest.fixture
def site(kept: Kept) -> Iterator[ASGIApp]:
    with visiting(kept.file, hosts=Hosts("lab.example.org", PUBLIC)) as client:
        yield client.app


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "localhost:8000", "LocalHost", "127.0.0.1:8000", "10.1.2.3", "[::1]:8000", "[fe80::1]",
        "cards.example.org", "CARDS.example.org:443", "cards.example.org.", "old.example.org:8080",
        "lab.example.org:8000", socket.gethostname(), f"{socket.gethostname()}.local:8000",
    ],
)  # fmt: skip
def test_a_site_answers_to_its_names_and_to_addresses_in_figures(host: str) -> None:
    assert Hosts("lab.example.org", PUBLIC).answers_to(host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "cards.example.org.evil.example", "evil.example:8000", "127.0.0.1.evil.example", "",
        "cards.example.org@evil.example", "127.0.0.1:8000:1", "[::1", "1.2.3", "a b", "\u00e9", "localhost/x",
    ],
)  # fmt: skip
def test_a_site_answers_to_no_other_name(host: str) -> None:
    assert not Hosts("", PUBLIC).answers_to(host)


@pytest.mark.parametrize(
    "path", ["/", "/seasons", "/api/v1/seasons", "/healthz", "/static/style.css", "/none/"]
)
def test_who_asks_for_another_site_is_told_nothing(site: ASGIApp, path: str) -> None:
    asked = ask(site, "GET", path, [("host", "evil.example")])
    assert asked.status == 421
    assert b"--public-url" in asked.body
    assert b"evil" not in asked.body


@pytest.mark.parametrize(
    "wrong",
    [
        "cards.example.org", "ftp://cards.example.org", "https://", "https://a b", "https://x/y", "https://x?y",
        "https://me@x", "https://[::1", "https://" + "x" * 70 + ".org",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_site_is_refused(wrong: str) -> None:
    with pytest.raises(ConfigError, match="expected a scheme and a name alone"):
        Hosts("", [wrong])


def test_a_public_address_says_whether_it_is_encrypted() -> None:
    hosts = Hosts(
        "", [*PUBLIC, "https://plain.example.org:443", "https://\u043a\u0430\u0440\u0442\u044b.example"]
    )
    assert hosts.scheme_of("Cards.example.org") == "https"
    assert hosts.scheme_of("plain.example.org") == "https"
    assert hosts.scheme_of("old.example.org:8080") == "http"
    assert hosts.scheme_of("old.example.org") is None
    assert hosts.scheme_of("xn--80atti9b.example") == "https"


def test_behind_a_proxy_that_encrypts_cookies_are_for_https(kept: Kept) -> None:
    with visiting(kept.file, hosts=Hosts("", PUBLIC)) as client:
        answer = client.get("/login", headers={"host": "cards.example.org"})
        assert "; Secure" in answer.headers["set-cookie"]


SLASHED = ["/seasons/", "/seasons/small/", "/seasons/small/live/?wall=1", "/api/v1/seasons/", "/seasons//"]


@pytest.mark.parametrize("path", SLASHED)
def test_a_slash_too_many_leads_to_the_address_without_on_whatever_host(path: str) -> None:
    asked = ask(make_site(Seasons([])), "GET", path)
    before, mark, query = path.partition("?")
    assert (asked.status, asked.headers["location"]) == (307, before.rstrip("/") + mark + query)


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example/", "/\\evil.example/", "///", "/%2fevil.example/", "/%5cevil.example/",
        "http://evil.example/",
    ],
)  # fmt: skip
def test_no_address_leads_to_another_site(path: str) -> None:
    asked = ask(make_site(Seasons([])), "GET", path)
    assert (asked.status, "location" in asked.headers) == (404, False)
