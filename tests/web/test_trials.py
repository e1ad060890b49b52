"""Pages of regression tests: what a store's tests say, and what of them is told when."""

from __future__ import annotations

import json
import math
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest
from starlette.testclient import TestClient

from arbiter.errors import StoreError
from arbiter.season.order_effects import now_text
from arbiter.store import Order, OrderKind, Store
from arbiter.trials.regression import own_season
from arbiter.trials.regression.blocks import block_specs
from arbiter.trials.regression.program_identity import PREFIX
from arbiter.trials.regression.runner import open_experiment, stored_trial
from arbiter.web.pages import regression_watch as read
from arbiter.web.pages.regression_watch import Trials
from arbiter.web.rendering.charts import ratio_chart
from tests.fixtures.records import play_trial
from tests.fixtures.simulated_regression import InMemory, alike, experiment, seats_of, skilled
from tests.fixtures.site import visiting
from tests.trials.regression.test_best_of_n import NAMES, SECOND, choice, play_choice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from arbiter.store import SeasonStore
    from arbiter.trials.regression.best_of_n import ChoiceTrial
    from arbiter.trials.regression.experiment import Experiment
    from arbiter.trials.regression.trial_state import Trial
    from tests.fixtures.zoo import Kept

HOSTILE = "<script>alert(1)</script>"
BETTER = InMemory(skilled("candidate"))


def address(folder: Path) -> str:
    return f"sqlite:///{folder / 'tests.sqlite'}"


def play_test(folder: Path, table: InMemory = BETTER, blocks: int | None = None, **keys: Any) -> Experiment:
    """A test in the folder's store, played until its verdict, or so many blocks and no further."""
    test = experiment(**{"elo1": 60.0, **keys})
    with closing(Store(address(folder))) as store:
        season = open_experiment(test, store)
        if blocks is None:
            play_trial(test, season, table, 1)
        else:
            short = replace(test, test=replace(test.test, most_blocks=blocks))
            play_trial(short, season, table, 1)
    return test


