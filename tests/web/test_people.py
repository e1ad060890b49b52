"""Several people of one player: they invite each other, act for it alike, see the same, leave."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.submissions.author_accounts import hash_of, invite_to, remove
from arbiter.season.administration import suspend
from arbiter.season.results import SeasonResults
from arbiter.store.people import MOST_PEOPLE
from arbiter.web.http.authentication import SESSION
from arbiter.web.pages import join
from tests.fixtures.site import ADDRESS, HOSTILE, Authored, archive
from tests.web.test_joining import ask_to_join, token_in

if TYPE_CHECKING:
    pass

CODE = re.compile(r"<pre><code>([a-z0-9]{4}(?:-[a-z0-9]{4}){3})</code></pre>")


def invited(site: Authored, by: str = "ann") -> str:
    site.log_in(by)
    found = CODE.search(site.post("/me/invite").text)
    assert found is not None
    return found[1]


def joined(site: Authored, name: str = "bob", code: str | None = None) -> None:
    answer = ask_to_join(site, code or invited(site), name)
    assert answer.status_code == 200, answer.text
    site.tokens[name] = token_in(answer)


def test_somebody_is_invited_joins_and_acts_for_the_player(site: Authored) -> None:
    joined(site)
    page = site.client.get("/me").text
    assert "<h1><bdi>ann</bdi></h1>" in page
    assert '<bdi>bob</bdi> <span class="mark">you</span>' in page
    made = site.send("bob", archive())
    assert made["version"] == 1
    answer = site.client.get(f"{ADDRESS}/{made['id']}", headers=site.headers("ann"))
    assert answer.json()["version"] == 1
    assert site.kept.season.audit.last(1)[0][2:5] == ("ann/bob", "send", "ann@1")
    # His name is for the player's people and organisers.
    assert "bob" not in site.client.get("/seasons/small").text
    site.log_in("ben")
    assert "bob" not in site.client.get("/me").text
    site.log_in("olga")
    assert "ann; bob" in site.client.get("/admin").text


def test_versions_are_chosen_and_dropped_in_the_name_of_the_person(site: Authored) -> None:
    joined(site)
    first, second = (site.accept(name, text) for name, text in (("ann", "1"), ("bob", "2")))
    third = site.send("bob", archive("3"))["id"]
    site.post(f"/me/submissions/{first}/activate")
    site.post(f"/me/submissions/{third}/drop")
    assert site.client.get(f"/me/submissions/{second}").status_code == 200
    assert [(deed.who, deed.verb) for deed in site.kept.season.audit.last(2)] == [
        ("ann/bob", "drop"),
        ("ann/bob", "activate"),
    ]


def test_a_day_has_room_for_so_many_archives_of_a_player(site: Authored) -> None:
    joined(site)
    sent = [
        site.put(name, archive(text)).status_code
        for name, text in zip(["ann", "bob"] * 2, "1234", strict=True)
    ]
    assert sent == [202, 202, 202, 429]


def test_everybody_sees_that_the_player_is_suspended_and_why(site: Authored) -> None:
    joined(site)
    suspend(SeasonResults(site.kept.config, site.kept.season), "ann", f"it cheats {HOSTILE}")
    for name in ("ann", "bob"):
        site.log_in(name)
        page = site.client.get("/me").text
        assert "Suspended: it cheats &lt;script&gt;" in page
        assert "<script>alert" not in page


def test_each_renews_the_own_token_alone(site: Authored) -> None:
    joined(site)
    token = token_in(site.post("/me/token"))
    assert site.put("bob", archive()).status_code == 401
    assert site.put("ann", archive()).status_code == 202
    found = site.kept.season.authors.by_token(hash_of(token))
    assert found is not None
    assert found.who == "ann/bob"


def test_who_is_taken_out_is_out_at_once(site: Authored) -> None:
    joined(site)
    assert site.client.get("/me").status_code == 200
    remove(site.kept.season, "ann", "bob", "@console")
    assert site.client.get("/me").headers["location"] == "/login"
    assert [site.put(name, archive()).status_code for name in ("bob", "ann")] == [401, 202]


def test_who_leaves_is_logged_out_and_the_last_one_stays(site: Authored) -> None:
    joined(site)
    assert site.post("/me/leave").status_code == 422
    answer = site.post("/me/leave", sure="yes")
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert SESSION not in site.client.cookies
    assert site.put("bob", archive()).status_code == 401
    site.log_in("ann")
    assert "/me/leave" not in site.client.get("/me").text
    refused = site.post("/me/leave", sure="yes")
    assert (refused.status_code, "arbiter authors revoke" in refused.text) == (409, True)
    assert site.put("ann", archive()).status_code == 202


def test_the_first_one_may_leave(site: Authored) -> None:
    joined(site)
    site.log_in("ann")
    assert site.post("/me/leave", sure="yes").status_code == 303
    assert site.put("ann", archive()).status_code == 401
    assert site.send("bob", archive())["version"] == 1


def test_a_full_player_says_the_limit(site: Authored) -> None:
    code = invited(site)
    for number in range(MOST_PEOPLE - 1):
        joined(site, f"m{number}", invite_to(site.kept.season, "ann", 1, "test"))
    assert "At most 8 people" in site.client.get("/me").text
    assert "/me/invite" not in site.client.get("/me").text
    for answer, status in ((site.post("/me/invite"), 409), (ask_to_join(site, code, "bob"), 422)):
        assert (answer.status_code, "at most 8 people share a player" in answer.text) == (status, True)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ann", "the name ann is taken"),
        ("ANN", "looks like ann, which is taken"),
        ("b0b", "looks like bob, which is taken"),
        ("b/c", "leave out the /"),
        ("bоb", "mixes alphabets"),
        ("<script>@1", "&lt;script&gt;"),
        ("a\u202eb", "not a name"),
    ],
)
def test_a_name_that_cannot_be_is_told_in_the_form_and_uses_nothing(
    site: Authored, name: str, reason: str
) -> None:
    joined(site)
    code = invited(site)
    answer = ask_to_join(site, code, name)
    assert (answer.status_code, reason in answer.text) == (422, True)
    assert "<script>@1" not in answer.text
    joined(site, "zoe", code)


def test_people_of_two_players_may_have_one_name(site: Authored) -> None:
    joined(site)
    joined(site, "bob", invited(site, "ben"))
    assert "<h1><bdi>ben</bdi></h1>" in site.client.get("/me").text


def test_a_player_invites_so_often_a_day(site: Authored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join, "PER_DAY", 1)
    invited(site)
    answer = site.post("/me/invite")
    assert (answer.status_code, "1 invitations in 24 hours" in answer.text) == (429, True)


def test_an_organiser_acts_alone(site: Authored) -> None:
    site.log_in("olga")
    assert "/me/invite" not in site.client.get("/me").text
    assert site.post("/me/invite").status_code == 409
