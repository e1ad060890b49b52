"""Answers are bounded, and nothing is lost between their pages."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.contest.agents.answer_limits import MOST, PAGE, ROWS, cut, list_page, size, text_page
from arbiter.errors import ConfigError

TEXTS = st.builds(
    lambda parts: "".join(part * times for part, times in parts),
    st.lists(st.tuples(st.text(max_size=5), st.integers(1, 4_000)), max_size=4),
)


@given(TEXTS)
def test_the_pages_of_a_text_are_the_text(text: str) -> None:
    pages = [text_page(text, 1)]
    pages += [text_page(text, page) for page in range(2, pages[0]["pages"] + 1)]
    assert "".join(page["text"] for page in pages) == text
    assert all(len(json.dumps(page)) < MOST for page in pages)


def test_a_page_ends_with_a_line() -> None:
    text = "a line of thirty characters...\n" * 1_000
    assert text_page(text, 1)["text"].endswith("...\n")


@given(TEXTS, st.integers(20, 500))
def test_what_is_cut_is_the_beginning_and_fits(text: str, most: int) -> None:
    found = cut(text, most)
    assert size(found) <= most
    assert found == text or text.startswith(found.removesuffix(" ..."))


@pytest.mark.parametrize("page", [0, 3])
def test_a_page_that_there_is_not_is_named(page: int) -> None:
    with pytest.raises(ConfigError, match=f"page: expected 1 to 2, got {page}"):
        text_page("x" * (PAGE + 1), page)


def test_a_list_has_a_page_even_if_it_is_empty() -> None:
    assert list_page([], 1) == ([], {"page": 1, "pages": 1})
    rows = [{"row": number} for number in range(ROWS + 1)]
    assert list_page(rows, 2) == (rows[ROWS:], {"page": 2, "pages": 2})
