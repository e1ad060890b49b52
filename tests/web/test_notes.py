"""Notes of bots on a site: the author's and the organiser's, and everybody's only where they are published."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.config import load
from arbiter.notes import Note
from arbiter.picture import played
from arbiter.picture.basis import Eyes
from arbiter.picture.reading import read_state
from arbiter.view import Reader, replay_of
from arbiter.web.report import make_report
from tests.web.authored import Authored
from tests.web.test_frozen import EVERYWHERE

if TYPE_CHECKING:
    from arbiter.match import MatchRecord
    from tests.kept_season import Kept

MATCH, UNDER_WAY = "r001/t02/m0", "r003/t01/m0"
BEFORE = "/api/v1/seasons/small/matches"
SECRET = "SECRET"


def noting(record: MatchRecord, *public: int) -> MatchRecord:
    """A record whose seat 1 is ann's, and whose every seat notes a secret of its own before each move."""
    players = (record.players[0], "ann@2", *record.players[2:])
    bots = tuple(replace(bot, player=name) for bot, name in zip(record.bots, players, strict=True))
    notes = {
        number: Note(float(move.seat), (f"{SECRET}{move.seat}",), (f"{SECRET}{move.seat} \u202e<b>",))
        for number, move in enumerate(record.moves, 1)
    }
    return replace(record, players=players, bots=bots, move_notes=notes, notes_public=public)


def take_notes(kept: Kept, *public: int) -> None:
    for match in kept.season.summaries():
        kept.change(match.id, lambda record: noting(record, *public))


def secrets(text: str) -> set[str]:
    """Of which seats something that only they may know stands in a text."""
    return {text[at + len(SECRET)] for at in range(len(text)) if text.startswith(SECRET, at)}


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


@pytest.mark.parametrize("who", [None, "ben"])
def test_no_answer_tells_of_notes_of_others(site: Authored, who: str | None) -> None:
    take_notes(site.kept)
    assert everywhere(site, who) == {}
    state = read_state(site.kept.config, site.kept.season)
    assert secrets(make_report(state, None)) == set()


def test_an_author_sees_the_own_notes_and_an_organiser_all_once_the_round_is_complete(site: Authored) -> None:
    take_notes(site.kept)
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


def test_what_is_published_all_see_once_the_round_is_complete(site: Authored) -> None:
    take_notes(site.kept, 1, 3)
    found = everywhere(site, None)
    assert set().union(*found.values()) == {"1", "3"}
    assert not any("r003" in address for address in found)
    assert found[f"{BEFORE}/r001-t02-m0/replay?reader=public"] == {"1", "3"}
    state = read_state(site.kept.config, site.kept.season)
    assert secrets(make_report(state, None)) == {"1", "3"}


def test_what_an_author_of_one_season_is_shown_is_of_that_one(site: Authored) -> None:
    take_notes(site.kept)
    assert Eyes("ann").own("ann@2")
    assert not any(Eyes("ann").own(name) for name in ("ann", "anna@2", "ben@2", "@2", "p1"))
    assert not Eyes("").own("p1")


READERS = ["public", "full", "seat:0", "seat:1", "seat:2", "seat:3"]


@pytest.mark.parametrize("public", [(), (0,), (1, 3)])
@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("reader", READERS)
def test_a_reader_gets_no_others_unpublished_note(
    kept: Kept, reader: str, complete: bool, public: tuple[int, ...]
) -> None:
    record = noting(kept.match(MATCH), *public)
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
    assert secrets(json.dumps(played.replay(state, MATCH))) == set()
