"""What submissions take on the disk, on SQLite and PostgreSQL: an author's share, and which of them may go."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from arbiter.store import SeasonStore, Store, db_schema
from arbiter.store.submission_files import VersionInUse
from arbiter.store.submissions import QuotaExceeded


def sent(season: SeasonStore, archive: str, size: int = 10, author: str = "ann") -> int:
    return season.submissions.add(author, archive, f"file of {archive}", 99, size)[0].id


def accepted(season: SeasonStore, archive: str, size: int = 100) -> int:
    number = sent(season, archive)
    assert season.submissions.accept(number, [], {}, size)
    return number


def state(season: SeasonStore, number: int) -> str:
    found = season.submissions.one(number)
    assert found is not None
    return found.state


def test_an_authors_files_have_a_bound_in_all(season: SeasonStore) -> None:
    book = season.submissions
    accepted(season, "a")
    sent(season, "b")
    sent(season, "x", 500, author="ben")
    assert (season.submission_files.taken("ann"), season.submission_files.taken("nobody")) == (110, 0)
    with pytest.raises(QuotaExceeded) as refused:
        book.add("ann", "c", "f", 99, size=41, quota=150)
    assert refused.value.taken == 110
    assert not book.add("ann", "a", "f", 99, size=41, quota=150)[1], "it is there already"
    assert book.add("ann", "c", "f", 99, size=40, quota=150)[0].version == 3


def test_a_version_that_never_played_is_dropped_and_leaves_room(season: SeasonStore) -> None:
    first = accepted(season, "a")
    accepted(season, "b")
    season.submission_files.drop(first, "ann")
    assert (state(season, first), season.submission_files.taken("ann")) == ("dropped", 100)
    assert season.submissions.activate(first, "ann", 9) is None
    deeds = season.audit.last(9, verb="drop")
    season.submission_files.drop(first, "ann")
    assert season.audit.last(9, verb="drop") == deeds
    assert [(deed.who, deed.subject) for deed in deeds] == [("ann", "ann@1")]
    assert not season.submissions.add("ann", "a", "f", 99)[1], "sent again it is the one that was dropped"


def test_what_has_played_stays_though_it_left_and_came_back(season: SeasonStore) -> None:
    book = season.submissions
    first = accepted(season, "a")
    season.add_round(1, "digest", [["ann@1", "p"]], {})
    second = accepted(season, "b")
    book.activate(first, "ann", 9)
    book.activate(second, "ann", 9)
    found = book.one(first)
    assert found is not None
    assert found.joins_round is None, "it joined no round when it came back"
    with pytest.raises(VersionInUse) as stays:
        season.submission_files.drop(first, "ann")
    assert not stays.value.active
    with pytest.raises(VersionInUse) as stays:
        season.submission_files.drop(second, "ann")
    assert stays.value.active
    assert (state(season, first), state(season, second)) == ("accepted", "accepted")


def test_a_name_that_is_like_another_has_not_played(season: SeasonStore) -> None:
    season.add_round(1, "digest", [["ann@11", "Ann@1"], ["%@1", "nn@1"]], {})
    assert not season.submission_files.has_played("ann", 1)
    assert season.submission_files.has_played("Ann", 1)
    assert season.submission_files.has_played("ann", 11)


def test_nobody_drops_what_is_anothers(season: SeasonStore) -> None:
    number = sent(season, "a")
    season.submission_files.drop(number, "ben")
    assert state(season, number) == "received"


def test_what_is_dropped_while_it_is_inspected_stays_dropped(season: SeasonStore) -> None:
    book, number = season.submissions, sent(season, "a")
    book.begin(number)
    season.submission_files.drop(number, "ann")
    book.record_steps(number, "unpacked", [])
    assert not book.accept(number, [], {}, 100)
    book.refuse(number, [])
    book.count_failure(number)
    assert (state(season, number), season.submission_files.taken("ann"), book.active()) == ("dropped", 0, [])
    assert book.next() is None


def test_with_the_token_goes_what_never_played(season: SeasonStore) -> None:
    accepted(season, "a")
    season.add_round(1, "digest", [["ann@1", "p"]], {})
    accepted(season, "b")
    accepted(season, "c")
    refused, waiting, other = sent(season, "d"), sent(season, "e"), sent(season, "x", author="ben")
    season.submissions.refuse(refused, [])
    gone = season.authors.set_token("ann", None, "@console")
    assert gone == ["file of b", "file of d", "file of e"]
    states = [one.state for one in season.submissions.of("ann")]
    assert states == ["dropped", "dropped", "accepted", "dropped", "accepted"]
    assert season.submissions.next() == season.submissions.one(other)
    assert state(season, waiting) == "dropped"
    assert season.authors.set_token("ann", "another", "@console") == []


def test_the_archive_of_what_was_refused_goes_in_time(season: SeasonStore) -> None:
    book = season.submissions
    old, kept = sent(season, "a"), accepted(season, "b")
    book.refuse(old, [])
    season.submission_files.expire_archives("2999")
    assert season.submission_files.gone() == ({"file of a"}, {"file of a"})
    assert not book.inspect_again(old, "olga")
    assert (state(season, old), state(season, kept)) == ("refused", "accepted")
    again = sent(season, "c")
    book.refuse(again, [])
    season.submission_files.expire_archives("2000")
    assert season.submission_files.gone() == ({"file of a"}, {"file of a", "file of c"})
    assert book.inspect_again(again, "olga")


def test_what_came_before_there_was_a_count_is_counted(store: Store, season: SeasonStore) -> None:
    number = sent(season, "a")
    with store.transaction() as connection:
        connection.execute(sa.update(db_schema.submissions).values(bytes=None))
    assert (season.submission_files.taken("ann"), season.submission_files.without_size()) == (
        0,
        {number: "file of a"},
    )
    season.submission_files.count(number, 70)
    assert (season.submission_files.taken("ann"), season.submission_files.without_size()) == (70, {})
