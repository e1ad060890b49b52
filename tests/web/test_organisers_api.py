"""Orders of organisers: given with a token of theirs alone, and logged with who gave them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from arbiter.errors import ConfigError
from arbiter.season import administration
from arbiter.season.administration import BadReason
from arbiter.season.season import Season
from tests.fixtures.site import Authored, archive

if TYPE_CHECKING:
    from httpx2 import Response

BASE = "/api/v1/seasons/small"


def order(site: Authored, end: str, who: str = "olga", **body: Any) -> Response:
    return site.client.post(BASE + end, json=body or None, headers=site.headers(who))


def deeds(site: Authored) -> list[tuple[str, str, str]]:
    found = site.client.get(f"{BASE}/audit", headers=site.headers("olga")).json()["audit"]
    assert set(found[0]) == {"moment", "who", "verb", "subject", "because"}
    return [(one["who"], one["verb"], one["subject"]) for one in found]


def test_head_is_get_without_a_body(site: Authored) -> None:
    headers = site.headers("olga")
    for address in (f"{BASE}/audit", "/api/v1/audit", f"{BASE}/submissions", BASE):
        whole, head = (site.client.request(verb, address, headers=headers) for verb in ("GET", "HEAD"))
        assert (head.status_code, head.content, head.headers) == (200, b"", whole.headers)
    assert site.client.head(f"{BASE}/events").status_code == 405, "news without end have none"


def test_a_season_is_paused_and_resumed(site: Authored) -> None:
    stored = site.kept.season
    assert order(site, "/pause").json()["paused"] is not None
    assert stored.is_asked_to_stop()
    stored.ask_to_stop(False)
    assert stored.is_asked_to_stop()
    order(site, "/pause")
    assert order(site, "/resume").json()["paused"] is None
    assert not stored.is_asked_to_stop()
    assert deeds(site)[:2] == [("olga", "resume", ""), ("olga", "pause", "")]


def test_what_is_asked_is_accepted_once(site: Authored) -> None:
    site.kept.season.running.ask("5e55", "time: 60s -> 30s")
    assert order(site, "/accept").json() == {"accepted": "time: 60s -> 30s"}
    assert deeds(site)[0] == ("olga", "accept", "5e55")
    refused = order(site, "/accept")
    assert (refused.status_code, refused.json()["error"]["message"]) == (409, "there is nothing to accept")


def test_a_closed_season_takes_nothing_and_plans_no_round(site: Authored) -> None:
    assert order(site, "/close").json()["closed"] is not None
    refused = site.put("ann", archive())
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "closed")
    opened_season = Season(site.kept.config, site.kept.season)
    begun = opened_season.rounds.plan()
    # The round under way is played to its end.
    assert begun is not None
    assert begun.stored.number == 3


def test_a_player_is_suspended_and_reinstated(site: Authored) -> None:
    assert order(site, "/players/p1/suspend", because="it cheats").json()["subjects"] == ["p1"]
    standings = site.kept.season.standings(2)
    assert standings is not None
    assert standings["suspended"]["p1"] == "it cheats"
    again = order(site, "/players/p1/suspend", because="x")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "conflict")
    assert order(site, "/players/p1/reinstate").status_code == 200
    assert deeds(site)[:2] == [("olga", "reinstate", "p1"), ("olga", "suspend", "p1")]


@pytest.mark.parametrize("words", ["the reason is empty", "p1 is suspended already", ""])
def test_an_order_is_refused_by_what_is_wrong_and_not_by_its_words(
    site: Authored, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    for error, told in ((BadReason(words), (422, "invalid")), (ConfigError(words), (409, "conflict"))):
        monkeypatch.setattr(administration, "suspend", Mock(side_effect=error))
        refused = order(site, "/players/p1/suspend", because="x")
        assert (refused.status_code, refused.json()["error"]["code"]) == told


def test_the_log_is_told_page_by_page_and_filtered(site: Authored) -> None:
    for name in ("p1", "p2", "p3"):
        order(site, f"/players/{name}/suspend", because="x")
    headers = site.headers("olga")

    def read_log(**query: str | int | None) -> tuple[list[str], int | None]:
        found = site.client.get(f"{BASE}/audit", params=query, headers=headers).json()
        assert found == site.client.get("/api/v1/audit", params=query, headers=headers).json()
        return [one["subject"] for one in found["audit"]], found["next"]

    first, cursor = read_log(limit=2, who="olga")
    assert first == ["p3", "p2"]
    assert read_log(limit=2, who="olga", cursor=cursor) == (["p1"], None)
    assert read_log(what="add") == (["olga", "ben", "ann"], None)
    assert read_log(who="nobody") == ([], None)
    assert read_log(who="a\0") == ([], None)
    assert site.client.get(f"{BASE}/audit?cursor=-1", headers=headers).status_code == 422
    assert site.client.get(f"{BASE}/audit?cursor={10**30}", headers=headers).status_code == 422


def test_an_author_is_suspended_under_every_version(site: Authored) -> None:
    assert order(site, "/players/ann%403/suspend", because="it cheats").json()["subjects"] == ["ann"]


def test_a_match_is_annulled_once_it_was_looked_at(site: Authored) -> None:
    end = "/matches/r001-t02-m0/annul"
    looked = order(site, end, because="power cut", preview=True).json()
    assert looked["standings"]
    assert site.kept.season.orders.read().given == ()
    done = order(site, end, because="power cut").json()
    assert done == looked
    (given,) = site.kept.season.orders.read().given
    assert (given.subject, given.because) == ("r001/t02/m0", "power cut")
    assert deeds(site)[0] == ("olga", "annul", "r001/t02/m0")


def test_a_refused_submission_is_inspected_again(site: Authored) -> None:
    number = site.send("ann", archive())["id"]
    end = f"/submissions/{number}/inspect"
    assert order(site, end).status_code == 409
    site.kept.season.submissions.refuse(number, [{"name": "inspection", "ok": False}])
    answer = order(site, end).json()
    assert (answer["state"], answer["steps"]) == ("received", [])
    assert deeds(site)[0] == ("olga", "inspect", "ann@1")
    assert order(site, "/submissions/99/inspect").status_code == 404
    site.kept.season.submissions.refuse(number, [])
    site.kept.season.submission_files.expire_archives("2999")
    gone = order(site, end)
    assert (gone.status_code, gone.json()["error"]["message"]) == (409, "ann@1 has no archive any more")


@pytest.mark.parametrize(
    ("end", "body", "status", "said"),
    [
        ("/players/nobody/suspend", {"because": "x"}, 404, "no player 'nobody'"),
        *(("/players/p1/suspend", {"because": reason}, 422, "") for reason in (" ", "x" * 501, "x\0")),
        ("/players/p1/suspend", {"why": "x"}, 422, ""), ("/players/p1/reinstate", {}, 409, ""),
        ("/matches/r009-t01-m0/annul", {"because": "x"}, 404, "there is no match 'r009/t01/m0'"),
        ("/matches/r001-t02-m0/annul", {"because": ""}, 422, ""),
    ],
)  # fmt: skip
def test_wrong_orders_change_nothing_and_name_what_is_not_there(
    site: Authored, end: str, body: dict[str, str], status: int, said: str
) -> None:
    before = site.kept.season.last_change()
    refused = order(site, end, **body)
    assert (refused.status_code, said in refused.json()["error"]["message"]) == (status, True)
    assert site.kept.season.last_change() == before


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", b"because"), ("application/json", b"[]"),
        ("application/x-www-form-urlencoded", b'{"because": "x"}'),
        ("application/json", b'{"because": "\\ud800"}'),
    ],
)  # fmt: skip
def test_a_body_that_is_no_json_object_of_texts_is_named(site: Authored, kind: str, body: bytes) -> None:
    headers = {**site.headers("olga"), "content-type": kind}
    answer = site.client.post(f"{BASE}/players/p1/suspend", content=body, headers=headers)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, "invalid")
    if b"ud800" not in body:
        hint = "send one with Content-Type: application/json"
        assert (error["message"], error["hint"]) == ("expected a JSON object as the body", hint)
