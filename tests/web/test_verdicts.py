"""Whether a version plays, and what keeps it from that: verdict, own page, version's page and standings agree."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.contest.submissions.author_accounts import hash_of
from arbiter.season.administration import reinstate, suspend
from arbiter.web.api.authors import FAULTS
from arbiter.web.http import watched_seasons
from tests.fixtures.site import proof, visiting
from tests.season.test_roster import CONFIG, OWN, REASON, Contest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.testclient import TestClient

pytestmark = pytest.mark.slow

BASE = "/api/v1/seasons/s"
PLAYS = "plays from round 3 on"
BY_ORDER = "does not play: ann is suspended by an organiser, who alone can end the suspension: asked the web"
BY_FAULTS = f"does not play: {REASON}; a new version that is accepted will"


class Told:
    """What ann is told by API and pages of her contest."""

    def __init__(self, contest: Contest, client: TestClient) -> None:
        self.contest, self.client = contest, client
        contest.opened_season.stored.authors.set_token("ann", hash_of("secret"), "test")
        self._headers = {"Authorization": "Bearer secret"}
        form = {"proof": proof(client.get("/login")), "token": "secret"}
        assert client.post("/login", data=form).status_code == 303

    def version(self, number: int) -> tuple[dict[str, Any], str]:
        """What everybody says of a version: as JSON, and in words."""
        listed = self.client.get(f"{BASE}/submissions", headers=self._headers).json()["submissions"]
        (mine,) = [one for one in listed if one["version"] == number]
        one = self.client.get(f"{BASE}/submissions/{mine['id']}", headers=self._headers).json()
        one.pop("steps")
        assert one == mine
        page = self.client.get(f"/me/submissions/{mine['id']}").text
        assert f">It {one['say']}.</p>" in page
        own = self.client.get("/me").text.partition("<h2>Send a program</h2>")[0]
        standings = self.client.get(f"{BASE}/standings").json()
        out = standings["suspended"].get(f"ann@{number}")
        assert out == one["suspended"]
        assert ("Suspended: " in own) is bool(standings["suspended"])
        assert (out or "") in own
        if self.contest.opened_season.stored.rounds():
            shown = self.client.get(f"/seasons/s/players/ann%40{number}").text
            assert ("Suspended:" in shown) is (out is not None)
        return one, one["say"]


@contextmanager
def open_site(contest: Contest) -> Iterator[Told]:
    with visiting(contest.file, follow_redirects=False) as client:
        yield Told(contest, client)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has happened is seen at once."""
    monkeypatch.setattr(watched_seasons, "POLL_SECONDS", 0.0)


@pytest.fixture
def faulty(tmp_path: Path) -> Contest:
    """A contest whose author ann has a version that is suspended for its faults."""
    contest = Contest(tmp_path)
    contest.accept("ann")
    for _ in range(2):
        contest.play(faulty="ann@1")
    return contest


def test_a_new_version_after_faults_plays_and_all_say_so(faulty: Contest) -> None:
    with open_site(faulty) as ann:
        assert ann.version(1)[1] == BY_FAULTS
        faulty.accept("ann", "new")
        assert ann.version(2)[1] == PLAYS
        assert ann.version(1)[1] == "does not play: another version does"
        assert "ann@2" in faulty.plan()


def test_a_new_version_after_an_order_does_not_play_and_all_say_why(faulty: Contest) -> None:
    with open_site(faulty) as ann:
        faulty.accept("ann", "new")
        suspend(faulty.opened_season.results, "ann", "asked the web")
        shape, say = ann.version(2)
        assert (say, shape["suspended"], shape["joins_round"]) == (BY_ORDER, "asked the web", 3)
        faulty.accept("ann", "newer")
        assert ann.version(3)[1] == BY_ORDER
        assert "ann@3" not in faulty.plan()
        reinstate(faulty.opened_season.results, "ann")
        assert ann.version(3)[1] == "plays from round 4 on"


def test_a_suspension_that_is_over_leaves_the_first_round_of_a_version_as_it_was(faulty: Contest) -> None:
    with open_site(faulty) as ann:
        faulty.accept("ann", "new")
        faulty.play()
        suspend(faulty.opened_season.results, "ann", "asked the web")
        faulty.play()
        reinstate(faulty.opened_season.results, "ann")
        shape, say = ann.version(2)
        assert (say, shape["joins_round"]) == (PLAYS, 3)


def test_what_came_too_late_does_not_play(tmp_path: Path) -> None:
    contest = Contest(tmp_path, CONFIG + OWN)
    contest.accept("ann")
    contest.play()
    contest.accept("ann", "late")
    contest.opened_season.stored.publish_seed(1)
    with open_site(contest) as ann:
        shape, say = ann.version(2)
        assert (say, shape["joins_round"]) == ("does not play: the season is over", None)


def test_an_earlier_version_goes_on_being_suspended_for_its_faults(faulty: Contest) -> None:
    with open_site(faulty) as ann:
        faulty.accept("ann", "new")
        faulty.play()
        faulty.opened_season.stored.submissions.activate(1, "ann", 9)
        assert ann.version(1)[1] == BY_FAULTS
        faulty.play()
        assert ann.version(1)[1] == BY_FAULTS


def test_while_results_are_held_back_it_is_not_told_after_how_many_matches(tmp_path: Path) -> None:
    contest = Contest(tmp_path, f"freeze: 9\n{CONFIG}{OWN}")
    contest.accept("ann")
    contest.opened_season.stored.freeze(0)
    for _ in range(2):
        contest.play(faulty="ann@1")
    with open_site(contest) as ann:
        listed = ann.client.get(f"{BASE}/submissions", headers={"Authorization": "Bearer secret"}).json()
    (mine,) = listed["submissions"]
    assert mine["suspended"] == FAULTS
    assert mine["say"] == f"does not play: {FAULTS}; a new version that is accepted will"
    assert mine["joins_round"] is None


def test_what_is_not_accepted_does_not_play(faulty: Contest) -> None:
    with open_site(faulty) as ann:
        waiting = faulty.send("ann", "waiting")
        assert faulty.opened_season.stored.submissions.one(waiting.id) == waiting
        shape = ann.client.get(f"{BASE}/submissions/{waiting.id}", headers={"Authorization": "Bearer secret"})
        assert shape.json()["say"] == "is being inspected, or waits for its inspection"
        faulty.opened_season.stored.submissions.refuse(waiting.id, [])
        assert ann.version(2)[1] == "does not play: fix what failed, and send it again"
