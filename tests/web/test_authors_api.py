"""Programs sent to the API: versions, limits, refusals that tell nobody what he may not know."""

from __future__ import annotations

import asyncio
import os
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

import pytest

from arbiter.contest.submissions import archive_storage
from arbiter.contest.submissions.languages import inspection_digest
from arbiter.season.config import load
from arbiter.season.roster import folder_of
from arbiter.web.api import authors
from arbiter.web.http import request_bodies
from arbiter.web.http.authentication import caller_by_token
from arbiter.web.http.request_bodies import Uploads
from arbiter.web.http.watched_seasons import Seasons
from tests.fixtures.site import ADDRESS, Authored, archive, authored
from tests.fixtures.zoo import Kept

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from arbiter.match.record import MatchRecord
    from arbiter.web.http.authentication import Caller


def files(site: Authored) -> list[str]:
    return sorted(file.suffix for file in folder_of(site.kept.config).iterdir())


def test_an_archive_becomes_a_version(site: Authored) -> None:
    body = archive()
    answer = site.put("ann", body)
    assert answer.status_code == 202
    assert answer.headers["cache-control"] == "no-store"
    made = answer.json()
    assert made == {"id": made["id"], "version": 1, "state": "received"}
    found = site.client.get(f"{ADDRESS}/{made['id']}", headers=site.headers("ann")).json()
    assert found["sha256"] == sha256(body).hexdigest()
    assert (found["state"], found["steps"], found["joins_round"]) == ("received", [], None)
    listed = site.client.get(ADDRESS, headers=site.headers("ann")).json()["submissions"]
    assert [one["id"] for one in listed] == [made["id"]]
    kept = site.kept.season.submissions.one(made["id"])
    assert kept is not None
    assert archive_storage.archive_of(site.kept.config, kept.file).read_bytes() == body


def test_the_same_archive_again_is_the_first_version_though_no_more_are_taken(site: Authored) -> None:
    first = site.send("ann", archive("1"))
    for text in "23":
        site.send("ann", archive(text))
    again = site.put("ann", archive("1"))
    assert (again.status_code, again.json()["id"]) == (200, first["id"])
    assert files(site) == [".zip"] * 3


@pytest.fixture
def refused(site: Authored) -> Any:
    """The first version of ann, refused under the terms of now."""
    made = site.send("ann", archive("1"))
    site.kept.season.submissions.refuse(made["id"], [], inspection_digest(load(site.kept.file)))
    return made


def test_what_was_refused_and_comes_again_has_the_date_of_its_verdict(site: Authored, refused: Any) -> None:
    again = site.put("ann", archive("1"))
    kept = site.kept.season.submissions.one(refused["id"])
    assert kept is not None
    assert (again.status_code, again.json()["state"], again.json()["judged"]) == (200, "refused", kept.judged)
    found = site.client.get(f"{ADDRESS}/{refused['id']}", headers=site.headers("ann")).json()
    assert found["judged"] == kept.judged


def test_what_was_refused_is_inspected_again_where_the_machine_or_the_rules_are_others(
    site: Authored, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_storage, "inspection_digest", "others".format)
    book, shelf = site.kept.season.submissions, site.kept.season.submission_files
    again = site.put("ann", archive("1"))
    assert (again.status_code, again.json()) == (202, {**refused, "state": "received"})
    (waiting,) = book.waiting()
    assert (waiting.id, waiting.steps) == (refused["id"], ())
    assert archive_storage.archive_of(site.kept.config, waiting.file).read_bytes() == archive("1")
    assert files(site) == [".zip"]
    book.refuse(refused["id"], [])
    shelf.expire_archives("2999")
    assert site.put("ann", archive("1")).status_code == 202, "its archive has expired meanwhile"
    assert (shelf.gone().archives, shelf.taken("ann")) == (set(), len(archive("1")))
    book.refuse(refused["id"], [])
    assert site.put("ann", archive("1")).status_code == 429, "each time counts for the day"
    assert (book.waiting(), files(site)) == ([], [".zip"])


def test_too_many_in_a_day_are_told_the_limit_and_the_seconds(site: Authored) -> None:
    for text in "123":
        site.send("ann", archive(text))
    refused = site.put("ann", archive("4"))
    error = refused.json()["error"]
    assert (refused.status_code, error["code"], error["limit"]) == (429, "too_many", 3)
    assert 86_000 < error["seconds"] <= 86_401
    assert refused.headers["retry-after"] == str(error["seconds"])
    assert files(site) == [".zip"] * 3
    site.send("ben", archive("4"))


