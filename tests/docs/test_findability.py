"""The words that organisers look for are in the title or the first lines of the page that answers them."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT

FIRST = 450
"""Characters of a page that a reader sees before deciding."""
PAGES = {
    "appeal": "howto/appeals.md",
    "dispute": "howto/appeals.md",
    "plagiarism": "howto/integrity.md",
    "collusion": "howto/integrity.md",
    "cheating": "howto/integrity.md",
    "marks": "howto/marks-by-rung.md",
    "grades": "howto/marks-by-rung.md",
    "deadline": "howto/run-a-course.md",
    "sign-up": "howto/course.md",
    "checklist": "howto/course.md",
    "archive": "howto/check-a-season.md",
    "scrimmage": "howto/ask-for-matches.md",
}
LINK = re.compile(r"\]\((?:\.\./)*(?:docs/)?(?:howto/)?([\w-]+\.md)")


@pytest.mark.parametrize(("word", "page"), PAGES.items(), ids=PAGES)
def test_a_word_is_where_it_is_looked_for(word: str, page: str) -> None:
    assert word in (ROOT / "docs" / page).read_text(encoding="utf-8")[:FIRST].lower()


def test_the_checklist_of_a_course_leads_to_every_page_of_the_term() -> None:
    text = (ROOT / "docs" / "howto" / "course.md").read_text(encoding="utf-8")
    wanted = {page.rpartition("/")[2] for page in PAGES.values()} - {"course.md", "ask-for-matches.md"}
    assert wanted <= set(LINK.findall(text))
