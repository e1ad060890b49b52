"""Visitors at tables with house bots: what they are told, how many there may be, and what it costs the others."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import time
import urllib.request
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import MalformedReply
from arbiter.match.exchange import Reply
from arbiter.match.protocol import NONE
from arbiter.match.record import Fault
from arbiter.replay.result_text import say_own_place
from arbiter.sandbox.forkserver.bot import descendants_of
from arbiter.sandbox.player_command import register
from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.table.interactive.occupants import RandomPlayer, SeatCommand
from arbiter.table.interactive.session import Session
from arbiter.table.single_bot import RawReply
from arbiter.web.http import concurrency_limits
from arbiter.web.http import http_server as serving_module
from arbiter.web.http.watched_seasons import Seasons
from arbiter.web.pages import visitor_tables as module
from arbiter.web.pages.visitor_tables import Offer, Tables, offer_of
from arbiter.web.pages.visitor_turns import in_second_person
from arbiter.web.site import make_site
from tests.fixtures.client import Client
from tests.fixtures.commands import RANDOM
from tests.fixtures.round_processes import assert_all_end, watched
from tests.fixtures.served_site import PATIENCE, serving
from tests.fixtures.site import Asked, ask
from tests.fixtures.zoo import SEED, Kept

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fixtures.commands import Run

BELOW = "/seasons/small/table"
VERBS = ["new", "state", "replay", "decide", "luck", "leave"]


class InMemory(RandomPlayer):
    """A house bot without a process."""

    def __init__(self, title: str, *_: object) -> None:
        self.title = title


class Broken(InMemory):
    """Answers requests with what is no reply."""

    def reply_to(self, line: SeatCommand) -> RawReply:
        if not line.command.startswith("gen_"):
            return super().reply_to(line)
        return RawReply(b"x", Reply(NONE, 0, 0, fault=MalformedReply(Fault.MALFORMED, "secret words", b"x")))


class Site:
    """A site with three tables, and what is posted there."""

    def __init__(self, kept: Kept) -> None:
        self._seasons = Seasons([kept.file])
        offer = offer_of(load(kept.file))
        assert offer is not None
        self.tables = Tables({"small": offer}, 3, os.sched_getaffinity(0))
        self.app = make_site(self._seasons, tables=self.tables)
        self.key = ""

    def at(self, address: str) -> Client:
        """A visitor's browser."""
        return Client(self.app, client=(address, 1))

    def ask(
        self, verb: str, body: object = None, key: str | None = None, address: str = "10.0.0.1"
    ) -> tuple[int, Any]:
        headers = {"X-Table": self.key if key is None else key}
        answer = self.at(address).post(f"{BELOW}/{verb}", json={} if body is None else body, headers=headers)
        return answer.status_code, answer.json()

    def post(self, verb: str, body: object = None) -> Any:
        status, told = self.ask(verb, body)
        assert status == 200, told
        return told

    def begin(self) -> Any:
        """A table at the visitor's first turn, or at the end."""
        self.key = self.post("new")["key"]
        return self.post("state", {"after": 0})

    def close(self) -> None:
        self.tables.close()
        self._seasons.close()


@pytest.fixture
def site(shown: Kept, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(module, "ProcessBot", InMemory)
    monkeypatch.setattr(module, "START_SECONDS", 0)
    monkeypatch.setattr(Session, "patience", 60.0)
    made = Site(shown)
    yield made
    made.close()


def play_on(site: Site, state: Any) -> Any:
    """Play the first legal word at each turn; the last state."""
    while not state["over"]:
        assert state["to_act"] == state["seat"]
        state = site.post("decide", {"word": state["legal"][0]})
        state = site.post("state", {"after": state["revision"] - 1})
    return state


def test_a_visitor_plays_a_match_to_its_end(site: Site) -> None:
    state = site.begin()
    assert state["players"].count("you") == 1
    assert state["players"][state["seat"]] == "you"
    assert set(state["players"]) == {"you", "random", "random#2", "random#3"}
    state = play_on(site, state)
    assert len(state["result"]["points"]) == 4
    replay = site.post("replay")
    assert replay["result"]["points"] == state["result"]["points"]
    assert len({str(player["mark"]) for player in replay["players"]}) == 4
    assert site.post("leave") == {"left": True}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<ann> passes. <you> plays the ace. <you> takes the trick.", "<ann> passes. You play the ace. You take the trick."),
        ("<you> passes. <ann> gives <you> 2 hidden.", "You pass. <ann> gives <you> 2 hidden."),
        ("<you> is first and becomes Chef, then <ann>.", "You are first and become Chef, then <ann>."),
        ("<you> as landlord beats <ann>. Deal 2 is over: <you> 4, <ann> 3.", "You as landlord beat <ann>. Deal 2 is over: <you> 4, <ann> 3."),
        ("<you> took what it declared.", "You took what you declared."),
        ("<you>: 5 bid with clubs as trump, 3 made: failed.", "You: 5 bid with clubs as trump, 3 made: failed."),
    ],
)  # fmt: skip
def test_a_visitor_is_addressed_in_the_second_person(text: str, shown: str) -> None:
    isolates = str.maketrans("<>", "\u2068\u2069")
    assert in_second_person(text.translate(isolates)) == shown.translate(isolates)