LARGE = b"x" * 10_001


@pytest.mark.parametrize(
    ("body", "status", "limit"),
    [(LARGE, 413, 10_000), (iter((LARGE[:5000], LARGE[5000:])), 413, 10_000), (b"", 422, None)],
)
def test_an_archive_that_is_empty_or_too_large_leaves_nothing(
    site: Authored, body: Any, status: int, limit: int | None
) -> None:
    refused = site.put("ann", body)
    assert (refused.status_code, refused.json()["error"].get("limit")) == (status, limit)
    assert not folder_of(site.kept.config).exists() or files(site) == []
    assert site.kept.season.submissions.of("ann") == []


def full(_: int) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("module", "name", "value", "status", "told"),
    [
        (archive_storage, "LEFT_BYTES", 10**18, 429, {"code": "too_many", "seconds": 60}),
        (os, "fsync", full, 503, {"code": "unavailable"}),
    ],
    ids=["room is left on the disk", "the disk is full"],
)
def test_an_upload_that_cannot_be_kept_leaves_nothing(
    site: Authored, monkeypatch: pytest.MonkeyPatch,
    module: Any, name: str, value: Any, status: int, told: dict[str, Any],
) -> None:  # fmt: skip
    monkeypatch.setattr(module, name, value)
    refused = site.put("ann", archive())
    assert (refused.status_code, refused.json()["error"].items() >= told.items()) == (status, True)
    assert not folder_of(site.kept.config).exists() or files(site) == []
    assert site.kept.season.submissions.of("ann") == []


def test_uploads_under_way_have_their_room_kept(site: Authored, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[int] = []

    def has_room(_: object, size: int) -> bool:
        wanted.append(size)
        return True

    monkeypatch.setattr(request_bodies, "prepare_folder", has_room)
    with closing(Seasons([site.kept.file])) as seasons:
        ann, ben = (cast("Caller", caller_by_token(seasons, site.tokens[name])) for name in ("ann", "ben"))
        under_way = Uploads()

        async def other() -> AsyncIterator[bytes]:
            yield b"2"

        async def slow() -> AsyncIterator[bytes]:
            yield b"1"
            await under_way.take(ben, other(), lambda: ben)

        asyncio.run(under_way.take(ann, slow(), lambda: ann))
    assert wanted == [10_000, 20_000]


@pytest.mark.parametrize("terms", ["", "submissions: {until: 2020-01-01}\n"])
def test_a_season_that_takes_nothing_says_so(kept: Kept, terms: str) -> None:
    with authored(kept, terms) as site:
        refused = site.put("ann", archive())
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "closed")


def test_a_revoked_token_is_dead_at_once(site: Authored) -> None:
    assert site.client.get(ADDRESS, headers=site.headers("ann")).status_code == 200
    site.kept.season.authors.set_token("ann", None, "test")
    assert site.client.get(ADDRESS, headers=site.headers("ann")).status_code == 401


def test_an_archive_whose_token_dies_on_its_way_is_not_taken(site: Authored) -> None:
    def slow() -> Iterator[bytes]:
        site.kept.season.authors.set_token("ann", None, "test")
        yield archive()

    refused = site.put("ann", slow())
    assert (refused.status_code, files(site)) == (401, [])
    assert site.kept.season.submissions.of("ann") == []


