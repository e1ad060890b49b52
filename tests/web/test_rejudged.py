"""A match that is played again: what everybody reads of it, and that its earlier runs can still be seen."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from pydantic import TypeAdapter

from arbiter.match.packing import pack_match
from arbiter.season import administration
from arbiter.season.order_effects import effective_orders
from arbiter.season.results import SeasonResults
from arbiter.season.schedule import match_specs
from arbiter.season.snapshot.match_schema import Rejudgings
from arbiter.season.snapshot.rejudgings import rejudgings_of
from arbiter.season.snapshot.season_state import SeasonState
from arbiter.store import OrderKind
from arbiter.testing import play_by_policy, random_policy
from arbiter.web.views.feeds import season_feed
from tests.fixtures.site import visiting
from tests.fixtures.zoo import CLEAN, CRASH, Kept

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.testclient import TestClient

    from arbiter.match.record import MatchRecord
    from tests.fixtures.commands import Run
    from tests.fixtures.site import Authored

SEASON = "/api/v1/seasons/small"
PART = CLEAN.replace("/", "-")
REASON = "a <b>power</b> cut"
ATOM = "{http://www.w3.org/2005/Atom}"


def rejudge(kept: Kept, match_id: str = CLEAN, reason: str = REASON) -> tuple[MatchRecord, MatchRecord]:
    """Annul a match and play it again, otherwise: how it was before, and how it ended then."""
    results = SeasonResults(kept.config, kept.season)
    before, since = kept.match(match_id), results.standings()
    administration.annul(results, [match_id], reason, replay=True)
    number = before.round or 0
    specs = match_specs(kept.config, kept.season.seed, number, kept.season.tables(number))
    spec = next(spec for spec in specs if spec.id == match_id)
    after = play_by_policy(kept.config.game, random_policy(reason), spec, cost=7_000_000)
    administration.replace_match(results, pack_match(after), OrderKind.REPLAYED, lambda _: True, since=since)
    return before, after


@pytest.fixture(scope="module")
def runs(shown: Kept) -> tuple[MatchRecord, MatchRecord]:
    """A match that was played again in the season of all tests of this file, before and after."""
    before, after = rejudge(shown)
    assert before.points != after.points
    return before, after


@pytest.fixture(scope="module")
def client(shown: Kept, runs: object) -> Iterator[TestClient]:
    with visiting(shown.file) as made:
        yield made


def changed(before: MatchRecord, after: MatchRecord) -> str:
    """The change in words."""
    assert before.points is not None and after.points is not None
    seats = [seat for seat in range(4) if before.points[seat] != after.points[seat]]
    said = [
        ", ".join(f"{run.players[seat]} {(run.points or ())[seat]}" for seat in seats)
        for run in (before, after)
    ]
    return f"before {said[0]}; after {said[1]}"


def text_of(page: str) -> str:
    """A page as it is read: without tags, names without isolates."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>|[\u2068\u2069]", "", page)).replace("\N{MINUS SIGN}", "-")


def test_lists_and_the_log_of_rejudgings_have_both_results(
    client: TestClient, runs: tuple[MatchRecord, MatchRecord]
) -> None:
    before, after = runs
    log = client.get(f"{SEASON}/rejudgings").json()
    (one,) = TypeAdapter(Rejudgings).validate_python(log)["rejudgings"]
    assert (log["total"], log["page"], log["pages"], log["next"]) == (1, 1, 1, None)
    known = {"match": CLEAN, "round": 1, "run": 1, "kind": "replayed", "because": REASON}
    assert one.items() >= known.items()
    assert [one["before"]["points"], one["after"]["points"]] == [list(run.points or ()) for run in runs]
    assert text_of(one["say"]) == changed(before, after)
    assert one["changed"] == len(one["standings"]) > 0
    match = client.get(f"{SEASON}/matches/{PART}").json()
    assert (match["annulled"], match["points"], match["rejudged"]) == (None, one["after"]["points"], [one])
    listed = client.get(f"{SEASON}/matches?round=1").json()["matches"]
    assert [row["id"] for row in listed if "rejudged" in row] == [CLEAN]
    player = client.get(f"{SEASON}/players/{before.players[0]}").json()
    assert player["rejudged"] == [one]
    other = next(name for row in listed for name in row["players"] if name not in before.players)
    assert client.get(f"{SEASON}/players/{quote(other, safe='')}").json()["rejudged"] == []


