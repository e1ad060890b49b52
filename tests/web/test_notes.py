"""Notes of bots on a site: the author's and the organiser's, and everybody's only where they are published."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.match.notes import Note
from arbiter.match.packing import MOST_TAGS, pack_match
from arbiter.replay.visibility import Reader, replay_of
from arbiter.season.administration import annul, replace_match
from arbiter.season.config import load
from arbiter.season.results import SeasonResults
from arbiter.season.snapshot import listings
from arbiter.season.snapshot.reader import read_state
from arbiter.season.snapshot.viewer import AS_ORGANISER, Viewer
from arbiter.store import OrderKind
from arbiter.web.views.report_file import make_report
from tests.fixtures import executor
from tests.fixtures.site import Authored, authored
from tests.fixtures.zoo import copied
from tests.web.test_frozen import EVERYWHERE
from tests.web.test_requests import ASK, PAGE, ask, asking, work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from starlette.testclient import TestClient

    from arbiter.match.record import MatchRecord
    from tests.fixtures.commands import Run
    from tests.fixtures.zoo import Kept

__all__ = ["asking"]

MATCH = "r001/t02/m0"
BEFORE = "/api/v1/seasons/small/matches"
SECRET = "SECRET"


def noting(record: MatchRecord, *public: int) -> MatchRecord:
    """A record whose seat 1 is ann's, and whose every seat notes a secret of its own before each move."""
    players = (record.players[0], "ann@2", *record.players[2:])
    bots = tuple(replace(bot, player=name) for bot, name in zip(record.bots, players, strict=True))
    return with_notes(replace(record, players=players, bots=bots), *public)


def with_notes(record: MatchRecord, *public: int) -> MatchRecord:
    """A record whose every seat notes a secret of its own before each move."""
    notes = {
        number: Note(float(move.seat), (f"{SECRET}{move.seat}",), (f"{SECRET}{move.seat} \u202e<b>",))
        for number, move in enumerate(record.moves, 1)
    }
    return replace(record, move_notes=notes, notes_public=public)


def secrets(text: str) -> set[str]:
    """Of which seats something that only they may know stands in a text."""
    return {after[0] for after in text.split(SECRET)[1:]}


ADDRESSES = (
    *EVERYWHERE,
    *(
        f"{BEFORE}/{match}/replay?reader={reader}"
        for match in ("r001-t02-m0", "r003-t01-m0")
        for reader in ("public", "seat:0", "seat:1", "seat:2", "seat:3")
    ),
    "/seasons/small/matches/r001-t02-m0",
    "/seasons/small/matches/r003-t01-m0",
    "/seasons/small/players/ann%402",
    "/seasons/small/live",
    "/metrics",
)


def everywhere(site: Authored, who: str | None) -> dict[str, set[str]]:
    """By address the seats whose notes somebody is shown there, where there are any."""
    headers = {} if who is None else site.headers(who)
    found = {address: secrets(site.client.get(address, headers=headers).text) for address in ADDRESSES}
    return {address: seats for address, seats in found.items() if seats}


@pytest.fixture(scope="module")
def noted(
    original_season: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Authored]]:
    """A site whose every match has notes, published by these seats; nobody changes it."""
    with ExitStack() as stack:

        @cache
        def of(*public: int) -> Authored:
            kept = stack.enter_context(copied(original_season, tmp_path_factory.mktemp("noted") / "kept"))
            for match in kept.season.summaries():
                kept.change(match.id, lambda record: noting(record, *public))
            return stack.enter_context(authored(kept))

        yield of


@pytest.mark.parametrize("who", [None, "ben"])
def test_no_answer_tells_of_notes_of_others(noted: Callable[..., Authored], who: str | None) -> None:
    assert everywhere(noted(), who) == {}
    state = read_state(noted().kept.config, noted().kept.season)
    assert secrets(make_report(state, None)) == set()


