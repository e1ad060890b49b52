"""`arbiter authors`: tokens given once, taken away, given anew; names that a reader would take for one."""

from __future__ import annotations

import json
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.submissions.author_accounts import hash_of, join, looks, refuse_alike, settled_name
from arbiter.errors import ConfigError
from arbiter.season.roster import folder_of
from arbiter.store.audit import timestamp
from tests.fixtures.zoo import Kept

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run


def token_of(arbiter: Run, kept: Kept, *words: str) -> str:
    code, out, _ = arbiter("authors", words[0], kept.file, *words[1:])
    assert (code, out.count("\n")) == (0, 1)
    return out.strip()


def test_a_token_is_printed_alone_and_kept_as_its_hash(arbiter: Run, kept: Kept) -> None:
    token = token_of(arbiter, kept, "add", "alice")
    assert len(token) == 43
    found = kept.season.authors.by_token(hash_of(token))
    assert found is not None
    assert (found.name, found.organiser, found.alive) == ("alice", False, True)
    assert token.encode() not in kept.file.with_suffix(".sqlite").read_bytes()


def test_an_author_is_known_by_the_last_token_alone_and_deeds_are_logged(arbiter: Run, kept: Kept) -> None:
    first = token_of(arbiter, kept, "add", "alice")
    second = token_of(arbiter, kept, "renew", "alice")
    book = kept.season.authors
    assert book.by_token(hash_of(first)) is None
    assert book.by_token(hash_of(second)) is not None
    assert arbiter("authors", "revoke", kept.file, "alice")[0] == 0
    assert book.by_token(hash_of(second)) is None
    assert [deed[2:5] for deed in kept.season.audit.last(9)] == [
        ("@console", verb, "alice") for verb in ("revoke", "renew", "add")
    ]


def test_a_session_ends_with_the_token_that_it_was_begun_with(arbiter: Run, kept: Kept) -> None:
    token = token_of(arbiter, kept, "add", "alice")
    book = kept.season.authors
    book.begin_session("s1", hash_of(token), timestamp(timedelta(days=1)))
    book.begin_session("s2", hash_of(token), "2000")
    assert book.by_session("s1") is not None
    assert book.by_session("s2") is None
    token_of(arbiter, kept, "renew", "alice")
    assert book.by_session("s1") is None