@pytest.mark.parametrize(
    "page", [f"/matches/{PART}", "/matches?round=1", "/rounds/1", "/players/{}", "/rejudgings"]
)
def test_pages_say_when_and_why_and_what_changed(
    client: TestClient, runs: tuple[MatchRecord, MatchRecord], page: str
) -> None:
    answer = client.get(f"/seasons/small{page.format(runs[0].players[0])}").text
    assert re.search(
        r"played again on \d{4}-\d\d-\d\d \d\d:\d\d UTC, because a <b>power</b> cut; ".replace(
            "<", "&lt;"
        ).replace(">", "&gt;"),
        re.sub("</?time[^>]*>", "", answer),
    )
    assert changed(*runs) in text_of(answer)
    told = re.search(r"before the decision &rarr; after this run:\s+p\d rank \d &rarr; \d", text_of(answer))
    assert (told is not None) is (page in ("/rejudgings", "/players/{}"))


def test_an_earlier_run_can_still_be_seen(client: TestClient, runs: tuple[MatchRecord, MatchRecord]) -> None:
    replays = [client.get(f"{SEASON}/matches/{PART}/replay{query}").json() for query in ("?run=1", "")]
    words = [[event["text"] for event in replay["events"] if event["t"] == "answer"] for replay in replays]
    assert words == [[move.action for move in run.moves] for run in runs]
    page = client.get(f"/seasons/small/matches/{PART}").text
    assert f'href="/seasons/small/matches/{PART}?run=1"' in page
    earlier = client.get(f"/seasons/small/matches/{PART}?run=1").text
    assert f'data-url="{SEASON}/matches/{PART}/replay?run=1"' in earlier
    assert "This is run 1 of the match" in text_of(earlier)
    assert ["arbiter console --config" in shown for shown in (page, earlier)] == [True, False]
    for points in runs[0].points or ():
        assert f"<td>{points}</td>" in earlier


@pytest.mark.parametrize(("match", "run"), [(PART, 2), ("r001-t01-m0", 1)])
def test_a_run_that_is_not_there_is_not_found(client: TestClient, match: str, run: int) -> None:
    for address in (f"/seasons/small/matches/{match}", f"{SEASON}/matches/{match}/replay"):
        assert client.get(f"{address}?run={run}").status_code == 404


def test_while_results_are_held_back_no_more_is_told_of_a_match_than_before(kept: Kept) -> None:
    kept.play()
    kept.file.write_text(kept.file.read_text() + "freeze: 1\n")
    addresses = [
        "/rejudgings",
        f"/matches/{PART}",
        f"/matches/{PART}/replay",
        f"/matches/{PART}/replay?run=1",
    ]

    def read_pages() -> list[str]:
        with visiting(kept.file) as client:
            assert client.get(f"{SEASON}/matches/{PART}/replay?run=2").status_code == 404
            return [client.get(f"{SEASON}{address}").text for address in addresses]

    first, second = rejudge(kept)
    kept.season.freeze(3)
    before = read_pages()
    assert text_of(before[0]).count(changed(first, second)) == 1
    kept.play(1)
    rejudge(kept, reason="seen later")
    assert read_pages() == before
    kept.season.publish_seed(3)
    with visiting(kept.file) as client:
        assert [row["run"] for row in client.get(f"{SEASON}/rejudgings").json()["rejudgings"]] == [2, 1]


def test_feeds_have_an_entry_for_a_match_played_again(
    client: TestClient, runs: tuple[MatchRecord, MatchRecord]
) -> None:
    for page, rounds in (("", 2), (f"/players/{runs[0].players[0]}", 2)):
        feed = ElementTree.fromstring(client.get(f"/seasons/small{page}/feed.atom").content)
        entries = feed.findall(f"{ATOM}entry")
        assert len(entries) == rounds + 1
        assert feed.findtext(f"{ATOM}updated") == entries[0].findtext(f"{ATOM}updated")
        assert entries[0].findtext(f"{ATOM}title") == f"Match {CLEAN} was played again"
        summary = entries[0].findtext(f"{ATOM}summary")
        assert summary == f"Match {CLEAN} was played again, because {REASON}: {changed(*runs)}."
        link = entries[0].find(f"{ATOM}link")
        assert link is not None and link.get("href") == f"/seasons/small/matches/{PART}"


def test_a_match_that_is_put_back_is_told_too(kept: Kept, arbiter: Run) -> None:
    before, after = rejudge(kept)
    administration.undo_annulment(SeasonResults(kept.config, kept.season), [CLEAN], "it was\nno power cut")
    with visiting(kept.file) as client:
        found = client.get(f"{SEASON}/matches/{PART}").json()
        page, first = (
            text_of(client.get(f"/seasons/small/matches/{PART}{query}").text) for query in ("", "?run=1")
        )
    assert re.search(r"Run 1 counts again since \S+ \S+ UTC, because it was no power cut; before", page)
    assert "This is run 1 of the match, which counts again" in first
    assert "run 1 of 2; --run N" in arbiter("show", kept.file, CLEAN)[1]
    assert "run 1 counts again, instead of: " in arbiter("matches", kept.file, "--round", "1")[1]
    assert "run 1\n" in arbiter("annul", kept.file, "--list")[1]
    evidence = kept.file.parent / "evidence.html"
    for options in ((), ("--run", "1")):
        words = ("evidence", kept.file, CLEAN, "--seat", "0", "--output", evidence, *options)
        assert arbiter(*words)[0] == 0
        shown = text_of(evidence.read_text(encoding="utf-8"))
        assert "This is run 1 of 2 of this match, which counts again." in shown
        assert "Run 1 was replaced by run 2: played again on" in shown
        assert "Run 1 counts again since" in shown
    told = [(row["run"], row["kind"], row["because"], text_of(row["say"])) for row in found["rejudged"]]
    assert found["points"] == list(before.points or ())
    assert told == [
        (1, "replayed", REASON, changed(before, after)),
        (2, "restored", "it was no power cut", changed(after, before)),
    ]


