"""Announcements, and questions of authors: numbered, bounded, logged once, in both kinds of stores."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from arbiter.store import Store
from arbiter.store.backup import copy_seasons
from arbiter.store.clarifications import TooManyOpen
from arbiter.store.event_log import EventKind

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.store import SeasonStore

NOW = datetime.now(UTC)
LATER = NOW + timedelta(days=1)


def events(season: SeasonStore) -> list[str]:
    return [one.subject for one in season.events(0, 99) if one.kind is EventKind.ANNOUNCEMENT]


def test_an_announcement_is_visible_at_once_and_an_event(season: SeasonStore) -> None:
    made = season.announcements.add("the *deadline* is on Friday", "olga")
    assert season.announcements.shown(LATER, 9) == [made]
    assert (made.number, events(season)) == (1, ["1"])
    assert [entry[2:] for entry in season.audit.last(1)] == [("olga", "announce", "1", "")]


def test_one_for_later_is_hidden_until_then_and_logged_once(
    season: SeasonStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = season.announcements
    made = book.add("tomorrow", "olga", LATER)
    assert (book.publish_due(), book.shown(NOW, 9), book.scheduled(), events(season)) == (0, [], [made], [])
    monkeypatch.setattr("arbiter.store.announcements.timestamp", lambda: "9999")
    assert [book.publish_due(), book.publish_due()] == [1, 0]
    assert (book.shown(LATER, 9), events(season)) == ([made], ["1"])


def test_the_last_moment_comes_first(season: SeasonStore) -> None:
    for days, text in ((-1, "b"), (-3, "a"), (-1, "c")):
        season.announcements.add(text, "olga", NOW + timedelta(days=days))
    assert [one.text for one in season.announcements.shown(NOW, 9)] == ["c", "b", "a"]
    assert [one.text for one in season.announcements.shown(NOW, 1)] == ["c"]


def test_a_question_is_answered_once(season: SeasonStore) -> None:
    book = season.clarifications
    first = book.ask("ann", "ann/bob", "is NumPy there?", 3)
    second = book.ask("ben", "ben", "and SciPy?", 3)
    assert [one.number for one in (first, second)] == [1, 2]
    answered = book.answer(1, "yes", False, "olga")
    assert answered is not None
    assert (answered.answer, answered.public, answered.author) == ("yes", False, "ann")
    assert book.answer(1, "no", False, "olga") is None
    assert book.answer(9, "no", False, "olga") is None
    assert book.of("ann") == [answered]
    assert [one.number for one in book.last(9)] == [2, 1]
    assert season.announcements.shown(LATER, 9) == []
    assert [entry[2:5] for entry in season.audit.last(3)] == [
        ("olga", "answer", "1"), ("ben", "question", "2"), ("ann/bob", "question", "1"),
    ]  # fmt: skip


def test_a_public_answer_is_announced_with_the_question(season: SeasonStore) -> None:
    season.clarifications.ask("ann", "ann", "is NumPy there?", 3)
    season.clarifications.answer(1, "yes", True, "olga")
    (found,) = season.announcements.shown(LATER, 9)
    assert (found.text, found.question) == ("yes", "is NumPy there?")
    assert events(season) == ["1"]


def test_open_questions_of_an_author_are_bounded(season: SeasonStore) -> None:
    book = season.clarifications
    for text in "ab":
        book.ask("ann", "ann", text, 2)
    with pytest.raises(TooManyOpen):
        book.ask("ann", "ann", "c", 2)
    book.ask("ben", "ben", "d", 2)
    book.answer(1, "yes", False, "olga")
    assert book.ask("ann", "ann", "c", 2).number == 4


def test_both_are_copied_with_their_season_and_deleted_with_it(season: SeasonStore, tmp_path: Path) -> None:
    season.clarifications.ask("ann", "ann", "why?", 2)
    season.clarifications.answer(1, "so", True, "olga")
    store = season._store
    assert isinstance(store, Store)
    with closing(Store(f"sqlite:///{tmp_path / 'copy.sqlite'}")) as target:
        copy_seasons(store, target)
        copied = target.season("s")
        assert copied is not None
        assert copied.clarifications.of("ann") == season.clarifications.of("ann")
        assert copied.announcements.shown(LATER, 9) == season.announcements.shown(LATER, 9)
    store.drop_season("s")
    assert store.make_season("s", "planning", "1").clarifications.of("ann") == []


def test_a_corrected_text_keeps_its_number_and_a_withdrawn_one_is_gone(season: SeasonStore) -> None:
    book = season.announcements
    for text in ("Friday", "Room 117"):
        book.add(text, "olga")
    corrected = book.change(1, "Thursday", "olga")
    assert corrected is not None
    assert book.one(1) == corrected
    assert (corrected.text, corrected.corrected is None) == ("Thursday", False)
    assert book.change(2, None, "olga") is not None
    assert (book.change(2, "Room 118", "olga"), book.change(9, None, "olga")) == (None, None)
    assert (book.shown(LATER, 9), [number for number, _ in book.withdrawn(9)]) == ([corrected], [2])
    assert events(season) == ["1", "2", "1", "2"]
    assert [entry[2:] for entry in season.audit.last(2)] == [
        ("olga", "withdraw", "2", "Room 117"), ("olga", "correct", "1", "Friday"),
    ]  # fmt: skip


def test_a_text_that_is_withdrawn_before_its_moment_is_no_event(
    season: SeasonStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = season.announcements
    book.add("tomorrow", "olga", LATER)
    book.change(1, None, "olga")
    monkeypatch.setattr("arbiter.store.announcements.timestamp", lambda: "9999")
    assert (book.publish_due(), book.withdrawn(9), events(season)) == (0, [], [])


def test_an_answer_to_all_changes_with_its_announcement(season: SeasonStore) -> None:
    book, announced = season.clarifications, season.announcements
    book.ask("ann", "ann", "is NumPy there?", 3)
    book.answer(1, "yes", True, "olga")
    book.change(1, "no", "olga")
    assert [one.text for one in announced.shown(LATER, 9)] == ["no"]
    announced.change(1, "yes, 2.1", "olga")
    assert [one.answer for one in book.of("ann")] == ["yes, 2.1"]
    announced.change(1, None, "olga")
    assert (announced.shown(LATER, 9), [one.answer for one in book.of("ann")]) == ([], [None])
    assert book.answer(1, "soon", False, "olga") is not None


def test_an_answer_to_its_author_is_corrected_and_withdrawn(season: SeasonStore) -> None:
    book = season.clarifications
    book.ask("ann", "ann", "is NumPy there?", 3)
    assert book.change(1, "yes", "olga") is None
    book.answer(1, "yes", False, "olga")
    book.change(1, "no", "olga")
    assert [one.answer for one in book.of("ann")] == ["no"]
    book.change(1, None, "olga")
    assert [(one.answer, one.answered) for one in book.of("ann")] == [(None, None)]
    assert [entry[3:] for entry in season.audit.last(2)] == [
        ("withdraw answer", "1", "no"), ("correct answer", "1", "yes"),
    ]  # fmt: skip