def test_an_author_sees_the_own_notes_and_an_organiser_all_once_the_round_is_complete(
    noted: Callable[..., Authored],
) -> None:
    site = noted()
    for who, seats in (("ann", {"1"}), ("olga", set("0123"))):
        found = everywhere(site, who)
        assert set().union(*found.values()) == seats
        assert {address for address in found if "r003" in address} == set()
        assert found[f"{BEFORE}/r001-t02-m0/replay?reader=public"] == seats
        # Through the eyes of a seat no answer of another stands there.
        assert found[f"{BEFORE}/r001-t02-m0/replay?reader=seat:1"] == {"1"}
    answer = site.client.get(f"{BEFORE}/r001-t02-m0/replay", headers=site.headers("ann"))
    assert (answer.headers["cache-control"], "etag" in answer.headers) == ("no-store", False)
    events = [event for event in answer.json()["events"] if event["t"] == "answer"]
    assert {event["seat"] for event in events if "note" in event} == {1}
    assert events[[event["seat"] for event in events].index(1)]["note"] == {
        "value": 1.0, "tags": ["SECRET1"], "words": ["SECRET1 \\u202e<b>"],
    }  # fmt: skip
    log = "/api/v1/seasons/small/matches/r001-t02-m0/log"
    assert secrets(site.client.get(log, headers=site.headers("ann")).text) == {"1"}
    assert secrets(site.client.get(f"{BEFORE}/r001-t02-m0/replay").text) == set()


def test_what_is_published_all_see_once_the_round_is_complete(noted: Callable[..., Authored]) -> None:
    site = noted(1, 3)
    found = everywhere(site, None)
    assert set().union(*found.values()) == {"1", "3"}
    assert not any("r003" in address for address in found)
    assert found[f"{BEFORE}/r001-t02-m0/replay?reader=public"] == {"1", "3"}
    state = read_state(site.kept.config, site.kept.season)
    assert secrets(make_report(state, None)) == {"1", "3"}


def test_what_an_author_of_one_season_is_shown_is_of_that_one() -> None:
    assert Viewer("ann").own("ann@2")
    assert not any(Viewer("ann").own(name) for name in ("ann", "anna@2", "ben@2", "@2", "p1"))
    assert not Viewer("").own("p1")


@pytest.mark.parametrize("public", [(), (0, 1, 2, 3)])
def test_of_a_match_that_was_asked_for_an_author_sees_the_own_notes_alone(
    asking: Authored, monkeypatch: pytest.MonkeyPatch, public: tuple[int, ...]
) -> None:
    monkeypatch.setattr(executor, "pack_match", lambda record: pack_match(with_notes(record, *public)))
    number = ask(asking).json()["id"]
    work(asking)
    for place in (ASK, PAGE):
        address = f"{place}/{number}/matches/r001-t01-m0"
        if place == PAGE:
            asking.log_in("ann")
        replay = asking.client.get(f"{address}/replay", headers=asking.headers("ann"))
        (own,) = [player["seat"] for player in replay.json()["players"] if player["name"] == "ann@2"]
        assert secrets(replay.text) == {str(own)}
        assert secrets(asking.client.get(address, headers=asking.headers("ann")).text) == set()


READERS = ["public", "full", "seat:0", "seat:1", "seat:2", "seat:3"]


@pytest.mark.parametrize("public", [(), (0,), (1, 3)])
@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("reader", READERS)
def test_a_reader_gets_no_others_unpublished_note(
    shown: Kept, reader: str, complete: bool, public: tuple[int, ...]
) -> None:
    record = noting(shown.match(MATCH), *public)
    replay: Any = replay_of(record, Reader.parse(reader, 4), complete)
    seen = secrets(json.dumps(replay))
    if reader == "full":
        assert seen == set("0123")
    elif reader == "public":
        assert seen == ({str(seat) for seat in public} if complete else set())
    else:
        assert seen == {reader[-1]}
    silent = replay_of(replace(record, move_notes=None), Reader.parse(reader, 4), complete)
    for event in replay["events"]:
        event.pop("note", None)
    assert replay == silent


def test_a_season_with_notes_is_verified_as_one_without(kept: Kept) -> None:
    kept.change(MATCH, lambda record: replace(record, move_notes={1: Note(0.5)}, notes_public=(0,)))
    assert kept.found() == []


def test_a_season_with_publish_notes_has_its_key(kept: Kept) -> None:
    assert not kept.config.publish_notes
    kept.file.write_text(kept.file.read_text() + "publish_notes: true\n")
    assert load(kept.file).publish_notes
    state = read_state(kept.config, kept.season)
    # It publishes nothing of what was played before it was written.
    kept.change(MATCH, noting)
    assert secrets(json.dumps(listings.replay(state, MATCH))) == set()


@pytest.mark.parametrize("public", [False, True])
def test_the_rules_say_who_sees_notes(kept: Kept, public: bool) -> None:
    with authored(kept, f"submissions: {{}}\npublish_notes: {str(public).lower()}\n") as site:
        assert site.client.get("/api/v1/seasons/small/rules").json()["publish_notes"] is public
        page = site.client.get("/seasons/small/rules").text
        assert f"<code>publish_notes: {str(not public).lower()}</code>.</dd>" in page


