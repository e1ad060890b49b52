"""Rounds in which so much goes wrong that a run stops."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import Anomaly
from arbiter.match.record import Fault
from arbiter.season.administration import annul, undo_annulment
from arbiter.season.events import MatchStored, RoundComplete, SeasonComplete, Stopped
from arbiter.season.verify import verify
from tests.fixtures.executor import OneByOne, Scripted
from tests.fixtures.made_up_seasons import of_kind, play, players
from tests.fixtures.records import by_name, forfeited

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.season import Season
    from tests.fixtures.made_up_seasons import Opened

BOUND = "stop_when: {faults: 0.5}\n"
CONFIG = f"game: planning\nisolation: plain\nrounds: 3\nseed: abc\nsuspend_after: 0\n{BOUND}players:\n{players(16)}"


class Faults:
    """Matches of which the first so many end by a fault of seat 0."""

    def __init__(self, number: int) -> None:
        self.left = number

    def __call__(self, spec: MatchSpec) -> MatchRecord:
        self.left -= 1
        played = by_name(spec)
        return forfeited(played, played.players[0]) if self.left >= 0 else played


@pytest.mark.parametrize(("faults", "matches_played"), [(4, 16), (5, 8), (8, 8), (16, 8)])
def test_more_faults_than_allowed_stop_the_run_before_more_is_played(
    opened_season: Season, faults: int, matches_played: int
) -> None:
    executor, events = OneByOne(Faults(faults)), []
    text = rf"^round 1: {min(faults, 8)} of the first 8 matches ended by faults \(cr"
    with pytest.raises(Anomaly, match=text) if matches_played == 8 else nullcontext():
        for event in opened_season.play(executor, only_one=True):
            events.append(event)
            if isinstance(event, MatchStored):
                executor.play_one()
    assert len(opened_season.results.matches()) == matches_played
    assert opened_season.stored.complete == (matches_played == 16)
    assert not of_kind(Stopped, events)


def test_the_run_stays_stopped_until_more_is_allowed_or_the_matches_are_annulled(opened: Opened) -> None:
    opened_season = opened()
    plan = opened_season.rounds.plan()
    assert plan is not None
    outcome = Faults(9)
    for spec in plan.missing[:9]:
        opened_season.stored.add_match(outcome(spec))
    for _ in range(2):
        executor = Scripted(by_name)
        with pytest.raises(Anomaly, match="9 of the first 9"):
            list(opened_season.play(executor, only_one=True))
        assert executor.played == []
    assert play(opened("0.5", "1"), only_one=True)
    annul(
        opened_season.results,
        [match.id for match in opened_season.results.matches()[:9]],
        "no bots",
        replay=True,
    )
    assert isinstance(play(opened_season, only_one=True)[-1], RoundComplete)


def test_a_season_that_says_nothing_is_not_stopped_by_faults(opened: Opened) -> None:
    opened_season = opened(BOUND)
    play(opened_season, Faults(15), only_one=True)
    assert opened_season.stored.complete == 1


def of_another(kind: Callable[[int], Fault]) -> Callable[[MatchSpec], MatchRecord]:
    """A fault of a different player in each match of a round."""
    number = -1

    def outcome(spec: MatchSpec) -> MatchRecord:
        nonlocal number
        number += 1
        record = by_name(spec)
        return forfeited(record, sorted(record.players)[spec.rotation % 4], kind(number))

    return outcome


def test_the_same_fault_of_another_player_in_every_match_stops_after_the_round(opened: Opened) -> None:
    opened_season = opened(BOUND)
    with pytest.raises(Anomaly, match=r"^round 1: every match ended by the same fault of another player"):
        play(opened_season, of_another(lambda _: Fault.CRASH))
    assert opened_season.stored.complete == 1
    assert [match.id[:4] for match in opened_season.results.matches()] == ["r001"] * 16
    play(opened_season)
    assert opened_season.stored.complete == 3


def test_different_faults_of_all_players_are_results(opened: Opened) -> None:
    opened_season = opened(BOUND)
    play(opened_season, of_another(lambda number: list(Fault)[number % 2]), only_one=True)
    assert opened_season.stored.complete == 1


@pytest.mark.parametrize("spoken_to", [0, 1])
def test_a_round_in_which_no_bot_answered_at_all_stops_the_run(opened: Opened, spoken_to: int) -> None:
    opened_season = opened(BOUND)
    first = next(iter(opened_season.config.game.greeting()))[0]
    kinds = iter([Fault.CRASH, Fault.TIMEOUT] * 50)

    def dead(spec: MatchSpec) -> MatchRecord:
        seat = spoken_to if spec.id == "r001/t02/m1" else 0
        played = by_name(spec)
        return forfeited(played, played.players[seat], next(kinds), first)

    if spoken_to:
        play(opened_season, dead, only_one=True)
        return
    with pytest.raises(Anomaly, match=r"^round 1: no bot answered at all \(crash of p"):
        play(opened_season, dead, only_one=True)


def test_a_round_that_is_whole_before_it_is_too_much_stops_the_run_after_it(opened: Opened) -> None:
    opened_season = opened()
    with pytest.raises(Anomaly, match="16 of the first 16 matches ended by faults"):
        play(opened_season, Faults(16))
    assert (opened_season.stored.complete, len(opened_season.results.matches())) == (1, 16)
    assert isinstance(play(opened_season)[-1], SeasonComplete)


def test_matches_played_again_are_watched_and_brought_back(opened: Opened) -> None:
    opened_season = opened()
    play(opened_season, only_one=True)
    before = opened_season.results.standings()
    ids = [match.id for match in opened_season.results.matches()]
    annul(opened_season.results, ids, "cut", replay=True)
    executor = OneByOne(Faults(99))
    with pytest.raises(Anomaly, match=r"^8 of the first 8 matches played again ended by faults"):
        for event in opened_season.play(executor, only_one=True):
            if isinstance(event, MatchStored):
                executor.play_one()
    assert sum(match.faulty is not None for match in opened_season.results.matches()) == 8
    given = undo_annulment(opened_season.results, ids)
    assert set(given.subjects) == set(ids)
    assert opened_season.results.standings()["players"] == before["players"]
    assert not any(match.faulty is not None for match in opened_season.results.matches())
    play(opened_season, only_one=True)
    found = [finding.text for finding in verify(opened_season.config, opened_season.stored)]
    assert not any("standings" in text or "tables" in text for text in found)


def test_every_match_of_a_round_played_again_with_faults_stops_before_the_next(opened: Opened) -> None:
    opened_season = opened(BOUND)
    play(opened_season, only_one=True)
    annul(opened_season.results, [match.id for match in opened_season.results.matches()], "cut", replay=True)
    with pytest.raises(Anomaly, match=r"^round 1: every match ended by the same fault of another player"):
        play(opened_season, of_another(lambda _: Fault.CRASH))
    assert opened_season.stored.complete == 1