def test_a_visitor_that_loses_reads_its_own_place() -> None:
    said = say_own_place(["ann", "you", "ben"], (17, 7, 9), 1)
    assert said == "You come third with 7 points, 10 behind \u2068ann\u2069"
    partners = say_own_place(["ann", "you", "ben", "cy"], (9, 7, 9, 7), 1, (0, 1, 0, 1))
    assert partners.startswith("You come second")


def test_a_finished_match_is_open_and_its_cards_can_be_played_again(site: Site) -> None:
    state = play_on(site, site.begin())
    (hands,) = [deal["hands"] for deal in site.post("replay", {"open": True})["deals"]][:1]
    assert None not in hands and None in site.post("replay")["deals"][0]["hands"]
    advised = site.post("luck")["advice"]
    answers = [event for event in site.post("replay", {"open": True})["events"] if event["t"] == "answer"]
    own = [event for event in answers if event["seat"] == state["seat"]]
    assert (advised["by"], len(advised["answers"])) == ("random", len(own))
    first, site.key = site.key, ""
    assert site.ask("new", {"again": first})[0] == 422
    site.key = first
    site.post("leave")
    site.key = site.post("new", {"again": first})["key"]
    assert site.post("state")["seat"] == state["seat"]
    assert site.post("replay")["deals"][0]["hands"][state["seat"]] == hands[state["seat"]]


def test_what_the_cards_were_worth_is_told_once_the_match_is_over(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def value(judges: Any, _: Any, game: Any, deals: Any, points: Any, seat: int) -> str:
        asked.append(([judge.name for judge in judges], game.name, len(deals), points, seat))
        return "the cards were good"

    monkeypatch.setattr(module, "luck_text", value)
    state = site.begin()
    assert site.ask("luck")[0] == 422
    state = play_on(site, state)
    assert state["luck"] is None and asked == []
    for _ in range(2):
        assert site.post("luck")["luck"] == "the cards were good"
    points = tuple(state["result"]["points"])
    assert asked == [(["random"], "planning", len(site.post("replay")["deals"]), points, state["seat"])]


def test_a_visitor_chooses_who_it_plays_against(site: Site) -> None:
    offer = site.tables.offers["small"]
    second = replace(offer.house[0], name="second")
    site.tables.offers = {"small": offer._replace(house=(*offer.house, second))}
    assert site.ask("new", {"against": ["nobody"]})[0] == 422
    assert site.ask("new", {"against": "second"})[0] == 422
    status, told = site.ask("new", {"against": ["second", "second", "random"]})
    assert status == 200
    assert sorted(told["players"]) == ["random", "second", "second#2", "you"]
    page = site.at("10.0.0.1").get(BELOW).text
    assert page.count("<select>") == 3
    assert page.count('<option value="second"') == 3


def test_a_visitor_sees_with_the_eyes_of_one_seat_cards_that_are_not_the_seasons(site: Site) -> None:
    state = site.begin()
    replay = site.post("replay")
    assert replay["reader"] == f"seat:{state['seat']}"
    assert [hand is not None for hand in replay["deals"][0]["hands"]] == [
        seat == state["seat"] for seat in range(4)
    ]
    seen = site.tables.find("small", site.key).session.seen
    assert seen is not None
    assert (seen.setup.seed != SEED, len(seen.setup.seed)) == (True, 32)
    for told in (str(state), str(replay)):
        assert seen.setup.seed not in told
        assert "seed" not in told


def test_nobody_decides_out_of_turn_or_against_the_rules(site: Site) -> None:
    state = site.begin()
    for word in ("", "99", "\x00", "x" * 1000):
        assert site.ask("decide", {"word": word})[0] == 422
    assert site.ask("decide", {"word": 1})[0] == 422
    assert site.post("state")["made"] == state["made"]
    play_on(site, state)
    assert site.ask("decide", {"word": "0"})[0] == 422


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_posted_by_the_page_of_its_table_alone(site: Site, verb: str) -> None:
    site.begin()
    browser, address = site.at("10.0.0.1"), f"{BELOW}/{verb}"
    foreign = browser.post(address, content=b"{}", headers={"content-type": "text/plain"})
    assert (foreign.status_code, "set-cookie" in foreign.headers) == (403, False)
    assert browser.options(address, headers={"origin": "http://evil.example"}).status_code == 405
    assert browser.get(address, headers={"X-Table": site.key}).status_code == 405
    for key in ("", "x", "\x7f", "x" * 1000) if verb != "new" else ():
        assert site.ask(verb, {"word": "0"}, key=key)[0] == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [*((body, 400) for body in (b"{", b"[]", b"\xff", b"[" * 4000, b'"x"')), (b" " * 100_000, 413)],
)
def test_what_is_no_object_or_too_long_is_refused(site: Site, body: bytes, status: int) -> None:
    site.begin()
    answer = site.at("10.0.0.1").post(f"{BELOW}/decide", content=body, headers={"X-Table": site.key})
    assert answer.status_code == status


