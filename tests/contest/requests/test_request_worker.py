"""Requests played: in turns that are fair, each match once whatever is killed, none of it in the season."""

from __future__ import annotations

import random
import time
from collections import Counter
from contextlib import closing, suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.contest import service_loop
from arbiter.contest.requests import request_worker as desks
from arbiter.contest.requests.outcomes import interval
from arbiter.errors import ConfigError, StoreError, VoidMatch
from arbiter.games import make
from arbiter.games.cards import Stream
from arbiter.season.administration import suspend
from arbiter.season.results import SeasonResults
from arbiter.store import Store
from arbiter.store.backup import back_up
from arbiter.store.request_queue import CANCELLED, DONE, REFUSED, RequestStore
from arbiter.store.versions import DROPPED
from tests.fixtures.databases import put_back

if TYPE_CHECKING:
    from arbiter.match.spec import MatchSpec
    from tests.contest.requests.asked import AskedSeason


class Killed(BaseException):
    """The process ended here."""


def test_a_match_is_played_in_all_seats_on_one_seed_of_its_own(asked: AskedSeason) -> None:
    request = asked.ask("ann", "match", 2, "greedy", "ann@1", "random")
    asked.work()
    specs = asked.executor.specs
    seated = [tuple(player.name for player in spec.players) for spec in specs]
    assert Counter(name for seats in seated for name in seats) == dict.fromkeys(seated[0], 4)
    assert len({spec.seed for spec in specs}) == 1
    assert specs[0].seed != asked.season.seed
    found = asked.now(request)
    assert (found.state, found.played, found.outcome and found.outcome["matches"]) == (DONE, 4, 4)
    assert asked.season.summaries() == []


def test_empty_seats_are_filled_with_copies(asked: AskedSeason) -> None:
    asked.ask("ann", "match", 2, "greedy")
    asked.work()
    assert sorted(player.name for player in asked.executor.specs[0].players) == [
        "ann@2",
        "greedy",
        "greedy#2",
        "greedy#3",
    ]


def test_given_deals_are_played(asked: AskedSeason) -> None:
    game = make("planning", asked.config.game.options)
    deals = [game.deal_json(game.deal(number, Stream(f"a {number}"), None)) for number in range(2)]  # type: ignore[arg-type]
    request = asked.ask("ann", "match", 2, "greedy", deals=deals)
    asked.work()
    assert [spec.deals for spec in asked.executor.specs] == [tuple(deals)] * 4
    assert asked.now(request).state == DONE


def test_a_gauntlet_says_how_it_went_against_each(asked: AskedSeason) -> None:
    request = asked.ask("ann", "gauntlet", 2, "greedy", "random", "ann@1", matches=12)
    asked.work()
    outcome = asked.now(request).outcome
    assert outcome is not None
    assert [row["player"] for row in outcome["opponents"]] == ["greedy", "random", "ann@1"]
    assert outcome["wins"] + outcome["draws"] + outcome["losses"] == 36
    assert outcome["score"] == pytest.approx((outcome["wins"] + outcome["draws"] / 2) / 36)
    assert outcome["boards"] == 3


def test_a_test_ends_by_its_own_rule(asked: AskedSeason) -> None:
    request = asked.ask("ann", "regress", 2, "ann@1", matches=8)
    asked.work()
    found = asked.now(request)
    assert found.outcome is not None
    assert (found.state, found.played, found.outcome["verdict"]) == (DONE, 8, "out_of_budget")
    assert {player.name.partition("#")[0] for spec in asked.executor.specs for player in spec.players} == {
        "base",
        "candidate",
    }


