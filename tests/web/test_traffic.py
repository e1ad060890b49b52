"""What the organiser sees of requests: figures, health, and a log without queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arbiter.errors import StoreError
from arbiter.season.config import load
from arbiter.store.deliveries import Delivery
from arbiter.web.http import traffic
from arbiter.web.http.request_guard import POLICY
from tests.fixtures.site import visiting
from tests.fixtures.zoo import Kept

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.testclient import TestClient


class Lines(traffic.Log):
    """A log that keeps its lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def logged(kept: Kept, lines: Lines) -> Iterator[TestClient]:
    with visiting(kept.file, log=lines, ended={"small": 4}) as client:
        yield client


def test_the_log_has_no_queries(logged: TestClient, lines: Lines) -> None:
    logged.get("/seasons/small?player=somebody&token=secret")
    logged.get("/seasons/a%0Ab?x")
    assert [line.rpartition(" ")[0].rpartition(" ")[0] for line in lines.lines] == [
        "testclient GET /seasons/small 200",
        "testclient GET /seasons/a%0Ab 404",
    ]


def test_figures_tell_of_requests_seasons_and_coordinators(logged: TestClient) -> None:
    logged.get("/seasons/none")
    found = dict(
        line.rpartition(" ")[::2] for line in logged.get("/metrics").text.splitlines() if line[0] != "#"
    )
    assert found['arbiter_requests_total{status="404"}'] == "1"
    assert found['arbiter_season_state{season="small",state="waiting"}'] == "1"
    assert found['arbiter_season_matches{season="small"}'] == "19"
    assert found['arbiter_coordinator_exit_code{season="small"}'] == "4"
    assert found["arbiter_listeners"] == "0"


def test_figures_tell_how_far_webhooks_are(kept: Kept, lines: Lines) -> None:
    hook = "{url: 'https://n.example/', secret_file: k, events: [round]}"
    kept.file.write_text(f"{kept.file.read_text()}webhooks: [{hook}]\n")
    key, book = load(kept.file).webhooks[0].digest, kept.season.deliveries
    with visiting(kept.file, log=lines) as client:
        assert "arbiter_webhook_waiting{" not in client.get("/metrics").text
        done = book.begin(key).done
        book.prepare(key, Delivery("1d", done + 1, False, "round", "{}"))
        telling = book.begin(key).telling
        assert telling is not None
        book.postpone(key, telling, "2027-01-01T00:00:00+00:00", "2027-01-01T00:00:00+00:00", "status 500")
        kept.play()
        kept.play(0)
        found = dict(line.rpartition(" ")[::2] for line in client.get("/metrics").text.splitlines())
    named = '{season="small",webhook="1"}'
    assert found[f"arbiter_webhook_waiting{named}"] == "1"
    assert found[f"arbiter_webhook_failures{named}"] == "1"
    assert found[f"arbiter_webhook_given_up_total{named}"] == "0"


def test_health_is_that_every_store_can_be_read(logged: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (logged.get("/healthz").status_code, logged.get("/healthz").text) == (200, "ok\n")

    def failing(*_: object) -> None:
        raise StoreError("the disk failed")

    monkeypatch.setattr("arbiter.web.http.watched_seasons.POLL_SECONDS", 0.0)
    monkeypatch.setattr("arbiter.web.http.watched_seasons.read_state", failing)
    answer = logged.get("/healthz")
    assert answer.status_code == 503
    assert "disk" not in answer.text
    assert 'state="unreadable"} 1' in logged.get("/metrics").text


def test_a_request_to_read_has_no_body(logged: TestClient) -> None:
    assert logged.request("GET", "/seasons", content=b"x").status_code == 400


def test_our_own_failure_is_a_page_under_the_policy(
    logged: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.season.snapshot.season_figures.standings", lambda *_: 1 / 0)
    answer = logged.get("/seasons/small")
    assert answer.status_code == 500
    assert answer.headers["content-security-policy"] == POLICY
    assert "division" not in answer.text
