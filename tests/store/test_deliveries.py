"""How far a webhook has heard, in both kinds of databases."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.store import EventKind, SeasonStore, Store
from arbiter.store.deliveries import Delivery
from arbiter.store.event_log import log_event

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KEY, KINDS = "d16e57", ["round", "standings", "state"]


@pytest.fixture
def season(database: str) -> Iterator[SeasonStore]:
    with closing(Store(database)) as store:
        made = store.make_season("s", "planning", "1")
        made.deliveries.begin(KEY)
        yield made


def happen(season: SeasonStore, kind: EventKind, number: int) -> None:
    with season._store.transaction() as connection:
        log_event(connection, season._id, kind, number)


def deliver_all(season: SeasonStore, kinds: Sequence[str] = KINDS) -> list[tuple[str, int, bool]]:
    """All that a webhook is told, each at once: kind, round, whether it is early."""
    found = []
    while (due := season.deliveries.next_delivery(KEY, kinds, True, 0)[0]) is not None:
        event = due.event
        telling = Delivery(f"id {event.number}", event.number, due.early, event.kind.value, "{}")
        season.deliveries.prepare(KEY, telling)
        # Another one does not take its place.
        season.deliveries.prepare(KEY, telling._replace(delivery="2d"))
        known = season.deliveries.read(KEY)
        assert known is not None
        assert known.telling == telling
        season.deliveries.record_delivery(KEY, telling)
        found.append((event.kind.value, event.round, due.early))
    return found


def test_what_is_held_back_follows_after_the_release_and_nothing_comes_twice(season: SeasonStore) -> None:
    happen(season, EventKind.ROUND, 1)
    season.freeze(1)
    happen(season, EventKind.ROUND, 2)
    season.ask_to_stop()
    assert deliver_all(season) == [("round", 1, False), ("state", 1, False), ("state", 0, True)]
    happen(season, EventKind.STANDINGS, 2)
    season.ask_to_stop(False)
    assert season.deliveries.count_waiting(KEY, KINDS, True) == 0
    assert deliver_all(season) == [("state", 0, True)]
    season.publish_seed(2)
    assert season.deliveries.count_waiting(KEY, KINDS, True) == 3
    assert deliver_all(season) == [("round", 2, False), ("standings", 2, False), ("state", 2, False)]


def test_what_is_given_up_goes_with_all_that_is_older(season: SeasonStore) -> None:
    book = season.deliveries
    for number in (1, 2, 3):
        happen(season, EventKind.ROUND, number)
    telling = Delivery("1d", 1, False, "round", "{}")
    book.prepare(KEY, telling)
    assert book.give_up(KEY, telling._replace(delivery="other"), KINDS, "9", "w", "x") == 0
    assert book.give_up(KEY, telling, KINDS, "0", "w", "x") == 1
    telling = Delivery("2d", 2, False, "round", "{}")
    book.prepare(KEY, telling)
    assert book.give_up(KEY, telling, KINDS, "9", "w", "x") == 2
    known = book.read(KEY)
    assert known is not None
    assert (known.done, known.dropped, known.telling, known.problem) == (3, 3, None, "x")
    assert [deed.because for deed in season.audit.last(9)] == ["2 given up: x", "1 given up: x"]


def test_those_that_the_file_no_longer_has_are_forgotten(season: SeasonStore) -> None:
    season.deliveries.forget_all_but([KEY])
    assert season.deliveries.read(KEY) is not None
    season.deliveries.forget_all_but([])
    assert season.deliveries.read(KEY) is None


def test_announcements_are_not_held_back_and_come_once(season: SeasonStore) -> None:
    happen(season, EventKind.ROUND, 1)
    season.freeze(1)
    happen(season, EventKind.ROUND, 2)
    season.announcements.add("the room is 117", "olga")
    kinds = ["round", "announcement"]
    assert deliver_all(season, kinds) == [("round", 1, False), ("announcement", 0, True)]
    season.publish_seed(2)
    assert deliver_all(season, kinds) == [("round", 2, False)]
