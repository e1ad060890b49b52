"""Rounds in which so much goes wrong that a run stops."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import Anomaly, ConfigError
from arbiter.match.packing import pack_match
from arbiter.match.record import Fault, Forfeit
from arbiter.season.administration import annul, undo_annulment
from arbiter.season.config import load
from arbiter.season.events import MatchStored, RoundComplete, SeasonComplete, Stopped
from arbiter.season.season import Season
from arbiter.season.verify import verify
from arbiter.store import Store
from arbiter.table.executors import SizedExecutor
from tests.fixtures.executor import Scripted
from tests.fixtures.records import by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec

LINES = [
    "game: planning",
    "isolation: plain",
    "rounds: 3",
    "seed: abc",
    "suspend_after: 0",
    "stop_when: {faults: 0.5}",
    "players:",
]
LINES += [f"  - {{name: p{n}, command: [python3]}}" for n in range(16)]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Season]]:
    path = tmp_path / "s.yaml"
    with closing(Store(f"sqlite:///{tmp_path / 's.sqlite'}")) as store:

        def open_season(old: str = "", new: str = "") -> Season:
            path.write_text("\n".join(LINES).replace(old, new) if old else "\n".join(LINES))
            return Season.open(load(path), store)

        yield open_season


def fault(
    record: MatchRecord, seat: int, kind: Fault = Fault.CRASH, command: str = "gen_move"
) -> MatchRecord:
    forfeit = Forfeit(seat, record.players[seat], kind, "ended", command, "")
    return replace(record, points=None, forfeit=forfeit)


class Faults:
    """Matches of which the first so many end by a fault of seat 0."""

    def __init__(self, number: int) -> None:
        self.left = number

    def __call__(self, spec: MatchSpec) -> MatchRecord:
        self.left -= 1
        return fault(by_name(spec), 0) if self.left >= 0 else by_name(spec)


class OneByOne(SizedExecutor):
    """Plays the first match at once, and others when it is told to."""

    size = 1

    def __init__(self, outcome: Callable[[MatchSpec], MatchRecord]) -> None:
        self._outcome = outcome
        self._begun = False
        self._waiting: list[tuple[MatchSpec, Future[Any]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._waiting.append((args[0], future))
        if not self._begun:
            self._begun = True
            self.play_one()
        return future

    def play_one(self) -> None:
        while self._waiting:
            spec, future = self._waiting.pop(0)
            if future.set_running_or_notify_cancel():
                future.set_result(pack_match(self._outcome(spec)))
                return


@pytest.mark.parametrize(("faults", "matches_played"), [(4, 16), (5, 8), (8, 8), (16, 8)])
def test_more_faults_than_allowed_stop_the_run_before_more_is_played(
    opened: Callable[..., Season], faults: int, matches_played: int
) -> None:
    opened_season, executor = opened(), OneByOne(Faults(faults))
    text = rf"^round 1: {min(faults, 8)} of the first 8 matches ended by faults \(cr"
    with pytest.raises(Anomaly, match=text) if matches_played == 8 else nullcontext():
        for event in opened_season.play(executor, only_one=True):
            if isinstance(event, MatchStored):
                executor.play_one()
    assert len(opened_season.results.matches()) == matches_played
    assert opened_season.stored.complete == (matches_played == 16)


def test_the_run_stays_stopped_until_more_is_allowed_or_the_matches_are_annulled(
    opened: Callable[..., Season],
) -> None:
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
    assert list(opened("0.5", "1").play(Scripted(by_name), only_one=True))
    annul(
        opened_season.results,
        [match.id for match in opened_season.results.matches()[:9]],
        "no bots",
        replay=True,
    )
    assert isinstance(list(opened_season.play(Scripted(by_name), only_one=True))[-1], RoundComplete)


def test_a_season_that_says_nothing_is_not_stopped_by_faults(opened: Callable[..., Season]) -> None:
    opened_season = opened("stop_when: {faults: 0.5}\n", "")
    list(opened_season.play(Scripted(Faults(15)), only_one=True))
    assert opened_season.stored.complete == 1


def of_another(kind: Callable[[int], Fault]) -> Callable[[MatchSpec], MatchRecord]:
    """A fault of a different player in each match of a round."""
    number = -1

    def outcome(spec: MatchSpec) -> MatchRecord:
        nonlocal number
        number += 1
        record = by_name(spec)
        first = sorted(record.players)[(spec.rotation) % 4]
        return fault(record, record.players.index(first), kind(number))

    return outcome


def test_the_same_fault_of_another_player_in_every_match_stops_after_the_round(
    opened: Callable[..., Season],
) -> None:
    opened_season = opened("stop_when: {faults: 0.5}\n", "")
    with pytest.raises(Anomaly, match=r"^round 1: every match ended by the same fault of another player"):
        list(opened_season.play(Scripted(of_another(lambda _: Fault.CRASH))))
    assert opened_season.stored.complete == 1
    assert [match.id[:4] for match in opened_season.results.matches()] == ["r001"] * 16
    list(opened_season.play(Scripted(by_name)))
    assert opened_season.stored.complete == 3


def test_different_faults_of_all_players_are_results(opened: Callable[..., Season]) -> None:
    opened_season = opened("stop_when: {faults: 0.5}\n", "")
    list(opened_season.play(Scripted(of_another(lambda number: list(Fault)[number % 2])), only_one=True))
    assert opened_season.stored.complete == 1


@pytest.mark.parametrize("spoken_to", [0, 1])
def test_a_round_in_which_no_bot_answered_at_all_stops_the_run(
    opened: Callable[..., Season], spoken_to: int
) -> None:
    opened_season = opened("stop_when: {faults: 0.5}\n", "")
    first = next(iter(opened_season.config.game.greeting()))[0]
    kinds = iter([Fault.CRASH, Fault.TIMEOUT] * 50)

    def dead(spec: MatchSpec) -> MatchRecord:
        seat = spoken_to if spec.id == "r001/t02/m1" else 0
        return fault(by_name(spec), seat, next(kinds), first)

    if spoken_to:
        list(opened_season.play(Scripted(dead), only_one=True))
        return
    with pytest.raises(Anomaly, match=r"^round 1: no bot answered at all \(crash of p"):
        list(opened_season.play(Scripted(dead), only_one=True))


@pytest.mark.parametrize("value", ["0", "1.5", "-1", "yes", "{}"])
def test_a_share_that_is_none_is_refused(opened: Callable[..., Season], value: str) -> None:
    with pytest.raises(ConfigError, match=r"stop_when"):
        opened("faults: 0.5", f"faults: {value}")


def test_what_stops_a_run_changes_no_digest(opened: Callable[..., Season]) -> None:
    assert opened().config.digest == opened("stop_when: {faults: 0.5}\n", "").config.digest


def test_a_round_that_is_whole_before_it_is_too_much_stops_the_run_after_it(
    opened: Callable[..., Season],
) -> None:
    opened_season = opened()
    with pytest.raises(Anomaly, match="16 of the first 16 matches ended by faults"):
        list(opened_season.play(Scripted(Faults(16))))
    assert (opened_season.stored.complete, len(opened_season.results.matches())) == (1, 16)
    assert isinstance(list(opened_season.play(Scripted(by_name)))[-1], SeasonComplete)


def test_the_reason_is_told_and_no_wish_to_stop(opened: Callable[..., Season]) -> None:
    opened_season, executor = opened(), OneByOne(Faults(16))
    events = []
    with pytest.raises(Anomaly):
        for event in opened_season.play(executor, only_one=True):
            events.append(event)
            executor.play_one()
    assert not any(isinstance(event, Stopped) for event in events)


def test_matches_played_again_are_watched_and_brought_back(opened: Callable[..., Season]) -> None:
    opened_season = opened()
    list(opened_season.play(Scripted(by_name), only_one=True))
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
    list(opened_season.play(Scripted(by_name), only_one=True))
    found = [finding.text for finding in verify(opened_season.config, opened_season.stored)]
    assert not any("standings" in text or "tables" in text for text in found)


def test_every_match_of_a_round_played_again_with_faults_stops_before_the_next(
    opened: Callable[..., Season],
) -> None:
    opened_season = opened("stop_when: {faults: 0.5}\n", "")
    list(opened_season.play(Scripted(by_name), only_one=True))
    annul(opened_season.results, [match.id for match in opened_season.results.matches()], "cut", replay=True)
    with pytest.raises(Anomaly, match=r"^round 1: every match ended by the same fault of another player"):
        list(opened_season.play(Scripted(of_another(lambda _: Fault.CRASH))))
    assert opened_season.stored.complete == 1
