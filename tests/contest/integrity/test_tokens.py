"""Tokens of sources: what stays the same when a file is renamed and formatted anew, and at what cost."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from arbiter.contest.integrity.tokens import READERS, is_source, tokens_of
from tests.docs.pages import ROOT

SAME = {
    ".py": (
        'def f(a, b=1):\n    """Adds."""\n    # a sum\n    return (a + b[0x1F])\n',
        "def total(\n    left,\n    right=2,\n):\n    return left + right[3_1]",
    ),
    ".cpp": (
        'int f(int a) { return g(a, "x"); } // a\n/* b */',
        'int total(int left)\n{\n  return help(left, R"y(a ")" b)y");\n}\n',
    ),
    ".js": ("const f = (a) => `x ${a}`; // no", "/* what\n'it is */ const total = left => 'y'"),
    ".rs": ("fn f<'a>(x: &'a str) -> u8 { b'x' }", "fn g<'b>(y: &'b str) -> u8 { b'\\n' }"),
    ".lua": ("--[[ a\nb ]] x = [[t]] -- c", "y = 'u'"),
    ".sh": ("# no\nfoo=\"a b\" # c", "bar='d'"),
    ".php": ("$a = f('x'); // b # c\n# d", "$b = g(\"y\") /* e */"),
}  # fmt: skip


def codes(text: str, name: str = "bot.py") -> list[int]:
    return list(map(int, tokens_of(name, text).codes))


@pytest.mark.parametrize("ending", SAME)
def test_names_formats_and_comments_change_no_token(ending: str) -> None:
    one, other = SAME[ending]
    assert codes(one, f"a{ending}") == codes(other, f"b{ending}") != []


@pytest.mark.parametrize(
    ("one", "other"), [("a + b", "a - b"), ("if a: b", "while a: b"), ("a[b]", "a(b)"), ("a, b", "a b")]
)
def test_what_a_program_does_differently_differs(one: str, other: str) -> None:
    assert codes(one) != codes(other)


def test_every_token_knows_its_line() -> None:
    assert list(tokens_of("bot.py", 'a\n\n"""x\n\ny""" + b\n"""x\n\ny"""\nc').lines) == [1, 3, 5, 5, 9]


def test_text_that_is_used_is_none_of_those_that_stand_alone() -> None:
    assert codes("f(\n'a'\n)") == codes("f('b')") != codes("f()")


def test_only_names_of_sources_are_sources() -> None:
    assert is_source("a/bot.PY")
    assert not any(map(is_source, ("bot", "weights.npz", "README.md", "Makefile", "bot.json")))


@pytest.mark.parametrize("hostile", ['"', '"""', "/*", "--[[", 'R"(', 'r#"', "`", " \n", "\\", '/a"'])
def test_a_hostile_file_takes_as_long_as_its_length(hostile: str) -> None:
    """By this process's own time: what grows with the square of the length takes 64 times as long."""

    def seconds(size: int) -> float:
        begun = process_time()
        for name in {reader: f"bot{ending}" for ending, reader in READERS.items()}.values():
            tokens_of(name, (hostile * size)[:size])
        return process_time() - begun

    # Once is enough: a collection of garbage may fall into any.
    assert any(seconds(1 << 14) < 24 * seconds(1 << 11) + 0.1 for _ in range(3))


@pytest.mark.parametrize(
    "file", sorted((ROOT / "bots" / "languages").glob("*.*")), ids=lambda file: file.name
)
def test_bots_of_all_languages_are_read(file: Path) -> None:
    """As many tokens as a bot has words; a text that was taken for open would swallow them."""
    if file.suffix != ".md":
        text = file.read_text()
        assert len(codes(text, file.name)) > len(text.split()) / 2
