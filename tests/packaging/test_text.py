"""Texts of others in each form: none steers a terminal, is computed, links, breaks a document or changes."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import xml.etree.ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import rating.text
from arbiter.cli.ci_reports import Case, junit
from arbiter.text import (
    csv_cell,
    markdown,
    markdown_code,
    markdown_link,
    pgn_string,
    place_text,
    printable,
    signed,
    xml_text,
)
from rating.text import unescape_csv_cell

ANY = st.text(st.characters(exclude_categories=()))
"""Halves of surrogate pairs too."""
HOSTILE = st.lists(
    st.sampled_from(
        [*"\\`|<>[]()!*_~#&;:/=+-@'\"$. \t\n\x00\x1b\x85\ud800\ufffe\u202e", "www.", "x", "http://"]
    )
)
"""Much of what means something somewhere."""
TEXTS = ANY | HOSTILE.map("".join)
MARKDOWN = MarkdownIt("commonmark").enable("table")
LITERAL = {"text", "text_special", "softbreak"}


# Terminals


@pytest.mark.parametrize(
    "c",
    [
        "\x1b", "\x7f", "\x85", "\x9b", "\r", "\u200b", "\u200e", "\u2028", "\u2060", "\ufeff", "\ud800", "\U000e0041",
        *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A)),
        "\u034f", "\u115f", "\u2800", "\u3164", "\uffa0", "\ufe0f", "\U000e0100",
    ],
)  # fmt: skip
def test_what_steers_or_hides_is_shown_escaped(c: str) -> None:
    assert printable(f"a{c}b") == "a" + c.encode("unicode_escape").decode() + "b"


@pytest.mark.parametrize(
    "text", ["Zoë", "e\u0301", "日本語", "עברית", "😀👍🏽", "❤\ufe0f", "1\ufe0f\u20e3", "a\tb\nc", "\\x1b"]
)
def test_usual_text_is_shown_as_it_is(text: str) -> None:
    assert printable(text) == text


@given(TEXTS)
def test_a_terminal_is_shown_no_control_or_format_character(text: str) -> None:
    kinds = {unicodedata.category(c) for c in printable(text) if c not in "\n\t"}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


# Spreadsheets


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+a",
        "-a",
        "@SUM(A1)",
        "\tx",
        "\rx",
        "  =1",
        "\u3000=1",
        "＝1",
        "＋1",
        "－1",
        "＠a",
        "-1+1",
        "'=1",
        "''=1",
        "-",
    ],
)
def test_what_a_spreadsheet_would_compute_begins_with_an_apostrophe(text: str) -> None:
    assert csv_cell(text) == f"'{text}"


@pytest.mark.parametrize(
    "cell", ["ann", "a=1", "-3", "+1", "-12.3", "-1e-7", "'ann", "'-3", "", -12.3, -3, None]
)
def test_other_texts_and_figures_stay_as_they_are(cell: object) -> None:
    assert csv_cell(cell) is cell


@given(TEXTS)
@example("'=1+1")
@example("''\t")
def test_what_reads_csv_gets_back_any_text(text: str) -> None:
    assert unescape_csv_cell(str(csv_cell(text))) == text


@given(st.lists(TEXTS, min_size=1))
def test_no_text_in_a_csv_file_begins_a_formula(texts: list[str]) -> None:
    out = io.StringIO()
    csv.writer(out).writerow(map(csv_cell, texts))
    for cell in next(csv.reader(io.StringIO(out.getvalue(), newline=""))):
        assert not cell.lstrip().startswith(tuple("=+-@＝＋－＠")) or _is_number(cell)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@given(TEXTS)
def test_both_packages_have_one_rule(text: str) -> None:
    assert rating.text.csv_cell(text) == csv_cell(text)
    line = text.replace("\n", "").replace("\t", "")
    assert rating.text.printable(line) == printable(line)


# Markdown


def shown(cell: str) -> list[tuple[str, set[str]]]:
    """What stands in each cell of a row that begins with `cell`, and the kinds of its tokens."""
    tokens = MARKDOWN.parse(f"| a | b |\n|---|---|\n| {cell} | x |\n")
    found = [token for token in tokens if token.type == "inline"][2:]
    assert not [token for token in tokens if token.type == "html_block"]
    return [
        (
            "".join(child.content for child in token.children or []),
            {child.type for child in token.children or []},
        )
        for token in found
    ]


def plain(text: str) -> str:
    return printable(text).replace("\n", " ").replace("\t", " ")


@given(TEXTS)
@example("](http://x)<b>")
@example("a\\|b\\")
def test_a_cell_of_markdown_shows_the_text_and_nothing_else(text: str) -> None:
    (cell, kinds), rest = shown(markdown(text))
    assert (cell.strip(), kinds - LITERAL, rest) == (plain(text).strip(), set(), ("x", {"text"}))


@given(TEXTS.filter(str.strip))
@example("a\\|b")
@example("``a`")
def test_code_in_a_cell_of_markdown_shows_the_text_and_nothing_else(text: str) -> None:
    (cell, kinds), rest = shown(markdown_code(text, table=True))
    assert (cell.strip(), kinds - LITERAL - {"code_inline"}, rest) == (
        plain(text).strip(),
        set(),
        ("x", {"text"}),
    )


@given(TEXTS.filter(str.strip))
def test_code_in_a_line_of_markdown_is_the_text(text: str) -> None:
    (block,) = (
        token for token in MARKDOWN.parse(f"the code {markdown_code(text)}") if token.type == "inline"
    )
    assert [(child.type, child.content) for child in block.children or []][1:] == [
        ("code_inline", plain(text))
    ]


@given(TEXTS)
def test_no_bare_address_is_left_for_a_link(text: str) -> None:
    assert not re.search(r"(?<!\\)://", markdown(text))


@pytest.mark.parametrize("path", ["a b/<c>.json", "x)|y\n", "javascript:x/y", "//x/y"])
def test_a_link_leads_to_the_file(path: str) -> None:
    (block,) = (token for token in MARKDOWN.parse(markdown_link("[a](b)", path)) if token.type == "inline")
    opening, *inner, closing = block.children or []
    assert (opening.type, closing.type) == ("link_open", "link_close")
    assert "".join(token.content for token in inner) == "[a](b)"
    assert not str(opening.attrs["href"]).startswith("javascript:")


# XML and PGN


@given(TEXTS)
def test_a_report_of_any_text_is_xml_that_reads_back(text: str) -> None:
    case = Case("arbiter", text, 0.0, True, text, text)
    failure = ET.fromstring(junit("suite", [case], 0.0)).find("testcase/failure")
    assert failure is not None
    assert (failure.get("message"), failure.text or "") == (xml_text(text), xml_text(text))


@given(TEXTS)
def test_a_tag_of_pgn_is_one_line(text: str) -> None:
    assert pgn_string(text).isprintable()


def test_a_signed_figure_that_rounds_to_zero_has_no_sign() -> None:
    figures = ((-0.4, 0), (0.04, 1), (-3.6, 0), (12.34, 1), (None, 0))
    assert [signed(value, digits) for value, digits in figures] == ["0", "0.0", "-4", "+12.3", "-"]


def test_places_are_written_with_their_endings() -> None:
    texts = [place_text(place, 40).partition(" ")[0] for place in (1, 2, 3, 4, 11, 12, 13, 21, 32)]
    assert texts == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "32nd"]
