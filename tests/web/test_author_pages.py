"""Pages of authors: sessions that only their browser has, forms that only this site sends, hostile texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.contest.submissions.author_accounts import hash_of
from arbiter.season.roster import folder_of
from arbiter.web.http.authentication import LOGIN, SESSION
from arbiter.web.http.request_guard import POLICY
from tests.fixtures.site import Authored, archive, authored, proof, visiting
from tests.fixtures.zoo import Kept
from tests.web.test_traffic import Lines

if TYPE_CHECKING:
    pass


def test_a_token_begins_a_session(site: Authored) -> None:
    assert site.client.get("/me").headers["location"] == "/login"
    answer = site.log_in("ann")
    assert (answer.status_code, answer.headers["location"]) == (303, "/me")
    cookie = next(one for one in answer.headers.get_list("set-cookie") if one.startswith(SESSION))
    assert {"httponly", "samesite=lax", "path=/"} <= {word.strip().lower() for word in cookie.split(";")}
    me = site.client.get("/me")
    assert (me.status_code, "<bdi>ann</bdi>" in me.text) == (200, True)
    assert me.headers["content-security-policy"] == POLICY
    assert (me.headers["cache-control"], me.headers.get("etag")) == ("no-store", None)


def test_a_cookie_is_for_https_alone_where_the_site_is(site: Authored) -> None:
    site.client.base_url = "https://testserver"
    cookies = site.log_in("ann").headers.get_list("set-cookie")
    begun = [one for one in cookies if one.startswith(f"__Host-{SESSION}=")]
    # What browsers ask of a cookie with this name; no other site of the domain can set one.
    assert [{"Secure", "Path=/"} <= set(one.split("; ")) and "Domain" not in one for one in begun] == [True]
    assert site.client.get("/me").status_code == 200
    assert site.upload(archive(), origin="https://testserver").status_code == 303
    assert site.upload(archive("other"), origin="http://testserver").status_code == 403


def test_where_a_site_is_encrypted_a_cookie_that_others_may_set_is_none(site: Authored) -> None:
    site.log_in("ann")
    site.client.base_url = "https://testserver"
    assert site.client.cookies[SESSION]
    assert site.client.get("/me").headers["location"] == "/login"


def test_a_wrong_token_begins_no_session_and_an_organisers_leads_to_the_administration(
    site: Authored,
) -> None:
    answer = site.post("/login", "/login", token="wrong")
    assert (answer.status_code, "is unknown" in answer.text) == (401, True)
    assert SESSION not in site.client.cookies
    assert site.log_in("olga").headers["location"] == "/admin"


def test_a_session_is_new_at_each_login(site: Authored) -> None:
    site.client.cookies.set(SESSION, "planted", domain="testserver.local", path="/")
    site.log_in("ann")
    first = site.client.cookies.get(SESSION, domain="testserver.local")
    assert first != "planted"
    assert site.kept.season.authors.by_session(hash_of("planted")) is None
    site.log_in("ann")
    assert site.client.cookies.get(SESSION, domain="testserver.local") != first
    assert site.kept.season.authors.by_session(hash_of(str(first))) is None


def test_a_logout_ends_the_session_for_good(site: Authored) -> None:
    site.log_in("ann")
    cookie = site.client.cookies[SESSION]
    assert site.client.post("/logout", data={"proof": "0" * 64}).status_code == 403
    answer = site.client.post("/logout", data={"proof": proof(site.client.get("/me"))})
    assert answer.headers["location"] == "/login"
    site.client.cookies.set(SESSION, cookie)
    assert site.client.get("/me").status_code == 303
    site.log_in("ann")
    site.kept.season.authors.set_token("ann", None, "test")
    assert site.client.get("/me").headers["location"] == "/login", "a revoked token ends its sessions"


def test_an_archive_is_sent_by_a_form(site: Authored) -> None:
    site.log_in("ann")
    body = archive() + b"\r\n--not the end\r\n"
    answer = site.upload(body, origin="http://testserver")
    assert answer.status_code == 303
    (found,) = site.kept.season.submissions.of("ann")
    assert answer.headers["location"] == f"/me/submissions/{found.id}"
    assert (folder_of(site.kept.config) / f"{found.file}.zip").read_bytes() == body
    assert f"ann</bdi>@{found.version}: received" in site.client.get(answer.headers["location"]).text


def test_a_form_that_is_too_large_or_ends_too_soon_leaves_nothing(site: Authored) -> None:
    site.log_in("ann")
    answer = site.upload(b"x" * 10_001)
    assert (answer.status_code, "at most 10000 bytes" in answer.text) == (413, True)
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
    assert list(folder_of(site.kept.config).glob("*")) == site.kept.season.submissions.of("ann") == []


def test_a_version_that_never_played_is_dropped_on_its_own_page(site: Authored) -> None:
    number, other = site.send("ann", archive())["id"], site.accept("ann")
    site.log_in("ann")
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


def test_a_proof_is_good_for_its_own_session_alone(site: Authored) -> None:
    site.log_in("ben")
    other = proof(site.client.get("/me"))
    site.log_in("ann")
    assert site.upload(archive(), other).status_code == 403


def test_the_api_takes_no_cookies_and_pages_no_tokens(site: Authored) -> None:
    site.log_in("ann")
    assert site.client.get("/api/v1/seasons/small/submissions").status_code == 401
    site.client.cookies.clear()
    assert site.client.get("/me", headers=site.headers("ann")).status_code == 303
    assert site.client.get(f"/me?token={site.tokens['ann']}").status_code == 303


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
        logged.log_in("ann")
        logged.send("ann", archive())
        client.get(f"/me?token={site.tokens['ann']}")
        secrets = [site.tokens["ann"], client.cookies[SESSION]]
    assert lines.lines
    assert not any(secret in line for secret in secrets for line in lines.lines)


def test_visitors_get_no_cookie_but_at_the_login(site: Authored) -> None:
    for address in ("/seasons", "/seasons/small", "/me", "/api/v1/seasons"):
        assert "set-cookie" not in site.client.get(address).headers
    assert LOGIN in site.client.get("/login").headers["set-cookie"]
