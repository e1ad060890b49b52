"""A season's state: read again when something has changed, and only what has; when its round is over."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import StoreError
from arbiter.picture.played import time_left
from arbiter.picture.state import read_state
from arbiter.store.orders import Order, OrderKind
from arbiter.web.seasons import WatchedSeason
from arbiter.web.words import duration
from tests.kept_season import Kept

if TYPE_CHECKING:
    from arbiter.store import SeasonStore


def test_nothing_is_read_again_while_nothing_happens(kept: Kept) -> None:
    before = read_state(kept.config, kept.season)
    assert read_state(kept.config, kept.season, before) is before


def test_a_match_is_found_and_earlier_rounds_are_not_read_again(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read_state(kept.config, kept.season)
    kept.play(matches=1)
    asked = []
    whole = type(kept.season).summaries

    def summaries(store: SeasonStore, last_round: int | None = None, first_round: int = 1) -> object:
        asked.append(first_round)
        return whole(store, last_round, first_round)

    monkeypatch.setattr(type(kept.season), "summaries", summaries)
    after = read_state(kept.config, kept.season, before)
    assert asked[0] == 3
    assert list(after.matches) == whole(kept.season)
    assert len(after.matches) == len(before.matches) + 1


def test_an_order_that_moves_no_rating_is_seen(kept: Kept) -> None:
    before = read_state(kept.config, kept.season)
    begun = kept.season.summaries(3, 3)[0].id
    moment = datetime.now(UTC).isoformat()
    order = Order(OrderKind.ANNUL, begun, "a power cut", moment, planned=3, complete=2)
    kept.season.orders.give([order], kept.season.orders.read().revision, None)
    assert read_state(kept.config, kept.season, before).annulled[begun] == "a power cut"


def test_ratings_are_computed_again_only_after_a_round_or_an_order(kept: Kept) -> None:
    before = read_state(kept.config, kept.season)
    ranking = before.ranking
    kept.play(matches=5)
    during = read_state(kept.config, kept.season, before)
    assert during.ranking is ranking
    kept.play()
    after = read_state(kept.config, kept.season, during)
    assert after.ranking is not None
    assert after.ranking is not ranking


def test_ratings_that_go_on_from_earlier_ones_are_those_of_all_results(kept: Kept) -> None:
    before = read_state(kept.config, kept.season)
    assert before.ranking is not None
    kept.play()
    after, anew = read_state(kept.config, kept.season, before), read_state(kept.config, kept.season)
    assert after.ranked[0] is before.ranked[0]
    assert after.ranking is not None
    assert anew.ranking is not None
    assert after.ranking.rows == anew.ranking.rows


def test_matches_that_come_faster_than_a_season_is_read_do_not_keep_it_from_being_read(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = type(kept.season).asked_to_stop
    reads = []

    def asked_to_stop(store: SeasonStore) -> bool:
        reads.append(1)
        kept.play(matches=1)
        return whole(store)

    monkeypatch.setattr(type(kept.season), "asked_to_stop", asked_to_stop)
    before = read_state(kept.config, kept.season)
    assert len(reads) == 1
    after = read_state(kept.config, kept.season, before)
    assert len(after.matches) == len(before.matches) + 1


def test_who_begins_to_play_is_seen(kept: Kept) -> None:
    before = read_state(kept.config, kept.season)
    with kept.store.held(kept.config.season):
        assert read_state(kept.config, kept.season, before).holder is not None


def test_a_store_that_cannot_be_read_is_asked_once_for_all(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def failing(*_: object) -> None:
        looks.append(1)
        raise StoreError("the store is locked")

    watched = WatchedSeason(kept.file)
    monkeypatch.setattr("arbiter.web.seasons.read_state", failing)
    for _ in range(3):
        with pytest.raises(StoreError):
            watched.state()
    watched.close()
    assert len(looks) == 1


def test_the_time_left_follows_from_the_last_ends(kept: Kept) -> None:
    # Three of eight are stored, ten seconds from end to end.
    for k, match in enumerate(kept.season.summaries(3, 3)):
        started = f"2026-11-20T10:00:{10 * k:02d}.000+00:00"
        kept.change(match.id, lambda record, s=started: replace(record, started=s, wall_ns=2 * 10**9))  # type: ignore[misc]
    state = read_state(kept.config, kept.season)
    assert time_left(state) is None
    assert time_left(replace(state, holder="somebody")) == pytest.approx(50)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "5 s"), (42, "40 s"), (131, "2 min 10 s"), (118, "2 min"), (900, "15 min"), (3599, "1 h"), (11100, "3 h 5 min")],
)  # fmt: skip
def test_durations_are_as_exact_as_a_pace_is(seconds: float, text: str) -> None:
    assert duration(seconds) == text
