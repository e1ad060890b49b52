"""`after_fault: substitute`: a match that a fault ended is played once more, so that the others get their results."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import Anomaly, ConfigError
from arbiter.games import make
from arbiter.match.record import Fault, MatchSummary
from arbiter.match.spec import original
from arbiter.season.administration import annul, suspend, undo_annulment
from arbiter.season.config import load
from arbiter.season.events import ChangesAccepted, MatchStored, RoundComplete, SubstitutesPlanned
from arbiter.season.ledger import to_rating
from arbiter.season.order_effects import EffectiveOrders, effective_orders
from arbiter.season.schedule import match_specs
from arbiter.season.season import Season
from arbiter.season.substitutes import substitute, substitute_specs
from arbiter.season.verify import verify
from arbiter.season.verify_findings import FindingKind
from arbiter.store import Store, db_schema
from arbiter.testing import ScriptedBot, play_by_policy, play_in_memory, random_policy
from rating import PairTable
from tests.fixtures.crosstables import pairwise
from tests.fixtures.executor import Scripted
from tests.fixtures.made_up_seasons import of_kind, play, players
from tests.fixtures.profiles import examples

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.config import Config
    from tests.fixtures.made_up_seasons import Configured, Opened

HOUSE_BOTS = "".join(f"  - {{name: {name}, command: [python3], house: true}}\n" for name in ("h0", "h1"))
CONFIG = f"""\
season: s
game: {{name: planning, deals: [[1, 0]]}}
isolation: plain
rounds: 2
opening_rounds: 9
seed: abc
after_fault: substitute
house_bots: [h0, h1]
players:
{HOUSE_BOTS}{players(8)}"""


class Broken:
    """True records of matches; the first of some players at a table crashes."""

    def __init__(self, *names: str) -> None:
        self.names = set(names)

    def __call__(self, spec: MatchSpec) -> MatchRecord:
        game = make(spec.game, spec.options)
        record = play_by_policy(game, random_policy(spec.id), spec)
        crash = next((seat for seat, p in enumerate(spec.players) if original(p.name) in self.names), None)
        if crash is None:
            return record
        bots = [
            ScriptedBot.replaying(record, seat, {("set_cards", 0): None} if seat == crash else None)
            for seat in range(len(spec.players))
        ]
        return play_in_memory(game, bots, spec)


@pytest.fixture
def faulted(opened_season: Season) -> Season:
    """A round is complete in which p3 faulted in all its matches."""
    play(opened_season, Broken("p3"), only_one=True)
    return opened_season


def findings(opened_season: Season) -> list[str]:
    """All but what is not checked, such as that a match is annulled."""
    found = verify(opened_season.config, opened_season.stored)
    return [str(item) for item in found if item.kind is not FindingKind.UNCHECKED]


def with_substitutes(opened_season: Season) -> dict[str, MatchSummary]:
    return {match.id: match for match in opened_season.results.matches() if match.substitute is not None}


# Whole rounds


def test_every_match_that_a_fault_ended_is_followed_by_one_with_a_substitute(opened_season: Season) -> None:
    events = play(opened_season, Broken("p3"), only_one=True)
    first = {match.id: match for match in opened_season.results.matches() if match.substitute is None}
    faulty = [match for match in first.values() if match.faulty is not None]
    assert len(faulty) == 4
    followed = with_substitutes(opened_season)
    assert list(followed) == [f"{match.id}+" for match in faulty]
    for match in faulty:
        after = followed[f"{match.id}+"]
        assert after.substitute == match.faulty
        sat_in = after.players[match.faulty or 0]
        assert after.players == tuple(sat_in if name == "p3" else name for name in match.players)
        assert sat_in in ("h0", "h1")
        assert (after.round, after.table, after.rotation) == (match.round, match.table, match.rotation)
        hashes = {
            record.deal_hash for record in opened_season.stored.records() if record.id.startswith(match.id)
        }
        assert len(hashes) == 1
    assert findings(opened_season) == []
    (planned,) = of_kind(SubstitutesPlanned, events)
    assert (planned.number, planned.missing, planned.total) == (1, 4, 4)
    (complete,) = of_kind(RoundComplete, events)
    assert complete.played == 12


def test_innocent_players_have_all_their_results_and_the_substitute_none(faulted: Season) -> None:
    rows = {row["player"]: row for row in faulted.results.standings()["players"]}
    table = next(names for names in faulted.stored.rounds()[0].tables if "p3" in names)
    for name in set(table) - {"p3"}:
        # Four wins by faults, and four whole matches against two.
        assert (rows[name]["results"], rows[name]["matches"], rows[name]["wins_by_fault"]) == (12, 8, 4)
        assert rows[name]["scored"] == 4
    assert (rows["p3"]["results"], rows["p3"]["matches"], rows["p3"]["losses"]) == (12, 4, 12)
    assert [rows[name]["matches"] for name in ("h0", "h1")] == [0, 0]
    assert [rows[name]["scored"] for name in ("p3", "h0", "h1")] == [0, 0, 0]
    crosstable = pairwise(faulted.results.counted())
    assert not {"h0", "h1"} & set(crosstable["players"])


def test_by_default_nothing_follows_a_fault(opened: Opened) -> None:
    opened_season = opened("after_fault: substitute\n")
    events = play(opened_season, Broken("p3"), only_one=True)
    assert not any(isinstance(event, SubstitutesPlanned) for event in events)
    assert len(opened_season.results.matches()) == 8
    assert findings(opened_season) == []


def test_a_substitutes_fault_gives_no_results_and_is_not_counted(opened: Opened) -> None:
    opened_season = opened("[h0, h1]", "[h0]")
    play(opened_season, Broken("p3", "h0"))
    followed = with_substitutes(opened_season)
    assert followed
    assert all(match.faulty == match.substitute for match in followed.values())
    assert pairwise(followed.values())["players"] == []
    rows = {row["player"]: row for row in opened_season.results.standings()["players"]}
    assert (rows["h0"]["faults"], rows["h0"]["matches"]) == ({}, 0)
    assert "h0" not in opened_season.results.standings()["suspended"]
    assert not any("++" in match.id for match in opened_season.results.matches())
    assert findings(opened_season) == []


def test_who_faults_beside_a_substitute_loses_to_the_other_innocents(opened_season: Season) -> None:
    play(opened_season, Broken("p0", "p1", "p2", "p3"), only_one=True)
    both = [match for match in with_substitutes(opened_season).values() if match.faulty is not None]
    assert both, "no table has two of them: choose another seed"
    for match in both:
        assert match.faulty != match.substitute
        sat_in = match.players[match.substitute or 0]
        counts = pairwise([match])
        assert sat_in not in counts["players"]
        lost = {name: sum(row) for name, row in zip(counts["players"], counts["losses"], strict=True)}
        assert lost == {name: 2 * (name == match.players[match.faulty or 0]) for name in lost}
    assert findings(opened_season) == []


def test_sound_matches_with_substitutes_hide_no_anomaly_of_the_first(opened_season: Season) -> None:
    """Another player faults in each match: that is rather our fault than theirs."""

    def outcome(spec: MatchSpec) -> MatchRecord:
        return Broken(*([] if spec.substitute is not None else [spec.players[0].name]))(spec)

    with pytest.raises(Anomaly, match="the same fault of another player"):
        play(opened_season, outcome, only_one=True)
    assert len(with_substitutes(opened_season)) == 8


def test_too_many_faults_stop_the_run_before_anybody_sits_in(opened: Opened) -> None:
    lines = "".join(f"  - {{name: q{number}, command: [python3]}}\n" for number in range(4))
    text = "stop_when: {faults: 0.2}\nplayers:\n" + lines
    opened_season = opened("players:\n", text)
    with pytest.raises(Anomaly, match="of the first 12 matches ended by faults"):
        play(opened_season, Broken(*(f"p{n}" for n in range(8))), only_one=True)
    assert not with_substitutes(opened_season)


def test_a_suspended_house_bot_sits_in_for_nobody(opened_season: Season) -> None:
    suspend(opened_season.results, "h0", "it is broken")
    play(opened_season, Broken("p3"), only_one=True)
    assert {match.players[match.substitute or 0] for match in with_substitutes(opened_season).values()} == {
        "h1"
    }
    assert findings(opened_season) == []


# Interrupted


def test_a_round_broken_off_anywhere_ends_like_one_in_a_single_piece(faulted: Season) -> None:
    whole = faulted.results.matches(), faulted.results.standings()

    class Interrupted(Scripted):
        def submit(self, fn: Any, /, *args: Any, **options: Any) -> Any:
            if len(self.played) == most:
                raise KeyboardInterrupt
            future = super().submit(fn, *args, **options)
            other.stored.add_packed(future.result())
            return future

    # Eight matches, then four with substitutes.
    for most in (0, 1, 7, 8, 9, 11):
        with closing(Store("sqlite://")) as another:
            other = Season.open(faulted.config, another)
            with pytest.raises(KeyboardInterrupt):
                list(other.play(Interrupted(Broken("p3")), only_one=True))
            assert len(other.results.matches()) == most
            rest = Scripted(Broken("p3"))
            list(other.play(rest, only_one=True))
            assert len(rest.played) == 12 - most
            assert (other.results.matches(), other.results.standings()) == whole


def test_a_begun_round_is_finished_with_substitutes_whatever_the_file_says_now(opened: Opened) -> None:
    opened_season = opened()
    plan = opened_season.rounds.plan()
    assert plan is not None
    for spec in plan.missing:
        opened_season.stored.add_match(Broken("p3")(spec))
    now = opened("after_fault: substitute\n")
    assert {"h0", "h1"} <= {player.name for player in now.rounds.players()}
    play(now, Broken("p3"), only_one=True)
    assert len(with_substitutes(now)) == 4
    assert findings(now) == []


# Verified


def change(
    store: Store, opened_season: Season, match_id: str, alter: Callable[[MatchRecord], MatchRecord] | None
) -> None:
    """Another record in the place of one, or none."""
    record = opened_season.stored.match(match_id)
    assert record is not None
    with store.transaction() as connection:
        connection.execute(sa.delete(db_schema.matches).where(db_schema.matches.c.id == match_id))
    if alter is not None:
        opened_season.stored.add_match(alter(record))


def first_substitute(opened_season: Season) -> MatchSummary:
    return next(iter(with_substitutes(opened_season).values()))


def test_a_removed_match_is_missed(store: Store, faulted: Season) -> None:
    gone = first_substitute(faulted).id
    change(store, faulted, gone, None)
    assert f"{gone}: missing: planned, but not stored" in findings(faulted)


def test_another_substitute_than_the_planned_one_is_found(store: Store, faulted: Season) -> None:
    match = first_substitute(faulted)
    seat = match.substitute or 0
    other = {"h0": "h1", "h1": "h0"}[match.players[seat]]

    def alter(record: MatchRecord) -> MatchRecord:
        names = tuple(other if at == seat else name for at, name in enumerate(record.players))
        bots = tuple(replace(bot, player=name) for bot, name in zip(record.bots, names, strict=True))
        return replace(record, players=names, bots=bots)

    change(store, faulted, match.id, alter)
    assert any(text.startswith(f"{match.id}: players: stored") for text in findings(faulted))


def test_a_substitute_in_another_seat_is_found(store: Store, faulted: Season) -> None:
    match = first_substitute(faulted)
    seat = match.substitute or 0
    change(store, faulted, match.id, lambda record: replace(record, substitute=(seat + 1) % 4))
    assert f"{match.id}: substitute: stored {(seat + 1) % 4}, planned {seat}" in findings(faulted)
    change(store, faulted, match.id, lambda record: replace(record, substitute=None))
    assert f"{match.id}: substitute: stored null, planned {seat}" in findings(faulted)


def test_a_substitute_where_nobody_faulted_is_surplus(faulted: Season) -> None:
    clean = next(
        match for match in faulted.results.matches() if match.faulty is None and match.substitute is None
    )
    record = faulted.stored.match(clean.id)
    assert record is not None
    faulted.stored.add_match(replace(record, id=f"{clean.id}+", substitute=1))
    assert f"{clean.id}+: surplus: stored, but not planned in round 1" in findings(faulted)


def test_where_the_config_is_not_known_the_stored_house_bot_is_taken(store: Store, faulted: Season) -> None:
    match = first_substitute(faulted)
    with store.transaction() as connection:
        connection.execute(sa.delete(db_schema.configs))
        connection.execute(sa.update(db_schema.rounds).values(digest="0" * 64))
    found = [
        item for item in verify(faulted.config, faulted.stored) if item.kind is not FindingKind.UNCHECKED
    ]
    assert [str(item) for item in found] == ["r001: config: no settings are stored for its digest"]
    change(
        store,
        faulted,
        match.id,
        lambda record: replace(record, substitute=((match.substitute or 0) + 1) % 4),
    )
    assert any(text.startswith(f"{match.id}: surplus") for text in findings(faulted))


def test_standings_stored_without_the_keys_that_came_later_are_no_difference(faulted: Season) -> None:
    kept = faulted.results.standings()
    del kept["suspended"]
    for row in kept["players"]:
        del row["wins_by_fault"], row["scored"]
    faulted.stored.complete_round(1, kept)
    assert findings(faulted) == []
    kept["players"][0]["wins_by_fault"] = 77
    faulted.stored.complete_round(1, kept)
    assert len(findings(faulted)) == 1


# Annulled and played again


def test_an_annulled_first_match_leaves_the_others_the_results_of_the_second(faulted: Season) -> None:
    match = first_substitute(faulted)
    before = pairwise(faulted.results.counted())
    annul(faulted.results, [match.id.removesuffix("+")], "noise")
    after = {counted.id for counted in faulted.results.counted()}
    assert match.id in after
    assert findings(faulted) == []
    annul(faulted.results, [match.id], "noise")
    assert match.id not in {counted.id for counted in faulted.results.counted()}
    undo_annulment(faulted.results, [match.id, match.id.removesuffix("+")])
    assert pairwise(faulted.results.counted()) == before


def test_played_again_without_the_fault_it_needs_no_substitute_any_more(faulted: Season) -> None:
    match = first_substitute(faulted)
    annul(faulted.results, [match.id.removesuffix("+")], "our disk was full", replay=True)
    play(faulted, Broken(), only_one=True)
    counted = {one.id for one in faulted.results.counted()}
    assert match.id not in counted
    assert match.id.removesuffix("+") in counted
    assert findings(faulted) == []
    rows = {row["player"]: row for row in faulted.results.standings()["players"]}
    innocent = next(name for seat, name in enumerate(match.players) if seat != match.substitute)
    assert rows[innocent]["wins_by_fault"] == 3
    holds = effective_orders(faulted.stored.orders.read().given)
    assert holds.superfluous(faulted.results.matches()) == [match.id]


def test_played_again_with_another_fault_it_gets_no_new_substitute(faulted: Season) -> None:
    match = first_substitute(faulted)
    other = next(name for seat, name in enumerate(match.players) if seat != match.substitute)
    annul(faulted.results, [match.id.removesuffix("+")], "our disk was full", replay=True)
    events = play(faulted, Broken(other), only_one=True)
    again = [event.match.summary for event in events if isinstance(event, MatchStored)]
    assert again[0].id == match.id.removesuffix("+")
    assert faulted.stored.match(match.id) is not None
    assert match.id not in {one.id for one in faulted.results.counted()}
    assert findings(faulted) == []


def test_a_match_with_a_substitute_is_played_again_with_the_same(faulted: Season) -> None:
    match = first_substitute(faulted)
    annul(faulted.results, [match.id], "our disk was full", replay=True)
    events = play(faulted, Broken(), only_one=True)
    again = next(event.match.summary for event in events if isinstance(event, MatchStored))
    assert (again.id, again.players, again.substitute) == (match.id, match.players, match.substitute)
    assert findings(faulted) == []


@given(then=st.none() | st.integers(0, 3), annulled=st.booleans(), own=st.booleans())
@examples(40)
def test_it_counts_while_its_first_match_has_the_same_fault(
    then: int | None, annulled: bool, own: bool
) -> None:
    fault = None if then is None else Fault.CRASH
    first = MatchSummary("m0", 1, 1, 0, tuple("abcd"), (1, 2, 3, 4), None, then, fault)
    after = MatchSummary("m0+", 1, 1, 0, tuple("abch"), (1, 2, 3, 4), substitute=3)
    order: Any = None
    away = {"m0": order} if annulled else {} | ({"m0+": order} if own else {})
    counted = [match.id for match in EffectiveOrders(annulled=away).counted([first, after])]
    assert counted == [
        *(["m0"] if "m0" not in away else []),
        *(["m0+"] if then == 3 and "m0+" not in away else []),
    ]


# Who sits in


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Config:
    path = tmp_path_factory.mktemp("config") / "s.yaml"
    path.write_text(CONFIG)
    return load(path)


NAMES = [*(f"p{n}" for n in range(4)), "h0", "h1", "h0#2", "h1#2", "h0#3"]


@given(
    names=st.lists(st.sampled_from(NAMES), min_size=4, max_size=4, unique=True),
    faulty=st.integers(0, 3),
    rotation=st.integers(0, 3),
    table=st.integers(1, 9),
    suspended=st.sets(st.sampled_from(["h0", "h1"])),
)
@examples(400)
def test_the_substitute_is_a_house_bot_by_a_name_of_its_own(
    names: list[str], faulty: int, rotation: int, table: int, suspended: set[str], settled: Config
) -> None:
    match = MatchSummary("m", 1, table, rotation, tuple(names), None, None, faulty, Fault.CRASH)
    player = substitute(settled, match, suspended)
    innocent = [name for seat, name in enumerate(names) if seat != faulty]
    if len({original(name) for name in innocent}) == 1:
        assert player is None
        return
    assert player is not None
    bot = original(player.name)
    assert bot in {"h0", "h1"} - {original(names[faulty])}
    assert bot not in suspended or {"h0", "h1"} - {original(names[faulty])} <= suspended
    assert player.name not in innocent
    assert substitute(settled, replace(match, substitute=0)) is None
    assert substitute(settled, replace(match, faulty=None, fault=None)) is None
    after = replace(
        match,
        players=tuple(player.name if seat == faulty else name for seat, name in enumerate(names)),
        faulty=None,
        fault=None,
        points=(4, 3, 2, 1),
        substitute=faulty,
    )
    met = PairTable.from_matches([to_rating(after)])
    assert set(met.players) == set(innocent)
    pairs = Counter(
        frozenset((met.players[a], met.players[b]))
        for a, b in zip(met.first.tolist(), met.second.tolist(), strict=True)
    )
    expected = {
        frozenset((one, other)) for one in innocent for other in innocent if original(one) != original(other)
    }
    assert pairs == dict.fromkeys(expected, 1)


@pytest.mark.parametrize(
    ("players", "sides", "why"),
    [
        (("p0", "p1"), None, "two at a table"),
        (("p0", "h1", "h1#2", "h1#3"), None, "only copies of one house bot are left"),
        (("p0", "p1", "p2"), (0, 1, 1), "only partners are left"),
    ],
)
def test_where_nobody_would_get_a_result_nobody_sits_in(
    players: tuple[str, ...], sides: tuple[int, ...] | None, why: str, configured: Configured
) -> None:
    match = MatchSummary("m", 1, 1, 0, players, None, sides, 0, Fault.CRASH)
    assert substitute(configured(), match) is None, why


def test_a_house_bot_sits_in_for_itself_never(configured: Configured) -> None:
    config = configured("[h0, h1]", "[h0]")
    match = MatchSummary("m", 1, 1, 0, ("h0", "p1", "p2", "p3"), None, None, 0, Fault.CRASH)
    assert substitute(config, match) is None


def test_a_substitute_that_takes_no_batches_makes_the_match_strict(configured: Configured) -> None:
    config = configured(
        f"players:\n{HOUSE_BOTS}{players(8)}",
        f"delivery: batched\nplayers:\n{HOUSE_BOTS}{players(8, ', batched: true')}",
    )
    (spec, *_) = match_specs(config, "abc", 1, [["p0", "p1", "p2", "p3"]])
    match = MatchSummary(spec.id, 1, 1, 0, ("p0", "p1", "p2", "p3"), None, None, 0, Fault.CRASH)
    (after,) = substitute_specs(config, [spec], [match])
    assert (spec.limits.delivery, after.limits.delivery) == ("batched", "strict")


# Settings


def test_without_house_bots_the_config_is_refused(configured: Configured) -> None:
    with pytest.raises(ConfigError, match="substitute needs a house bot") as caught:
        configured("house_bots: [h0, h1]\n")
    assert "s.yaml:7:1:" in str(caught.value)


def test_the_usual_setting_leaves_the_digest_as_it_was_before_there_was_one(configured: Configured) -> None:
    chosen = configured()
    said = configured("after_fault: substitute", "after_fault: end")
    silent = configured("after_fault: substitute\n")
    assert said.digest == silent.digest != chosen.digest
    assert "after_fault" not in silent.settings
    assert chosen.settings["after_fault"] == "substitute"


def test_a_change_of_it_is_a_change_of_the_config(opened: Opened) -> None:
    play(opened("after_fault: substitute\n"), Broken("p3"), only_one=True)
    opened_season = opened()
    events = play(opened_season, Broken("p3"), accept_changes=True, only_one=True)
    assert ChangesAccepted("after_fault: end -> substitute") in events
    assert {match.round for match in with_substitutes(opened_season).values()} == {2}
    assert findings(opened_season) == []
