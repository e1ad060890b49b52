"""A report opened from disk, with scripts and without."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.cli import exit_code
from tests.web.browser.looking import SIDEWAYS, complaints_of, violations

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


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
    browser: Browser, reports: list[Path], scripts: bool
) -> None:
    with closing(
        browser.new_context(viewport={"width": 360, "height": 740}, java_script_enabled=scripts)
    ) as context:
        for report in reports:
            page = context.new_page()
            complaints, asked = complaints_of(page), []
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.goto(report.as_uri())
            page.locator("details.round summary").first.click()
            assert page.locator("details.round[open] tbody tr").first.is_visible()
            assert (complaints, asked) == ([], [report.as_uri()])
            assert page.evaluate(SIDEWAYS) == 0
            assert page.get_by_role("button", name="Switch to").count() == scripts
            page.close()


def test_a_report_keeps_nobody_out(browser: Browser, axe: str, reports: list[Path]) -> None:
    with closing(browser.new_context(viewport={"width": 360, "height": 740})) as context:
        page = context.new_page()
        page.goto(reports[0].as_uri())
        page.locator("details.replay summary").last.click()
        assert violations(page, axe) == []


def test_a_link_to_a_match_opens_its_replay(browser: Browser, reports: list[Path]) -> None:
    with closing(browser.new_context()) as context:
        page = context.new_page()
        complaints = complaints_of(page)
        page.goto(reports[0].as_uri())
        page.locator("details.round summary").nth(2).click()
        page.get_by_role("link", name="r003/t01/m1").click()
        replay = page.get_by_role("group", name="Replay of r003/t01/m1")
        assert replay.locator(".rp-board").is_visible()
        page.goto(f"{reports[0].as_uri()}#r003-t01-m0")
        assert page.locator("details.replay[open]").count() == 1
        assert complaints == []


def test_keys_move_the_replay_that_is_open_alone(browser: Browser, reports: list[Path]) -> None:
    with closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(reports[0].as_uri())
        lines = []
        for box in page.locator("details.replay").all()[:2]:
            box.locator("summary").click()
            page.keyboard.press("End")
            lines.append(box.locator(".rp-where"))
            before = lines[0].text_content()
            page.keyboard.press("Home")
        assert lines[0].text_content() == before != lines[1].text_content()


def test_paper_shows_what_is_folded(browser: Browser, reports: list[Path]) -> None:
    with closing(browser.new_context()) as context:
        page = context.new_page()
        page.emulate_media(media="print")
        page.goto(reports[1].as_uri())
        row = page.locator("details.round tbody tr").first
        assert row.evaluate("at => at.checkVisibility({ contentVisibilityAuto: true })")
        assert not page.locator("header nav").is_visible()
