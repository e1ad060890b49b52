"""Every page in a real browser: in both schemes, for all eyes and hands, on a phone, without scripts."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.web.browser.looking import SIDEWAYS, complaints_of, violations
from tests.web.long_season import MARKUP

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

PAGES = [
    "/seasons", "/seasons/none", "/seasons/new", "/seasons/new/matches", "/seasons/small", "/seasons/small/rounds/3", "/seasons/small/live", "/seasons/small/live?wall=1",
    "/seasons/small/rules", "/seasons/small/players/p2", "/seasons/small/matches/r001-t02-m0", "/seasons/small/matches/r003-t01-m0",
    "/seasons/long", "/seasons/long/crosstable", "/seasons/long/crosstable?show=los", "/seasons/long/history",
    "/seasons/long/matches", "/seasons/long/rounds/1", f"/seasons/long/players/{quote(MARKUP, safe='')}",
]  # fmt: skip
FOCUSED = """() => {
  const at = document.activeElement;
  const box = at.getBoundingClientRect();
  const shown = getComputedStyle(at).outlineStyle !== "none" && box.width > 0 && box.left >= 0;
  return { words: at.textContent.trim().split("\\n")[0], tag: at.tagName, label: at.ariaLabel, shown };
}"""


@pytest.mark.parametrize("address", PAGES)
def test_a_page_is_sound_in_both_schemes(browser: Browser, axe: str, site: str, address: str) -> None:
    with closing(browser.new_context(viewport={"width": 360, "height": 740})) as context:
        page = context.new_page()
        complaints, asked = complaints_of(page), []
        page.on("request", lambda request: asked.append(request.url))
        answer = page.goto(site + address)
        assert answer is not None
        page.locator("#replay:empty").wait_for(state="detached")
        assert page.evaluate(SIDEWAYS) == 0
        assert violations(page, axe) == []
        # A browser complains of a page that is not there, too.
        assert [line for line in complaints if answer.ok or "404" not in line] == []
        assert [url for url in asked if not url.startswith((f"{site}/", "data:"))] == []


def test_keys_alone_reach_everything_in_reading_order(browser: Browser, site: str) -> None:
    with closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(f"{site}/seasons/long")
        reached = []
        for _ in range(16):
            page.keyboard.press("Tab")
            reached.append(page.evaluate(FOCUSED))
        assert all(one["shown"] for one in reached)
        assert [one["words"] for one in reached][:10] == [
            "Skip to the table", "arbiter", "long", "Standings", "Crosstable", "History", "Rounds", "Matches", "Live", "Rules",
        ]  # fmt: skip
        assert [(one["tag"], one["label"]) for one in (reached[10], reached[13])] == [
            ("BUTTON", "Switch to dark colours"),
            ("DIV", "Standings"),
        ]
        assert {one["tag"] for one in (*reached[11:13], *reached[14:])} == {"A"}


def test_the_first_stop_leads_to_the_table(browser: Browser, site: str) -> None:
    with closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(f"{site}/seasons/long/history")
        for key in ("Tab", "Enter", "Tab"):
            page.keyboard.press(key)
        assert page.evaluate("document.activeElement.closest('table') !== null")


def test_a_scheme_that_was_chosen_holds_on_the_next_page(browser: Browser, site: str) -> None:
    with closing(browser.new_context(color_scheme="light")) as context:
        page = context.new_page()
        page.goto(f"{site}/seasons/small")
        page.get_by_role("button", name="Switch to dark colours").click()
        page.goto(f"{site}/seasons/small/history", wait_until="commit")
        assert (
            page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(21, 24, 29)"
        )


def test_without_scripts_a_page_tells_the_same(browser: Browser, site: str) -> None:
    with closing(browser.new_context(java_script_enabled=False)) as context:
        page = context.new_page()
        page.goto(f"{site}/seasons/long")
        assert page.locator("tbody tr").count() == 8
        assert page.locator("footer time").inner_text().endswith("UTC")
        assert not page.get_by_role("button", name="Dark").is_visible()