@contextmanager
def site_of(folder: Path, *files: Path) -> Iterator[TestClient]:
    """A client of a site with the tests of the folder's store, which looks into it each time."""
    with (
        closing(Trials(address(folder))) as found,
        visiting(*files, follow_redirects=False, trials=found) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is shown that is not of this moment."""
    monkeypatch.setattr(read, "POLL_SECONDS", -1.0)
    monkeypatch.setattr(read, "PATIENCE", 0)


def test_a_decided_test_is_told_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_season, "draw_seed", lambda _: "drawn")
    name = play_test(tmp_path, seed="auto").name
    with site_of(tmp_path) as client:
        (row,) = client.get("/api/v1/tests").json()["tests"]
        assert (row["name"], row["state"], row["verdict"], row["game"]) == (
            name,
            "decided",
            "better",
            "planning",
        )
        full = client.get(f"/api/v1/tests/{name}").json()
        page = client.get(f"/tests/{name}")
        listed = client.get("/tests").text
    assert full["say"] == row["say"] == "better: the results favour +60 rather than +0 Elo"
    assert (full["llr"], full["blocks"], full["seed"]) == (row["llr"], row["blocks"], "drawn")
    assert full["line"]["points"][-1] == [row["blocks"], row["llr"]]
    assert full["llr"] >= full["bounds"][1]
    assert "Better: the results favour +60" in page.text
    assert "/bin/sh -c exit new" in page.text
    assert '<polyline class="ratio"' in page.text
    assert f"A line from 0 to {full['llr']:.2f} after {full['blocks']} blocks" in page.text
    assert 'The seed was <code class="long">drawn<' in page.text
    assert f'href="/tests/{name}"' in listed


@pytest.mark.parametrize(
    ("seed", "blocks", "opens"), [("auto", None, True), ("given", None, False), ("auto", 12, False)]
)
def test_the_worst_matches_open_with_the_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: str, blocks: int | None, opens: bool
) -> None:
    monkeypatch.setattr(own_season, "draw_seed", lambda _: "drawn")
    name = play_test(tmp_path, blocks=blocks, seed=seed).name
    with site_of(tmp_path) as client:
        worst = client.get(f"/api/v1/tests/{name}").json()["worst"][0]
        address = f"/tests/{name}/matches/{worst['match'].replace('/', '-')}"
        page, match = client.get(f"/tests/{name}").text, client.get(address)
        other = client.get(f"/tests/{name}/matches/b0001-m9")
    assert (f'href="{address}"' in page, match.status_code == 200) == (opens, opens)
    assert ('"format":"arbiter-replay/1"' in match.text) == opens
    assert other.status_code == 404


def test_a_test_of_several_candidates_has_a_page_with_each_of_them(tmp_path: Path) -> None:
    with closing(Store(address(tmp_path))) as store:
        play_choice(choice(seed="hush-these-deals"), InMemory(SECOND), store, steps=30)
    with site_of(tmp_path) as client:
        (row,) = client.get("/api/v1/tests").json()["tests"]
        full = client.get(f"/api/v1/tests/{row['name']}").json()
        page = client.get(f"/tests/{row['name']}").text
        listed = client.get("/tests").text
    assert (row["state"], row["llr"], row["blocks"]) == ("undecided", None, full["blocks"])
    assert row["blocks"] > 0
    assert [one["name"] for one in full["candidates"]] == list(NAMES)
    for name in NAMES:
        assert f"<dt>{name}</dt>" in page
    assert f'href="/tests/{row["name"]}"' in listed
    assert "hush-these-deals" not in f"{full}{page}"


@pytest.mark.parametrize("blocks", [3, None])
def test_a_seed_that_was_given_or_has_no_verdict_is_told_to_nobody(
    tmp_path: Path, blocks: int | None
) -> None:
    name = play_test(tmp_path, blocks=blocks, seed="hush-these-deals").name
    places = ("/tests", f"/tests/{name}", "/api/v1/tests", f"/api/v1/tests/{name}")
    with site_of(tmp_path) as client:
        answers = [client.get(path) for path in places]
    assert [answer.status_code for answer in answers] == [200] * 4
    assert not any("hush-these-deals" in answer.text for answer in answers)
    assert (answers[3].json()["seed"], answers[3].json()["verdict"]) == (None, None if blocks else "better")
    said = "undecided after 3 blocks" if blocks else "The seed is not shown: it was given"
    assert said in answers[2 if blocks else 1].text


def test_of_a_file_the_test_in_which_something_happens_is_the_one_that_is_played(tmp_path: Path) -> None:
    older, newer = (play_test(tmp_path, blocks=2, seed=seed) for seed in ("one", "two"))

    def states(client: TestClient) -> dict[str, str]:
        return {row["name"]: row["state"] for row in client.get("/api/v1/tests").json()["tests"]}

    with site_of(tmp_path) as client, closing(Store(address(tmp_path))) as store:
        assert states(client) == {newer.name: "undecided", older.name: "undecided"}
        with store.hold(newer.name):
            assert states(client) == {newer.name: "playing", older.name: "undecided"}
            assert "data-under-way" in client.get("/tests").text
            season = store.season(older.name)
            assert season is not None
            season.add_match(BETTER.record(next(block_specs(older, "one", 3))))
            assert states(client) == {newer.name: "undecided", older.name: "playing"}
            assert client.get(f"/api/v1/tests/{older.name}").json()["state"] == "playing"
        assert set(states(client).values()) == {"undecided"}


def test_a_test_is_read_again_when_a_match_was_stored_and_only_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = play_test(tmp_path, blocks=2, seed="one")
    reads: list[str] = []
    trial_of = stored_trial

    def noted(season: SeasonStore) -> Trial | ChoiceTrial:
        reads.append(season.name)
        return trial_of(season)

    monkeypatch.setattr(read, "stored_trial", noted)
    with site_of(tmp_path) as client, closing(Store(address(tmp_path))) as store:
        for _ in range(3):
            client.get("/tests")
            client.get(f"/tests/{test.name}")
        assert reads == [test.name]
        season = store.season(test.name)
        assert season is not None
        for spec in block_specs(test, "one", 3):
            season.add_match(BETTER.record(spec))
        assert client.get("/api/v1/tests").json()["tests"][0]["blocks"] == 3
        assert client.get(f"/api/v1/tests/{test.name}").json()["blocks"] == 3
        # What is new is added to what was read.
        assert reads == [test.name]
        order = Order(OrderKind.ANNUL, "b0002/m0", "wrong cards", now_text(), 0, 0)
        season.orders.give([order], season.orders.read().revision, None)
        assert client.get(f"/api/v1/tests/{test.name}").json()["blocks"] == 1
        assert client.get("/api/v1/tests").json()["tests"][0]["blocks"] == 1
        assert reads == [test.name] * 2


def test_what_a_bot_wrote_is_told_to_nobody_and_what_is_hostile_is_text(tmp_path: Path) -> None:
    # A bot that crashes is quoted in the detail, and the base's command may be anything.
    table = InMemory(faulty=seats_of("candidate"))
    test = play_test(tmp_path, table, faults="fail", base=["/bin/sh", HOSTILE], seed="s")
    with closing(Store(address(tmp_path))) as store:
        season = store.season(test.name)
        assert season is not None
        details = {match.detail for match in season.summaries()}
    assert details
    assert all(details)
    with site_of(tmp_path) as client:
        page, full = client.get(f"/tests/{test.name}").text, client.get(f"/api/v1/tests/{test.name}")
        listed = client.get("/tests").text
    assert full.json()["verdict"] == "candidate_faulty"
    assert full.json()["say"] == "candidate faulty: b0001/m0: candidate forfeits (crash)"
    assert full.json()["worst"][0]["fault"]["kind"] == "crash"
    assert not any(detail in text for detail in details for text in (page, full.text, listed))
    assert HOSTILE not in page + listed
    assert "&lt;script&gt;alert(1)" in page


def test_identical_play_has_no_line(tmp_path: Path) -> None:
    name = play_test(tmp_path, InMemory(alike)).name
    with site_of(tmp_path) as client:
        full, page = client.get(f"/api/v1/tests/{name}").json(), client.get(f"/tests/{name}").text
    assert (full["verdict"], full["llr"], full["line"]["points"]) == ("identical_play", None, [])
    assert "<polyline" not in page
    assert "Both play alike." in page


def test_tests_come_by_pages_of_a_hundred_the_last_first(tmp_path: Path) -> None:
    test = experiment()
    names = [f"{test.name}{end}" for end in ("", *(f"-{number}" for number in range(2, 103)))]
    with closing(Store(address(tmp_path))) as store:
        store.make_season("ladder", "planning", "s")
        for name in names:
            store.make_season(name, "planning", "s").keep_settings(name, test.settings)
    with site_of(tmp_path) as client:
        first, second = (client.get(f"/api/v1/tests?page={number}").json() for number in (1, 2))
        assert [row["name"] for row in first["tests"] + second["tests"]] == names[::-1]
        assert (first["total"], first["pages"], first["next"], second["next"]) == (102, 2, 2, None)
        assert len(second["tests"]) == 2
        assert client.get("/api/v1/tests?page=3").status_code == 404
        assert client.get("/api/v1/tests?page=0").status_code == 422
        assert client.get("/tests?page=9").status_code == 404
        assert 'rel="next" href="?page=2">older' in client.get("/tests").text


def test_a_test_that_cannot_be_read_hides_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    good, bad = play_test(tmp_path).name, f"{PREFIX}bad"
    with closing(Store(address(tmp_path))) as store:
        store.make_season(bad, "planning", "s").keep_settings(bad, {"game": "chess"})
    with site_of(tmp_path) as client:
        rows = {row["name"]: row for row in client.get("/api/v1/tests").json()["tests"]}
        assert (rows[good]["state"], rows[bad]["state"]) == ("decided", "unreadable")
        assert client.get("/tests").status_code == 200
        assert client.get(f"/tests/{bad}").status_code == 503
        assert "chess" not in client.get(f"/api/v1/tests/{bad}").text
    assert [line for line in caplog.messages if "unknown game 'chess'" in line] == caplog.messages[:1]


def test_an_empty_store_says_what_to_do_and_a_missing_one_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"--tests: there is no store .*tests\.sqlite yet \(arbiter regress"):
        Trials(address(tmp_path))
    Store(address(tmp_path)).close()
    with site_of(tmp_path) as client:
        assert client.get("/").headers["location"] == "/tests"
        page = client.get("/tests")
        assert page.status_code == 200
        assert "arbiter regress --game" in page.text
        assert client.get("/api/v1/tests").json() == {
            "tests": [],
            "total": 0,
            "page": 1,
            "pages": 1,
            "next": None,
        }
        assert client.get("/tests/regress-nobody").status_code == 404
        assert client.post("/tests").status_code == 405


def test_seasons_lead_to_tests_where_there_are_any(kept: Kept, tmp_path: Path) -> None:
    Store(address(tmp_path)).close()
    with site_of(tmp_path, kept.file) as client:
        assert client.get("/").headers["location"] == "/seasons"
        assert 'href="/tests"' in client.get("/seasons").text
    with visiting(kept.file) as client:
        assert 'href="/tests"' not in client.get("/seasons").text
        for path in ("/tests", "/api/v1/tests", "/api/v1/tests/regress-1"):
            assert client.get(path).status_code == 404


def drawn_of(points: Sequence[tuple[int, float]], **decides: Any) -> Any:
    """The chart of these points, of a test of 10 Elo."""
    ends = {"bounds": [-2.9, 2.9], "levels": [0.0, 10.0], "unit": "Elo"}
    return ratio_chart(cast("Any", {"points": points, **ends, **decides}))


@pytest.mark.parametrize("blocks", [1, 2, 300])
def test_a_line_stays_within_its_chart(blocks: int) -> None:
    points = [(block, 4.0 * (-1) ** block) for block in range(1, blocks + 1)]
    evidence = [(block, -30.0 + block % 40) for block in range(1, blocks + 1)]
    chart = drawn_of(points, evidence=evidence, enough=3.0)
    for line, end in (("points", "end"), ("evidence", "evidence_end")):
        drawn = [tuple(map(float, point.split(","))) for point in chart[line].split()]
        assert len(drawn) == blocks + 1
        assert all(48 <= x <= chart["right"] and 18 <= y <= 260 - 28 for x, y in drawn)
        assert drawn[-1] == chart[end]
    assert json.dumps(chart)
    assert drawn_of([]) is None


def test_the_bound_above_is_that_of_what_decides() -> None:
    by_ratio = drawn_of([(1, 0.5)])
    by_evidence = drawn_of([(1, 0.5)], evidence=[(1, 0.7)], enough=3.0)
    assert [by_ratio["bounds"][1][1], by_evidence["bounds"][1][1]] == [2.9, 3.0]
    assert (by_ratio["evidence"], by_ratio["e"]) == ("", None)
    assert by_evidence["e"] == pytest.approx(math.exp(0.7))
