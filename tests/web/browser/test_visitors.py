"""A visitor at a table with house bots, in a real browser."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.season.config import load
from arbiter.web.http.watched_seasons import Seasons
from arbiter.web.pages import visitor_tables as module
from arbiter.web.site import make_site
from tests.web.browser.conftest import served
from tests.web.browser.looking import PHONE, SIDEWAYS, complaints_of, violations
from tests.web.browser.sitting import ASKED
from tests.web.test_tables import Broken, InMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from arbiter.web.pages.visitor_tables import Tables

pytestmark = pytest.mark.browser
TURN_OR_END = f"{ASKED}, .ap-over:not(:empty)"
MOST_TURNS = 20
HAND = "[...document.querySelectorAll('.ap-play .rp-hand [data-card]')].map((card) => card.dataset.card)"


@pytest.fixture
def tables(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Tables, str]]:
    """Tables of the season `small`, and the address of their page."""
    monkeypatch.setattr(module, "ProcessBot", InMemory)
    monkeypatch.setattr(module, "START_SECONDS", 0)
    offer = module.offer_of(load(files[0]))
    assert offer is not None
    made = module.Tables({"small": offer}, 1, os.sched_getaffinity(0))
    with (
        closing(Seasons(files)) as seasons,
        closing(made),
        served(make_site(seasons, tables=made)) as address,
    ):
        yield made, f"{address}/seasons/small/table"


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    page = new_page(viewport=PHONE)
    page.set_default_timeout(60_000)
    return page


def test_a_visitor_plays_a_match_and_sees_no_other_hand(
    page: Page, tables: tuple[Tables, str], axe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "luck_text", lambda *_: "Luck of the cards: good")
    complaints = complaints_of(page)
    page.goto(tables[1].removesuffix("/table"))
    page.get_by_role("link", name="Play", exact=True).click()
    page.get_by_role("button", name="Sit down").wait_for()
    assert violations(page, axe) == []
    page.get_by_role("button", name="Sit down").click()
    for turn in range(MOST_TURNS):
        page.locator(TURN_OR_END).first.wait_for()
        if page.locator(".ap-over:not(:empty)").count():
            break
        if turn == 0:
            dealt = page.evaluate(HAND)
            assert page.locator("header, h1").filter(visible=True).count() == 0
            bottom = "document.querySelector('.ap-choosing').getBoundingClientRect().bottom"
            assert page.evaluate(bottom) <= 844
            assert page.evaluate(SIDEWAYS) == 0
            assert violations(page, axe) == []
        assert page.locator(".rp-seat .rp-hand:not(:has(.rp-back)) .rp-card").count() <= 3
        made = page.locator("#visitor").get_attribute("data-made")
        page.locator(ASKED).first.click()
        page.wait_for_function("made => document.getElementById('visitor').dataset.made !== made", arg=made)
    assert page.get_by_role("status").inner_text().endswith(".")
    page.get_by_text("Luck of the cards: good").wait_for()
    assert page.get_by_role("button", name="Other cards").is_visible()
    assert page.get_by_role("link", name="Back to the season").get_attribute("href") == "/seasons/small"
    again = page.get_by_role("region", name="The match again")
    assert again.locator("[data-place='south'] .rp-name").inner_text().endswith("you")
    again.get_by_role("button", name="Beginning").click()
    assert again.locator(".rp-table .rp-back").count() == 0
    page.get_by_text("What random would have played in your seat").wait_for()
    page.get_by_role("button", name="The same cards again").click()
    page.locator(ASKED).first.wait_for()
    assert page.evaluate(HAND) == dealt
    page.get_by_role("button", name="Leave").click()
    assert complaints == []


def test_a_table_that_is_left_is_free_for_others(
    page: Page, new_page: Callable[..., Page], tables: tuple[Tables, str]
) -> None:
    page.goto(tables[1])
    page.get_by_role("button", name="Sit down").click()
    page.locator(ASKED).first.wait_for()
    other = new_page()
    other.goto(tables[1])
    other.get_by_role("button", name="Sit down").click()
    other.get_by_text("all tables are taken").wait_for()
    page.get_by_role("button", name="Leave").click()
    page.get_by_text("You have left the table.").wait_for()
    for visit in list(tables[0]._visits.values()):
        assert visit.session.closed.wait(20)
    other.get_by_role("button", name="Sit down").click()
    other.locator(ASKED).first.wait_for()


def test_a_house_bot_that_fails_ends_the_table(
    page: Page, tables: tuple[Tables, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ProcessBot", Broken)
    page.goto(tables[1])
    page.get_by_role("button", name="Sit down").click()
    # Where the visitor is the first to decide, the bots are asked after that.
    failed = page.get_by_text("A house bot has failed")
    failed.or_(page.locator(ASKED).first).first.wait_for()
    if not failed.is_visible():
        page.locator(ASKED).first.click()
    failed.wait_for()
    assert page.get_by_text("secret words").count() == 0
    assert page.get_by_role("button", name="Sit down again").is_visible()