def test_authors_take_turns_match_by_match(asked: AskedSeason, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        asked.ask("ann", "match", 2, "greedy")
    late = asked.ask("ben", "match", 1, "greedy")
    ours = count()
    # Each match takes as long.
    monkeypatch.setattr(time, "monotonic", lambda: float(next(ours)))
    asked.work()
    authors = [_own(spec) for spec in asked.executor.specs]
    assert authors[:8] == ["ann", "ben"] * 4
    assert asked.now(late).state == DONE


def _own(spec: MatchSpec) -> str:
    return next(player.name.partition("@")[0] for player in spec.players if "@" in player.name)


def test_what_was_done_for_an_author_today_counts_inspections_too(asked: AskedSeason) -> None:
    asked.season.requests.count("ann", 10_000)
    asked.ask("ann", "match", 2, "greedy")
    asked.ask("ben", "match", 1, "greedy")
    asked.work()
    assert [_own(spec) for spec in asked.executor.specs] == ["ben"] * 4 + ["ann"] * 4


def test_a_cancelled_request_has_no_further_match(asked: AskedSeason) -> None:
    request = asked.ask("ann", "match", 2, "greedy")

    def cancel(spec: MatchSpec) -> None:
        if spec.rotation == 1:
            assert asked.season.requests.cancel(request.id, "ann")

    asked.executor.fails = cancel
    asked.work()
    assert (len(asked.executor.specs), asked.now(request).state) == (2, CANCELLED)
    assert not asked.season.requests.cancel(request.id, "ann")


def test_no_match_is_lost_or_kept_twice_whatever_is_killed(
    asked: AskedSeason, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = random.Random(1)
    requests = [asked.ask("ann", "match", 2, "greedy", matches=8), asked.ask("ben", "gauntlet", 1)]

    struck = set()

    def fails(place: object) -> None:
        if drawn.random() < 0.3:
            struck.add(place if isinstance(place, str) else "play")
            raise Killed

    def keep(*given: Any, before: Any = RequestStore.keep) -> bool:
        # After the match is stored, and before the queue knows of it.
        fails("keep")
        return bool(before(*given))

    def finish(*given: Any, before: Any = RequestStore.finish) -> bool:
        fails("finish")
        return bool(before(*given))

    monkeypatch.setattr(RequestStore, "keep", keep)
    monkeypatch.setattr(RequestStore, "finish", finish)
    asked.executor.fails = fails
    while any(asked.now(one).state != DONE for one in requests):
        with suppress(Killed):
            asked.work()
    assert struck >= {"play", "keep"}
    assert [asked.matches(one) for one in requests] == [8, 8]
    assert [found["matches"] for one in requests if (found := asked.now(one).outcome)] == [8, 8]


def test_a_match_that_is_void_twice_ends_its_request_alone(asked: AskedSeason) -> None:
    bad, good = asked.ask("ann", "match", 2, "greedy"), asked.ask("ben", "match", 1, "greedy")

    def fails(spec: MatchSpec) -> None:
        if _own(spec) == "ann":
            raise VoidMatch("the disk is full")

    asked.executor.fails = fails
    asked.work()
    assert asked.now(bad).state == REFUSED
    assert "could not play it" in str(asked.now(bad).problem)
    assert asked.now(good).state == DONE
    assert "request 1, match r001/t01/m0 was void: the disk is full" in asked.said[0]


def test_a_request_that_cannot_be_played_ends_alone(asked: AskedSeason) -> None:
    bad, worse, good = (
        asked.ask(name, "match", version, "greedy") for name, version in (("ann", 2), ("ann", 1), ("ben", 1))
    )

    def fails(spec: MatchSpec) -> None:
        names = [player.name for player in spec.players]
        if "ann@2" in names:
            raise ConfigError("this is no deal of the game")
        if "ann@1" in names:
            raise KeyError("nobody thought of this")

    asked.executor.fails = fails
    asked.work()
    assert [asked.now(one).state for one in (bad, worse, good)] == [REFUSED, REFUSED, DONE]
    assert asked.now(bad).problem == "this is no deal of the game"
    assert asked.said == ["small: request 2 failed: KeyError: 'nobody thought of this'"]


@pytest.mark.parametrize("verb", ["suspend", "revoke"])
def test_nothing_is_played_for_who_was_suspended_or_revoked(asked: AskedSeason, verb: str) -> None:
    request = asked.ask("ann", "match", 2, "greedy", matches=8)

    def end(spec: MatchSpec) -> None:
        if spec.rotation == 2 and verb == "suspend":
            suspend(SeasonResults(asked.config, asked.season), "ann", "it cheats")
        elif spec.rotation == 2:
            asked.season.authors.set_token("ann", None, "test")

    asked.executor.fails = end
    asked.work()
    found = asked.now(request)
    said = {"suspend": "ann is suspended: it cheats", "revoke": "ann is no longer an author"}
    assert (found.state, found.played, found.problem) == (REFUSED, 3, said[verb])


def test_a_full_disk_keeps_requests_waiting(asked: AskedSeason, monkeypatch: pytest.MonkeyPatch) -> None:
    request = asked.ask("ann", "match", 2, "greedy")
    monkeypatch.setattr(desks, "LEFT_BYTES", 10**18)
    desk = asked.desk()
    assert not desk._work_on(asked.config)
    assert asked.now(request).played == 0
    assert "bytes are free" in asked.said[0]


def test_a_version_that_was_dropped_meanwhile_is_named(asked: AskedSeason) -> None:
    request = asked.ask("ann", "match", 2, "ann@1")
    asked.season.submissions.record_steps(1, DROPPED, [])
    asked.work()
    assert (asked.now(request).state, asked.now(request).problem) == (
        REFUSED,
        "ann@1 was removed: its files were dropped, or it left the season",
    )


def test_a_store_that_fails_delays_nobody_else(asked: AskedSeason, monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = asked.ask("ann", "match", 2, "greedy"), asked.ask("ben", "match", 1, "greedy")
    monkeypatch.setattr(service_loop, "AGAIN_SECONDS", 0.0)
    failed: list[int] = []

    def fails(spec: MatchSpec) -> None:
        if _own(spec) == "ann" and not failed:
            failed.append(1)
            raise StoreError("the disk is full")

    asked.executor.fails = fails
    asked.work()
    assert [asked.now(one).state for one in (bad, good)] == [DONE, DONE]
    assert asked.said == ["small: requests: the disk is full"]


def test_matches_go_some_time_after_their_request_is_over(
    asked: AskedSeason, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = asked.ask("ann", "match", 2, "greedy")
    asked.work()
    assert asked.matches(request) == 4
    monkeypatch.setattr(desks, "time_before", lambda _: "2999")
    asked.work()
    assert asked.matches(request) == 0
    assert asked.now(request).outcome is not None


def test_an_interval_is_that_of_boards() -> None:
    assert interval([0.4]) is None
    assert interval([0.5, 0.5, 0.5]) is None
    low, high = interval([0.4, 0.5, 0.6]) or (0.0, 0.0)
    # Student's t with two degrees of freedom: 4.303 times 0.1 / sqrt(3).
    assert (low, high) == pytest.approx((0.5 - 0.2484, 0.5 + 0.2484), abs=1e-4)
    assert interval([0.0, 1.0]) == [0.0, 1.0]


@pytest.mark.parametrize("endings", [("",), ("", "-wal", "-shm")])
def test_requests_are_played_after_their_store_was_removed(
    asked: AskedSeason, endings: tuple[str, ...]
) -> None:
    desk, earlier = asked.desk(), asked.ask("ann", "match", 2, "greedy")
    desk.work(until_empty=True)
    for ending in endings:
        asked.store_of_requests.with_name(asked.store_of_requests.name + ending).unlink()
    later = asked.ask("ann", "match", 2, "greedy")
    desk.work(until_empty=True)
    assert [asked.now(one).state for one in (earlier, later)] == [DONE, DONE]
    assert [asked.matches(one) for one in (earlier, later)] == [0, 4]
    assert asked.said == [f"small: {asked.store_of_requests} was removed: open requests start over"]


def test_a_request_begins_again_where_its_store_is_removed_while_a_match_is_played(
    asked: AskedSeason,
) -> None:
    request = asked.ask("ann", "match", 2, "greedy")

    def remove(spec: MatchSpec) -> None:
        if len(asked.executor.specs) == 3:
            asked.store_of_requests.unlink()

    asked.executor.fails = remove
    asked.work()
    found = asked.now(request)
    assert (found.state, found.played, asked.matches(request)) == (DONE, 4, 4)
    assert len(asked.executor.specs) == 3 + 4


def test_requests_are_played_from_a_season_that_was_put_back(asked: AskedSeason) -> None:
    desk = asked.desk()
    desk.work(until_empty=True)
    back_up(asked.config.store, asked.config.folder / "copy")
    put_back(asked.config.store, asked.config.folder / "copy")
    with closing(Store(asked.config.store)) as store:
        season = store.season("small")
        assert season is not None
        wish = asked.wish("ann", "match", 2, "greedy")
        number = season.requests.add("ann", "match", wish.kept(), wish.most, 9, 9).id
        desk.work(until_empty=True)
        found = season.requests.one(number)
    assert found is not None
    assert found.state == DONE
