"""A season that really plays, watched on a page that nobody loads again."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from tests.commands import RANDOM
from tests.web.browser.looking import complaints_of
from tests.web.served import PATIENCE, serving

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.process, pytest.mark.xdist_group("browser")]

PLAYED = """\
season: live
game: {name: planning, seats: 2, deals: [[1, 0]]}
rounds: 2
isolation: plain
players:
""" + "".join(f"  - {{name: {name}, command: [{', '.join(RANDOM.split())}]}}\n" for name in ("ada", "grace"))


# A site gives way to all that plays, so on a busy machine it takes its time.
@pytest.mark.timeout(400)
def test_a_live_page_follows_a_season_to_its_end(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "live.yaml"
    file.write_text(PLAYED)
    config = load(file)
    with closing(Store(config.store)) as store:
        Season.open(config, store)
    with serving(file, "--play", folder=tmp_path) as served, closing(browser.new_context()) as context:
        page = context.new_page()
        complaints, loaded = complaints_of(page), []
        page.on("load", lambda page: loaded.append(page.url))
        page.goto(f"{served.address}seasons/live/live")
        page.get_by_text("the season is over").wait_for(timeout=5 * PATIENCE * 1000)
        page.locator("[data-live=standings] tbody tr").nth(1).wait_for(timeout=PATIENCE * 1000)
        assert page.locator("[data-live=tables] th[scope=row] a").count() == 2
        assert (len(loaded), complaints) == (1, [])
