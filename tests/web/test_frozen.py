"""Results of the last rounds, held back until the season is over: from everybody, wherever one might look."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import AsyncGenerator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.submissions.author_accounts import add_authors, hash_of, revoke
from arbiter.match.packing import pack_match
from arbiter.season import administration
from arbiter.season.config import Config, load
from arbiter.season.season import Season
from arbiter.season.snapshot.freeze import public_state
from arbiter.season.snapshot.reader import read_state
from arbiter.store import OrderKind, SeasonStore, Store
from arbiter.web.http.live_events import LiveEvents
from arbiter.web.http.watched_seasons import Seasons
from arbiter.web.site import make_site
from arbiter.web.views import registry
from arbiter.web.views.report_file import make_report
from tests.fixtures.client import Client
from tests.fixtures.site import proof
from tests.fixtures.zoo import CONFIG, play_on
from tests.web.addresses import addresses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from httpx2 import Response

pytestmark = pytest.mark.slow

LATER = "r002/t01/m0"
REQUESTS = "/api/v1/seasons/small/requests"
PAGES = (
    *addresses(registry.PAGES.values()), "?after_round=1", "/crosstable?show=los", "/matches?page=1", "/matches?round=2",
    "/matches?round=3", "/matches/r001-t01-m0?run=1",
)  # fmt: skip
API = (
    *addresses(registry.ANSWERS.values()), "/standings?after_round=2", "/matches?round=2", "/matches?limit=1&cursor=10",
    "/matches/r001-t01-m0/replay?run=1",
)  # fmt: skip
ASKED = ("ben", "ben@1", "ben@2", "ben@3", "cid", "cid@1", "cd", "p1", "ann", "")
"""Whom a request may name: those who played at the freeze, those who came unseen, nobody."""
EVERYWHERE = (
    "/seasons",
    "/api/v1/seasons",
    *(f"/seasons/small{page}" for page in PAGES),
    *(f"/api/v1/seasons/small{path}" for path in API),
)


@dataclass
class Frozen:
    """A season of which the public sees round 1, and a site that shows it."""

    config: Config
    season: SeasonStore
    seasons: Seasons
    client: Client
    tokens: dict[str, str] = field(default_factory=dict)

    def play(self, matches: int | None = None) -> None:
        """Play the next round, or so many matches of it."""
        play_on(self.config, self.season, matches)

    def look(self) -> None:
        """Let the site see what has happened."""
        self.seasons.watched["small"]._polled = -1e9

    def get(self, path: str, who: str) -> Response:
        """What the API tells somebody."""
        headers = {"Authorization": f"Bearer {self.tokens[who]}"}
        return self.client.get(f"/api/v1/seasons/small{path}", headers=headers)

    def answers(self) -> dict[str, tuple[int, str]]:
        """What everybody is told everywhere."""
        self.look()
        found = {}
        for address in EVERYWHERE:
            answer = self.client.get(address)
            found[address] = answer.status_code, answer.text
        text = self.client.get("/metrics").text
        return found | {
            "/metrics": (
                200,
                "\n".join(
                    re.findall("^arbiter_(?:season|sub|cpu|resident|request_sec).*$", text, re.MULTILINE)
                ),
            )
        }


@contextmanager
def opened(file: Path) -> Iterator[Frozen]:
    """A season, and a site that shows it."""
    config = load(file)
    store = Store(config.store)
    season = Season.open(config, store).stored
    seasons = Seasons([file])
    with Client(make_site(seasons)) as client:
        yield Frozen(config, season, seasons, client)
    seasons.close()
    store.close()


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The folder of a season of which the public sees round 1, and the tokens of an author and an organiser."""
    folder = tmp_path_factory.mktemp("held")
    with begun(folder, "") as made:
        tokens = dict(add_authors(made.config, made.season, ["ann"], False, "test"))
        tokens |= dict(add_authors(made.config, made.season, ["olga"], True, "test"))
    return folder, tokens


@contextmanager
def begun(folder: Path, terms: str) -> Iterator[Frozen]:
    """A season in which a round is played, once the authors have come, before results are held back."""
    (folder / "small.yaml").write_text(CONFIG + "freeze: 3\nsubmissions: {}\n" + terms)
    with opened(folder / "small.yaml") as made:
        yield made
        made.play()
        made.season.freeze(1)


@pytest.fixture
def frozen(held: tuple[Path, dict[str, str]], tmp_path: Path) -> Iterator[Frozen]:
    folder, tokens = held
    shutil.copytree(folder, tmp_path / "frozen")
    with opened(tmp_path / "frozen" / "small.yaml") as made:
        made.tokens = tokens
        yield made


