"""The page of organisers: orders by forms, an annulment looked at first, hostile texts."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from arbiter.web.pages import own_pages
from tests.fixtures.site import HOSTILE, Authored, archive, proof

if TYPE_CHECKING:
    from httpx2 import Response


def order(site: Authored, verb: str, **fields: str) -> Response:
    return site.post(f"/admin/{verb}", "/admin", **fields)


@pytest.fixture
def organised(site: Authored) -> Authored:
    site.log_in("olga")
    return site


def test_a_season_is_paused_resumed_and_closed(organised: Authored) -> None:
    running = organised.kept.season.running
    assert ">Continue the season<" in organised.client.get("/admin").text, "nobody plays it"
    order(organised, "resume")
    assert running.last_order().goes_on
    assert order(organised, "pause").headers["location"] == "/admin"
    assert "Paused since" in organised.client.get("/admin").text
    order(organised, "resume")
    assert running.read().paused is None
    refused = order(organised, "close", season="another")
    assert refused.status_code == 422
    assert "type the season&#39;s name" in refused.text
    assert running.read().closed is None
    order(organised, "close", season="small")
    assert "Closed since" in organised.client.get("/admin").text


def test_the_page_begins_with_what_needs_the_organiser(organised: Authored) -> None:
    def needs() -> str:
        page = organised.client.get("/admin").text
        return page[page.index('id="attention"') : page.index('id="season"')]

    assert "The season is not being played" in needs()
    assert "question" not in needs()
    organised.log_in("ann")
    assert organised.post("/me/questions", text="When is the deadline?").status_code == 303
    organised.log_in("olga")
    order(organised, "resume")
    order(organised, "pause")
    assert 'href="#questions">1 question of authors</a> without an answer' in needs()
    assert "The season is paused since" in needs()


def test_what_is_asked_is_shown_and_accepted(organised: Authored) -> None:
    assert "Accept and continue" not in organised.client.get("/admin").text
    organised.kept.season.running.ask("5e55", f"{HOSTILE} is new")
    page = organised.client.get("/admin").text
    assert "Accept and continue" in page
    assert "<script>alert" not in page
    assert order(organised, "accept").status_code == 303
    assert "Accept and continue" not in organised.client.get("/admin").text


def test_voids_are_shown_by_player(organised: Authored) -> None:
    assert "Voids in its matches" not in organised.client.get("/admin").text
    for players in (["p1", HOSTILE], ["p1"]):
        organised.kept.season.voids.add("r001/t01/m0", "it was killed", players)
    page = organised.client.get("/admin").text
    assert "Voids in its matches, of 2" in page
    assert '<td class="n">2</td>' in page.partition("Voids in its matches")[2]
    assert "2 void plays: it was killed (2 times)" in page
    assert "<script>alert" not in page


def test_nobody_is_pushed_out_of_the_log(organised: Authored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_pages, "SHOWN_DEEDS", 3)
    order(organised, "suspend", player="p1", because="an early deed")
    for _ in range(4):
        organised.kept.season.audit.add("ann", "activate", "ann@1")
    page = organised.client.get("/admin").text
    assert page.count("<td>activate</td>") == 3
    earlier = html.unescape(re.findall(r'rel="next" href="([^"]+)"', page)[0])
    assert "an early deed" in organised.client.get(f"/admin{earlier}").text.partition('id="log"')[2]
    mine = organised.client.get("/admin?who=olga&what=").text.partition('id="log"')[2]
    assert ("an early deed" in mine, "<td>activate</td>" in mine) == (True, False)
    for odd in ("cursor=x", "cursor=99999999999", "who=%00", "what=<script>"):
        assert organised.client.get(f"/admin?{odd}").status_code == 200


def test_an_annulment_is_shown_before_it_is_ordered(organised: Authored) -> None:
    book = organised.kept.season.orders
    looked = order(organised, "annul", match="r001-t02-m0", because="power cut", replay="yes")
    assert looked.status_code == 200
    assert "Annul r001/t02/m0?" in looked.text
    assert "&rarr;" in looked.text
    assert book.read().given == ()
    fields = {"proof": proof(looked), "match": "r001/t02/m0", "because": "power cut", "confirmed": "yes"}
    assert organised.client.post("/admin/annul", data=fields | {"replay": "yes"}).status_code == 303
    (given,) = book.read().given
    assert (given.subject, given.verb.value) == ("r001/t02/m0", "replay")
    wrong = order(organised, "annul", match="r001-t02-m0", because="again")
    assert (wrong.status_code, "annulled already" in wrong.text) == (409, True)
    absent = order(organised, "annul", match="r099-t01-m0", because="power cut")
    assert (absent.status_code, "no match" in absent.text, "r099/t01/m0" in absent.text) == (404, True, True)


def test_an_annulment_is_taken_back_once_with_a_reason(organised: Authored) -> None:
    public = "/seasons/small/matches/r001-t02-m0"
    assert "annulled" not in organised.client.get(public).text
    done = order(organised, "annul", match="r001-t02-m0", because=HOSTILE, confirmed="yes")
    assert done.status_code == 303, done.text
    assert "annulled" in organised.client.get(public).text
    page = organised.client.get("/admin").text.partition('id="undo"')[2]
    assert '<option value="r001/t02/m0">r001/t02/m0: annulled since' in page
    assert "<script>alert" not in page
    assert order(organised, "undo", match="r001/t02/m0", because=" ").status_code == 422
    done = order(organised, "undo", match="r001/t02/m0", because="it counts")
    assert (done.status_code, "r001/t02/m0 counts again</h2>" in done.text) == (200, True)
    assert done.text.count("&rarr;") > 3
    last = organised.kept.season.orders.read().given[-1]
    assert (last.verb.value, last.because) == ("undo", "it counts")
    again = order(organised, "undo", match="r001/t02/m0", because="it counts")
    assert (again.status_code, "r001/t02/m0 is not annulled now" in again.text) == (409, True)
    assert 'id="undo"' not in organised.client.get("/admin").text


def test_hostile_texts_are_shown_as_texts(organised: Authored) -> None:
    order(organised, "suspend", player="p1", because=HOSTILE)
    looked = order(organised, "annul", match="r001-t02-m0", because=HOSTILE)
    for page in (organised.client.get("/admin"), looked):
        assert "<script>alert" not in page.text
        assert "<img" not in page.text
        assert "&lt;script&gt;alert(1)" in page.text
    assert order(organised, "reinstate", player="p1").status_code == 303
    refused = order(organised, "suspend", player=HOSTILE, because="x")
    assert (refused.status_code, "<img" in refused.text) == (404, False)


def test_a_verdict_is_read_and_inspected_again(organised: Authored) -> None:
    number = organised.send("ann", archive())["id"]
    step = {"name": "inspection", "ok": False, "detail": HOSTILE, "fix": "", "output": ""}
    organised.kept.season.submissions.refuse(number, [step])
    page = organised.client.get(f"/admin/submissions/{number}").text
    assert "<bdi>ann</bdi>@1: refused" in page
    assert "<script>alert" not in page
    assert "Inspect ann@1 again" in organised.client.get("/admin").text
    assert order(organised, "inspect", submission=str(number)).status_code == 303
    assert "<bdi>ann</bdi>@1: received" in organised.client.get(f"/admin/submissions/{number}").text
    organised.log_in("ben")
    assert organised.client.get(f"/admin/submissions/{number}").status_code == 404


def test_an_order_is_seen_at_once_with_who_gave_it(organised: Authored) -> None:
    organised.client.get("/seasons/small")
    for verb, seen in (("suspend", True), ("reinstate", False)):
        order(organised, verb, player="p1", because="it cheats")
        page = organised.client.get("/admin").text
        assert ("Reinstate p1" in page) is seen
        assert f"<td><bdi>olga</bdi></td><td>{verb}</td><td><bdi>p1</bdi></td>" in page
    assert page.count("<bdi>@console</bdi>") == 0