def test_an_accepted_version_is_activated_and_no_other(site: Authored) -> None:
    first, second = (site.send("ann", archive(text))["id"] for text in "12")
    refused = site.client.post(f"{ADDRESS}/{first}/activate", headers=site.headers("ann"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not_accepted")
    book = site.kept.season.submissions
    checked = {"name": "checked", "ok": True, "detail": "", "fix": "", "output": ""}
    for number in (first, second):
        book.accept(number, [checked], {"command": ["python3"], "read": [], "files": {}})
    answer = site.client.post(f"{ADDRESS}/{first}/activate", headers=site.headers("ann")).json()
    # The kept season has three planned rounds.
    assert (answer["active"], answer["joins_round"], answer["state"]) == (True, 4, "accepted")
    listed = site.client.get(ADDRESS, headers=site.headers("ann")).json()["submissions"]
    assert [(one["version"], one["active"]) for one in listed] == [(2, False), (1, True)]


@pytest.mark.slow
def test_versions_are_activated_so_often_in_an_hour(site: Authored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authors, "PER_HOUR", 2)
    made = [site.accept("ann", text) for text in "12"]

    def activate(number: object) -> Any:
        return site.client.post(f"{ADDRESS}/{number}/activate", headers=site.headers("ann"))

    assert [activate(number).status_code for number in made] == [200, 200]
    before = site.kept.season.last_change()
    refused = activate(made[0])
    error = refused.json()["error"]
    assert (refused.status_code, error["code"], error["limit"]) == (429, "too_many", 2)
    assert refused.headers["retry-after"] == str(error["seconds"])
    assert site.kept.season.last_change() == before


def drop(site: Authored, number: object, who: str = "ann") -> Any:
    return site.client.delete(f"{ADDRESS}/{number}", headers=site.headers(who))


def test_a_version_that_never_played_is_dropped_with_its_files(site: Authored) -> None:
    refused, waiting = (site.send("ann", archive(text))["id"] for text in "12")
    site.kept.season.submissions.refuse(refused, [])
    for number in (refused, waiting):
        shape = drop(site, number).json()
        found = shape["state"], shape["bytes"], shape["say"]
        assert found == ("dropped", 0, "was dropped: its files are gone")
    assert files(site) == []
    assert drop(site, refused).status_code == 200
    again = site.put("ann", archive("1"))
    assert (again.status_code, again.json()["error"]["code"]) == (409, "dropped")
    assert files(site) == []


def test_a_version_that_plays_or_has_played_stays(site: Authored) -> None:
    first = site.accept("ann")
    assert drop(site, first).json()["error"]["code"] == "active"
    site.kept.season.add_round(4, "digest", [["ann@1"]], {})
    site.accept("ann", "2")
    refused = drop(site, first)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "has_played")
    assert files(site) == [".zip", ".zip"]


def test_all_files_of_an_author_have_a_bound(kept: Kept) -> None:
    with authored(kept, "submissions: {max_size: 10KB, max_total: 11KB, per_day: 99}\n") as site:
        body = archive("x" * 5300)
        first = site.send("ann", body)
        site.send("ann", archive("y" * 5300))
        refused = site.put("ann", archive("z" * 300))
        error = refused.json()["error"]
        assert (refused.status_code, error["code"], error["limit"]) == (409, "no_room", 11_000)
        assert files(site) == [".zip", ".zip"]
        listed = site.client.get(ADDRESS, headers=site.headers("ann")).json()["submissions"]
        assert [one["bytes"] for one in listed] == [len(body)] * 2
        site.send("ben", archive("z" * 300))
        drop(site, first["id"])
        site.send("ann", archive("z" * 300))


def seat_of_ann(site: Authored, match_id: str, errors: str = "") -> None:
    """Let seat 1 of a stored match be version 2 of ann's."""

    def alter(record: MatchRecord) -> MatchRecord:
        players = (record.players[0], "ann@2", *record.players[2:])
        bots = tuple(
            replace(bot, stderr_tail=errors if seat == 1 else "SECRET")
            for seat, bot in enumerate(record.bots)
        )
        return replace(record, players=players, bots=bots)

    site.kept.change(match_id, alter)


def test_an_author_reads_the_log_of_an_own_seat_of_a_complete_round_alone(site: Authored) -> None:
    early = min(site.kept.season.match_ids(3))
    seat_of_ann(site, early)
    address = f"/api/v1/seasons/small/matches/{early.replace('/', '-')}/log"
    assert site.client.get(address, headers=site.headers("ann")).status_code == 404
    seat_of_ann(site, "r001/t02/m0", "tried \x1b[31m <script>alert(1)</script>")
    address = "/api/v1/seasons/small/matches/r001-t02-m0/log"
    answer = site.client.get(address, headers=site.headers("ann"))
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="r001-t02-m0.log.txt"'
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert "match r001/t02/m0, seat 1: ann@2" in answer.text
    assert "> gen_move\n= " in answer.text
    assert "tried \\x1b[31m <script>" in answer.text
    assert "SECRET" not in answer.text
    assert site.client.get(address, headers=site.headers("ben")).status_code == 404
    assert "SECRET" in site.client.get(address, headers=site.headers("olga")).text


def test_figures_tell_how_many_wait(site: Authored) -> None:
    site.send("ann", archive())
    found = site.client.get("/metrics").text
    assert 'arbiter_submissions{season="small",state="received"} 1\n' in found
    assert 'arbiter_submissions{season="small",state="accepted"} 0\n' in found