@dataclass
class Twins:
    """Two seasons that are the same up to the freeze; what ann does she does in both."""

    quiet: Frozen
    busy: Frozen

    def accept(self, text: str, author: str = "ann") -> None:
        """A new version of an author's, accepted."""
        for one in (self.quiet, self.busy):
            accept(one.season, author, text)

    def activate(self, version: int) -> None:
        for one in (self.quiet, self.busy):
            address = f"/api/v1/seasons/small/submissions/{version}/activate"
            assert one.client.post(address, headers=self.headers).status_code == 200

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": "Bearer secret"}

    def refused(self, one: Frozen) -> dict[str, object]:
        """What ann is told who asks for matches, by API and form; her quota is spent."""
        shown = proof(one.client.get("/me"))
        found: dict[str, object] = {}
        for name in ASKED:
            form = {"proof": shown, "kind": "match", "version": "1", "against": name}
            wish = {"kind": "match", "version": 1, "against": [name] if name else []}
            for address, sent in (("/me/requests", {"data": form}), (REQUESTS, {"json": wish})):
                answer = one.client.post(address, headers=self.headers, **sent)  # type: ignore[arg-type]
                # The seconds until the next one may be asked for go by.
                told = answer.text if answer.status_code == 422 else ""
                found[f"{address} {name}"] = answer.status_code, told
        return found

    def answers_of(self, one: Frozen) -> dict[str, object]:
        """All that the public and ann are told, but for moments."""
        public = {address: plain(what) for address, what in one.answers().items()}
        return {**public, **self.told_to_ann(one), "events": asyncio.run(heard(one))}

    def told_to_ann(self, one: Frozen) -> dict[str, str]:
        """What she is told on her pages, by her token, and when she asks for matches, but for moments."""
        one.look()
        found: dict[str, object] = {}
        one.client.post("/login", data={"proof": proof(one.client.get("/login")), "token": "secret"})
        base = "/api/v1/seasons/small"
        listed = one.client.get(f"{base}/submissions", headers=self.headers)
        own = [f"/me/submissions/{made['id']}" for made in listed.json()["submissions"]]
        own += ["/me", *(f"/me/matches/r00{n}-t01-m0/log" for n in (1, 2, 3))]
        own += [f"/seasons/small/players/ann%40{n}" for n in (1, 2, 3)]
        for address in own:
            answer = one.client.get(address)
            found[address] = answer.status_code, answer.text
        numbers = [f"/submissions/{n}" for n in range(1, 6)]
        for address in ("/submissions", *numbers, "/matches/r001-t01-m0/log"):
            answer = one.client.get(base + address, headers=self.headers)
            found[f"api {address}"] = answer.status_code, answer.text, sorted(answer.headers)
        found |= self.refused(one)
        return {address: plain(what) for address, what in found.items()}


def accept(season: SeasonStore, author: str, text: str) -> None:
    number = season.submissions.add(author, text * 64, text, 9)[0].id
    season.submissions.accept(number, [], {"command": ["python3"], "read": [], "files": {}})


def plain(what: object) -> str:
    """Without moments and what is left until them, and without proofs of sessions."""
    text = re.sub(r"<time.*?</time>|the next time in [^<]*", "TIME", str(what))
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[-+.:\d]*", "MOMENT", text)
    return re.sub(r'name="proof" value="[0-9a-f]+"', "PROOF", text)


async def heard(one: Frozen) -> bytes:
    """What a listener is told who comes back after everything."""
    one.look()
    state = one.seasons.state("small")
    assert state is not None
    news = LiveEvents(one.seasons).listen(state, "here", "0")
    async with asyncio.timeout(60):
        told = [await anext(news), await anext(news)]
    assert isinstance(news, AsyncGenerator)
    await news.aclose()
    return b"".join(told)


