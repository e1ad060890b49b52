"""Every view of a site, each address a row: who may see it, under which headers, and that what others wrote is text."""

from __future__ import annotations

import json
import re
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from httpx2 import Cookies

from arbiter.contest.submissions.author_accounts import add_authors, invite_to, join
from arbiter.replay.match_review import Review
from arbiter.season import administration
from arbiter.season.config import load
from arbiter.season.results import SeasonResults
from arbiter.store import Store
from arbiter.trials.regression.runner import open_experiment
from arbiter.web.http.request_guard import POLICY
from arbiter.web.pages.regression_watch import Trials
from arbiter.web.views.registry import ANSWERS, VIEWS
from tests.fixtures.records import play_trial
from tests.fixtures.simulated_regression import InMemory, experiment
from tests.fixtures.site import HOSTILE, archive, authored, proof
from tests.fixtures.zoo import copied
from tests.trials.sandboxcheck.made_attack_record import made_record
from tests.web.addresses import addresses
from tests.web.test_authors_api import seat_of_ann
from tests.web.test_copies import OWN, take
from tests.web.test_requests import TERMS, ask, work

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from httpx2 import Response

    from arbiter.trials.sandboxcheck.attack_record import AttackRecord
    from tests.fixtures.site import Authored

PLAYER, PERSON, AUTHOR = "<img src=x onerror=alert(1)>/&", "<b onload=x>", "<img src=x>&'"
MARKUP = ("<script>alert", "<img src=x", "<b onload", "\u202e")
READERS = ("", "ann", "ben", "olga")
"""Nobody, an author, another author, an organiser; ann alone has anything that is not for all."""
SEASON, API = "/seasons/small", "/api/v1/seasons/small"
REQUEST_PARTS = (
    "", "/matches/r001-t01-m0", "/matches/r001-t01-m0/replay", "/matches/r001-t01-m0/log", "/boards/1",
    "/boards/1/t01", "/rounds/1",
)  # fmt: skip
ORDERS = (
    "/pause", "/resume", "/accept", "/close", "/players/p1/suspend", "/players/p1/reinstate",
    "/matches/r001-t01-m0/annul", "/submissions/1/inspect", "/announcements", "/questions/1/answer",
    "/announcements/1/correct", "/announcements/1/withdraw", "/questions/1/correct", "/questions/1/withdraw",
)  # fmt: skip
ENDLESS_OR_ABSENT = ("/events", "/integrity", "/matches/r001-t02-m0/review")
"""Answers that have no end, or that are not there: no report of who plays with whom, no review."""
FORMS = (
    "/logout", "/me/submissions", "/me/submissions/{sent}/activate", "/me/submissions/{sent}/drop", "/me/token",
    "/me/invite", "/me/leave", "/me/requests", "/me/requests/{request}/cancel", "/admin/pause", "/admin/close",
    "/admin/submissions", "/admin/announce", "/admin/answer", "/admin/correct", "/admin/withdraw", "/me/questions",
)  # fmt: skip
SAMPLES: dict[str, Any] = {"number": ["1"], "player": ["p1"], "other": ["p0"]}


class World(NamedTuple):
    """A site full of hostile texts, the numbers and names that addresses take, the cookies of who has logged in."""

    site: Authored
    named: dict[str, object]
    sessions: dict[str, Cookies]

    def get(self, address: str, who: str = "", **headers: str) -> Response:
        """What a reader is answered, by token where it is the API, else within a session."""
        self.site.client.cookies.clear()
        if who and address.startswith("/api"):
            headers |= self.site.headers(who)
        elif who:
            if who not in self.sessions:
                self.site.log_in(who)
                self.sessions[who] = Cookies(self.site.client.cookies)
            self.site.client.cookies.update(self.sessions[who])
        return self.site.client.get(address.format_map(self.named), headers=headers)


