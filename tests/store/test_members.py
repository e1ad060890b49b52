"""The people of a player: each with a token of his own, at most so many, never none, in both kinds of stores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import ConfigError
from arbiter.store import SeasonStore, Store
from arbiter.store.audit import timestamp
from arbiter.store.invitations import InvalidInvitation
from arbiter.store.members import LastMember, NewMember
from arbiter.store.people import MOST_PEOPLE, PlayerFull
from arbiter.store.submissions import RateLimited

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FAR, LONG_AGO = timestamp(timedelta(days=7)), "2001-01-01T00:00:00+00:00"


def join(season: SeasonStore, name: str, player: str = "ann") -> bool:
    code = f"code of {name}"
    season.invitations.add(code, 1, player, player, FAR)
    return season.members.add(player, name, name, f"t-{name}", code)


def people(season: SeasonStore, player: str = "ann") -> list[str]:
    return [one.name for one in season.members.of(player)]


def test_each_ones_token_and_session_are_the_players(season: SeasonStore) -> None:
    assert join(season, "bob")
    season.authors.begin_session("s1", "t-bob", FAR)
    for found in (season.authors.by_token("t-bob"), season.authors.by_session("s1")):
        assert found is not None
        assert (found.name, found.member, found.who, found.alive) == ("ann", "bob", "ann/bob", True)
    first = season.authors.by_token("token of ann")
    assert first is not None
    assert (first.name, first.member, first.who) == ("ann", None, "ann")
    assert people(season) == ["ann", "bob"]
    assert people(season, "ben") == ["ben"]


def test_a_session_is_renamed_whosever_it_is(season: SeasonStore) -> None:
    join(season, "bob")
    season.authors.begin_session("s1", "t-bob", FAR)
    season.authors.rename_session(["s0", "s1"], "s2")
    assert season.authors.by_session("s1") is None
    assert season.authors.by_session("s2") is not None


def test_a_name_is_taken_within_the_player_alone(season: SeasonStore) -> None:
    assert join(season, "bob")
    season.invitations.add("again", 1, "ann", "ann", FAR)
    assert not season.members.add("ann", "B0B", "bob", "another", "again")
    assert season.invitations.find("again") is not None, "what is refused uses nothing"
    season.invitations.add("to ben", 1, "ben", "ben", FAR)
    assert season.members.add("ben", "bob", "bob", "third", "to ben")


def test_a_code_is_for_its_player_its_uses_and_its_time(season: SeasonStore) -> None:
    season.invitations.add("open", 1, "ann", "ann", FAR)
    season.invitations.add("over", 1, "ben", "ben", LONG_AGO)
    season.invitations.add("authors", 1, "@console")
    for player, code in (("ben", "open"), ("ben", "over"), ("ann", "authors"), ("ann", "none")):
        with pytest.raises(InvalidInvitation):
            season.members.add(player, "bob", "bob", "t-bob", code)
    with pytest.raises(InvalidInvitation):
        season.authors.add("bob", "bob", "t-bob", False, "bob", "open")
    assert season.invitations.find("over") is None
    assert season.members.add("ann", "bob", "bob", "t-bob", "open")
    assert season.invitations.find("open") is None


def test_no_more_people_join_or_are_invited_than_a_player_may_have(season: SeasonStore) -> None:
    season.invitations.add("early", 1, "ann", "ann", FAR)
    for number in range(MOST_PEOPLE - 1):
        assert join(season, f"m{number}")
    with pytest.raises(PlayerFull, match="at most 8 people"):
        season.members.add("ann", "late", "late", "t-late", "early")
    with pytest.raises(PlayerFull):
        season.invitations.add("more", 1, "ann", "ann", FAR)
    assert season.members.remove("ann", None, "ann", "leave")
    assert join(season, "late")
    with pytest.raises(PlayerFull):
        season.authors.set_token("ann", "token of ann", "@console")


def at_once(database: str, act: Callable[[SeasonStore, Any], bool], each: Sequence[Any]) -> list[bool]:
    """What comes of acts at the same moment, each on a store of its own; False for one that is refused."""
    ready = Barrier(len(each))

    def one(argument: Any) -> bool:
        with closing(Store(database)) as store:
            mine = store.season("s")
            assert mine is not None
            ready.wait()
            try:
                return act(mine, argument)
            except (PlayerFull, LastMember):
                return False

    with ThreadPoolExecutor(len(each)) as threads:
        return list(threads.map(one, each))


def test_of_many_who_take_the_last_places_at_once_no_more_get_one(database: str, season: SeasonStore) -> None:
    for number in range(MOST_PEOPLE - 2):
        join(season, f"m{number}")
    for number in range(4):
        season.invitations.add(f"c{number}", 1, "ann", "ann", FAR)

    def join_late(mine: SeasonStore, number: int) -> bool:
        return mine.members.add("ann", f"n{number}", f"n{number}", f"t{number}", f"c{number}")

    assert sum(at_once(database, join_late, range(4))) == 1
    assert len(people(season)) == MOST_PEOPLE


def test_who_is_taken_out_is_nobody_with_the_next_request(season: SeasonStore) -> None:
    join(season, "bob")
    season.authors.begin_session("of bob", "t-bob", FAR)
    season.authors.begin_session("of ann", "token of ann", FAR)
    assert season.members.remove("ann", "bob", "@console")
    assert season.authors.by_token("t-bob") is None
    assert season.authors.by_session("of bob") is None
    assert season.authors.by_session("of ann") is not None
    assert not season.members.remove("ann", "bob", "@console")


def test_with_a_token_end_the_codes_that_whoever_had_it_may_know(season: SeasonStore) -> None:
    join(season, "bob")
    season.invitations.add("to ben", 1, "ben", "ben", FAR)
    season.invitations.add("kept back", 1, "ann/bob", "ann", FAR)
    assert season.members.remove("ann", "bob", "ann")
    season.invitations.add("of a thief", 1, "ann", "ann", FAR)
    season.authors.set_token("ann", "another", "ann", living=True)
    assert [season.invitations.find(code) is None for code in ("kept back", "of a thief", "to ben")] == [
        True,
        True,
        False,
    ]


def test_of_two_who_leave_at_once_one_stays(database: str, season: SeasonStore) -> None:
    join(season, "bob")

    def leave(mine: SeasonStore, member: str | None) -> bool:
        return mine.members.remove("ann", member, "ann", "leave")

    assert sorted(at_once(database, leave, [None, "bob"])) == [False, True]
    assert len(people(season)) == 1


def test_when_the_first_one_has_left_the_player_lives_on(season: SeasonStore) -> None:
    join(season, "bob")
    assert season.members.remove("ann", None, "ann", "leave")
    assert season.authors.by_token("token of ann") is None
    author = season.authors.find("ann")
    assert author is not None
    assert (author.alive, people(season)) == (True, ["bob"])
    with pytest.raises(LastMember, match="authors revoke"):
        season.members.remove("ann", "bob", "ann/bob", "leave")
    season.authors.set_token("ann", "t-anew", "@console")
    assert sorted(people(season)) == ["ann", "bob"]


def test_a_token_that_was_taken_away_meanwhile_is_not_renewed(season: SeasonStore) -> None:
    join(season, "bob")
    season.members.remove("ann", "bob", "@console")
    season.authors.set_token("ann", "t-bob2", "ann/bob", "bob", living=True)
    season.authors.set_token("ben", None, "@console")
    season.authors.set_token("ben", "t-ben2", "ben", living=True)
    assert [season.authors.by_token(token) for token in ("t-bob2", "t-ben2")] == [None, None]


def test_with_an_authors_token_go_those_of_all_its_people_and_its_codes(season: SeasonStore) -> None:
    join(season, "bob")
    join(season, "cid", "ben")
    season.invitations.add("open", 1, "ann", "ann", FAR)
    season.authors.begin_session("s1", "t-bob", FAR)
    season.authors.set_token("ann", None, "@console")
    assert season.authors.by_session("s1") is None
    assert season.authors.by_token("t-bob") is None
    assert season.invitations.find("open") is None
    assert (people(season), people(season, "ben")) == ([], ["ben", "cid"])


def test_an_hour_allows_a_player_so_many_activations_whoever_asks(season: SeasonStore) -> None:
    book = season.submissions
    for author, text in (("ann", "a"), ("ann", "b"), ("ben", "a"), ("ben", "b")):
        number = book.add(author, text, f"{author}{text}", 99)[0].id
        book.accept(number, [], {"command": ["python3"], "read": [], "files": {}})
    book.activate(1, "ann", 2, "ann/bob")
    book.activate(2, "ann", 2, "ann")
    with pytest.raises(RateLimited):
        book.activate(1, "ann", 2, "ann/cid")
    assert book.activate(3, "ben", 2)


def test_the_log_names_person_and_player(season: SeasonStore) -> None:
    join(season, "bob")
    number = season.submissions.add("ann", "a", "f", 9, who="ann/bob")[0].id
    season.submission_files.drop(number, "ann", "ann/bob")
    season.authors.set_token("ann", "t2", "ann/bob", "bob")
    season.members.remove("ann", "bob", "ann/bob", "leave")
    assert [(deed.who, deed.verb, deed.subject) for deed in season.audit.last(6)] == [
        ("ann/bob", "leave", "ann/bob"),
        ("ann/bob", "renew", "ann/bob"),
        ("ann/bob", "drop", "ann@1"),
        ("ann/bob", "send", "ann@1"),
        ("ann/bob", "join", "ann"),
        ("ann", "invite", "ann"),
    ]


def test_a_player_invites_so_often_a_day_and_keeps_the_newest_codes(season: SeasonStore) -> None:
    for number in range(10):
        season.invitations.add(f"c{number}", 1, "ann", "ann", FAR, per_day=10)
    assert sum(season.invitations.find(f"c{number}") is not None for number in range(10)) == MOST_PEOPLE
    with pytest.raises(RateLimited):
        season.invitations.add("more", 1, "ann", "ann", FAR, per_day=10)
    season.invitations.add("for ben", 1, "ben", "ben", FAR, per_day=10)


def test_in_the_store_a_class_is_added_whole_or_not_at_all(season: SeasonStore) -> None:
    def new(player: str, member: str) -> NewMember:
        return NewMember(player, member, (player, member), f"t-{member}", player != "ann")

    season.members.enrol([new("foxes", "kim"), new("ann", "lea")], "@console")
    assert (people(season, "foxes"), people(season)) == (["kim"], ["ann", "lea"])
    with pytest.raises(ConfigError, match="the name lea is taken"):
        season.members.enrol([new("owls", "max"), new("ann", "lea")._replace(token="other")], "@console")
    assert (people(season, "owls"), people(season)) == ([], ["ann", "lea"])
    assert season.authors.find("owls") is None
