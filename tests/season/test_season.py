"""Rounds: planned from what is stored, played once each, rated when complete."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import Executor, Future
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import ConfigError, VoidMatch, WorkerLost
from arbiter.match.packing import pack_match
from arbiter.match.record import Fault, MatchSummary
from arbiter.season.calendar import rounds_left
from arbiter.season.events import MatchVoid
from arbiter.season.ledger import to_rating
from arbiter.season.match_runner import play_matches
from arbiter.season.schedule import drawn_tables
from arbiter.season.season import Season
from rating.crosstable import PairTable
from rating.ratings import rate
from tests.fixtures.crosstables import pairwise
from tests.fixtures.executor import Scripted
from tests.fixtures.made_up_seasons import of_kind, play, players
from tests.fixtures.records import by_name, play_round

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.config import Config
    from arbiter.season.events import Event
    from arbiter.store import SeasonStore, Store
    from tests.fixtures.made_up_seasons import Configured, Opened

CONFIG = f"game: planning\nisolation: plain\nrounds: 2\ntime: 10s\nseed: abc\nplayers:\n{players(8)}"


@pytest.fixture
def config(configured: Configured) -> Config:
    return configured()


@pytest.fixture
def season(opened_season: Season) -> SeasonStore:
    return opened_season.stored


def play_next_round(config: Config, season: SeasonStore, executor: Executor) -> dict[str, Any]:
    going = Season(config, season)
    plan = going.rounds.plan()
    assert plan is not None
    assert play_round(season, plan, executor)
    return going.rounds.finish(plan.stored.number)


def test_rounds_follow_each_other_until_the_last(config: Config, season: SeasonStore) -> None:
    executor = Scripted(by_name)
    assert play_next_round(config, season, executor)["rounds_played"] == 1
    standings = play_next_round(config, season, executor)
    assert standings["rounds_played"] == 2
    assert Season(config, season).rounds.plan() is None
    assert {row["player"]: row["wins"] for row in standings["players"]}["p7"] == 24
    assert executor.played == [f"r{r:03d}/t{t:02d}/m{m}" for r in (1, 2) for t in (1, 2) for m in range(4)]


def voided_once(
    error: VoidMatch, matches: Iterable[str] = ("r001/t01/m0",)
) -> Callable[[MatchSpec], MatchRecord]:
    """Each of these matches is void the first time."""
    left = set(matches)

    def outcome(spec: MatchSpec) -> MatchRecord:
        if spec.id in left:
            left.remove(spec.id)
            raise error
        return by_name(spec)

    return outcome


@pytest.mark.parametrize("failure", [VoidMatch, WorkerLost])
def test_two_voids_in_a_row_stop_the_run(opened_season: Season, failure: type[VoidMatch]) -> None:
    def never_that(spec: MatchSpec) -> MatchRecord:
        if spec.id == "r001/t02/m0":
            raise failure("no memory")
        return by_name(spec)

    events: list[Event] = []
    with pytest.raises(VoidMatch, match="match r001/t02/m0 was void twice in a row: no memory"):
        events.extend(opened_season.play(Scripted(never_that)))
    assert len(opened_season.stored.match_ids(1)) == 7
    assert len(of_kind(MatchVoid, events)) == 2


def test_voids_in_a_row_of_more_matches_than_are_played_at_once_stop_the_run(
    config: Config, season: SeasonStore
) -> None:
    def never(spec: MatchSpec) -> MatchRecord:
        raise VoidMatch("no memory")

    executor = Scripted(never)
    executor.size = 3
    going = Season(config, season)
    plan = going.rounds.plan()
    assert plan is not None
    told: list[Any] = []
    with pytest.raises(VoidMatch, match=r"^4 matches in a row were void, the last r001/t01/m3: no memory$"):
        told.extend(play_matches(season, plan.missing, executor))
    assert season.match_ids(1) == set()


def test_a_void_that_leaves_no_slot_is_played_again(config: Config, season: SeasonStore) -> None:
    class Left(Scripted):
        size = 0
        at_once = 1

    executor = Left(voided_once(VoidMatch("the machine is gone")))
    play_next_round(config, season, executor)
    assert executor.played.count("r001/t01/m0") == 2
    assert len(season.match_ids(1)) == 8


def test_lost_workers_stop_no_run_however_many_are_lost_in_a_row(config: Config, season: SeasonStore) -> None:
    every = {f"r001/t{table:02d}/m{number}" for table in (1, 2) for number in range(4)}
    executor = Scripted(voided_once(WorkerLost("the worker died"), every))
    play_next_round(config, season, executor)
    assert season.match_ids(1) == every
    assert Counter(executor.played) == dict.fromkeys(every, 2)


def test_a_changed_config_needs_consent(config: Config, season: SeasonStore, configured: Configured) -> None:
    play_next_round(config, season, Scripted(by_name))
    now = configured("10s", "5s")
    with pytest.raises(ConfigError, match="changed since round 1, which is complete: time: 10s -> 5s"):
        Season(now, season).rounds.plan()
    plan = Season(now, season).rounds.plan(accept_changes=True)
    assert plan is not None
    assert (plan.stored.number, plan.config) == (2, now)


def test_a_round_that_no_match_was_played_of_is_planned_anew_where_a_change_is_accepted(
    config: Config, season: SeasonStore, configured: Configured
) -> None:
    play_next_round(config, season, Scripted(by_name))
    assert Season(config, season).rounds.plan() is not None
    now = configured("name: p7,", "name: p7, version: 2,")
    with pytest.raises(ConfigError, match="give --accept-changes"):
        Season(now, season).rounds.plan()
    plan = Season(now, season).rounds.plan(accept_changes=True)
    assert plan is not None
    assert (plan.stored.number, plan.stored.digest) == (2, now.digest)
    assert "p7@2" in {name for table in plan.stored.tables for name in table}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("name: p7,", "name: p7, version: 2,", "p7@2 is new; p7 is withdrawn"),
        ("p7, command: [python3]", "p7, command: [sh]", 'p7 has another command: python3 -> sh (another program'),
        ("p7,", "p7, env: {A: b},", 'p7 has another env: A: null -> b'),
        ("game: planning", "game: {name: planning, deals: [[1, 0]]}", '[13, 0]] -> [[1, 0]]'),
    ],
)  # fmt: skip
def test_a_change_is_explained(
    old: str, new: str, words: str, config: Config, season: SeasonStore, configured: Configured
) -> None:
    play_next_round(config, season, Scripted(by_name))
    with pytest.raises(ConfigError) as caught:
        Season(configured(old, new), season).rounds.plan()
    assert words in str(caught.value)


def test_many_changes_are_still_one_line(config: Config, season: SeasonStore, configured: Configured) -> None:
    play_next_round(config, season, Scripted(by_name))
    with pytest.raises(ConfigError) as caught:
        Season(configured("[python3]", "[sh]"), season).rounds.plan()
    assert "and 2 more (give --accept-changes" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_another_seed_is_refused(opened_season: Season, opened: Opened) -> None:
    with pytest.raises(ConfigError, match="the seed differs from the one that s began with"):
        opened("seed: abc", "seed: abd")
    assert opened("seed: abc", "seed: auto").stored.seed == "abc"


def test_players_come_and_go_between_rounds_and_keep_their_ratings(
    config: Config, season: SeasonStore, configured: Configured
) -> None:
    before = {row["player"]: row for row in play_next_round(config, season, Scripted(by_name))["players"]}
    now = configured("name: p7,", "name: p7, version: 2,")
    plan = Season(now, season).rounds.plan(accept_changes=True)
    assert plan is not None
    assert {name for table in plan.stored.tables for name in table} == {*(f"p{n}" for n in range(7)), "p7@2"}
    play_round(season, plan, Scripted(lambda spec: by_name(spec, {"p7@2": 70})))
    after = {row["player"]: row for row in Season(now, season).rounds.finish(plan.stored.number)["players"]}
    assert [after[name]["matches"] for name in ("p7", "p7@2", "p0")] == [4, 4, 8]
    assert after["p7"]["wins"] == before["p7"]["wins"]
    assert after["p7"]["elo"] is not None


def test_a_drawn_seed_stays_with_the_season(opened: Opened) -> None:
    seed = opened("seed: abc", "seed: auto").stored.seed
    assert len(seed) == 64
    assert opened("seed: abc", "seed: auto").stored.seed == seed


def test_a_commitment_to_a_seed_that_is_still_to_be_drawn_is_refused(opened: Opened, store: Store) -> None:
    with pytest.raises(ConfigError, match="still to be drawn"):
        opened("seed: abc", f"seed: auto\nseed_commitment: {'a' * 64}")
    assert store.seasons() == []


class OneInFlight(Executor):
    """One match is on its way, and ends when all others were called off; those wait for ever."""

    def __init__(self, season: SeasonStore) -> None:
        self._season = season
        self.specs: list[MatchSpec] = []
        self._futures: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.add_done_callback(self._called_off)
        if not self._futures:
            future.set_running_or_notify_cancel()
        self._futures.append(future)
        self.specs.append(args[0])
        self._season.ask_to_stop()
        return future

    def _called_off(self, _: Future[Any]) -> None:
        first, *others = self._futures
        if not first.done() and all(future.cancelled() for future in others):
            first.set_result(pack_match(by_name(self.specs[0])))


def test_a_wish_to_stop_lets_matches_in_flight_end_and_starts_no_other(
    config: Config, season: SeasonStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.season.match_runner.STOP_SECONDS", 0.001)
    plan = Season(config, season).rounds.plan()
    assert plan is not None
    executor = OneInFlight(season)
    assert not play_round(season, plan, executor)
    assert (len(executor.specs), season.match_ids(1)) == (8, {executor.specs[0].id})
    again = Scripted(by_name)
    assert not play_round(season, plan, again)
    assert again.played == []


def test_a_season_goes_on_beyond_its_rounds_as_long_as_the_time_allows(opened: Opened) -> None:
    going = opened("rounds: 2", "rounds: 2\nuntil: 2026-12-01T18:00:00+00:00")
    config, season = going.config, going.stored
    for _ in range(2):
        # Eight matches of a minute: four minutes with two at once.
        play_next_round(config, season, Scripted(lambda spec: replace(by_name(spec), wall_ns=60_000_000_000)))
    end = datetime(2026, 12, 1, 18, tzinfo=UTC)
    for minutes, at_once, fits in ((9, 1, True), (8, 1, False), (5, 2, True), (4, 2, False), (-9, 2, False)):
        now = end - timedelta(minutes=minutes)
        assert rounds_left(config, season, at_once, now, limit=1) == fits
    assert going.rounds.plan() is None
    further = going.rounds.plan(total_rounds=3)
    assert further is not None
    assert further.stored.number == 3


def test_without_a_moment_to_end_there_is_no_further_round(config: Config, season: SeasonStore) -> None:
    assert not rounds_left(config, season, 1, datetime(1970, 1, 1, tzinfo=UTC), limit=1)


def summary(players: str, points: tuple[int, ...] | None, faulty: int | None = None) -> MatchSummary:
    fault = None if faulty is None else Fault.CRASH
    return MatchSummary("m", 1, 1, 0, tuple(players.split()), points, None, faulty, fault)


def test_a_completed_match_counts_six_results_and_a_forfeited_one_three() -> None:
    complete = pairwise([summary("a b c d", (5, 3, 3, 1))])
    assert sum(map(sum, complete["wins"])) == 5
    assert sum(map(sum, complete["draws"])) == 2
    forfeited = pairwise([summary("a b c d", None, 1)])
    assert [sum(row) for row in forfeited["losses"]] == [0, 3, 0, 0]
    assert sum(map(sum, forfeited["wins"])) == 3


def test_copies_of_a_house_bot_give_no_result_with_each_other() -> None:
    for match in (summary("a b h h#2", (5, 3, 2, 1)), summary("a b h h#2", None, 2)):
        table = pairwise([match])
        one, other = table["players"].index("h"), table["players"].index("h#2")
        assert table["wins"][other][one] == table["wins"][one][other] == 0
        assert sum(map(sum, table["wins"])) == (5 if match.points else 2)


def test_a_player_without_results_stands_last_without_a_rating() -> None:
    rows = rate(PairTable.from_matches([to_rating(summary("a b c d", (5, 3, 2, 1)))], players=["idle"])).rows
    assert (rows[-1].player, rows[-1].elo, rows[-1].low) == ("idle", None, None)


@pytest.mark.parametrize("rule", ["variance", "a-optimal", "swiss"])
def test_after_the_opening_the_rule_of_pairing_takes_over(rule: str, opened: Opened) -> None:
    going = opened("rounds: 2", f"rounds: 2\nopening_rounds: 1\npairing: {rule}")
    play(going, only_one=True)
    plan, again = going.rounds.plan(), Season(going.config, going.stored).rounds.plan()
    assert plan is not None
    assert again is not None
    assert sorted(name for table in plan.stored.tables for name in table) == [f"p{n}" for n in range(8)]
    assert [list(table) for table in plan.stored.tables] != drawn_tables(
        [f"p{n}" for n in range(8)], 4, "abc", 2
    )
    assert again.stored.tables == plan.stored.tables
