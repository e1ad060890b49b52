"""Matches asked for by page and API: what their author sees of them, and that nobody else does."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.contest.requests.request_worker import RequestWorker
from arbiter.contest.service_loop import Turns
from arbiter.season.config import load
from tests.contest.requests.asked import RandomMatches
from tests.fixtures.site import Authored, authored, proof
from tests.fixtures.zoo import copied

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fixtures.zoo import Kept

TERMS = "submissions: {per_day: 9}\nrequests: {per_day: 4, per_hour: 3}\n"
ASK = "/api/v1/seasons/small/requests"
PAGE = "/seasons/small/requests"


@contextmanager
def taking_requests(kept: Kept) -> Iterator[Authored]:
    """A site of a season with two versions of ann's and one of ben's."""
    with authored(kept, TERMS) as site:
        for name, text in (("ann", "1"), ("ann", "2"), ("ben", "3")):
            site.accept(name, text)
        yield site


@pytest.fixture
def asking(kept: Kept) -> Iterator[Authored]:
    with taking_requests(kept) as site:
        yield site


def ask(site: Authored, name: str = "ann", **what: Any) -> Any:
    wish = {"kind": "match", "version": 2, "against": ["p1"], **what}
    return site.client.post(ASK, json=wish, headers=site.headers(name))


def work(site: Authored) -> None:
    config = load(site.kept.file)
    RequestWorker([config], RandomMatches(), Turns(), pytest.fail).work(until_empty=True)


def get(site: Authored, path: str, name: str = "ann") -> Any:
    return site.client.get(f"{ASK}{path}", headers=site.headers(name))


def test_a_match_is_asked_for_and_its_results_are_there(asking: Authored) -> None:
    answer = ask(asking)
    assert answer.status_code == 202
    made = answer.json()
    assert (made["state"], made["place"], made["waiting"]) == ("waiting", 1, 1)
    assert made["say"] == "waits for its turn"
    assert made["eta_s"] > 0
    work(asking)
    found = get(asking, f"/{made['id']}").json()
    assert (found["state"], found["played"], found["place"], found["waiting"]) == ("done", 4, None, None)
    assert found["score"] == found["outcome"]["score"]
    assert [match["id"] for match in found["matches"]] == [f"r001/t01/m{n}" for n in range(4)]
    assert re.fullmatch(r"won [\d.]+ % of 12 results", found["say"])
    listed = get(asking, "").json()
    assert ([one["id"] for one in listed["requests"]], listed["left"]) == ([made["id"]], 2)


def test_the_place_among_the_waiting_is_shown(asking: Authored) -> None:
    for _ in range(2):
        ask(asking)
    second, first = get(asking, "").json()["requests"]
    assert [(one["place"], one["waiting"]) for one in (first, second)] == [(1, 2), (2, 2)]
    asking.log_in("ann")
    assert "2nd of 2 waiting, done in about" in asking.client.get("/me").text


def test_what_cannot_be_played_is_refused_with_what_can(asking: Authored) -> None:
    error = ask(asking, against=["ben"]).json()["error"]
    assert (error["code"], error["message"]) == (
        "invalid",
        "against: 'ben' is another author's; this season does not allow that",
    )
    assert ask(asking, kind="war").status_code == 422
    assert ask(asking, version=True).status_code == 422
    assert ask(asking, surprise=1).status_code == 422
    assert ask(asking, against=["p1"] * 65).status_code == 422
    assert get(asking, "").json()["left"] == 3


def test_a_quota_says_its_limit_and_when_it_ends(asking: Authored) -> None:
    for _ in range(3):
        assert ask(asking).status_code == 202
    answer = ask(asking)
    assert answer.status_code == 429
    error = answer.json()["error"]
    assert (error["limit"], answer.headers["retry-after"]) == (3, str(error["seconds"]))
    assert error["message"] == ("at most 4 requests in 24 hours and 3 in one hour: the next one in 1 h")
    assert ask(asking, "ben", version=1).status_code == 202


def test_a_request_is_cancelled_by_its_author(asking: Authored) -> None:
    number = ask(asking).json()["id"]
    for name, status in (("ben", 404), ("olga", 404), ("ann", 200), ("ann", 409)):
        assert asking.client.delete(f"{ASK}/{number}", headers=asking.headers(name)).status_code == status
    assert get(asking, f"/{number}").json()["state"] == "cancelled"


def test_a_season_that_takes_no_requests_says_so(kept: Kept) -> None:
    with authored(kept) as site:
        site.accept("ann")
        assert ask(site, version=1).json()["error"]["message"] == "this season accepts no requests"
        site.log_in("ann")
        assert "Ask for matches" not in site.client.get("/me").text


@pytest.fixture(scope="module")
def over(original_season: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Authored, int]]:
    """A site with a request of ann's that is over, which nobody changes."""
    with (
        copied(original_season, tmp_path_factory.mktemp("over") / "kept") as kept,
        taking_requests(kept) as site,
    ):
        number = ask(site, kind="gauntlet", against=["p1", "ann@1"]).json()["id"]
        work(site)
        yield site, number


