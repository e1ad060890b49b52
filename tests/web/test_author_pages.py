"""Pages of authors: sessions that only their browser has, forms that only this site sends, hostile texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.contest.submissions.archive_storage import folder_of
from arbiter.contest.submissions.author_accounts import add_authors, hash_of
from arbiter.web.http.authentication import LOGIN, SESSION
from arbiter.web.http.request_guard import POLICY
from tests.fixtures.site import Authored, archive, authored, visiting
from tests.fixtures.zoo import Kept
from tests.web.test_traffic import Lines

if TYPE_CHECKING:
    from httpx2 import Response

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202e"
PROOF = re.compile(r'name="proof" value="([0-9a-f]{64})"')


def proof(answer: Any) -> str:
    found = PROOF.search(answer.text)
    assert found is not None
    return found[1]


def log_in(site: Authored, name: str) -> Response:
    form = {"proof": proof(site.client.get("/login")), "token": site.tokens[name]}
    return site.client.post("/login", data=form)


def upload(site: Authored, body: bytes, shown: str | None = None, **headers: str) -> Response:
    fields = {"proof": proof(site.client.get("/me")) if shown is None else shown}
    files = {"archive": ("../../etc/<b>.zip", body, "application/zip")}
    return site.client.post("/me/submissions", data=fields, files=files, headers=headers)


def test_a_token_begins_a_session(site: Authored) -> None:
    assert site.client.get("/me").headers["location"] == "/login"
    answer = log_in(site, "ann")
    assert (answer.status_code, answer.headers["location"]) == (303, "/me")
    cookie = next(one for one in answer.headers.get_list("set-cookie") if one.startswith(SESSION))
    assert {"httponly", "samesite=lax", "path=/"} <= {word.strip().lower() for word in cookie.split(";")}
    me = site.client.get("/me")
    assert (me.status_code, "<bdi>ann</bdi>" in me.text) == (200, True)
    assert me.headers["content-security-policy"] == POLICY
    assert (me.headers["cache-control"], me.headers.get("etag")) == ("no-store", None)


def test_a_cookie_is_for_https_alone_where_the_site_is(site: Authored) -> None:
    site.client.base_url = "https://testserver"
    cookies = log_in(site, "ann").headers.get_list("set-cookie")
    begun = [one for one in cookies if one.startswith(f"__Host-{SESSION}=")]
    # What browsers ask of a cookie with this name; no other site of the domain can set one.
    assert [{"Secure", "Path=/"} <= set(one.split("; ")) and "Domain" not in one for one in begun] == [True]
    assert site.client.get("/me").status_code == 200
    assert upload(site, archive(), origin="https://testserver").status_code == 303
    assert upload(site, archive("other"), origin="http://testserver").status_code == 403


def test_where_a_site_is_encrypted_a_cookie_that_others_may_set_is_none(site: Authored) -> None:
    log_in(site, "ann")
    site.client.base_url = "https://testserver"
    assert site.client.cookies[SESSION]
    assert site.client.get("/me").headers["location"] == "/login"


def test_a_wrong_token_is_told_without_a_session(site: Authored) -> None:
    form = {"proof": proof(site.client.get("/login")), "token": "wrong"}
    answer = site.client.post("/login", data=form)
    assert (answer.status_code, "is not known" in answer.text) == (401, True)
    assert SESSION not in site.client.cookies


def test_an_organiser_is_led_to_the_administration(site: Authored) -> None:
    assert log_in(site, "olga").headers["location"] == "/admin"


def test_a_session_is_new_at_each_login(site: Authored) -> None:
    site.client.cookies.set(SESSION, "planted", domain="testserver.local", path="/")
    log_in(site, "ann")
    first = site.client.cookies.get(SESSION, domain="testserver.local")
    assert first != "planted"
    assert site.kept.season.authors.of_session(hash_of("planted")) is None
    log_in(site, "ann")
    assert site.client.cookies.get(SESSION, domain="testserver.local") != first
    assert site.kept.season.authors.of_session(hash_of(str(first))) is None


def test_a_logout_ends_the_session_for_good(site: Authored) -> None:
    log_in(site, "ann")
    cookie = site.client.cookies[SESSION]
    assert site.client.post("/logout", data={"proof": "0" * 64}).status_code == 403
    answer = site.client.post("/logout", data={"proof": proof(site.client.get("/me"))})
    assert answer.headers["location"] == "/login"
    site.client.cookies.set(SESSION, cookie)
    assert site.client.get("/me").status_code == 303


def test_a_revoked_token_ends_its_sessions(site: Authored) -> None:
    log_in(site, "ann")
    site.kept.season.authors.set_token("ann", None, "test")
    assert site.client.get("/me").headers["location"] == "/login"


def test_an_archive_is_sent_by_a_form(site: Authored) -> None:
    log_in(site, "ann")
    body = archive() + b"\r\n--not the end\r\n"
    answer = upload(site, body, origin="http://testserver")
    assert answer.status_code == 303
    (found,) = site.kept.season.submissions.of("ann")
    assert answer.headers["location"] == f"/me/submissions/{found.id}"
    assert (folder_of(site.kept.config) / f"{found.file}.zip").read_bytes() == body
    assert f"ann</bdi>@{found.version}: received" in site.client.get(answer.headers["location"]).text


def test_a_form_may_not_be_larger_than_an_archive(site: Authored) -> None:
    log_in(site, "ann")
    answer = upload(site, b"x" * 10_001)
    assert (answer.status_code, "at most 10000 bytes" in answer.text) == (413, True)
    assert site.kept.season.submissions.of("ann") == []
    assert list(folder_of(site.kept.config).iterdir()) == []


def test_a_form_that_ends_too_soon_leaves_nothing(site: Authored) -> None:
    log_in(site, "ann")
    shown = proof(site.client.get("/me"))
    head = f'--b\r\ncontent-disposition: form-data; name="proof"\r\n\r\n{shown}\r\n--b\r\n'
    head += 'content-disposition: form-data; name="a"; filename="a"\r\n\r\n'
    kind = {"content-type": "multipart/form-data; boundary=b"}
    for body in (head + "PK", head + "PK\r\n--", "--b", ""):
        answer = site.client.post("/me/submissions", content=body.encode(), headers=kind)
        assert answer.status_code == 400
    for odd in ("text/plain", "multipart/form-data", "multipart/form-data; boundary=" + "b" * 200):
        answer = site.client.post("/me/submissions", content=b"x", headers={"content-type": odd})
        assert answer.status_code == 400
    assert list(folder_of(site.kept.config).glob("*")) == []


def test_a_version_that_never_played_is_dropped_on_its_own_page(site: Authored) -> None:
    number, other = site.send("ann", archive())["id"], site.accept("ann")
    log_in(site, "ann")
    page = site.client.get(f"/me/submissions/{number}")
    assert "Drop version 1" in page.text
    assert "Drop version" not in site.client.get(f"/me/submissions/{other}").text
    answer = site.client.post(f"/me/submissions/{number}/drop", data={"proof": proof(page)})
    assert (answer.status_code, answer.headers["location"]) == (303, "/me")
    dropped = site.client.get(f"/me/submissions/{number}").text
    assert "It was dropped: its files are gone." in dropped
    assert "Drop version" not in dropped
    assert "of 500 kB" in site.client.get("/me").text
    refused = site.client.post(f"/me/submissions/{other}/drop", data={"proof": proof(page)})
    assert (refused.status_code, "version 2 plays" in refused.text) == (409, True)


FORMS = ["/login", "/logout", "/me/submissions/1/activate", "/me/submissions/1/drop"]


@pytest.mark.parametrize("address", FORMS)
def test_a_form_without_its_proof_changes_nothing(site: Authored, address: str) -> None:
    site.send("ann", archive())
    log_in(site, "ann")
    site.client.get("/login")
    fields = {"token": site.tokens["ann"]}
    for shown in ({}, {"proof": ""}, {"proof": "0" * 64}, {"proof": "\u00e9"}):
        assert site.client.post(address, data=fields | shown).status_code == 403, shown
        assert site.client.get("/me").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"}, {"origin": "null"}, {"origin": "http://testserver.evil.example"},
        {"origin": "http://testserver:81"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
    ],
)  # fmt: skip
def test_a_form_that_another_site_sends_changes_nothing(site: Authored, headers: dict[str, str]) -> None:
    log_in(site, "ann")
    shown = proof(site.client.get("/me"))
    assert upload(site, archive(), shown, **headers).status_code == 403
    assert site.client.post("/logout", data={"proof": shown}, headers=headers).status_code == 403
    assert site.kept.season.submissions.of("ann") == []
    assert site.client.get("/me").status_code == 200


def test_a_proof_is_good_for_its_own_session_alone(site: Authored) -> None:
    log_in(site, "ben")
    other = proof(site.client.get("/me"))
    log_in(site, "ann")
    assert upload(site, archive(), other).status_code == 403


def test_the_api_takes_no_cookies_and_pages_no_tokens(site: Authored) -> None:
    log_in(site, "ann")
    assert site.client.get("/api/v1/seasons/small/submissions").status_code == 401
    site.client.cookies.clear()
    assert site.client.get("/me", headers=site.headers("ann")).status_code == 303
    assert site.client.get(f"/me?token={site.tokens['ann']}").status_code == 303


def test_what_is_anothers_is_like_what_is_not_there(site: Authored) -> None:
    number = site.send("ben", archive())["id"]
    log_in(site, "ann")
    pages = [site.client.get(f"/me/submissions/{one}") for one in (number, 99, "x")]
    pages += [site.client.get(f"/me/matches/{one}/log") for one in ("r001-t01-m0", "r009-t01-m0")]
    assert {page.status_code for page in pages} == {404}
    assert len({page.text for page in pages}) == 1


def test_hostile_texts_are_shown_as_texts(site: Authored) -> None:
    number = site.send("ann", archive())["id"]
    step = {"name": HOSTILE, "ok": False, "detail": HOSTILE, "fix": HOSTILE, "output": HOSTILE}
    site.kept.season.submissions.refuse(number, [step])
    log_in(site, "ann")
    page = site.client.get(f"/me/submissions/{number}").text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "\u202e" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 4


def test_a_name_may_look_like_markup(kept: Kept) -> None:
    with authored(kept) as site:
        name = "<img src=x>&'"
        site.tokens |= dict(add_authors(kept.config, kept.season, [name], False, "test"))
        log_in(site, name)
        page = site.client.get("/me").text
        assert "<img" not in page
        assert "&lt;img src=x&gt;" in page


def test_hosts_and_forwarded_headers_lead_nowhere(site: Authored) -> None:
    headers = {"host": "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "javascript"}
    for address in ("/me", "/login", "/"):
        answer = site.client.get(address, headers=headers)
        assert "evil" not in answer.text + str(answer.headers)
    answer = site.client.get("/seasons/small/matches/a%0D%0ASet-Cookie:x=1/log", headers=site.headers("ann"))
    assert (answer.status_code, "x=1" in str(answer.headers)) == (404, False)


def test_no_token_and_no_session_comes_into_the_log(kept: Kept) -> None:
    lines = Lines()
    with authored(kept) as site, visiting(kept.file, follow_redirects=False, log=lines) as client:
        logged = Authored(client, kept, site.tokens)
        log_in(logged, "ann")
        logged.send("ann", archive())
        client.get(f"/me?token={site.tokens['ann']}")
        secrets = [site.tokens["ann"], client.cookies[SESSION]]
    assert lines.lines
    assert not any(secret in line for secret in secrets for line in lines.lines)


def test_visitors_get_no_cookie_but_at_the_login(site: Authored) -> None:
    for address in ("/seasons", "/seasons/small", "/me", "/api/v1/seasons"):
        assert "set-cookie" not in site.client.get(address).headers
    assert LOGIN in site.client.get("/login").headers["set-cookie"]