# Tags

LISTS = ("/api/v1/seasons/small/matches", "/seasons/small/matches")


def found_by(site: Authored, tag: str, who: str | None, more: str = "") -> set[str]:
    """The matches that somebody finds by a tag, which page and API say alike."""
    headers = {} if who is None else site.headers(who)
    answer, page = (site.client.get(f"{place}?tag={tag}{more}", headers=headers) for place in LISTS)
    assert (answer.status_code, page.status_code) == (200, 200)
    rows = {row["id"] for row in answer.json()["matches"]}
    assert {id_ for id_ in rows if id_.replace("/", "-") in page.text} == rows
    assert (f"<p>{len(rows)} match" in page.text) == bool(rows)
    assert ("No match fits the filter" in page.text) == (not rows)
    for one in (answer, page):
        assert ("etag" in one.headers) == (who is None)
    return rows


def test_a_tag_finds_the_matches_of_those_who_may_see_it(noted: Callable[..., Authored]) -> None:
    site = noted()
    every = set(site.kept.season.match_ids(1) | site.kept.season.match_ids(2) | site.kept.season.match_ids(3))
    done = {match for match in every if not match.startswith("r003")}
    # Who faults before its first answer has noted nothing.
    seats = {
        seat: {match for match in every if any(move.seat == seat for move in site.kept.match(match).moves)}
        for seat in range(4)
    }
    assert found_by(site, "SECRET1", "ann") == seats[1] & done
    assert found_by(site, "SECRET0", "ann") == set()
    assert found_by(site, "SECRET1", "ben") == found_by(site, "SECRET1", None) == set()
    assert found_by(site, "SECRET0", "olga") == seats[0]
    assert found_by(site, "other", "olga") == set()
    assert found_by(site, "SECRET1", "ann", "&round=2") == seats[1] & site.kept.season.match_ids(2)
    assert found_by(site, "SECRET1", "olga", "&player=ann%402") == seats[1]
    assert found_by(site, "SECRET1", "olga", "&player=nobody") == set()
    published = noted(1, 3)
    assert not any(match.startswith("r003") for match in found_by(published, "SECRET3", None))
    assert found_by(published, "SECRET3", None) == found_by(published, "SECRET3", "ann") != set()
    assert found_by(published, "SECRET2", None) == set()


def test_a_tag_of_no_form_is_refused_and_shown_as_text(onlooker: TestClient) -> None:
    refused = onlooker.get(f"{LISTS[0]}?tag={'x' * 41}")
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "invalid")
    page = onlooker.get(f"{LISTS[1]}?tag=%22%3E%3Cb%3E").text
    assert 'value="&#34;&gt;&lt;b&gt;"' in page
    assert "<b>" not in page.partition("<main")[2]


def test_a_match_that_is_played_again_has_the_tags_of_the_new_one(kept: Kept) -> None:
    kept.change(MATCH, noting)
    results = SeasonResults(kept.config, kept.season)
    annul(results, [MATCH], "power cut", replay=True)

    def found(tag: str) -> int:
        return len(listings.matches(read_state(kept.config, kept.season), tag=tag, viewer=AS_ORGANISER))

    assert (found("SECRET0"), found("fresh")) == (1, 0)
    again = replace(kept.match(MATCH), move_notes={1: Note(None, ("fresh",))})
    replace_match(results, pack_match(again), OrderKind.REPLAYED, lambda _: True)
    assert (found("SECRET0"), found("fresh")) == (0, 1)


def test_a_seat_is_found_by_its_first_tags_alone(shown: Kept) -> None:
    notes = {n: Note(None, (f"a{n}", f"b{n}")) for n in range(1, 40)}
    packed = pack_match(replace(shown.match(MATCH), move_notes=notes))
    assert max(Counter(seat for seat, _, _ in packed.tags).values()) <= MOST_TAGS
    one = replace(shown.match(MATCH), move_notes={1: Note(None, tuple(f"t{n}" for n in range(99)))})
    assert len(pack_match(one).tags) == MOST_TAGS


def test_the_command_finds_matches_by_a_tag(kept: Kept, arbiter: Run) -> None:
    kept.change(MATCH, noting)
    code, out, _ = arbiter("matches", kept.file, "--tag", "SECRET2", "--format", "json")
    assert (code, [row["id"] for row in json.loads(out)["matches"]]) == (0, [MATCH])
    assert arbiter("matches", kept.file, "--tag", "none")[0] == 0