@pytest.fixture(scope="module")
def unlike(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By who may be met, the folder of a season in which ben plays, and ann, who has asked for a match, does not yet."""
    folders = {}
    for against in ("all", "house"):
        folders[against] = tmp_path_factory.mktemp(against)
        with begun(folders[against], f"requests: {{per_hour: 1, against: {against}}}\n") as first:
            add_authors(first.config, first.season, ["ann", "ben"], False, "test")
            first.season.authors.set_token("ann", hash_of("secret"), "test")
            accept(first.season, "ben", "b")
            first.season.requests.add("ann", "match", {"player": "ann@1", "against": ["p1"]}, 4, 1, 1)
    return folders


@pytest.fixture
def twins(unlike: dict[str, Path], tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Twins]:
    """Two of these; `param` is who may be met."""
    against = getattr(request, "param", "all")
    files = [shutil.copytree(unlike[against], tmp_path / name) / "small.yaml" for name in ("quiet", "busy")]
    with opened(files[0]) as quiet, opened(files[1]) as busy:
        yield Twins(quiet, busy)


def test_nothing_that_is_told_depends_on_what_is_played_unseen(twins: Twins) -> None:
    going = Season(twins.busy.config, twins.busy.season)
    twins.accept("a")
    twins.busy.play()
    twins.accept("b")
    assert twins.told_to_ann(twins.busy) == twins.told_to_ann(twins.quiet)
    twins.busy.play()
    twins.busy.play(matches=3)
    for match_id in ("r001/t01/m0", "r002/t01/m0"):
        administration.annul(going.results, [match_id], "a power cut", replay=True)
        record = twins.busy.season.match(match_id)
        assert record is not None
        again = replace(record, wall_ns=12_345, players=record.players[::-1])
        administration.replace_match(going.results, pack_match(again), OrderKind.REPLAYED, lambda _: True)
    administration.suspend(going.results, "p1", "asked the web")
    twins.activate(2)
    twins.accept("c")
    twins.accept("d", "ben")
    for one in (twins.quiet, twins.busy):
        one.season.ask_to_stop()
        one.season.running.pause("olga")
        one.season.running.resume("olga")
    quiet = twins.answers_of(twins.quiet)
    assert twins.answers_of(twins.busy) == quiet
    assert "plays; its first round is shown when the season is over" in str(quiet["/me/submissions/4"])
    with opened(twins.busy.config.file) as later:
        assert twins.answers_of(later) == quiet, "nor does it for a site that is started later"


@pytest.mark.parametrize("twins", ["all", "house"], indirect=True)
def test_who_asks_for_matches_is_not_told_who_came_unseen(twins: Twins) -> None:
    twins.accept("a")
    for one in (twins.quiet, twins.busy):
        add_authors(one.config, one.season, ["cid"], False, "test")
    before = twins.told_to_ann(twins.quiet)
    twins.accept("d", "ben")
    twins.accept("e", "cid")
    twins.busy.play()
    for one in (twins.quiet, twins.busy):
        assert twins.told_to_ann(one) == before


def test_a_gauntlet_meets_who_played_when_results_were_held_back(twins: Twins) -> None:
    twins.accept("a")
    twins.accept("d", "ben")
    file = twins.busy.config.file
    file.write_text(file.read_text().replace("per_hour: 1", "per_hour: 2"))
    twins.busy.play()
    twins.busy.look()
    wish = {"kind": "gauntlet", "version": 1}
    made = twins.busy.client.post(REQUESTS, json=wish, headers=twins.headers).json()
    assert [name for name in made["against"] if "@" in name] == ["ben@1"]


def test_whether_an_accepted_version_has_played_unseen_is_not_told(twins: Twins) -> None:
    answers = []
    twins.accept("a")
    twins.busy.play()
    twins.accept("b")
    for one in (twins.quiet, twins.busy):
        one.look()
        address = "/api/v1/seasons/small/submissions/2"
        answers.append(one.client.delete(address, headers=twins.headers))
    assert answers[0].json()["error"]["code"] == "held_back"
    assert answers[0].text == answers[1].text


def test_orders_given_while_the_first_unseen_round_is_played_are_not_shown(twins: Twins) -> None:
    twins.busy.play(matches=1)
    going = Season(twins.busy.config, twins.busy.season)
    administration.annul(going.results, ["r001/t01/m1"], "a power cut")
    administration.suspend(going.results, "p1", "asked the web")
    with opened(twins.busy.config.file) as later:
        assert twins.answers_of(later) == twins.answers_of(twins.quiet)


def test_a_calendar_tells_when_the_next_round_is_due_and_not_which(twins: Twins) -> None:
    twins.busy.play()
    shown = []
    for one in (twins.quiet, twins.busy):
        one.config.file.write_text(one.config.file.read_text() + "every: 1h\nopens: 2020-01-01T00:00+00:00\n")
        one.config.file.write_text(one.config.file.read_text().replace("rounds: 4", "rounds: 1000000"))
        one.look()
        shown.append(one.client.get("/api/v1/seasons/small").json()["next"])
    assert shown[0] == shown[1]
    assert shown[0]["round"] is None
    assert datetime.fromisoformat(shown[0]["begins"]) > datetime.now(UTC)
    assert "The next round begins <time data-soon" in twins.busy.client.get("/seasons/small").text


def test_numbers_of_events_go_on_without_gaps_and_grow_when_all_is_told(frozen: Frozen) -> None:
    frozen.play()
    frozen.season.ask_to_stop()
    frozen.look()
    state = frozen.seasons.state("small")
    assert state is not None
    numbers = [event.number for event in state.events(0, 999)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert state.events(numbers[-2], 1)[0].number == numbers[-1]
    assert [event.number for event in state.events(3, 2)] == [4, 5]
    frozen.season.publish_seed(2)
    frozen.look()
    after = frozen.seasons.state("small")
    assert after is not None
    assert after.event > state.event


def test_everything_is_shown_at_once_when_the_season_is_over(frozen: Frozen) -> None:
    frozen.play()
    before = frozen.answers()
    frozen.season.publish_seed(2)
    after = frozen.answers()
    assert before["/api/v1/seasons/small/rounds/2"][0] == 404
    assert after["/api/v1/seasons/small/rounds/2"][0] == 200
    assert after["/seasons/small/matches/r002-t01-m0"][0] == 200
    assert json.loads(after["/api/v1/seasons/small/standings"][1])["after_round"] == 2
    assert "when the season is over" in before["/seasons/small"][1]
    assert "when the season is over" not in after["/seasons/small"][1]


def test_a_report_holds_no_more_than_the_pages(frozen: Frozen) -> None:
    frozen.play()
    text = make_report(public_state(read_state(frozen.config, frozen.season)), None)
    assert "r001/t01/m0" in text
    assert "r002" not in text


def test_listeners_hear_of_no_later_round(frozen: Frozen) -> None:
    frozen.play()
    frozen.season.ask_to_stop()
    told = asyncio.run(heard(frozen)).decode()
    assert {int(found) for found in re.findall(r'"(?:after_)?round":(\d+)', told)} == {1}
    assert re.findall(r'"state":"(\w+)"', told) == ["frozen", "stopping"]


def test_ratings_are_not_computed_again_while_nothing_more_is_shown(frozen: Frozen) -> None:
    frozen.look()
    before = frozen.seasons.state("small")
    assert before is not None
    ranking = before.ranking
    frozen.season.ask_to_stop()
    frozen.look()
    after = frozen.seasons.state("small")
    assert after is not None
    assert after is not before
    assert after.ranking is ranking


def test_no_archive_is_taken_when_the_season_is_over(frozen: Frozen) -> None:
    frozen.season.publish_seed(1)
    frozen.look()
    headers = {"Authorization": f"Bearer {frozen.tokens['ann']}"}
    answer = frozen.client.put("/api/v1/seasons/small/submissions", content=b"x", headers=headers)
    assert (answer.status_code, answer.json()["error"]["message"]) == (409, "the season is over")


def test_the_log_of_a_match_waits_for_the_end_and_organisers_do_not(frozen: Frozen) -> None:
    frozen.play()
    frozen.look()
    address = f"/matches/{LATER.replace('/', '-')}/log"
    assert [frozen.get(address, who).status_code for who in ("ann", "olga")] == [404, 200]


@pytest.mark.parametrize("who", ["olga", "ann"])
def test_organisers_see_all_by_their_tokens_and_authors_do_not(frozen: Frozen, who: str) -> None:
    frozen.play()
    frozen.play(matches=3)
    before = frozen.answers()
    for path, key, seen in (
        ("/standings", "after_round", 2),
        ("", "complete", 2),
        ("/matches/r002-t01-m0", "id", LATER),
        ("/matches/r002-t01-m0/replay", "id", LATER),
        ("/rounds/3", "stored", 3),
    ):
        answer = frozen.get(path, who)
        assert (answer.json().get(key) == seen) is (who == "olga")
        assert ("no-store" in answer.headers.get("cache-control", "")) is (who == "olga")
    assert frozen.answers() == before, "nobody is told what was made for somebody else"


def test_an_organiser_who_is_logged_in_sees_all_and_is_told_that_others_do_not(frozen: Frozen) -> None:
    frozen.play()
    frozen.look()
    form = {"proof": proof(frozen.client.get("/login")), "token": frozen.tokens["olga"]}
    frozen.client.post("/login", data=form)
    text = frozen.client.get("/seasons/small").text
    assert "2 of 4 rounds complete" in text
    assert "Only organisers see the results after round 1" in text
    frozen.client.cookies.clear()
    assert "Only organisers" not in frozen.client.get("/seasons/small").text


def test_a_token_that_is_revoked_shows_no_more_than_everybody_sees(frozen: Frozen) -> None:
    frozen.play()
    frozen.look()
    revoke(frozen.season, "olga", "test")
    assert frozen.get("/standings", "olga").json()["after_round"] == 1


def test_without_the_key_everything_is_shown(frozen: Frozen) -> None:
    frozen.play()
    file = frozen.config.file
    file.write_text(file.read_text().replace("freeze: 3\n", ""))
    assert public_state(read_state(load(file), frozen.season)).complete == 2


def test_before_the_first_round_nothing_is_shown_of_a_season_that_is_held_back_whole(tmp_path: Path) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(CONFIG + "freeze: 9\n")
    config = load(file)
    store = Store(config.store)
    going = Season.open(config, store)
    going.stored.freeze(0)
    play_on(config, going.stored)
    shown = public_state(read_state(config, going.stored))
    assert (shown.complete, shown.matches, shown.rounds, shown.ranking) == (0, (), (), None)
    store.close()
