"""Annulled matches, matches played again, suspended players: what counts, when, and what is kept."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import ConfigError, StoreError
from arbiter.season import administration
from arbiter.season.administration import annul, reinstate, suspend, undo_annulment
from arbiter.season.events import AnnulledReplayed, MatchStored, ReplaysRated, RoundPlanned
from arbiter.season.ledger import Ledger
from arbiter.season.order_effects import effective_orders, orders_after, orders_when_planned
from arbiter.season.verify import verify
from arbiter.season.verify_findings import Finding
from arbiter.store import Order, OrderKind, Orders, Outdated
from tests.fixtures.crosstables import pairwise
from tests.fixtures.made_up_seasons import HOUSE, of_kind, players
from tests.fixtures.made_up_seasons import play as play_on
from tests.fixtures.records import by_name, forfeited

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.season import Season
    from tests.fixtures.made_up_seasons import Opened, Outcome

CONFIG = (
    "game: planning\nisolation: plain\nrounds: 4\nseed: abc\nopening_rounds: 1\nsuspend_after: 0\nhouse_bots: [h0]\n"
    f"players:\n{players(8)}{HOUSE}"
)


def luck(spec: MatchSpec) -> MatchRecord:
    return by_name(spec, {"h0": 0})


def play(opened_season: Season, rounds: int = 1, outcome: Outcome = luck) -> list[object]:
    return [event for _ in range(rounds) for event in play_on(opened_season, outcome, only_one=True)]


def crash_of_p3(spec: MatchSpec) -> MatchRecord:
    return forfeited(luck(spec), "p3")


def elo(standings: dict[str, object] | None) -> dict[str, float]:
    assert standings is not None
    return {row["player"]: row["elo"] for row in standings["players"]}  # type: ignore[index, attr-defined]


def differences(opened_season: Season) -> list[Finding]:
    """What verify finds, but for records, which are made up here."""
    return [
        f
        for f in verify(opened_season.config, opened_season.stored)
        if "standings" in f.text or "tables" in f.text
    ]


def test_an_annulled_match_is_readable_and_no_longer_counts(opened_season: Season) -> None:
    play(opened_season)
    before = opened_season.results.standings()
    given = annul(opened_season.results, ["r001/t01/m0"], "a power cut")
    assert given.subjects == ("r001/t01/m0",)
    after = opened_season.results.standings()
    assert (given.before, given.after) == (before, after)
    assert sum(row["matches"] for row in after["players"]) == sum(r["matches"] for r in before["players"]) - 4
    assert opened_season.stored.match("r001/t01/m0") is not None
    assert sum(map(sum, pairwise(opened_season.results.counted())["wins"])) < 6 * 8
    assert len(opened_season.results.matches()) == 8


def test_undone_everything_is_as_it_was(opened_season: Season) -> None:
    play(opened_season)
    before = opened_season.results.standings()
    annul(opened_season.results, ["r001/t01/m0", "r001/t02/m3"], "a power cut")
    undo_annulment(opened_season.results, ["r001/t02/m3", "r001/t01/m0"])
    assert opened_season.results.standings() == before


def test_a_season_goes_on_as_if_an_annulled_round_had_not_counted(opened_season: Season) -> None:
    config = opened_season.config
    play(opened_season, 2)
    annul(
        opened_season.results,
        [match.id for match in opened_season.results.matches() if match.round == 2],
        "the wrong cards",
    )
    ledger = Ledger.of(config, opened_season.stored)
    ledger.read_before(3)
    alone = Ledger.of(config, opened_season.stored)
    alone.read_after(1, Orders(0, ()))
    assert ledger.results.players == alone.results.players
    assert elo(ledger.standings(config)) == elo(alone.standings(config))


def test_verify_holds_each_round_against_the_orders_of_its_time(opened_season: Season) -> None:
    play(opened_season, 2)
    annul(opened_season.results, ["r001/t01/m0"], "a power cut")
    play(opened_season)
    undo_annulment(opened_season.results, ["r001/t01/m0"])
    annul(opened_season.results, ["r002/t01/m1"], "another one", replay=True)
    suspend(opened_season.results, "p5", "it reads others' files")
    play(opened_season)
    assert differences(opened_season) == []


@pytest.mark.parametrize("number", [1, 2])
def test_verify_finds_standings_that_know_nothing_of_an_annulment(opened_season: Season, number: int) -> None:
    play(opened_season, 2)
    kept = opened_season.stored.standings(2)
    annul(opened_season.results, [f"r00{number}/t01/m0"], "a power cut")
    assert kept is not None
    opened_season.stored.complete_round(2, kept)
    assert any("r002: standings" in str(finding) for finding in differences(opened_season))


def test_a_match_is_played_again_under_its_id_before_anything_else(opened_season: Season) -> None:
    play(opened_season)
    old = opened_season.stored.match("r001/t02/m1")
    annul(opened_season.results, ["r001/t02/m1", "r001/t01/m0"], "cut", replay=True)

    def reverse(spec: MatchSpec) -> MatchRecord:
        return by_name(spec, {f"p{n}": 100 - n for n in range(8)})

    events = play(opened_season, outcome=reverse)
    assert events[0] == AnnulledReplayed(2)
    again = [event.match.summary.id for event in of_kind(MatchStored, events[1:3])]
    assert again == ["r001/t01/m0", "r001/t02/m1"]
    assert any(isinstance(event, RoundPlanned) and event.number == 2 for event in events)
    fresh = opened_season.stored.match("r001/t02/m1")
    assert fresh is not None
    assert old is not None
    assert fresh.points != old.points
    (packed,) = opened_season.stored.orders.earlier("r001/t02/m1")
    assert packed
    assert [match.id for match in opened_season.results.counted(1)] == [
        match.id for match in opened_season.results.matches()[:8]
    ]
    assert differences(opened_season) == []
    assert not any(isinstance(event, AnnulledReplayed) for event in play(opened_season))


def test_a_match_taken_back_while_it_is_played_again_stays_as_it_was(opened_season: Season) -> None:
    play(opened_season)
    kept = opened_season.stored.match("r001/t01/m0")
    annul(opened_season.results, ["r001/t01/m0"], "cut", replay=True)

    def meanwhile(spec: MatchSpec) -> MatchRecord:
        if spec.round == 1:
            undo_annulment(opened_season.results, [spec.id])
        return luck(spec)

    play(opened_season, outcome=meanwhile)
    assert opened_season.stored.match("r001/t01/m0") == kept
    assert opened_season.stored.orders.earlier("r001/t01/m0") == []


def test_a_replay_that_was_taken_back_does_not_return_by_a_further_undo(opened_season: Season) -> None:
    play(opened_season)
    results, name = opened_season.results, "r001/t01/m0"
    first = opened_season.stored.match(name)
    annul(results, [name], "cut", replay=True)
    play_on(opened_season, crash_of_p3, replays_only=True)
    assert opened_season.stored.match(name) != first
    undo_annulment(results, [name], "no cut")
    there, back = opened_season.stored.orders.effects().values()
    points = {row["player"]: (row["points"], row["points_before"]) for row in there["standings"]}
    assert any(now != then for now, then in points.values())
    for row in back["standings"]:
        assert points.get(row["player"], (row["points_before"],) * 2) == (row["points_before"], row["points"])
    for after in (lambda: None, lambda: (annul(results, [name], "x"), undo_annulment(results, [name]))):
        after()
        known = opened_season.stored.orders.read()
        with pytest.raises(ConfigError, match=f"{name} is not annulled now"):
            undo_annulment(results, [name])
        assert (opened_season.stored.match(name), opened_season.stored.orders.read()) == (first, known)


def test_annulled_matches_are_played_again_without_the_next_round(opened_season: Season) -> None:
    play(opened_season)
    before = opened_season.results.standings()
    annul(opened_season.results, ["r001/t01/m0"], "cut", replay=True)
    events = play_on(opened_season, crash_of_p3, replays_only=True)
    assert [type(event) for event in events] == [AnnulledReplayed, MatchStored, ReplaysRated]
    (rated,) = of_kind(ReplaysRated, events)
    assert (rated.outcome.before, rated.outcome.after) == (before, opened_season.results.standings())
    assert len(opened_season.stored.rounds()) == 1


def test_after_the_last_round_matches_are_still_played_again(opened_season: Season) -> None:
    play(opened_season, 4)
    annul(opened_season.results, ["r004/t01/m2"], "cut", replay=True)
    events = play_on(opened_season, luck)
    assert events[0] == AnnulledReplayed(1)
    assert opened_season.stored.orders.read().given[-1].verb is OrderKind.REPLAYED


def test_a_suspended_player_sits_out_until_it_is_reinstated(opened_season: Season) -> None:
    play(opened_season)
    suspend(opened_season.results, "p5", "it reads others' files")
    assert opened_season.results.suspended() == {"p5": "it reads others' files"}
    assert opened_season.results.standings()["suspended"] == opened_season.results.suspended()
    play(opened_season)
    assert all("p5" not in match.players for match in opened_season.results.matches() if match.round == 2)
    reinstate(opened_season.results, "p5")
    assert opened_season.results.suspended() == {}
    play(opened_season)
    assert any("p5" in match.players for match in opened_season.results.matches() if match.round == 3)
    assert differences(opened_season) == []


def test_a_round_that_is_planned_is_played_with_who_is_suspended_later(opened_season: Season) -> None:
    plan = opened_season.rounds.plan()
    assert plan is not None
    suspend(opened_season.results, "p0", "late")
    play(opened_season)
    assert any("p0" in match.players for match in opened_season.results.matches())
    play(opened_season)
    assert not any("p0" in match.players for match in opened_season.results.matches() if match.round == 2)
    assert differences(opened_season) == []


def test_who_is_reinstated_starts_with_no_faults(opened: Opened) -> None:
    opened_season = opened("suspend_after: 0", "suspend_after: 4")
    play(opened_season, outcome=crash_of_p3)
    assert list(opened_season.results.suspended()) == ["p3"]
    reinstate(opened_season.results, "p3")
    assert opened_season.results.suspended() == {}
    play(opened_season, outcome=crash_of_p3)
    assert any("p3" in match.players for match in opened_season.results.matches() if match.round == 2)
    assert list(opened_season.results.suspended()) == ["p3"]


def test_mistakes_change_nothing(opened_season: Season) -> None:
    play(opened_season)
    annul(opened_season.results, ["r001/t01/m0"], "cut")
    suspend(opened_season.results, "p1", "cheats")
    known = opened_season.stored.orders.read()
    tries: list[tuple[Callable[[], object], str]] = [
        (
            lambda: annul(opened_season.results, ["r001/t01/m1", "r009/t01/m0"], "x"),
            "there is no match 'r009/t01/m0'",
        ),
        (
            lambda: annul(opened_season.results, ["r001/t01/m1", "r001/t01/m0"], "x"),
            "r001/t01/m0 is annulled already, since",
        ),
        (lambda: annul(opened_season.results, ["r001/t01/m1"], " \n "), "the reason is empty"),
        (lambda: annul(opened_season.results, ["r001/t01/m1"], "x" * 501), "the reason has 501 characters"),
        (lambda: undo_annulment(opened_season.results, ["r001/t01/m1"]), "r001/t01/m1 is not annulled now"),
        (lambda: suspend(opened_season.results, "p1", "x"), "p1 is suspended already, since"),
        (lambda: suspend(opened_season.results, "p99", "x"), "no player 'p99'"),
        (lambda: reinstate(opened_season.results, "p2"), "p2 is not suspended"),
    ]
    for give, message in tries:
        with pytest.raises(ConfigError, match=message):
            give()
    assert opened_season.stored.orders.read() == known


def test_an_order_that_was_overtaken_is_given_again(
    opened_season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(opened_season)
    rivals = iter([True])

    def now() -> str:
        if next(rivals, False):
            play(opened_season)
        return "2026-01-01T00:00:00+00:00"

    monkeypatch.setattr(administration, "now_text", now)
    annul(opened_season.results, ["r001/t01/m0"], "cut")
    (order,) = opened_season.stored.orders.read().given
    assert (order.planned, order.complete) == (2, 2)
    assert differences(opened_season) == []


def test_what_was_computed_before_an_order_is_not_stored(opened_season: Season) -> None:
    play(opened_season)
    revision = opened_season.stored.orders.read().revision
    annul(opened_season.results, ["r001/t01/m0"], "cut")
    for write in (
        lambda: opened_season.stored.complete_round(1, {}, revision),
        lambda: opened_season.stored.add_round(2, "d", [], {}, revision),
        lambda: opened_season.stored.orders.give([], revision, None),
    ):
        with pytest.raises(Outdated):
            write()
    assert len(opened_season.stored.rounds()) == 1


def test_an_order_and_its_standings_are_there_or_not(
    opened_season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(opened_season)
    before = opened_season.results.standings()

    def full(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr("arbiter.store.orders.store_standings", full)
    with pytest.raises(StoreError):
        annul(opened_season.results, ["r001/t01/m0"], "cut")
    assert (opened_season.results.standings(), opened_season.stored.orders.read().given) == (before, ())


def test_an_order_to_sit_out_is_kept_even_where_nobody_fills_up(opened: Opened) -> None:
    opened_season = opened("house_bots: [h0]", "house_bots: []")
    play(opened_season)
    suspend(opened_season.results, "p5", "cheats")
    said = "7 players do not fill tables of 4 without p5, suspended by order"
    with pytest.raises(ConfigError, match=said):
        play(opened_season)
    warnings = opened_season.results.standings()["warnings"]
    assert any("no further round can be planned" in text for text in warnings)
    assert opened_season.stored.complete == 1


def test_standings_say_how_many_matches_do_not_count(opened_season: Season) -> None:
    play(opened_season)
    annul(opened_season.results, ["r001/t01/m0"], "cut")
    annul(opened_season.results, ["r001/t01/m1"], "cut", replay=True)
    text = "2 annulled matches do not count, 1 of them until they are played again"
    assert text in opened_season.results.standings()["warnings"]


VERBS = [OrderKind.ANNUL, OrderKind.REPLAY, OrderKind.UNDO, OrderKind.REPLAYED]


def test_the_last_order_that_holds_says_whether_a_match_counts() -> None:
    for verbs in product(VERBS, repeat=3):
        orders = [Order(verb, "m", "", "", n, n) for n, verb in enumerate(verbs)]
        for last in range(4):
            counts = last == 0 or verbs[last - 1] in (OrderKind.UNDO, OrderKind.REPLAYED)
            assert ("m" not in orders_when_planned(orders, last).annulled) is counts
            assert orders_when_planned(orders, last + 1) == orders_after(orders, last)
        assert effective_orders(orders).to_replay == (["m"] if verbs[-1] is OrderKind.REPLAY else [])
