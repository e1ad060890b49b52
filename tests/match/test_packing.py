"""Records in the store: small, and the same again when unpacked."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from random import Random
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import StoreError
from arbiter.games.planning import Planning
from arbiter.match.packing import pack, unpack
from arbiter.match.record import BotReport, MatchRecord
from arbiter.testing import match_spec, play_by_policy, random_policy
from tests.fixtures.profiles import examples
from tests.fixtures.records import record

GAME = Planning()


def play_match(time: str = "10s", cost: int = 5_123, round_number: int | None = 3) -> MatchRecord:
    """A whole tournament match, with costs that differ from exchange to exchange."""
    spec = match_spec(GAME, time=time, round_number=round_number)
    noise = Random(1)
    made = play_by_policy(
        GAME, random_policy(1), spec, cost=lambda send, _: int(cost * (1 + noise.random()) * send.replies)
    )
    return replace(
        made, id="r003/t01/m0", bots=tuple(BotReport(f"player-{n}", notes=("a note",)) for n in range(4))
    )


@pytest.mark.parametrize("time", ["10s", "10s+3ms", "500ms/request", "0.0100001s+1ms"])
@pytest.mark.parametrize("round_number", [3, None])
def test_a_played_match_comes_back_as_it_was(time: str, round_number: int | None) -> None:
    made = play_match(time, round_number=round_number)
    assert unpack(pack(made), made.id) == made


@given(
    st.lists(
        st.tuples(*(st.integers(0, 10**10) for _ in range(4)), st.integers(-(10**10), 10**10)), max_size=8
    )
)
@examples(50)
def test_any_times_come_back_as_they_were(times: list[tuple[int, ...]]) -> None:
    moves = tuple(
        played_moves[number]._replace(**cast("Any", dict(zip(NAMES, row, strict=True))))
        for number, row in enumerate(times)
    )
    made = replace(whole, moves=moves)
    assert unpack(pack(made), made.id) == made


NAMES = ("wall_ns", "cpu_ns", "delay_ns", "charged_ns", "left_ns")
whole = play_match()
played_moves = whole.moves


def test_deals_that_the_seed_does_not_give_are_kept() -> None:
    other = replace(whole, deals=(*whole.deals[:5], {"hands": [["2C"]] * 4, "starter": 0}))
    assert unpack(pack(other), other.id) == other


def test_a_record_of_a_game_that_is_not_here_is_kept_whole() -> None:
    strange = record(game="strange", options={"a": 1})
    assert unpack(pack(strange), strange.id) == strange


@pytest.mark.parametrize(("cost", "most"), [(5_000, 4_000), (5_000_000, 6_000)])
def test_a_match_takes_a_few_kilobytes(cost: int, most: int) -> None:
    assert len(pack(play_match("3m", cost))) <= most


def test_a_bot_that_writes_at_every_move_adds_little() -> None:
    tail = "".join(f"{number:3}\n" for number in range(104)).rjust(4096, "-")
    at = tuple((4096 - 4 * (104 - number), "during", 4 * number + 1) for number in range(104))
    silent = replace(whole, bots=(BotReport("a", stderr_tail=tail),))
    made = replace(whole, bots=(BotReport("a", stderr_tail=tail, stderr_at=at),))
    assert unpack(pack(made), made.id) == made
    assert len(pack(made)) - len(pack(silent)) <= 700


def test_records_of_the_first_format_are_read() -> None:
    packed = zlib.compress(json.dumps(whole.to_json()).encode())
    assert unpack(packed, whole.id) == whole


@pytest.mark.parametrize(
    "packed", [b"", b"garbage", zlib.compress(b"[]"), zlib.compress(b'{"moves": {}, "deals": 1}')]
)
def test_bytes_that_are_no_record_are_named(packed: bytes) -> None:
    with pytest.raises(StoreError, match=r"the record of match r001/t01/m0 cannot be read"):
        unpack(packed, "r001/t01/m0")
