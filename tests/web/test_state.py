"""A season's state: read again when something has changed, and only what has; when its round is over."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.season.snapshot import season_figures
from arbiter.season.snapshot.listings import matches
from arbiter.season.snapshot.live_round import time_left
from arbiter.season.snapshot.reader import read_state
from arbiter.store import Store, db_schema
from arbiter.store.backup import back_up
from arbiter.store.orders import Order, OrderKind
from arbiter.web.http.watched_seasons import Seasons, WatchedSeason
from arbiter.web.rendering.template_filters import duration
from tests.fixtures.databases import put_back
from tests.fixtures.zoo import Kept

if TYPE_CHECKING:
    from arbiter.store import SeasonStore
    from arbiter.store.match_lists import MatchRange


def test_nothing_is_read_again_while_nothing_happens(kept: Kept) -> None:
    before = read_state(kept.config, kept.season)
    assert read_state(kept.config, kept.season, before) is before


def test_a_match_is_counted_and_earlier_rounds_are_not_read_again(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read_state(kept.config, kept.season)
    kept.play(matches=1)
    asked = []
    whole = type(kept.season).counts

    def counts(store: SeasonStore, wanted: MatchRange) -> object:
        asked.append(wanted.first)
        return whole(store, wanted)

    monkeypatch.setattr(type(kept.season), "counts", counts)
    after = read_state(kept.config, kept.season, before)
    assert asked == [3]
    assert after.counts == {**before.counts, 3: before.counts[3] + 1}


def test_no_match_is_read_to_know_a_season(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(kept.season), "summaries", None)
    state = read_state(kept.config, kept.season)
    assert state.number_of_matches == len(kept.season.match_ids(1)) * 2 + len(kept.season.match_ids(3))


@pytest.mark.parametrize("kept_as", ["nothing", "another version's"])
def test_a_ranking_that_is_not_kept_is_computed_and_is_the_same(kept: Kept, kept_as: str) -> None:
    before = read_state(kept.config, kept.season).ranking
    kept.write(sa.update(db_schema.rankings).values(ranking=b"of another version"))
    if kept_as == "nothing":
        kept.write(sa.delete(db_schema.rankings))
    after = read_state(kept.config, kept.season).ranking
    assert before is not None
    assert after is not None
    assert after.rows == before.rows
    assert (after.intervals.los() == before.intervals.los()).all()


@pytest.mark.parametrize("gone", ["brief", "seats"])
def test_a_store_of_an_earlier_version_gets_what_lists_are_read_by(kept: Kept, gone: str) -> None:
    before = figures_of(kept)
    if gone == "brief":
        kept.write(sa.update(db_schema.ratings).values(brief=None))
    else:
        kept.write(sa.delete(db_schema.seats))
    kept.write(sa.update(db_schema.version).values(version_num="0009"))
    if gone == "seats":
        kept.store.close()
        Store(kept.config.store).close()
    assert figures_of(kept) == before


def figures_of(kept: Kept) -> list[object]:
    """What is read in lists, and what of ratings in brief."""
    state = read_state(kept.config, kept.season)
    every = [matches(state, None, name) for name in state.names]
    return [season_figures.history(state), [[one.id for one in of.part(0, len(of))] for of in every]]


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
    assert after.ranking is not None
    assert anew.ranking is not None
    assert after.ranking.rows == anew.ranking.rows


def test_matches_that_come_faster_than_a_season_is_read_do_not_keep_it_from_being_read(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = type(kept.season).is_asked_to_stop
    reads = []

    def asked_to_stop(store: SeasonStore) -> bool:
        reads.append(1)
        kept.play(matches=1)
        return whole(store)

    monkeypatch.setattr(type(kept.season), "is_asked_to_stop", asked_to_stop)
    before = read_state(kept.config, kept.season)
    assert len(reads) == 1
    after = read_state(kept.config, kept.season, before)
    assert after.number_of_matches == before.number_of_matches + 1


def test_who_begins_to_play_is_seen(kept: Kept) -> None:
    before = read_state(kept.config, kept.season)
    with kept.store.hold(kept.config.season):
        assert read_state(kept.config, kept.season, before).holder is not None


def test_a_store_that_cannot_be_read_is_asked_once_for_all(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def failing(*_: object) -> None:
        looks.append(1)
        raise StoreError("the store is locked")

    watched = WatchedSeason(kept.file)
    monkeypatch.setattr("arbiter.web.http.watched_seasons.read_state", failing)
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


def test_a_site_shows_the_season_that_was_put_back(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbiter.web.http.watched_seasons.POLL_SECONDS", 0.0)
    back_up(kept.config.store, kept.file.with_name("copy"))
    with closing(Seasons([kept.file])) as seasons:
        before = number_of_matches(seasons)
        kept.play(matches=1)
        assert number_of_matches(seasons) == before + 1
        put_back(kept.config.store, kept.file.with_name("copy"))
        assert number_of_matches(seasons) == before


def number_of_matches(seasons: Seasons) -> int:
    state = seasons.state("small")
    assert state is not None
    return state.number_of_matches
