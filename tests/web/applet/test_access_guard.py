"""Access to the applet: its owner's page gets in, hostile pages and programs do not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'arbiter-cards[web]'")


from arbiter.web.applet.access_guard import AccessGuard
from tests.fixtures.applet import APART, PORT, VERBS, Owner, seated
from tests.fixtures.client import Client

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN = f"http://127.0.0.1:{PORT}"
ALL = [
    "/state",
    "/replay",
    "/exchanges",
    "/traffic",
    "/record",
    "/events",
    "/openapi.json",
    "/games",
    "/saved",
]
WRONG: list[dict[str, str]] = [
    {},
    {"X-CSRF-Token": ""},
    {"X-CSRF-Token": "x" * 43},
    {"Authorization": "Bearer"},
    {"Authorization": "Bearer " + "x" * 43},
    {"Cookie": f"arbiter_{PORT}=x"},
]
HEADERS = [{"X-CSRF-Token": "{}"}, {"Authorization": "Bearer {}"}]


@pytest.fixture(scope="module")
def owner() -> Iterator[Owner]:
    with seated() as owner:
        yield owner


@pytest.fixture
def stranger(owner: Owner) -> Client:
    """A client without the key."""
    return Client(owner.browser.app, base_url=OWN, follow_redirects=False)


def revision(owner: Owner) -> int:
    return int(owner.get("/state")["revision"])


@pytest.mark.parametrize(("host", "status"), [(OWN.removeprefix("http://"), 403), ("other.example", 421)])
def test_a_slash_at_the_end_leads_nowhere_without_the_key(stranger: Client, host: str, status: int) -> None:
    assert stranger.get("/anything/", headers={"Host": host}).status_code == status


def test_the_page_has_the_key_that_its_address_has(owner: Owner, stranger: Client) -> None:
    answer = stranger.get(f"/?key={owner.guard.key}")
    assert answer.status_code == 200
    assert f'<meta name="csrf" content="{owner.guard.key}">' in answer.text
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("headers", HEADERS)
@pytest.mark.parametrize("path", ["/state", "/replay", "/record"])
def test_a_client_without_cookies_reads_with_the_key_in_a_header(
    owner: Owner, stranger: Client, path: str, headers: dict[str, str]
) -> None:
    own = {name: value.format(owner.guard.key) for name, value in headers.items()}
    assert stranger.get(path, headers=own).json() == owner.get(path)


def test_the_document_says_where_the_key_belongs(owner: Owner) -> None:
    document = owner.get("/openapi.json")
    (scheme,) = document["components"]["securitySchemes"].values()
    assert (scheme["in"], scheme["name"]) == ("header", "X-CSRF-Token")


@pytest.mark.parametrize("key", ["", "x", "x" * 43, "%00", "%ff", "a&key=b"])
def test_another_key_opens_nothing(owner: Owner, stranger: Client, key: str) -> None:
    answer = stranger.get(f"/?key={key}")
    assert answer.status_code == 403
    assert owner.guard.key not in answer.text


@pytest.mark.parametrize("path", ALL)
def test_without_the_key_in_a_header_nothing_is_told(owner: Owner, stranger: Client, path: str) -> None:
    assert {stranger.get(path, headers=headers).status_code for headers in WRONG} == {403}
    # In the address it opens the page alone.
    assert stranger.get(f"{path}?key={owner.guard.key}").status_code == 403


@pytest.mark.parametrize("verb", VERBS)
def test_without_the_key_as_the_pages_token_no_verb_is_done(
    owner: Owner, stranger: Client, verb: str
) -> None:
    before = revision(owner)
    for headers in (*WRONG, {"Authorization": f"Bearer {owner.guard.key}"}):
        assert stranger.post(verb, json={}, headers=headers).status_code == 403
    assert revision(owner) == before


@pytest.mark.parametrize("verb", VERBS)
def test_nothing_but_post_changes_anything(owner: Owner, verb: str) -> None:
    before = revision(owner)
    for method in ("GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"):
        assert owner.browser.request(method, verb).status_code == 405
    assert revision(owner) == before


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"127.0.0.1.evil.example:{PORT}", "", f"[::1]:{PORT}", f"127.9.8.6:{PORT}", f"{APART}:80"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/", "/state"])
def test_a_name_that_was_rebound_to_loopback_gets_nothing(owner: Owner, host: str, path: str) -> None:
    answer = owner.browser.get(path, headers={"host": host})
    assert answer.status_code == 421
    assert owner.guard.key not in answer.text


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", APART])
def test_localhost_and_the_address_apart_are_names_of_ours(owner: Owner, name: str) -> None:
    own = {"host": f"{name}:{PORT}", "origin": f"http://{name}:{PORT}"}
    assert owner.browser.get("/state", headers=own).status_code == 200
    assert owner.browser.post("/stop", headers=own).status_code == 200


def test_no_file_of_the_page_is_where_another_server_could_have_had_it_kept(
    owner: Owner, stranger: Client
) -> None:
    own = owner.guard.static
    assert own.startswith("/static/")
    assert own != AccessGuard(stranger.app, PORT).static
    files = re.findall(r'(?:src|href)="(/static/[^"]+)"', stranger.get("/").text)
    assert f"{own}/applet/key.js" in files
    assert {stranger.get(file).status_code for file in files} == {200}
    assert all(file.startswith(f"{own}/") for file in files)
    assert stranger.get("/static/applet/key.js").status_code == 404


@pytest.mark.parametrize(
    "origin",
    ["null", "http://evil.example", f"https://127.0.0.1:{PORT}", "http://127.0.0.1", f"127.0.0.1:{PORT}", f"http://127.0.0.1:{PORT}.evil.example", ""],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_requests_of_other_sites_are_refused(owner: Owner, origin: str, method: str) -> None:
    before = revision(owner)
    path = "/step" if method == "POST" else "/state"
    assert owner.browser.request(method, path, headers={"origin": origin}).status_code == 403
    assert revision(owner) == before


@pytest.mark.parametrize("site", ["cross-site", "same-site", "x", ""])
def test_what_a_page_of_another_port_asks_for_is_refused(owner: Owner, site: str) -> None:
    for path in ("/state", "/replay", "/static/style.css"):
        assert owner.browser.get(path, headers={"sec-fetch-site": site}).status_code == 403
    assert owner.browser.get("/state", headers={"sec-fetch-site": "same-origin"}).status_code == 200


def test_a_ticket_opens_the_page_once(owner: Owner, stranger: Client) -> None:
    ticket = owner.guard.make_ticket()
    assert owner.guard.key in stranger.get(f"/?key={ticket}").text
    assert stranger.get(f"/?key={ticket}").status_code == 403
    assert stranger.get("/state", headers={"X-CSRF-Token": ticket}).status_code == 403


@pytest.mark.parametrize("path", ["/", "/state", "/nothing", "/static/style.css"])
def test_no_answer_sets_a_cookie_or_names_an_address_to_other_sites(owner: Owner, path: str) -> None:
    assert "set-cookie" not in owner.browser.get(f"{path}?key={owner.guard.key}").headers
    headers = owner.browser.get(path).headers
    assert "set-cookie" not in headers
    assert headers["referrer-policy"] == "no-referrer"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/static/applet/main.js"])
def test_what_is_given_without_the_key_does_not_have_it(owner: Owner, stranger: Client, path: str) -> None:
    assert owner.guard.key not in stranger.get(path).text
    assert stranger.post(path, json={}).status_code == 403


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_what_a_form_of_another_page_could_post_is_refused(owner: Owner, kind: str) -> None:
    before = revision(owner)
    headers = {"content-type": kind}
    assert owner.browser.post("/decide", content=b'{"word": "0"}', headers=headers).status_code == 415
    assert revision(owner) == before


@pytest.mark.parametrize("stated", [True, False])
def test_a_body_of_10_mb_is_refused(owner: Owner, stated: bool) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(10):
            yield bytes(10**6)

    headers = {"content-type": "application/json"}
    content = bytes(10**7) if stated else chunks()
    assert owner.browser.post("/decide", content=content, headers=headers).status_code == 413


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"null", b"[]", b'"x"', b"\xff", b"\x00", b"[" * 100_000, b'{"a":' * 100_000,
        b'{"word": 1}', b'{"word": null}', b'{"word": ["0"]}', b'{"word": "0", "more": 1}', b'{"word": "\\ud800"}',
        b'{"word": "\\u0000"}', b'{"word": 1' + b"0" * 10_000 + b"}", b'{"word": NaN}',
        b'{"word": "' + b"0" * 200_000 + b'"}',
    ],
    ids=lambda body: body[:20].decode("latin-1"),
)  # fmt: skip
def test_an_absurd_body_is_a_mistake_and_changes_nothing(owner: Owner, body: bytes) -> None:
    before = owner.get("/state")["made"]
    headers = {"content-type": "application/json"}
    answer = owner.browser.post("/decide", content=body, headers=headers)
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["message"]
    assert owner.get("/state")["made"] == before


@pytest.mark.parametrize("seat", [-1, 4, 100, 10**9, 1.5, "0", None, True])
def test_a_seat_that_is_not_there_is_a_mistake_at_its_field(owner: Owner, seat: object) -> None:
    status, told = owner.ask("/send", {"seat": seat, "line": "hello"})
    assert (status, told["error"]["field"]) == (422, "seat")