def test_runs_keep_the_numbers_of_their_plays_after_a_replay_was_taken_back(kept: Kept, arbiter: Run) -> None:
    first, second = rejudge(kept)
    administration.undo_annulment(SeasonResults(kept.config, kept.season), [CLEAN])
    assert f"{CLEAN} has 2 runs, no run 3" in arbiter("show", kept.file, CLEAN, "--run", "3")[2]
    _, third = rejudge(kept, reason="once more")
    for run, played in enumerate((first, second, third), 1):
        assert f"run {run} of 3;" in arbiter("show", kept.file, PART.upper(), "--run", str(run))[1]
        found = json.loads(arbiter("show", kept.file, CLEAN, "--run", str(run), "--format", "json")[1])
        assert found["points"] == list(played.points or ())
    state = SeasonState.of(kept.config, kept.season)
    told = [(one["run"], one["counts"]) for one in rejudgings_of(state, kept.match(CLEAN).summary())]
    assert told == [(1, 2), (2, 1), (1, 3)]
    names = re.findall(f"{CLEAN}:[0-9:]+", season_feed(state).decode())
    assert len(set(names)) == 3
    assert effective_orders(state.given).replayed == 1


def test_a_fault_that_was_played_away_is_told_by_its_kind(kept: Kept) -> None:
    rejudge(kept, CRASH)
    with visiting(kept.file) as client:
        (one,) = client.get(f"{SEASON}/rejudgings").json()["rejudgings"]
    assert (one["before"]["points"], one["before"]["fault"]["kind"], one["after"]["fault"]) == (
        None,
        "crash",
        None,
    )
    assert text_of(one["say"]).startswith(
        f"before {one['before']['fault']['player']} forfeits: crash; after "
    )


def test_two_runs_with_one_result_are_said_to_be_the_same(kept: Kept) -> None:
    results = SeasonResults(kept.config, kept.season)
    administration.replace_match(results, pack_match(kept.match(CLEAN)), OrderKind.REPLAYED, lambda _: True)
    with visiting(kept.file) as client:
        assert client.get(f"{SEASON}/matches/{PART}").json()["rejudged"][0]["say"] == "the result is the same"


def test_the_command_lists_the_result_before(kept: Kept, arbiter: Run) -> None:
    before, _ = rejudge(kept)
    points = ", ".join(f"{name} {won}" for name, won in zip(before.players, before.points or (), strict=True))
    _, out, _ = arbiter("matches", kept.file, "--round", "1")
    assert [line.split()[0] for line in out.splitlines() if f"replayed, before: {points}" in line] == [CLEAN]


def test_an_author_reads_it_at_the_own_match(site: Authored) -> None:
    def owned(match: MatchRecord) -> MatchRecord:
        return replace(match, players=("ann@1", *match.players[1:]))

    results = SeasonResults(site.kept.config, site.kept.season)
    site.kept.change(CLEAN, owned)
    administration.annul(results, [CLEAN], REASON, replay=True)
    mine = site.kept.match(CLEAN)
    points = mine.points or ()
    after = replace(mine, scores=None, points=(points[0] + 13, *points[1:]))
    administration.replace_match(results, pack_match(after), OrderKind.REPLAYED, lambda _: True)
    site.log_in("ann")
    page = text_of(site.client.get("/me").text)
    assert f"before ann@1 {points[0]}; after ann@1 {points[0] + 13}" in page


def test_a_match_that_waits_for_its_replay_says_so(kept: Kept) -> None:
    administration.annul(SeasonResults(kept.config, kept.season), [CLEAN], REASON, replay=True)
    with visiting(kept.file) as made:
        match = text_of(made.get(f"/seasons/small/matches/{PART}").text)
        log = text_of(made.get("/seasons/small/rejudgings").text)
        waiting = made.get(f"{SEASON}/rejudgings").json()["waiting"]
    assert "The match will be played again." in match
    assert f"{CLEAN} will be played again: a &lt;b&gt;power" in log
    assert waiting == [{"match": CLEAN, "because": REASON}]