@pytest.fixture
def done(over: tuple[Authored, int]) -> tuple[Authored, int]:
    """The same for a visitor who is not logged in."""
    over[0].client.cookies.clear()
    return over


PUBLIC = ("", "/standings", "/matches", "/crosstable", "/history", "/rounds/1", "/boards/1", "/live", "/players/p1",
          "/matches/r001-t02-m0", "/feed.atom", "/players/p1/feed.atom", "/standings.csv")  # fmt: skip


def test_nothing_that_the_public_sees_tells_of_a_request(
    asking: Authored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.web.http.watched_seasons.POLL_SECONDS", 0.0)

    def seen() -> list[bytes]:
        places = [f"{base}/seasons/small{end}" for end in PUBLIC for base in ("", "/api/v1")]
        return [asking.client.get(place).content for place in ("/seasons", "/api/v1/seasons", *places)]

    before = seen()
    number = ask(asking, kind="gauntlet", against=["p1", "ann@1"]).json()["id"]
    work(asking)
    assert get(asking, f"/{number}").json()["state"] == "done"
    assert seen() == before


def test_a_log_tells_of_own_seats_alone(done: tuple[Authored, int]) -> None:
    site, number = done
    text = get(site, f"/{number}/matches/r001-t01-m0/log").text
    heads = re.findall(r"^match r001/t01/m0, seat \d: (\S+)$", text, re.MULTILINE)
    assert {head.partition("@")[0] for head in heads} == {"ann"}


def test_in_a_test_the_log_is_that_of_the_authors_role(kept: Kept) -> None:
    with authored(kept, TERMS.replace("3}", "3, against: all}")) as site:
        for name in ("ann", "ben"):
            site.accept(name)
        number = ask(site, kind="regress", version=1, against=["ben"], matches=4).json()["id"]
        work(site)
        text = get(site, f"/{number}/matches/b0001-m0/log").text
        assert set(re.findall(r"seat \d: (\w+)", text)) == {"candidate"}


def test_the_form_asks_and_cancels(asking: Authored) -> None:
    asking.log_in("ann")
    me = asking.client.get("/me")
    assert "3 more now" in me.text
    form = {"proof": proof(me), "kind": "gauntlet", "version": "2", "against": "p1, ann@1", "matches": ""}
    answer = asking.client.post("/me/requests", data=form)
    assert answer.status_code == 303
    page = asking.client.get(answer.headers["location"])
    assert "Cancel it" in page.text
    assert "It is next in the queue" in page.text
    cancelled = asking.client.post(
        f"/me/requests/{answer.headers['location'].rpartition('/')[2]}/cancel", data={"proof": proof(page)}
    )
    assert "It was cancelled" in asking.client.get(cancelled.headers["location"]).text
    wrong = asking.client.post("/me/requests", data={**form, "against": "<b>nobody"})
    assert (wrong.status_code, "&lt;b&gt;nobody" in wrong.text) == (422, True)
    assert asking.client.post("/me/requests", data={**form, "proof": "0" * 64}).status_code == 403
    assert asking.client.post("/me/requests", data={**form, "version": "²"}).status_code == 422


def test_a_page_says_what_came_of_a_request(done: tuple[Authored, int]) -> None:
    site, number = done
    site.log_in("ann")
    page = site.client.get(f"{PAGE}/{number}").text
    assert "Gauntlet of <bdi>ann@2</bdi>" in page
    assert "done <time" in page
    assert f'href="{PAGE}/{number}/matches/r001-t01-m0"' in page
    match = site.client.get(f"{PAGE}/{number}/matches/r001-t01-m0").text
    assert f'data-url="{PAGE}/{number}/matches/r001-t01-m0/replay"' in match
    assert "console --config" not in match
    assert 'href="/seasons/small/standings"' in match
    assert site.client.get(f"{PAGE}/{number}/players/p1").headers["location"] == "/seasons/small/players/p1"
    for odd in ("/standings", "/matches/r9-t9-m9", "/boards/7", "/boards/x", "/history"):
        assert site.client.get(f"{PAGE}/{number}{odd}").status_code == 404, odd
    assert site.client.get(f"{PAGE}/0").status_code == 404


def test_a_request_stays_with_its_score_when_the_store_of_its_matches_is_removed(asking: Authored) -> None:
    numbers = []
    for _ in range(2):
        numbers.append(ask(asking).json()["id"])
        work(asking)
        assert len(get(asking, f"/{numbers[-1]}").json()["matches"]) == 4
        asking.kept.file.with_name("small.requests.sqlite").unlink()
        found = get(asking, f"/{numbers[-1]}").json()
        assert (found["state"], found["matches"]) == ("done", [])
        assert found["score"] is not None