def test_a_class_is_added_from_a_file_or_nobody(arbiter: Run, kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "class.csv"
    file.write_text("name,group\nann,1\nben,2\n\n", encoding="utf-8")
    code, out, _ = arbiter("authors", "add", kept.file, "--csv", file)
    assert code == 0
    rows = [line.split(",") for line in out.splitlines()]
    assert [row[0] for row in rows] == ["name", "ann", "ben"]
    assert all(kept.season.authors.by_token(hash_of(row[1])) for row in rows[1:])
    file.write_text("name\ncarl\nBen\n")
    code, out, err = arbiter("authors", "add", kept.file, "--csv", file)
    assert (code, out) == (2, "")
    assert "the name Ben looks like ben, which is taken" in err
    assert kept.season.authors.find("carl") is None


def test_names_of_players_are_taken(arbiter: Run, kept: Kept) -> None:
    code, out, err = arbiter("authors", "add", kept.file, "P0")
    assert (code, out) == (2, "")
    assert "the name P0 looks like p0, which is taken" in err


def test_wrong_uses_are_one_line(arbiter: Run, kept: Kept, tmp_path: Path) -> None:
    token_of(arbiter, kept, "add", "alice")
    arbiter("authors", "revoke", kept.file, "alice")
    empty = tmp_path / "empty.csv"
    empty.write_text("name\n")
    for words, said in (
        (["add", kept.file], "expected either NAME or --csv FILE"),
        (["add", kept.file, "--csv", empty], "has no names"),
        (["add", kept.file, "--csv", tmp_path / "none.csv"], "cannot be read"),
        (["revoke", kept.file, "alise"], "no author 'alise' (did you mean alice?)"),
        (["revoke", kept.file, "alice"], "alice has no token"),
    ):
        code, out, err = arbiter("authors", *words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert said in err


def test_the_list_says_who_sends_and_who_organises(arbiter: Run, kept: Kept) -> None:
    token_of(arbiter, kept, "add", "alice")
    token_of(arbiter, kept, "add", "olga", "--organiser")
    arbiter("authors", "revoke", kept.file, "alice")
    found = json.loads(arbiter("authors", "list", kept.file, "--format", "json")[1])
    assert [(one["name"], one["organiser"], one["revoked"], one["versions"]) for one in found] == [
        ("alice", False, True, 0),
        ("olga", True, False, 0),
    ]
    assert "organiser" in arbiter("authors", "list", kept.file)[1]


def test_an_author_may_be_added_before_the_season_is_begun(arbiter: Run, tmp_path: Path) -> None:
    config = tmp_path / "new.yaml"
    bot = "  - {name: random, command: [python3], house: true}\n"
    config.write_text("game: planning\nhouse_bots: [random]\nsubmissions: {}\nplayers:\n" + bot)
    assert arbiter("authors", "add", config, "alice")[0] == 0
    code, _, err = arbiter("authors", "add", config, "alice")
    assert code == 2
    assert "the name alice is taken" in err


def test_with_the_token_go_the_files_of_what_never_played(arbiter: Run, kept: Kept) -> None:
    token_of(arbiter, kept, "add", "alice")
    folder = folder_of(kept.config)
    for name in ("a", "b"):
        number = kept.season.submissions.add("alice", name, f"file{name}", 9)[0].id
        kept.season.submissions.accept(number, [], {"command": ["python3"], "read": [], "files": {}})
        (folder / f"file{name}").mkdir(parents=True)
        (folder / f"file{name}.zip").touch()
    code, _, err = arbiter("authors", "revoke", kept.file, "alice")
    assert (code, "1 version that never played dropped" in err) == (0, True)
    assert sorted(file.name for file in folder.iterdir()) == ["fileb", "fileb.zip"]


def test_a_token_is_the_same_in_a_table(
    arbiter: Run, kept: Kept, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    drawn = iter(["-dash", "_line", "=sum", "plain"])
    monkeypatch.setattr(secrets, "token_urlsafe", lambda _: next(drawn))
    (tmp_path / "class.csv").write_text("name\nann\n")
    assert (
        arbiter("authors", "add", kept.file, "--csv", tmp_path / "class.csv")[1] == "name,token\nann,plain\n"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("alice", "Alice"),
        ("alice", "аlice"),  # Cyrillic a
        ("alice", "alice\u0301"),
        ("alice", "a1ice"),
        ("bill", "bi11"),
        ("Ill", "lll"),
        ("zoe", "zoë"),
        ("zoe", "z0e"),
        ("marie", "rnarie"),
        ("wanda", "vvanda"),
        ("ann b", "annb"),
        ("ann", "ａｎｎ"),
        ("ΑΒΓ", "αβγ"),
        ("ATOM", "АТОМ"),  # all Cyrillic
        ("TAP", "ΤΑΡ"),  # all Greek
    ],
)
def test_names_that_look_alike_are_told(one: str, other: str) -> None:
    assert looks(one) == looks(other)
    with pytest.raises(ConfigError, match=r"choose another one"):
        refuse_alike(other, ["somebody", one])


@pytest.mark.parametrize(
    ("one", "other"), [("anna", "hanna"), ("bob", "bobo"), ("team-1", "team-2"), ("李", "季")]
)
def test_other_names_are_apart(one: str, other: str) -> None:
    assert looks(one) != looks(other)
    refuse_alike(other, [one])


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "not a name"),
        (" alice", "not a name"),
        ("a@1", "not a name"),
        ("x" * 65, "not a name"),
        ("a\u202eb", "not a name"),
        ("a\u3164b", "mixes alphabets|not a name|invisible"),
        ("a\u2800b", "invisible"),
        ("pаul", "mixes alphabets: Cyrillic and Latin"),
        ("a\nb", "not a name"),
    ],
)
def test_what_is_no_name_is_refused_with_the_reason(name: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        settled_name(name)


@pytest.mark.parametrize(
    ("given", "kept"), [("ﬁona", "fiona"), ("Łukasz", "Łukasz"), ("李小龍x", "李小龍x"), ("<b>", "<b>")]
)
def test_a_name_is_kept_in_its_compatible_form(given: str, kept: str) -> None:
    assert settled_name(given) == kept


def joined(kept: Kept, arbiter: Run, player: str, name: str) -> str:
    """The token of somebody who joins a player by an organiser's code."""
    return join(kept.config, kept.season, token_of(arbiter, kept, "invite", "--player", player), name)


def test_an_organiser_invites_to_a_player_sees_who_acts_for_it_and_takes_somebody_out(
    arbiter: Run, kept: Kept
) -> None:
    token_of(arbiter, kept, "add", "alice")
    token = joined(kept, arbiter, "alice", "bob")
    found = json.loads(arbiter("authors", "list", kept.file, "--format", "json")[1])
    assert [one["name"] for one in found[0]["members"]] == ["alice", "bob"]
    assert "alice, bob" in arbiter("authors", "list", kept.file)[1]
    again = token_of(arbiter, kept, "renew", "alice", "bob")
    book = kept.season.authors
    assert book.by_token(hash_of(token)) is None
    assert book.by_token(hash_of(again)) is not None
    code, out, err = arbiter("authors", "remove", kept.file, "alice", "bob")
    assert (code, out, "bob no longer acts for alice" in err) == (0, "", True)
    assert book.by_token(hash_of(again)) is None
    assert "bob" not in arbiter("authors", "list", kept.file)[1]


def test_wrong_uses_of_people_are_one_line(arbiter: Run, kept: Kept) -> None:
    token_of(arbiter, kept, "add", "alice")
    token_of(arbiter, kept, "add", "olga", "--organiser")
    token_of(arbiter, kept, "add", "carl")
    joined(kept, arbiter, "alice", "bob")
    arbiter("authors", "revoke", kept.file, "carl")
    for words, said in (
        (["invite", kept.file, "--player", "alise"], "no author 'alise'"),
        (["invite", kept.file, "--player", "olga"], "olga is an organiser"),
        (["invite", kept.file, "--player", "carl"], "carl has no token (arbiter authors renew creates one)"),
        (["invite", kept.file, "--player", "alice", "--uses", "7"], "at most 8 people share a player"),
        (["remove", kept.file, "alice", "bop"], "alice has no member 'bop' (did you mean bob?)"),
        (["remove", kept.file, "carl", "carl"], "carl has no token"),
        (["remove", kept.file, "olga", "olga"], "arbiter authors revoke"),
        (["renew", kept.file, "alice", "bop"], "alice has no member 'bop'"),
        (["add", kept.file, "alice/bob"], "the name alice/bob is taken"),
    ):
        code, out, err = arbiter("authors", *words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert said in err


def test_nobody_joins_under_the_name_by_which_the_log_knows_an_author(arbiter: Run, kept: Kept) -> None:
    for name in ("alice", "alice/bob"):
        token_of(arbiter, kept, "add", name)
    with pytest.raises(ConfigError, match="the name alice/bob is taken"):
        joined(kept, arbiter, "alice", "bob")
