"""Lists of matches that are read a part at a time, on SQLite and on PostgreSQL."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from arbiter.match.packing import pack_match
from arbiter.match.record import Fault, Forfeit
from arbiter.store import Order, OrderKind, SeasonStore, Store, db_schema
from arbiter.store.match_lists import MatchRange
from tests.fixtures.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator

EVERY = MatchRange(1, 99)
SEATED = {
    "r001/t01/m0": "abcd", "r001/t01/m2": "bcda", "r001/t01/m2+": "bcdx", "r001/t01/m11": "cdab", "r001/t02/m0": "efgh",
    "r002/t01/m0": "aecg", "r002/t10/m0": "bdfh", "r003/t01/m0": "abef",
}  # fmt: skip


@pytest.fixture
def season(database: str) -> Iterator[SeasonStore]:
    with closing(Store(database)) as store:
        made = store.make_season("s", "planning", "seed")
        for match_id in reversed(SEATED):
            made.add_match(record(match_id, int(match_id[1:4]), players=tuple(SEATED[match_id])))
        yield made


def test_matches_are_counted_by_round(season: SeasonStore) -> None:
    assert season.counts(EVERY) == {1: 5, 2: 2, 3: 1}
    assert season.counts(MatchRange(2, 2)) == {2: 2}
    assert season.counts(MatchRange(1, 99, (("a",),))) == {1: 3, 2: 1, 3: 1}
    assert season.counts(MatchRange(1, 99, (("a",), ("e", "x")))) == {2: 1, 3: 1}
    assert season.counts(MatchRange(1, 99, (("b", "g"), ("x",)))) == {1: 1}


def test_parts_are_in_the_order_of_the_plan(season: SeasonStore) -> None:
    assert season.ids(EVERY, 0, 99) == list(SEATED)
    assert season.ids(EVERY, 2, 3) == list(SEATED)[2:5]
    mine = [match_id for match_id, players in SEATED.items() if "a" in players]
    assert season.ids(MatchRange(1, 99, (("a",),)), 0, 99) == mine
    assert season.ids(MatchRange(1, 99, (("a",),)), 1, 2) == mine[1:3]
    assert [match.id for match in season.summaries_of(set(SEATED))] == list(SEATED)


def test_everybody_who_sat_is_known_up_to_a_round(season: SeasonStore) -> None:
    assert season.seated(1) == list("abcdefghx")
    season.add_match(record("r004/t01/m0", 4, players=("a\x00b", "é", "\ud800", "d")))
    assert season.seated(3) == list("abcdefghx")
    assert season.seated(4) == sorted([*"abcdefghx", "a\x00b", "é", "\ud800"])
    assert season.ids(MatchRange(1, 9, (("\ud800",), ("a\x00b",))), 0, 9) == ["r004/t01/m0"]


def test_who_ended_a_match_by_a_fault_is_known_and_who_did_in_the_one_that_takes_its_place(
    season: SeasonStore,
) -> None:
    def faulty(seat: int) -> Forfeit:
        return Forfeit(seat, "abcd"[seat], Fault.TIMEOUT, "too slow", "gen_move", "")

    def whose() -> dict[str, list[str]]:
        return {name: season.ids(MatchRange(1, 99, ((name,),), faulty=True), 0, 9) for name in "abcd"}

    first = record("r009/t01/m0", 9, players=tuple("abcd"), points=None, forfeit=faulty(1))
    season.add_match(first)
    assert whose() == {"a": [], "b": [first.id], "c": [], "d": []}
    again = record("r009/t01/m0", 9, players=tuple("abcd"), points=None, forfeit=faulty(3))
    order = Order(OrderKind.REPLAYED, first.id, "", "2026-01-01T00:00:00+00:00", 9, 8)
    season.orders.replace_match(pack_match(again), order, season.orders.read().revision, None)
    assert whose() == {"a": [], "b": [], "c": [], "d": [first.id]}


def test_a_match_that_is_gone_is_in_no_list(season: SeasonStore) -> None:
    with season._store.transaction() as connection:
        connection.execute(sa.delete(db_schema.matches).where(db_schema.matches.c.id == "r003/t01/m0"))
    assert season.counts(MatchRange(1, 99, (("a",),))) == {1: 3, 2: 1}


def test_a_store_of_an_earlier_version_gets_its_seats(database: str) -> None:
    with closing(Store(database)) as store:
        made = store.make_season("s", "planning", "seed")
        made.add_match(record("r001/t01/m0", 1, players=tuple("abcd")))
        made.add_match(record("r001/t02/m0", 1, players=tuple("efgh")))
        with store.transaction() as connection:
            connection.execute(sa.delete(db_schema.seats))
            damaged = sa.update(db_schema.matches).where(db_schema.matches.c.id == "r001/t02/m0")
            connection.execute(damaged.values(summary="{}"))
            connection.execute(sa.update(db_schema.version).values(version_num="0009"))
    with closing(Store(database)) as store:
        season = store.season("s")
        assert season is not None
        assert season.seated(1) == list("abcd")