def hostile_attacks() -> AttackRecord:
    found: Any = made_record()
    for row in found["attacks"]:
        row |= dict.fromkeys(("name", "tries", "tier", "stopped_by", "harm", "skipped"), HOSTILE)
        for one in row["attempts"]:
            one["met"] = one["attempt"] = one["promised"] = HOSTILE
    found["machine"]["kernel"] = found["machine"]["processor"] = HOSTILE
    found["tiers"] = {HOSTILE: {**found["tiers"]["plain"], "say": HOSTILE}}
    for way in found["open"]:
        way |= dict.fromkeys(("channel", "whom", "say", "tier"), HOSTILE)
    return found  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def world(original_season: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("world")
    test = experiment(folder=folder, max_blocks=2, base=["/bin/sh", HOSTILE])
    with closing(Store(test.store)) as store:
        play_trial(test, open_experiment(test, store), InMemory(), 1)
    with (
        copied(original_season, folder / "kept") as kept,
        closing(Trials(test.store)) as trials,
        authored(kept, TERMS, trials=trials, attacks=hostile_attacks()) as site,
    ):
        season, results = kept.season, SeasonResults(kept.config, kept.season)
        site.tokens |= dict(add_authors(kept.config, season, [AUTHOR], False, "test"))
        join(kept.config, season, invite_to(season, "ann", 1, "test"), PERSON)
        take(site, "ann", f"x = '{HOSTILE}'\n{OWN}", "<img src=x>.py")
        take(site, "ben", f"x = '{HOSTILE}'\n{OWN}")
        sent = site.send("ann", archive())["id"]
        step = {"name": HOSTILE, "ok": False, "detail": HOSTILE, "fix": HOSTILE, "output": HOSTILE}
        season.submissions.refuse(sent, [step])
        request = ask(site, version=1, against=["p2"]).json()["id"]
        work(site)
        seat_of_ann(site, "r001/t02/m0", HOSTILE)
        administration.annul(results, ["r001/t01/m0"], HOSTILE, replay=True)
        for player in ("p1", "ann"):
            administration.suspend(results, player, HOSTILE)
        season.announcements.add(HOSTILE, "olga")
        for public in (True, False):
            asked = season.clarifications.ask("ann", "ann", HOSTILE, 9).number
            season.clarifications.answer(asked, HOSTILE, public, "olga")
        season.clarifications.ask("ann", "ann", HOSTILE, 9)
        season.voids.add("r001/t01/m0", "it was killed", ["p1", HOSTILE])
        season.running.ask("5e55", f"{HOSTILE} is new")
        kept.file.write_text(kept.file.read_text().replace("name: p5,", f"name: {json.dumps(PLAYER)},"))
        load(kept.file)
        yield World(site, {"sent": sent, "request": request, "test": test.name}, {})


PAGES = {
    **dict.fromkeys((f"{SEASON}{view}" for view in addresses((v for v in VIEWS if v.template), **SAMPLES)), READERS),
    **dict.fromkeys(("/seasons", "/login", "/join", "/tests", "/tests/{test}", "/attacks", f"{SEASON}/rounds/3"), READERS),
    "/me": ("ann", "ben", "olga"),
    "/me/submissions/{sent}": ("ann",),
    "/me/matches/r001-t02-m0/log": ("ann", "olga"),
    **dict.fromkeys((f"{SEASON}/requests/{{request}}{part}" for part in REQUEST_PARTS), ("ann", "olga")),
    **dict.fromkeys(
        ("/admin", "/admin/integrity", "/admin/submissions/{sent}", "/admin/copies/ann%401/ben%401"), ("olga",)
    ),
}  # fmt: skip
"""By address of a page who may see it."""
ANSWERED = {
    **dict.fromkeys(
        (f"{API}{view}" for view in addresses((v for v in ANSWERS.values() if v.shape is not Review), **SAMPLES)), READERS
    ),
    **dict.fromkeys(("/api/v1/seasons", "/api/v1/tests", "/api/v1/tests/{test}", "/api/v1/attacks"), READERS),
    **dict.fromkeys((f"{API}/submissions", f"{API}/requests", f"{API}/questions"), ("ann", "ben", "olga")),
    f"{API}/submissions/{{sent}}": ("ann",),
    f"{API}/matches/r001-t02-m0/log": ("ann", "olga"),
    **dict.fromkeys((f"{API}/requests/{{request}}{part}" for part in ("", *REQUEST_PARTS[2:4])), ("ann", "olga")),
    **dict.fromkeys((f"{API}/audit", "/api/v1/audit", f"{API}/copies/ann%401/ben%401"), ("olga",)),
}  # fmt: skip
"""The same of the API."""
SCRIPT, IMAGE, BOLD = "&lt;script&gt;alert(1)", "&lt;img src=x", "&lt;b onload=x&gt;"
SHOWN = (
    ("/me", SCRIPT, 6), (SEASON, SCRIPT, 3), ("/seasons", SCRIPT, 2), ("/me", BOLD, 1), ("/me/submissions/{sent}", SCRIPT, 4), ("/admin", SCRIPT, 5), ("/admin", IMAGE, 1),
    ("/admin", BOLD, 1), ("/admin/submissions/{sent}", SCRIPT, 4), ("/admin/copies/ann%401/ben%401", SCRIPT, 2),
    ("/admin/copies/ann%401/ben%401", IMAGE, 1), ("/attacks", SCRIPT, 8), ("/tests/{test}", SCRIPT, 1),
    (f"{SEASON}/matches", IMAGE, 1), (f"{SEASON}/players/p1", SCRIPT, 1), (f"{SEASON}/standings", SCRIPT, 1),
)  # fmt: skip
"""Hostile texts as they stand on pages, and how often at least."""


@pytest.mark.parametrize("who", READERS)
def test_a_page_is_for_its_readers_alone_and_runs_nothing_that_others_wrote(world: World, who: str) -> None:
    for address, readers in PAGES.items():
        answer = world.get(address, who)
        wanted = 200 if who in readers else 404 if who else 303
        assert answer.status_code == wanted, address
        if wanted == 303:
            assert answer.headers["location"] == "/login"
        assert answer.headers["content-security-policy"] == POLICY, address
        assert answer.headers["x-content-type-options"] == "nosniff", address
        if readers != READERS:
            assert (answer.headers["cache-control"], "etag" in answer.headers) == ("no-store", False), address
        if answer.headers.get("content-type", "").startswith("text/html"):
            assert not re.search(r"<style|\sstyle=|<script(?![^>]* src=)", answer.text), address
            assert not [mark for mark in MARKUP if mark in answer.text], address


def test_hostile_texts_are_shown_as_texts(world: World) -> None:
    for address, text, count in SHOWN:
        page = world.get(address, "ann" if "ann" in PAGES[address] else "olga").text
        assert page.count(text) >= count, (address, text)


@pytest.mark.parametrize("who", READERS)
def test_an_answer_is_for_its_readers_alone(world: World, who: str) -> None:
    for address, readers in ANSWERED.items():
        answer = world.get(address, who)
        assert answer.status_code == (200 if who in readers else 404 if who else 401), address
        kind = (
            "text/plain; charset=utf-8" if address.endswith("/log") and who in readers else "application/json"
        )
        assert answer.headers["content-type"] == kind, address
        if readers != READERS:
            assert (answer.headers["cache-control"], "etag" in answer.headers) == ("no-store", False), address


def test_what_is_swept_is_what_is_documented(world: World) -> None:
    others = "/submissions/1/activate", "/authors/ann/submissions"
    asked = {*ANSWERED, *(f"{API}{end}" for end in (*ORDERS, *others, *ENDLESS_OR_ABSENT))}
    forms = {
        path: re.sub(r"{\w+}", "[^/]+", path)
        for path in world.site.client.get("/api/v1/openapi.json").json()["paths"]
    }
    found = {
        address: {path for path, form in forms.items() if re.fullmatch(f"/api/v1{form}", address)}
        for address in asked
    }
    assert [address for address, paths in found.items() if not paths] == []
    assert set().union(*found.values()) == set(forms)


def test_a_list_of_versions_is_of_the_own_ones(world: World) -> None:
    own = {who: world.get(f"{API}/submissions", who).json()["submissions"] for who in ("ann", "ben")}
    assert {who: [one["version"] for one in listed] for who, listed in own.items()} == {
        "ann": [2, 1],
        "ben": [1],
    }


def facts(answer: Response) -> str:
    """All that tells answers apart, but for figures that are measured."""
    return str((answer.status_code, answer.text, sorted(answer.headers)))


@pytest.mark.parametrize(("table", "denied"), [(PAGES, 303), (ANSWERED, 401)])
def test_what_is_not_for_a_reader_is_like_what_is_not_there(
    world: World, table: dict[str, tuple[str, ...]], denied: int
) -> None:
    absent = World(world.site, {"sent": 99, "request": "9" * 30, "test": "none"}, world.sessions)
    found = {
        who: {facts(one.get(address, who)) for address in own for one in (world, absent)}
        for who in ("", "ben")
        if (own := [address for address, readers in table.items() if who not in readers])
    }
    assert {who: len(told) for who, told in found.items()} == {"": 1, "ben": 1}
    assert all(str(status) in told for status, who in ((denied, ""), (404, "ben")) for told in found[who])


def test_without_a_live_token_nobody_learns_what_there_is(world: World) -> None:
    client = world.site.client
    client.cookies.clear()
    tokens: tuple[dict[bytes, bytes], ...] = ({}, {b"authorization": b"Bearer dead"}, {b"authorization": b"Basic YTpi"},
              {b"authorization": "Bearer \u00e9\u00e9".encode("latin-1")})  # fmt: skip
    asked = [
        ("GET", address.format_map(world.named))
        for address, readers in ANSWERED.items()
        if readers != READERS
    ]
    asked += [("POST", f"{API}{end}") for end in ORDERS]
    asked += [
        ("PUT", f"{API}/submissions"),
        ("PUT", f"{API}/authors/ann/submissions"),
        ("POST", f"{API}/submissions/1/activate"),
        ("DELETE", f"{API}/submissions/1"),
    ]
    asked += [(method, address.replace("small", "none")) for method, address in asked]
    found = {facts(client.request(*one, headers=headers)) for one in asked for headers in tokens}  # type: ignore[arg-type]
    assert len(found) == 1
    assert client.get(f"{API}/audit").headers["www-authenticate"] == "Bearer"


def test_orders_are_an_organisers_and_versions_and_requests_their_authors(world: World) -> None:
    site, before = world.site, world.site.kept.season.last_change()
    deeds = [("ann", "POST", f"{API}{end}") for end in ORDERS]
    mine = (
        ("PUT", "authors/ann/submissions"),
        ("POST", "submissions/{sent}/activate"),
        ("DELETE", "submissions/{sent}"),
        ("DELETE", "requests/{request}"),
    )
    deeds += [("ben", method, f"{API}/{address}".format_map(world.named)) for method, address in mine]
    for who, method, address in deeds:
        answer = site.client.request(method, address, json={"because": "x"}, headers=site.headers(who))
        assert answer.status_code == 404, address
    world.get("/me", "ann")
    for verb in ("pause", "close", "suspend", "annul", "nothing"):
        fields = {"player": "p1", "because": "x", "season": "small", "match": "r001-t01-m0"}
        assert site.post(f"/admin/{verb}", **fields).status_code == 404, verb
    assert site.kept.season.last_change() == before


FOREIGN: list[dict[str, str]] = [
    {"origin": "https://evil.example"}, {"origin": "null"}, {"origin": "http://testserver.evil.example"},
    {"origin": "http://testserver:81"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
]  # fmt: skip


@pytest.mark.parametrize("who", ["", "ann", "olga"])
def test_a_form_without_its_proof_or_from_another_site_changes_nothing(world: World, who: str) -> None:
    site = world.site
    forms = [form.format_map(world.named) for form in FORMS] if who else ["/login", "/join"]
    page = world.get("/me" if who else "/login", who)
    fields = {
        "token": site.tokens["ann"],
        "code": invite_to(site.kept.season, "ann", 1, "test"),
        "name": "zoe",
        "sure": "yes",
    }
    before = site.kept.season.last_change(), site.kept.season.audit.last(1)
    sent: list[tuple[dict[str, str], dict[str, str]]] = [
        ({}, {}),
        *(({"proof": one}, {}) for one in ("", "0" * 64, "\u00e9")),
    ]
    sent += [({"proof": proof(page)}, headers) for headers in FOREIGN]
    for form in forms:
        files = (
            {"archive": ("a.zip", archive("new"), "application/zip")}
            if form.endswith("/submissions")
            else None
        )
        for shown, headers in sent:
            answer = site.client.post(form, data=fields | shown, files=files, headers=headers)
            assert answer.status_code == 403, (form, shown, headers)
    assert (site.kept.season.last_change(), site.kept.season.audit.last(1)) == before
    assert site.client.get("/me").status_code == (200 if who else 303)
