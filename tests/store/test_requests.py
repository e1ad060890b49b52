"""The queue of requests: quotas, fairness, the place in it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from arbiter.store import SeasonStore, Store, db_schema
from arbiter.store.request_queue import CANCELLED, PLAYING, WAITING, Request
from arbiter.store.submissions import RateLimited

WISH = {"player": "ann@1", "against": ["greedy"]}


@pytest.fixture
def season(store: Store) -> SeasonStore:
    made = store.make_season("s", "planning", "1")
    for name in ("ann", "ben", "cleo"):
        made.authors.add(name, name, f"token of {name}", False, "test")
    return made


def ask(season: SeasonStore, author: str, most: int = 4) -> Request:
    return season.requests.add(author, "match", WISH, most, 10**6, 10**6)


def earlier(store: Store, request: Request, **ago: float) -> None:
    """Have a request made so long before."""
    then = (datetime.now(UTC) - timedelta(**ago)).isoformat(timespec="seconds")
    with store.transaction() as connection:
        connection.execute(sa.update(db_schema.requests).filter_by(id=request.id).values(received=then))


def test_a_request_comes_back_as_it_was_made(season: SeasonStore) -> None:
    made = ask(season, "ann")
    assert (made.author, made.kind, dict(made.wish), made.state, made.most) == (
        "ann",
        "match",
        WISH,
        WAITING,
        4,
    )
    assert season.requests.one(made.id) == made
    assert season.requests.one(made.id, "ben") is None
    assert season.requests.last(9, "ann") == [made]


def test_an_author_makes_so_many_in_an_hour_and_in_a_day(store: Store, season: SeasonStore) -> None:
    book = season.requests
    first = book.add("ann", "match", WISH, 4, 3, 2)
    book.add("ann", "match", WISH, 4, 3, 2)
    with pytest.raises(RateLimited) as caught:
        book.add("ann", "match", WISH, 4, 3, 2)
    assert 3590 <= caught.value.seconds <= 3601
    earlier(store, first, minutes=61)
    assert book.left("ann", 3, 2) == (1, 0)
    book.add("ann", "match", WISH, 4, 3, 2)
    with pytest.raises(RateLimited) as caught:
        book.add("ann", "match", WISH, 4, 3, 3)
    assert 22 * 3600 < caught.value.seconds < 23 * 3600
    book.add("ben", "match", WISH, 4, 3, 2)


def test_the_next_is_of_whom_least_was_done_for_today(season: SeasonStore) -> None:
    first, second, _ = ask(season, "ann"), ask(season, "ben"), ask(season, "ben")
    assert season.requests.next() == first
    season.requests.keep(first.id, "ann", 1, 500, None)
    assert season.requests.next() == second
    season.requests.count("ben", 600)
    again = season.requests.next()
    assert again is not None
    assert (again.id, again.state, again.played, again.spent_ms) == (first.id, PLAYING, 1, 500)
    assert season.requests.next([first.id]) == second


def test_the_place_and_what_comes_before_it(season: SeasonStore) -> None:
    first, second = ask(season, "ann", 8), ask(season, "ann", 4)
    other = ask(season, "ben", 100)
    # Twelve of ann's own, and as many of ben's in between.
    assert season.requests.ahead(second) == (1, 24)
    assert season.requests.ahead(first) == (0, 16)
    assert season.requests.ahead(other) == (0, 112)
    season.requests.count("ann", 100)
    assert season.requests.ahead(first) == (1, 16)


def test_ten_thousand_requests_of_one_author_are_one_of_two_in_turn(
    store: Store, season: SeasonStore
) -> None:
    row = {
        "season_id": season._id,
        "author": "ann",
        "kind": "match",
        "wish": '{"player": "a", "against": []}',
    }
    row |= {"place": "x", "state": WAITING, "received": "2020-01-01T00:00:00+00:00", "most": 4}
    with store.transaction() as connection:
        connection.execute(sa.insert(db_schema.requests), [row] * 10_000)
    late = ask(season, "ben")
    first = season.requests.next()
    assert first is not None
    season.requests.keep(first.id, first.author, 1, 1, None)
    assert season.requests.next() == late
    assert season.requests.ahead(late) == (0, 8)


def test_what_is_over_changes_no_more(season: SeasonStore) -> None:
    made = ask(season, "ann")
    assert not season.requests.cancel(made.id, "ben")
    assert season.requests.cancel(made.id, "ann")
    assert not season.requests.begin(made.id)
    assert not season.requests.keep(made.id, "ann", 1, 100, {"matches": 1})
    assert not season.requests.finish(made.id, {"matches": 1})
    found = season.requests.one(made.id)
    assert found is not None
    assert (found.state, found.played, found.outcome) == (CANCELLED, 1, None)
    # What was played is none the less done for its author.
    assert season.requests.served() == {"ann": 100}
    assert season.requests.next() is None


def test_an_outcome_that_was_kept_under_other_names_has_those_of_now(season: SeasonStore) -> None:
    made = ask(season, "ann")
    rows = [{"player": "greedy", "won": 3, "drawn": 2, "lost": 1}]
    season.requests.finish(made.id, {"won": 3, "drawn": 2, "lost": 1, "opponents": rows})
    found = season.requests.one(made.id)
    assert found is not None
    now = {"wins": 3, "draws": 2, "losses": 1}
    assert found.outcome == {**now, "opponents": [{"player": "greedy", **now}]}


def test_a_season_is_dropped_with_all_its_rows(store: Store, season: SeasonStore) -> None:
    ask(season, "ann")
    other = store.make_season("t", "planning", "1")
    store.drop_season("s")
    store.drop_season("s")
    assert store.seasons() == [other.name]
    with store.reading() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(db_schema.authors)).scalar() == 0


def test_a_request_that_was_made_while_the_clock_was_ahead_is_not_counted(
    store: Store, season: SeasonStore
) -> None:
    earlier(store, season.requests.add("ann", "match", WISH, 4, 1, 1), days=-365)
    assert season.requests.left("ann", 1, 1) == (1, 0)
