"""Every page and a report in a real browser: in both schemes, for all eyes and hands, on a phone, without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arbiter.cli import exit_code
from tests.web.browser.looking import PHONE, SIDEWAYS, complaints_of, violations

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page, Request

pytestmark = pytest.mark.browser
PAGES = [
    "/seasons", "/seasons/none", "/seasons/new", "/seasons/small", "/seasons/small/rounds/3", "/seasons/small/live",
    "/seasons/small/live?wall=1", "/seasons/small/rules", "/seasons/small/players/p2", "/seasons/small/matches/r001-t02-m0",
    "/seasons/long", "/seasons/long/standings", "/seasons/small/boards/1", "/seasons/small/boards/1/t01",
    "/seasons/small/players/p0/vs/p1", "/seasons/long/crosstable", "/seasons/long/crosstable?show=los", "/seasons/long/history", "/seasons/long/matches?round=1",
    "/seasons/small/rejudgings",
]  # fmt: skip
"""A page of each template, with names that are long where it has a table of them."""
TALLEST_MATCH = """() => Math.max(0, ...[...document.querySelectorAll(".matches tr")].filter(
  (row) => row.querySelector(".seats")).map((row) => row.offsetHeight))"""
FOCUSED = """() => {
  const at = document.activeElement;
  const box = at.getBoundingClientRect();
  const shown = getComputedStyle(at).outlineStyle !== "none" && box.width > 0 && box.left >= 0;
  return { words: at.textContent.trim().split("\\n")[0], tag: at.tagName, label: at.ariaLabel, shown };
}"""

CUT = """() => {
  const within = [...document.querySelectorAll(".wall > section")].filter((section) => section.checkVisibility());
  return within.flatMap((section) => {
    const all = section.getBoundingClientRect();
    const boxes = [...section.querySelectorAll("li, p, h2, .rp-table")].map((row) => [row, row.getBoundingClientRect()]);
    const out = boxes.filter(([, box]) => box.width && box.left < all.right - 1 && (box.bottom > all.bottom + 1 || box.right > all.right + 1));
    return out.map(([row]) => row.textContent);
  });
}"""
"""What of a wall is cut; rows beside the section are out of sight."""


@pytest.mark.parametrize("address", PAGES)
def test_a_page_is_sound_in_both_schemes(
    new_page: Callable[..., Page], axe: str, site: str, address: str
) -> None:
    page = new_page(viewport=PHONE)
    complaints, asked = complaints_of(page), []
    page.on("request", lambda request: asked.append(request.url))
    answer = page.goto(site + address)
    assert answer is not None
    page.locator("#replay:empty").wait_for(state="detached")
    assert page.evaluate(SIDEWAYS) == 0
    assert page.evaluate(TALLEST_MATCH) <= 88
    assert violations(page, axe) == []
    # A browser complains of a page that is not there, too.
    assert [line for line in complaints if answer.ok or "404" not in line] == []
    assert [url for url in asked if not url.startswith((f"{site}/", "data:"))] == []


def test_keys_alone_reach_everything_in_reading_order(new_page: Callable[..., Page], site: str) -> None:
    page = new_page()
    page.goto(f"{site}/seasons/long/standings")
    reached = []
    for _ in range(17):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
    assert all(one["shown"] for one in reached)
    assert [one["words"] for one in reached][:12] == [
        "Skip to the table", "arbiter", "long", "Season", "Standings", "Crosstable", "History", "Rounds", "Matches", "Live", "Rules", "Log in",
    ]  # fmt: skip
    assert [(one["tag"], one["label"]) for one in reached[12:14]] == [
        ("BUTTON", "Switch to dark colours"),
        ("DIV", "Standings"),
    ]
    assert {one["tag"] for one in reached[14:]} == {"A", "BUTTON"}
    page.reload()
    for key in ("Tab", "Enter", "Tab"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.closest('table') !== null"), (
        "the first stop leads to the table"
    )


@pytest.mark.parametrize(
    ("season", "width", "height"), [("long", 1280, 720), ("small", 1280, 720), ("small", 390, 844)]
)
def test_a_wall_shows_whole_rows_and_one_thing_after_the_other(
    new_page: Callable[..., Page], site: str, season: str, width: int, height: int
) -> None:
    page = new_page(viewport={"width": width, "height": height})
    page.goto(f"{site}/seasons/{season}/live?wall=1")
    address = page.locator(".wall .address:not(:empty)")
    assert address.inner_text() == f"{site}/seasons/{season}".removeprefix("http://")
    seen = page.locator(".wall > section > h2:visible").all_inner_texts()
    while "The closest match" not in "".join(seen):
        page.get_by_role("button", name="Next").click()
        assert len(seen) < 12, "the wall turns no further"
        seen += page.locator(".wall > section > h2:visible").all_inner_texts()
        if season == "small" and "The closest match" in seen[-1]:
            page.locator(".wall .playing .rp-table").wait_for()
        assert page.evaluate(CUT) == []
    assert {text.split()[0] for text in seen} == {"Who", "Round", "The"}


def test_what_a_visitor_chooses_holds_on_the_next_page(new_page: Callable[..., Page], site: str) -> None:
    page = new_page(color_scheme="light")
    page.goto(f"{site}/seasons/small")
    star = page.get_by_role("button", name="Follow p1")
    star.click()
    assert star.get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="Switch to dark colours").click()
    page.goto(f"{site}/seasons/small/standings", wait_until="commit")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(21, 24, 29)"
    star = page.get_by_role("button", name="Follow p1")
    star.wait_for()
    assert page.locator("tr.followed").count() == 1
    assert page.locator("tr.followed th").inner_text().endswith("p1")
    star.click()
    assert page.locator("tr.followed").count() == 0
    page.set_viewport_size(PHONE)
    won = page.get_by_role("columnheader", name="Won")
    assert not won.is_visible()
    page.get_by_text("More columns").click()
    assert won.is_visible()


def test_without_scripts_a_page_tells_the_same(new_page: Callable[..., Page], site: str) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(f"{site}/seasons/long")
    assert page.locator("tbody tr").count() == 8
    assert page.locator("footer time").inner_text().endswith("UTC")
    assert not page.get_by_role("button", name="Dark").is_visible()


@pytest.fixture(scope="module")
def reports(files: list[Path]) -> list[Path]:
    """Reports of a season under way, with replays, and of one that is over, without."""
    small, long, _ = files
    out = [small.with_suffix(".html"), long.with_suffix(".html")]
    assert exit_code(["report", str(small), "--output", str(out[0]), "--matches", "4"]) == 0
    assert exit_code(["report", str(long), "--output", str(out[1])]) == 0
    return out


@pytest.mark.parametrize("scripts", [True, False])
def test_a_report_opens_from_disk_and_asks_for_nothing(
    new_page: Callable[..., Page], reports: list[Path], scripts: bool
) -> None:
    for report in reports[: 1 + scripts]:
        page = new_page(viewport=PHONE, java_script_enabled=scripts)
        complaints, requested_urls = complaints_of(page), list[str]()

        def ask(request: Request, requested_urls: list[str] = requested_urls) -> None:
            requested_urls.append(request.url)

        page.on("request", ask)
        page.goto(report.as_uri())
        page.locator("details.round summary").first.click()
        assert page.locator("details.round[open] tbody tr").first.is_visible()
        assert (complaints, requested_urls) == ([], [report.as_uri()])
        assert page.evaluate(SIDEWAYS) == 0
        assert page.get_by_role("button", name="Switch to").count() == scripts


def test_a_report_leads_to_replays_that_keep_nobody_out(
    new_page: Callable[..., Page], axe: str, reports: list[Path]
) -> None:
    page = new_page(viewport=PHONE)
    complaints = complaints_of(page)
    page.goto(reports[0].as_uri())
    page.locator("details.round summary").nth(2).click()
    page.locator("[data-key='r003/t01/m1'] th a").click()
    page.get_by_role("group", name="Replay of r003/t01/m1").locator(".rp-board").wait_for()
    assert violations(page, axe) == []
    page.goto(f"{reports[0].as_uri()}#r003-t01-m0")
    assert page.locator("details.replay#r003-t01-m0[open]").count() == 1
    lines = []
    for box in page.locator("details.replay").all()[-4:-2]:
        if box.get_attribute("open") is None:
            box.locator("> summary").click()
        page.keyboard.press("End")
        lines.append(box.locator(".rp-where"))
        before = lines[0].text_content()
        page.keyboard.press("Home")
    assert lines[0].text_content() == before != lines[1].text_content()
    assert complaints == []


def test_paper_shows_what_is_folded(new_page: Callable[..., Page], reports: list[Path]) -> None:
    page = new_page()
    page.emulate_media(media="print")
    page.goto(reports[1].as_uri())
    row = page.locator("details.round tbody tr").first
    assert row.evaluate("at => at.checkVisibility({ contentVisibilityAuto: true })")
    assert not page.locator("header nav").is_visible()
