"""What is kept of a match: results, and JSON both ways."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import StoreError
from arbiter.games.planning import Planning
from arbiter.match.position import hash_of_deals
from arbiter.match.record import MatchRecord, MatchSummary, rounded_to_us
from arbiter.testing import ScriptedBot, match_spec, play_by_policy, play_in_memory, random_policy

GAME = Planning(deals=[[2, 1], [3, 2]])
COMPLETE = play_by_policy(GAME, random_policy(1), match_spec(GAME, time="1s+1ms"), cost=12_345)
FORFEITED = play_in_memory(
    GAME,
    [
        ScriptedBot.replaying(COMPLETE, s, {("gen_move", 1): b"? \xff\n\n"} if s == 3 else None)
        for s in range(4)
    ],
)
RECORDS = pytest.mark.parametrize("record", [COMPLETE, FORFEITED], ids=["complete", "forfeited"])


@RECORDS
def test_a_record_survives_json(record):
    assert MatchRecord.from_json(json.loads(json.dumps(record.to_json()))) == record


@RECORDS
def test_an_identified_record_keeps_its_id_through_json_and_has_no_other_matchs(record):
    named = record.with_digest_id()
    assert re.fullmatch("match-[0-9a-f]{16}", named.id)
    assert MatchRecord.from_json(json.loads(json.dumps(named.to_json()))).with_digest_id() == named
    assert replace(record, started="2026-01-01T00:00:00+00:00").with_digest_id().id != named.id


@RECORDS
def test_a_summary_survives_json(record):
    summary = record.summary()
    assert MatchSummary.from_json(json.loads(json.dumps(summary.to_json()))) == summary


def test_a_summary_says_who_was_at_fault():
    assert (FORFEITED.summary().faulty, FORFEITED.summary().fault) == (3, "refused")


@RECORDS
def test_a_substitute_is_told_by_the_record_and_its_summary_and_only_there(record):
    assert "substitute" not in {**record.to_json(), **record.summary().to_json()}
    after = replace(record, substitute=2)
    assert MatchRecord.from_json(json.loads(json.dumps(after.to_json()))) == after
    assert MatchSummary.from_json(json.loads(json.dumps(after.summary().to_json()))).substitute == 2


def test_a_substitute_has_no_results_and_gives_none_by_its_fault():
    pairs = {(one, other) for one, other, _ in replace(COMPLETE, substitute=1).results()}
    assert pairs == {(0, 2), (0, 3), (2, 3)}
    assert list(replace(FORFEITED, substitute=1).results()) == [(3, 0, 0.0), (3, 2, 0.0)]
    assert list(replace(FORFEITED, substitute=3).results()) == []


def test_when_a_bot_wrote_is_told_by_the_record_and_only_where_it_did():
    wrote = replace(
        COMPLETE.bots[2],
        stderr_head="oh\n",
        stderr_tail="hm\n",
        stderr_at=((0, "during", 3), (2, "since", 3)),
    )
    after = replace(COMPLETE, bots=(*COMPLETE.bots[:2], wrote, COMPLETE.bots[3]))
    shape = json.loads(json.dumps(after.to_json()))
    assert MatchRecord.from_json(shape) == after
    for key in ("stderr_head", "stderr_at"):
        assert [seat for seat, bot in enumerate(shape["bots"]) if key in bot] == [2]


@RECORDS
def test_a_record_has_the_documented_keys(record):
    documented = (
        "id season round table rotation game options seed deal_hash players deals moves points forfeit bots "
        "isolation host started wall_ns"
    )
    shape = record.to_json()
    assert set(documented.split()) <= set(shape)
    move = "deal seat request action wall_ns cpu_ns delay_ns charged_ns left_ns"
    assert set(shape["moves"][0]) == set(move.split())
    bot = "player exit cpu_ns charged_ns peak_memory_bytes notes stderr_tail"
    assert set(bot.split()) <= set(shape["bots"][0])


def test_a_forfeit_has_the_documented_keys():
    forfeit = json.loads(json.dumps(FORFEITED.to_json()))["forfeit"]
    assert forfeit == {
        "seat": 3,
        "player": "player-3",
        "fault": "refused",
        "detail": "refused to answer gen_move",
        "command": "gen_move",
        "reply": "? \\xff\n\n",
        "reason": "refused to answer gen_move",
        "spent": "",
        "private": "",
    }


@pytest.mark.parametrize(
    "spoil",
    [
        {"moves": None},
        {"moves": [{"deal": 0}]},
        {"moves": [17]},
        {"forfeit": {"fault": "sulking"}},
        {"forfeit": "crash"},
        {"forfeit": {**FORFEITED.to_json()["forfeit"], "fault": "sulking"}},
        {"bots": [{"seat": 0}]},
        {"players": 4},
        {"points": 12},
        {"unheard_of": 1},
    ],
)
def test_what_is_no_record_is_refused_with_its_id(spoil):
    with pytest.raises(StoreError, match="the record of match memory/m0 cannot be read"):
        MatchRecord.from_json({**COMPLETE.to_json(), **spoil})


def test_a_record_that_lacks_a_field_is_refused():
    shape = COMPLETE.to_json()
    del shape["deals"]
    with pytest.raises(StoreError, match="'deals'"):
        MatchRecord.from_json(shape)


@pytest.mark.parametrize("shape", [[], "record", None, 3])
def test_what_is_no_mapping_is_no_record(shape):
    with pytest.raises(StoreError, match="the record of match \\? cannot be read"):
        MatchRecord.from_json(shape)


# Results


@given(points=st.lists(st.integers(-5, 5), min_size=4, max_size=4))
def test_a_completed_match_gives_six_results_by_points(points):
    results = list(replace(COMPLETE, points=tuple(points)).results())
    expected = [
        (one, other, 0.5 if points[one] == points[other] else 1.0 if points[one] > points[other] else 0.0)
        for one in range(4)
        for other in range(one + 1, 4)
    ]
    assert results == expected


def test_a_forfeited_match_gives_three_losses_of_the_faulty_player():
    assert list(FORFEITED.results()) == [(3, 0, 0.0), (3, 1, 0.0), (3, 2, 0.0)]


def test_partners_give_no_result():
    record = replace(COMPLETE, points=(7, -7, 7, -7), sides=(0, 1, 0, 1))
    assert list(record.results()) == [(0, 1, 1.0), (0, 3, 1.0), (1, 2, 0.0), (2, 3, 1.0)]


def test_a_faulty_player_loses_to_its_partner_too():
    record = replace(FORFEITED, sides=(0, 1, 0, 1))
    assert list(record.results()) == [(3, 0, 0.0), (3, 1, 0.0), (3, 2, 0.0)]


def test_a_match_without_points_or_forfeit_gives_no_results():
    assert list(replace(COMPLETE, points=None).results()) == []


# Hash and rounding


def test_the_hash_of_deals_does_not_depend_on_the_order_of_keys():
    one = [{"hands": [["2C"], ["3C"]], "starter": 1}]
    other = [{"starter": 1, "hands": [["2C"], ["3C"]]}]
    assert hash_of_deals(one) == hash_of_deals(other)


def test_the_hash_of_deals_depends_on_the_order_of_cards():
    one, other = ([{"hands": [cards]}] for cards in (["2C", "3C"], ["3C", "2C"]))
    assert hash_of_deals(one) != hash_of_deals(other)


@given(ns=st.integers(0, 10**15))
def test_times_are_rounded_to_the_nearest_microsecond(ns):
    rounded = rounded_to_us(ns)
    assert rounded % 1000 == 0
    assert -500 <= ns - rounded < 500
