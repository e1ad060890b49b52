"""What authors sent, on SQLite and PostgreSQL: versions, quotas, the queue, who plays from when."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier

import pytest
import sqlalchemy as sa

from arbiter.store import SeasonStore, Store, db_schema
from arbiter.store.audit import timestamp
from arbiter.store.authors import MOST_SESSIONS
from arbiter.store.orders import Outdated
from arbiter.store.submissions import RateLimited


def sent(season: SeasonStore, author: str, archive: str) -> int:
    return season.submissions.add(author, archive, f"file of {archive}", 10)[0].id


def accepted(season: SeasonStore, author: str, archive: str) -> int:
    number = sent(season, author, archive)
    season.submissions.accept(number, [{"name": "checked", "ok": True}], {"command": ["bot"]})
    return number


def test_an_archive_sent_again_is_the_version_that_it_was(season: SeasonStore) -> None:
    book = season.submissions
    one, new = book.add("ann", "a", "f1", 10)
    two, _ = book.add("ann", "b", "f2", 10)
    again, renewed = book.add("ann", "a", "f3", 10)
    assert (new, renewed, again) == (True, False, one)
    assert (one.version, two.version) == (1, 2)
    # Another author's is another one's.
    assert book.add("ben", "a", "f4", 10)[0].version == 1
    found = season.authors.find("ann")
    assert found is not None
    assert found.versions == 2


def test_of_many_at_once_each_gets_a_version_of_its_own(season: SeasonStore) -> None:
    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(lambda n: season.submissions.add("ann", str(n), str(n), 99)[0], range(12)))
    assert sorted(one.version for one in made) == list(range(1, 13))


def test_a_day_allows_so_many_and_the_same_one_again(season: SeasonStore) -> None:
    book = season.submissions
    book.add("ann", "a", "f1", 2)
    book.add("ann", "b", "f2", 2)
    with pytest.raises(RateLimited) as refused:
        book.add("ann", "c", "f3", 2)
    assert 86_000 < refused.value.seconds <= 86_401
    left, seconds = book.left_today("ann", 2)
    # Time passes between the two.
    assert left == 0
    assert 86_000 < seconds <= refused.value.seconds
    assert not book.add("ann", "a", "f4", 2)[1]
    assert book.left_today("ben", 2) == (2, 0)


def test_a_day_later_another_one_is_taken(store: Store, season: SeasonStore) -> None:
    number = sent(season, "ann", "a")
    before = (datetime.now(UTC) - timedelta(hours=25)).isoformat(timespec="seconds")
    with store.transaction() as connection:
        connection.execute(sa.update(db_schema.submissions).filter_by(id=number).values(received=before))
    assert season.submissions.left_today("ann", 1) == (1, 0)
    assert season.submissions.add("ann", "b", "f", 1)[0].version == 2


def test_whoever_sent_most_waits(season: SeasonStore) -> None:
    book = season.submissions
    mine = [sent(season, "ann", str(n)) for n in range(3)]
    other = sent(season, "ben", "x")
    order = []
    while (found := book.next()) is not None:
        order.append(found.id)
        book.refuse(found.id, [])
    assert order == [mine[0], other, *mine[1:]]


def test_an_inspection_that_was_broken_off_begins_anew(season: SeasonStore) -> None:
    book, number = season.submissions, sent(season, "ann", "a")
    book.begin(number)
    book.record_steps(number, "unpacked", [{"name": "unpacked", "ok": True}])
    found = book.next()
    assert found is not None
    assert (found.state, found.tries, len(found.steps)) == ("unpacked", 0, 1)
    book.begin(number)
    found = book.next()
    assert found is not None
    assert (found.state, found.tries, found.steps) == ("received", 0, ())
    book.count_failure(number)
    found = book.next()
    assert found is not None
    assert found.tries == 1


def test_an_accepted_version_joins_the_next_round_in_place_of_the_one_before(season: SeasonStore) -> None:
    book = season.submissions
    first = accepted(season, "ann", "a")
    second = accepted(season, "ann", "b")
    assert [(one.version, one.joins_round) for one in book.active()] == [(2, 1)]
    before = book.one(first)
    assert before is not None
    assert before.joins_round is None
    season.add_round(1, "digest", [["a", "b"]], {})
    made = book.activate(first, "ann", 9)
    assert made is not None
    assert made.joins_round == 2
    kept = book.one(second)
    assert kept is not None
    assert kept.joins_round == 1
    assert [one.version for one in book.active()] == [1]


def test_an_earlier_version_that_is_accepted_late_replaces_nothing(season: SeasonStore) -> None:
    early = sent(season, "ann", "a")
    accepted(season, "ann", "b")
    season.submissions.accept(early, [], {})
    assert [one.version for one in season.submissions.active()] == [2]


def test_a_plan_made_without_a_version_is_outdated(season: SeasonStore) -> None:
    first = accepted(season, "ann", "a")
    accepted(season, "ann", "b")
    revision = season.last_change()[1]
    season.submissions.activate(first, "ann", 9)
    with pytest.raises(Outdated):
        season.add_round(1, "digest", [["a", "b"]], {}, revision)


def test_what_changes_nothing_outdates_no_plan_and_is_not_logged(season: SeasonStore) -> None:
    book = season.submissions
    waiting, playing = sent(season, "ann", "a"), accepted(season, "ann", "b")
    refused = sent(season, "ann", "c")
    book.refuse(refused, [])
    revision, deeds = season.last_change()[1], season.audit.last(9)
    for number in (waiting, refused, playing, 999):
        book.activate(number, "ann", 9)
    book.accept(waiting, [], {})
    assert season.audit.last(9) == deeds
    season.add_round(1, "digest", [["a", "b"]], {}, revision)


def test_an_hour_allows_so_many_activations(store: Store, season: SeasonStore) -> None:
    book = season.submissions
    one, two = accepted(season, "ann", "a"), accepted(season, "ann", "b")
    for number in (one, two):
        assert book.activate(number, "ann", 2)
    revision = season.last_change()[1]
    with pytest.raises(RateLimited) as refused:
        book.activate(one, "ann", 2)
    assert 3_500 < refused.value.seconds <= 3_601
    assert (season.last_change()[1], len(season.audit.last(9))) == (revision, 6)
    assert book.activate(two, "ann", 2), "what plays already counts for nothing"
    before = (datetime.now(UTC) - timedelta(minutes=61)).isoformat(timespec="seconds")
    with store.transaction() as connection:
        connection.execute(sa.update(db_schema.audit).values(moment=before))
    assert book.activate(one, "ann", 2)


def test_an_hour_allows_no_more_activations_at_once(season: SeasonStore) -> None:
    numbers = [accepted(season, "ann", str(number)) for number in range(7)]
    ready = Barrier(6)

    def activate(number: int) -> bool:
        ready.wait()
        try:
            return season.submissions.activate(number, "ann", 2) is not None
        except RateLimited:
            return False

    with ThreadPoolExecutor(6) as threads:
        assert sum(threads.map(activate, numbers[:6])) == 2


def test_the_log_is_read_page_by_page_and_filtered(season: SeasonStore) -> None:
    log = season.audit
    for number in range(5):
        log.add("ann" if number % 2 else "olga", "annul" if number < 3 else "suspend", str(number))
    newest = log.last(2)
    assert [deed.subject for deed in newest] == ["4", "3"]
    assert [deed.subject for deed in log.last(2, before=newest[-1].number)] == ["2", "1"]
    assert [deed.subject for deed in log.last(9, who="olga", verb="annul")] == ["2", "0"]
    assert log.known() == (["@console", "ann", "olga"], ["add", "annul", "suspend"])


def test_a_token_has_at_most_so_many_sessions_and_the_oldest_ends(season: SeasonStore) -> None:
    book = season.authors
    token = "token of ann"
    for number in range(MOST_SESSIONS + 2):
        book.begin_session(f"s{number}", token, timestamp(timedelta(days=1, seconds=number)))
    book.begin_session("other", "token of ben", timestamp(timedelta(hours=1)))
    alive = [number for number in range(MOST_SESSIONS + 2) if book.by_session(f"s{number}")]
    assert alive == list(range(2, MOST_SESSIONS + 2))
    assert book.by_session("other")


def test_only_accepted_versions_of_ones_own_are_activated(season: SeasonStore) -> None:
    book = season.submissions
    waiting, other = sent(season, "ann", "a"), accepted(season, "ben", "b")
    assert book.activate(waiting, "ann", 9) is None
    assert book.activate(other, "ann", 9) is None
    assert book.one(other, "ann") is None
    assert [one.author for one in book.active()] == ["ben"]


def test_what_was_done_while_the_clock_was_ahead_is_not_counted(store: Store, season: SeasonStore) -> None:
    for archive in ("a", "b"):
        accepted(season, "ann", archive)
    assert season.submissions.activate(1, "ann", 1) is not None
    ahead = timestamp(timedelta(days=365))
    with store.transaction() as connection:
        connection.execute(sa.update(db_schema.submissions).values(received=ahead))
        connection.execute(sa.update(db_schema.audit).values(moment=ahead))
    assert season.submissions.left_today("ann", 2) == (2, 0)
    assert season.submissions.activate(2, "ann", 1) is not None


def test_a_session_that_was_begun_while_the_clock_was_ahead_is_over(season: SeasonStore) -> None:
    season.authors.begin_session("ahead", "token of ann", timestamp(timedelta(days=365)))
    assert season.authors.by_session("ahead") is None
    season.authors.begin_session("now", "token of ann", timestamp(timedelta(days=14)))
    assert season.authors.by_session("now") is not None