def poll(key: str) -> Asked:
    """A request that waits for what does not come."""
    return Asked("POST", f"{BELOW}/state", [("x-table", key)], [b'{"after": 1000000}'])


def test_of_a_table_one_request_waits_and_keeps_nobody_out(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.begin()
    monkeypatch.setattr(concurrency_limits, "MOST", 1)

    async def polled() -> list[int]:
        first, second = poll(site.key), poll(site.key)
        asked = [asyncio.create_task(first.of(site.app))]
        await first.waiting.wait()
        assert (await Asked("GET", "/seasons").of(site.app)).status == 200
        asked.append(asyncio.create_task(second.of(site.app)))
        # The first ends since the second waits, the second since its client goes away.
        await asked[0]
        second.gone.set()
        await asked[1]
        return [first.status, second.status]

    assert asyncio.run(polled()) == [200, 200]


@pytest.mark.parametrize("verb", ["state", "decide"])
def test_of_who_has_no_table_no_body_is_taken(site: Site, verb: str) -> None:
    asked = ask(site.app, "POST", f"{BELOW}/{verb}", [("x-table", "dead")], [b"{}"])
    assert (asked.status, asked.taken) == (404, 0)


@pytest.mark.parametrize(
    ("between", "addresses", "another", "told"),
    [
        (0, ("10.0.0.1", "10.0.0.1", "10.0.0.2"), "10.0.0.3", {"limit": 3, "seconds": 30}),
        (0, ("10.0.0.1", "10.0.0.1"), "10.0.0.1", {"limit": 2}),
        (3, ("10.0.0.1", "10.0.0.2"), "10.0.0.1", {"limit": 1, "seconds": 3}),
    ],
    ids=["in all", "of an address", "one after the other"],
)
def test_there_are_so_many_tables_and_no_more(
    site: Site, monkeypatch: pytest.MonkeyPatch,
    between: int, addresses: tuple[str, ...], another: str, told: dict[str, int],
) -> None:  # fmt: skip
    monkeypatch.setattr(module, "START_SECONDS", between)
    for address in addresses:
        assert site.ask("new", key="", address=address)[0] == 200
    status, refused = site.ask("new", key="", address=another)
    assert (status, refused["error"].items() >= told.items()) == (429, True)


def ended(site: Site) -> None:
    """Wait until the visitor's table has ended, and its key means nothing."""
    visit = site.tables._visits.get(site.key)
    if visit is not None:
        assert visit.session.closed.wait(60)
    assert site.ask("state")[0] == 404


@pytest.mark.parametrize("moment", ["", "decided", "asked"])
def test_a_table_that_is_left_or_at_which_nothing_happens_is_given_up(site: Site, moment: str) -> None:
    site.begin()
    site.tables.poll()
    assert site.ask("state")[0] == 200
    if moment:
        setattr(site.tables.find("small", site.key), moment, time.monotonic() - 301)
        site.tables.poll()
    else:
        site.post("leave")
    ended(site)


def test_a_house_bot_that_fails_ends_the_match_and_is_told_to_the_organiser_alone(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    monkeypatch.setattr(module, "ProcessBot", Broken)
    monkeypatch.setattr(secrets, "randbelow", lambda _: 3)
    monkeypatch.setattr(site.tables, "_log", SimpleNamespace(write=lines.append))
    state = site.begin()
    assert (state["failed"], state["over"], state["legal"]) == (True, False, [])
    assert "secret words" not in str(state) + str(site.post("replay"))
    assert site.ask("decide", {"word": "0"})[0] == 422
    for _ in range(2):
        site.tables.poll()
    assert lines == ["small: random failed at a visitor's table: malformed: secret words"]


def test_another_season_has_no_tables(site: Site) -> None:
    answer = site.at("10.0.0.1").post("/seasons/other/table/new", json={}, headers={"X-Table": ""})
    assert answer.status_code == 404


def test_a_site_without_tables_has_no_such_page(onlooker: Client) -> None:
    assert onlooker.get(BELOW).status_code == 404
    assert onlooker.post(f"{BELOW}/new", headers={"X-Table": ""}).status_code in (404, 405)


def write_config(folder: Path) -> Path:
    """A season of four bots that are house bots, too; it has begun."""
    config = folder / "small.yaml"
    config.write_text(
        "game: {name: planning, deals: [[1, 0]]}\nisolation: plain\nhouse_bots: [p0]\nplayers:\n"
        + "".join(f"  - {{name: p{n}, command: {json.dumps(RANDOM.split())}}}\n" for n in range(4))
    )
    season = load(config)
    with closing(Store(season.store)) as store:
        Season.open(season, store)
    return config


def test_with_one_core_nobody_plays_beside_rated_matches(
    arbiter: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving_module, "split_cores", lambda: ([0], [0]))
    code, out, err = arbiter("serve", write_config(tmp_path), "--play", "--tables", "1", "--port", "0")
    assert (code, out) == (2, "")
    assert "--tables with --play needs two cores" in err


@pytest.mark.process
def test_a_signal_ends_the_site_and_the_bots_of_its_tables(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    with serving(config, "--tables", "1", folder=tmp_path) as served:
        request = urllib.request.Request(f"{served.address}seasons/small/table/new", b"{}", {"X-Table": ""})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            assert sorted(json.load(answer)["players"]) == ["p0", "p0#2", "p0#3", "you"]
        left = watched(served.process.pid)
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(PATIENCE) == 0
        assert_all_end(left)


def test_tables_need_a_house_bot(arbiter: Run, tmp_path: Path) -> None:
    config = tmp_path / "a.yaml"
    players = "".join(f"  - {{name: p{n}, command: [python3, -V]}}\n" for n in range(4))
    config.write_text(f"game: planning\nisolation: plain\nplayers:\n{players}")
    code, out, err = arbiter("serve", config, "--tables", "1", "--port", "0")
    assert (code, out) == (2, "")
    assert "no season has a house bot (give a player house: true)" in err


@pytest.mark.process
def test_house_bots_are_niced_stay_on_the_webs_core_and_leave_nothing(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Niced processes come last on a busy machine.
    monkeypatch.setattr(Session, "patience", 60.0)
    monkeypatch.setattr(module, "END_SECONDS", 60.0)
    offer = offer_of(load(kept.file))
    assert offer is not None
    words = RANDOM.split()
    core = max(os.sched_getaffinity(0))
    offer = Offer(offer.game, offer.limits, (register("random", words, Path()),))
    offer = offer._replace(limits=replace(offer.limits, isolation="plain"))
    before = set(descendants_of(os.getpid()))
    tables = Tables({"small": offer}, 1, [core])
    try:
        tables.begin("small", "10.0.0.1")
        started = set(descendants_of(os.getpid())) - before
        assert len(started) >= 3
        for pid in started:
            assert os.sched_getaffinity(pid) == {core}
            assert os.getpriority(os.PRIO_PROCESS, pid) == 19
    finally:
        tables.close()
    assert set(descendants_of(os.getpid())) <= before
