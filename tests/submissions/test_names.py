"""Names of authors: what is none, and which ones a reader would take for each other."""

from __future__ import annotations

import pytest

from arbiter.errors import ConfigError
from arbiter.submissions.authors import looks, refuse_alike, settled_name


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
    with pytest.raises(ConfigError, match=r"take another one"):
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
        ("a\u3164b", "mixes letters|not a name|nobody sees"),
        ("a\u2800b", "nobody sees"),
        ("pаul", "mixes letters: Cyrillic and Latin"),
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
