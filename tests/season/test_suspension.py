"""Whoever faults in many matches in a row sits out, and house bots take the place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from arbiter.match.record import Fault, MatchSummary
from arbiter.season.administration import reinstate, suspend
from arbiter.season.fault_streaks import FaultHistories
from arbiter.season.results import SeasonResults
from arbiter.season.schedule import entrants
from arbiter.season.season import Season
from arbiter.season.verify import verify
from arbiter.store import db_schema
from arbiter.store.event_log import event_of
from tests.fixtures.made_up_seasons import HOUSE, play, players
from tests.fixtures.records import by_name, forfeited

if TYPE_CHECKING:
    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.config import Config
    from arbiter.season.round_plan import RoundPlan
    from arbiter.store import SeasonStore
    from tests.fixtures.made_up_seasons import Configured, Opened, Outcome

TERMS = "game: planning\nisolation: plain\nrounds: 9\nopening_rounds: 12\nseed: abc\nsuspend_after: 8\nhouse_bots: [h0]\n"
CONFIG = f"{TERMS}players:\n{players(8)}{HOUSE}"


@pytest.fixture
def config(configured: Configured) -> Config:
    return configured()


@pytest.fixture
def season(opened_season: Season) -> SeasonStore:
    return opened_season.stored


def faulty(*names: str, but: str = "") -> Outcome:
    """Matches that the first of these at the table forfeits; all others, and one match, are played."""

    def outcome(spec: MatchSpec) -> MatchRecord:
        played = by_name(spec, {"h0": 0, "h0#2": 0, "h0#3": 0, "h0#4": 0})
        first = next((name for name in played.players if name in names and spec.id != but), "")
        return forfeited(played, first)

    return outcome


def rounds(config: Config, season: SeasonStore, number: int, outcome: Outcome) -> RoundPlan:
    """So many rounds played; the plan of the next one."""
    going = Season(config, season)
    for _ in range(number):
        play(going, outcome, only_one=True)
    plan = going.rounds.plan()
    assert plan is not None
    return plan


def playing(plan: RoundPlan) -> set[str]:
    return {name for table in plan.stored.tables for name in table}


def test_who_faulted_in_k_matches_in_a_row_sits_out_from_the_next_round(
    config: Config, season: SeasonStore
) -> None:
    assert "p3" in playing(rounds(config, season, 1, faulty("p3")))
    plan = rounds(config, season, 1, faulty("p3"))
    assert list(plan.suspended) == ["p3"]
    standings = season.standings(2)
    assert standings is not None
    assert "p3: its last 8 matches ended by its own fault: it is suspended" in standings["warnings"]
    assert playing(plan) == {f"p{n}" for n in range(8) if n != 3} | {"h0"}
    assert rounds(config, season, 2, faulty()).suspended.keys() == {"p3"}


def test_a_match_played_to_its_end_breaks_the_row(season: SeasonStore, configured: Configured) -> None:
    config = configured("suspend_after: 8", "suspend_after: 8\nsuspend_share: 1")
    tables = rounds(config, season, 0, faulty()).stored.tables
    table = next(number for number, names in enumerate(tables, 1) if "p3" in names)
    plan = rounds(config, season, 2, faulty("p3", but=f"r001/t{table:02d}/m1"))
    assert not plan.suspended


def test_a_rivals_fault_neither_breaks_the_row_nor_lengthens_it(opened: Opened) -> None:
    going = opened(
        f"suspend_after: 8\nhouse_bots: [h0]\nplayers:\n{players(8)}",
        f"suspend_after: 3\nhouse_bots: [h0]\nplayers:\n{players(4)}",
    )
    config, season = going.config, going.stored
    order = rounds(config, season, 0, faulty()).stored.tables[0]
    # In three rotations the first of the two sits before the second, and in the last behind it.
    assert rounds(config, season, 1, faulty(order[0], order[1])).suspended.keys() == {order[0]}


def three_of_four(spec: MatchSpec) -> MatchRecord:
    """p3 faults in all rotations but the first: never four times in a row."""
    return faulty(*([] if spec.rotation == 0 else ["p3"]))(spec)


def test_who_faults_in_too_large_a_share_of_its_matches_sits_out(config: Config, season: SeasonStore) -> None:
    assert not rounds(config, season, 1, three_of_four).suspended
    plan = rounds(config, season, 1, three_of_four)
    assert plan.suspended == {"p3": "6 of its last 8 matches ended by its own fault"}
    assert "p3" not in playing(plan)
    standings = season.standings(2)
    assert standings is not None
    assert "p3: 6 of its last 8 matches ended by its own fault: it is suspended" in standings["warnings"]
    assert rounds(config, season, 1, faulty()).suspended.keys() == {"p3"}
    found = {finding.text.partition(":")[0] for finding in verify(config, season)}
    assert not {"tables", "standings"} & found


@pytest.mark.parametrize(
    ("terms", "outcome"),
    [
        ("suspend_after: 8\nsuspend_share: 0.75", three_of_four),
        ("suspend_after: 8\nsuspend_share: 1", three_of_four),
        ("suspend_after: 0", faulty("p3")),
    ],
)
def test_what_is_allowed_suspends_nobody(
    configured: Configured, season: SeasonStore, terms: str, outcome: Outcome
) -> None:
    plan = rounds(configured("suspend_after: 8", terms), season, 3, outcome)
    assert "p3" in playing(plan)
    assert not plan.suspended


def test_who_is_reinstated_begins_with_no_share(config: Config, season: SeasonStore) -> None:
    rounds(config, season, 2, three_of_four)
    Season(config, season).stored.drop_round(3)
    reinstate(Season(config, season).results, "p3")
    plan = rounds(config, season, 0, faulty())
    assert "p3" in playing(plan)
    assert not rounds(config, season, 1, three_of_four).suspended
    assert rounds(config, season, 1, three_of_four).suspended.keys() == {"p3"}


def match(number: int, rotation: int, faulty: int | None, substitute: int | None = None) -> MatchSummary:
    fault = None if faulty is None else Fault.CRASH
    points = (1, 2) if faulty is None else None
    return MatchSummary("m", number, 1, rotation, ("a", "b"), points, None, faulty, fault, "", substitute)


def test_the_share_is_of_the_last_rounds_of_ones_own() -> None:
    lapses = FaultHistories()
    for number in range(1, 9):
        for rotation in range(4):
            lapses.count(match(number, rotation, 0 if rotation else None))
    assert lapses.reason("a", 12, 0.5) == "24 of its last 32 matches ended by its own fault"
    assert lapses.reason("a", 33, 0.5) is None
    assert lapses.reason("b", 8, 0.01) is None
    # Rounds in which it does not play neither help nor harm.
    for number in range(20, 23):
        for rotation in range(4):
            lapses.count(match(number, rotation, None))
    assert lapses.reason("a", 12, 0.46) == "15 of its last 32 matches ended by its own fault"
    assert lapses.reason("a", 12, 0.5) is None


def test_a_rivals_fault_and_a_substitutes_count_for_nothing_in_a_share() -> None:
    lapses = FaultHistories()
    for rotation in range(4):
        lapses.count(match(1, rotation, 0))
        lapses.count(match(1, rotation, 1))
        lapses.count(match(1, rotation, 1, substitute=1))
        lapses.count(match(2, rotation, None, substitute=1))
    assert lapses.reason("a", 8, 0.4) == "4 of its last 8 matches ended by its own fault"
    assert lapses.reason("b", 4, 0.99) == "its last 4 matches ended by its own fault"


def test_without_house_bots_nobody_is_suspended_and_the_standings_say_so(opened: Opened) -> None:
    going = opened("[h0]", "[]")
    config, season = going.config, going.stored
    plan = rounds(config, season, 2, faulty("p3"))
    assert (dict(plan.suspended), "p3" in playing(plan)) == ({}, True)
    standings = season.standings(2)
    assert standings is not None
    assert "p3: its last 8 matches ended by its own fault: it plays on" in " ".join(standings["warnings"])
    assert (standings["by_order"], standings["plays_on"]) == ([], ["p3"])


@pytest.mark.parametrize(
    ("old", "new", "out", "plays"),
    [
        ("opening_rounds: 12", "opening_rounds: 11", {"p3"}, "h0"),
        ("name: p2,", "name: p2, env: {A: b},", {"p3"}, "h0"),
        ("name: p3,", "name: p3, env: {A: b},", set(), "p3"),
        ("name: p3,", "name: p3, version: 2,", set(), "p3@2"),
    ],
)
def test_only_a_change_of_its_own_entry_or_a_new_version_frees_a_player(
    opened: Opened, old: str, new: str, out: set[str], plays: str
) -> None:
    play(opened(), faulty("p3"), only_one=True)
    play(opened(), faulty("p3"), only_one=True)
    plan = opened(old, new).rounds.plan(accept_changes=True)
    assert plan is not None
    assert plan.suspended.keys() == out
    assert plays in playing(plan)


@pytest.mark.parametrize(
    ("suspended", "joined"),
    [
        ((), "p0 p1 p2 p3 p4 p5 p6 p7"),
        (("p0", "p1", "p2", "p3", "p4"), "p5 p6 p7 h0"),
        (("p0", "h0"), "p0 p1 p2 p3 p4 p5 p6 p7"),
        (("p0", "p1", "p2", "p3", "h0"), "p4 p5 p6 p7"),
        (tuple(f"p{n}" for n in range(8)), "p0 p1 p2 p3 p4 p5 p6 p7"),
    ],
)
def test_house_bots_fill_up_and_where_none_can_nobody_sits_out(
    config: Config, suspended: tuple[str, ...], joined: str
) -> None:
    assert [player.name for player in entrants(config, 1, suspended)] == joined.split()


def suspension_news(season: SeasonStore) -> list[tuple[int, str, str]]:
    """From which round on webhooks hear that somebody is suspended, who, and why."""
    with season._store.reading() as connection:
        query = sa.select(db_schema.events).filter_by(kind="suspended").order_by(db_schema.events.c.number)
        found = [event_of(row) for row in connection.execute(query)]
    return [(event.round, event.detail["player"], event.detail["because"]) for event in found]


def test_a_suspension_for_faults_is_told_once(config: Config, season: SeasonStore) -> None:
    rounds(config, season, 1, faulty("p3"))
    assert suspension_news(season) == []
    rounds(config, season, 3, faulty("p3"))
    assert suspension_news(season) == [(3, "p3", "its last 8 matches ended by its own fault")]


def test_a_suspension_by_order_is_told_once_whatever_the_standings_say(
    config: Config, season: SeasonStore
) -> None:
    suspend(SeasonResults(config, season), "p1", "it cheats")
    rounds(config, season, 1, faulty())
    suspend(SeasonResults(config, season), "p2", "so does this")
    rounds(config, season, 1, faulty())
    assert suspension_news(season) == [(1, "p1", "it cheats"), (3, "p2", "so does this")]
    reinstate(SeasonResults(config, season), "p1")
    suspend(SeasonResults(config, season), "p1", "it cheats")
    assert suspension_news(season)[2:] == [(4, "p1", "it cheats")]


def test_standings_that_cannot_be_read_do_not_keep_others_from_being_kept(
    config: Config, season: SeasonStore
) -> None:
    rounds(config, season, 1, faulty("p3"))
    season._write(sa.update(db_schema.ratings).values(standings="nonsense"))
    now = SeasonResults(config, season).rated_under(1, season.orders.read()).standings
    season.complete_round(1, {**now, "suspended": {"p3": "x"}})
    assert suspension_news(season) == [(2, "p3", "x")]
