"""Seasons that really play, watched on a page that nobody loads again; one of the walkthrough's game, played by hand too."""

from __future__ import annotations

import os
import re
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from tests.docs.test_add_a_game import installed
from tests.fixtures.served_site import PATIENCE, serving
from tests.web.browser.looking import complaints_of
from tests.web.browser.sitting import ASKED, sitting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.process]


@pytest.fixture
def whist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The walkthrough's folder, its package found by this process and by those that it starts."""
    folder = installed(tmp_path)
    monkeypatch.syspath_prepend(str(folder / "whist"))
    before = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", f"{folder / 'whist'}{os.pathsep * bool(before)}{before}")
    return folder


def cards(page: Page) -> list[int]:
    """How many cards lie in each hand."""
    return [seat.locator(".rp-hand li").count() for seat in page.locator(".rp-seat").all()]


# A site gives way to all that plays, so on a busy machine it takes its time.
@pytest.mark.timeout(400)
def test_a_game_of_ones_own_is_watched_live_and_replayed(new_page: Callable[..., Page], whist: Path) -> None:
    file = whist / "whist.yaml"
    file.write_text(file.read_text().replace("rounds: 2", "rounds: 1\nisolation: plain"))
    config = load(file)
    with closing(Store(config.store)) as store:
        Season.open(config, store)
    with serving(file, "--play", folder=whist) as served:
        page = new_page()
        complaints, loaded = complaints_of(page), []
        page.on("load", lambda page: loaded.append(page.url))
        page.goto(f"{served.address}seasons/whist/live")
        page.get_by_text("the season is over").wait_for(timeout=5 * PATIENCE * 1000)
        page.locator("[data-live=standings] tbody tr").nth(1).wait_for(timeout=PATIENCE * 1000)
        assert len(loaded) == 1, "the page follows by itself"
        page.locator("details.round summary").click()
        page.locator("[data-live=tables] th[scope=row] a").first.click()
        page.locator(".rp-table").wait_for(timeout=PATIENCE * 1000)
        assert cards(page) == [13] * 4
        assert re.search(r"trump [♣♦♥♠] [CDHS]\s+\w+\s+taken 0 : 0", page.locator(".rp-caption").inner_text())
        page.get_by_role("button", name="Next step").click()
        assert sorted(cards(page)) == [12, 13, 13, 13]
        assert page.locator(".rp-compass .rp-card").count() == 1
        assert re.search(
            r"plays \w+ of (clubs|diamonds|hearts|spades)\.", page.locator(".rp-said").inner_text()
        )
        page.get_by_role("button", name="End", exact=True).click()
        assert page.locator(".rp-facts dt:text-is('deal')").count() == 4
        assert complaints == []


@pytest.mark.timeout(400)
def test_a_game_of_ones_own_is_played_in_the_applet(new_page: Callable[..., Page], whist: Path) -> None:
    assert whist.is_dir()
    with sitting(new_page, "human", game="whist", options=("dealers=[0]",)) as table:
        page = table.settled()
        if page.locator(ASKED).count() == 0:
            table.press("Play")
        for left in range(13, 0, -1):
            page = table.settled()
            assert page.locator(".rp-seat[data-seat='0'] .rp-pick").count() == left
            page.locator(ASKED).first.click()
        table.wait_for("match over")
        assert table.complaints == []
