"""Invitations: a code makes so many authors and no more, each with a name of its own and a token shown once."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.contest.submissions.author_accounts import CODE_LETTERS, hash_of, invite, invite_to, join
from arbiter.season.config import load
from arbiter.store.invitations import InvalidInvitation
from arbiter.web.http.authentication import SESSION
from tests.fixtures.site import Authored, archive, proof

if TYPE_CHECKING:
    pass

TOKEN = re.compile(r"<pre><code>([\w-]{43})</code></pre>")


def ask_to_join(site: Authored, code: str, name: str) -> Any:
    return site.post("/join", "/join", code=code, name=name)


def token_in(answer: Any) -> str:
    found = TOKEN.search(answer.text)
    assert found is not None, answer.text
    return found[1]


def test_who_has_a_code_joins_is_logged_in_and_sends_a_program(site: Authored) -> None:
    answer = ask_to_join(site, invite(site.kept.season, 1, "test"), "Zoë")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert 'href="/me?season=small"' in answer.text
    assert "<bdi>Zoë</bdi>" in site.client.get("/me?season=small").text
    site.tokens["Zoë"] = token_in(answer)
    assert site.send("Zoë", archive())["version"] == 1
    last = site.kept.season.audit.last(10)
    assert [(deed.who, deed.verb) for deed in last if deed.verb == "join"] == [("Zoë", "join")]


def test_a_code_may_be_typed_in_capitals_and_without_its_hyphens(site: Authored) -> None:
    code = invite(site.kept.season, 1, "test")
    assert set(code) <= {*CODE_LETTERS, "-"}
    assert ask_to_join(site, f" {code.replace('-', ' ').upper()}", "zoe").status_code == 200


def test_a_code_makes_so_many_authors_and_no_more(site: Authored) -> None:
    code = invite(site.kept.season, 2, "test")
    assert [ask_to_join(site, code, f"new{number}").status_code for number in range(3)] == [200, 200, 422]
    assert {author.name for author in site.kept.season.authors.all()} >= {"new0", "new1"}
    assert site.kept.season.authors.find("new2") is None


@pytest.mark.parametrize("player", [None, "ann"])
def test_of_many_who_use_a_code_at_once_one_alone_joins(site: Authored, player: str | None) -> None:
    season, config = site.kept.season, load(site.kept.file)
    code = invite(season, 1, "test") if player is None else invite_to(season, player, 1, "test")
    outcomes: list[str | InvalidInvitation] = []
    ready = threading.Barrier(8)

    def one(number: int) -> None:
        ready.wait()
        try:
            outcomes.append(join(config, season, code, f"new{number}"))
        except InvalidInvitation as error:
            outcomes.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([outcome for outcome in outcomes if isinstance(outcome, str)]) == 1
    names = [author.name for author in season.authors.all()]
    names += [one.name for people in season.members.all().values() for one in people if one.member]
    assert len([name for name in names if name.startswith("new")]) == 1


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ann", "the name ann is taken"),
        ("аnn", "mixes alphabets"),
        ("p0", "the name p0 is taken"),
        ("a\u200bb", "not a name"),
        ("", "not a name"),
        ("<script>@1", "&lt;script&gt;"),
    ],
)
def test_a_name_that_cannot_be_is_told_in_the_form_and_uses_nothing(
    site: Authored, name: str, reason: str
) -> None:
    code = invite(site.kept.season, 1, "test")
    answer = ask_to_join(site, code, name)
    assert (answer.status_code, reason in answer.text) == (422, True)
    assert "<script>" not in answer.text.replace("<script src", "").replace("<script type", "")
    assert code in answer.text
    assert ask_to_join(site, code, "zoe").status_code == 200


@pytest.mark.parametrize("code", ["", "abcd-efgh-jkmn-pqrs", "'; --", "\udcff", "a" * 5000])
def test_a_code_that_nobody_gave_is_refused(site: Authored, code: str) -> None:
    fields = {
        "proof": proof(site.client.get("/join")),
        "code": code.encode(errors="surrogateescape"),
        "name": "zoe",
    }
    answer = site.client.post("/join", data=fields)
    assert (answer.status_code, "unknown, used up or expired" in answer.text) == (422, True)


def test_an_author_takes_another_token_and_the_old_one_is_dead_with_its_sessions(site: Authored) -> None:
    site.log_in("ann")
    elsewhere = site.client.cookies[SESSION]
    shown = proof(site.client.get("/me"))
    answer = site.client.post("/me/token", data={"proof": shown})
    token = token_in(answer)
    assert site.client.get("/me").status_code == 200
    assert site.client.cookies[SESSION] != elsewhere
    assert site.put("ann", archive()).status_code == 401
    site.tokens["ann"] = token
    assert site.put("ann", archive()).status_code == 202
    site.client.cookies.clear()
    site.client.cookies.set(SESSION, elsewhere)
    assert site.client.get("/me").status_code == 303


def test_the_store_has_neither_codes_nor_tokens(site: Authored) -> None:
    code, other = invite(site.kept.season, 1, "test"), invite_to(site.kept.season, "ann", 1, "test")
    token = token_in(ask_to_join(site, code, "zoe"))
    author = site.kept.season.authors.by_token(hash_of(token))
    assert author is not None
    assert author.name == "zoe"
    texts = b"".join(file.read_bytes() for file in site.kept.file.parent.glob("*.sqlite*"))
    assert hash_of(token).encode() in texts
    for secret in (token, *(form for one in (code, other) for form in (one, one.replace("-", "")))):
        assert secret.encode() not in texts
