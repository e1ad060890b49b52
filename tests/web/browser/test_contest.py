"""The whole way in a real browser: an author from a broken bot to a match, an organiser from a pause to an annulment."""

from __future__ import annotations

import json
import re
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.contest.submissions.author_accounts import add_authors
from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from tests.fixtures.commands import BOTS, RANDOM
from tests.fixtures.served_site import PATIENCE, serving
from tests.fixtures.site import archive
from tests.web.test_serve import wait_for_event

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.process]
WAIT_MS = 1000 * PATIENCE


@pytest.fixture
def contest(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A paused season of one round that takes programs, and tokens of an author and an organiser."""
    command = json.dumps(RANDOM.split())
    file = tmp_path / "spring.yaml"
    file.write_text(
        "season: spring\nrounds: 1\ngame: {name: planning, deals: [[1, 0], [2, 1]]}\n"
        "submissions: {max_size: 1MB}\nhouse_bots: [random]\nplayers:\n"
        f"  - {{name: random, command: {command}, house: true}}\n  - {{name: p1, command: {command}}}\n"
    )
    config = load(file)
    with closing(Store(config.store)) as store:
        season = Season.open(config, store).stored
        season.running.pause("@console")
        tokens = dict(add_authors(config, season, ["ann"], False, "@console"))
        return file, tokens | dict(add_authors(config, season, ["olga"], True, "@console"))


def log_in(page: Page, address: str, token: str) -> None:
    page.goto(f"{address}login")
    page.get_by_label("Your token").fill(token)
    page.get_by_role("button", name="Log in").click()


def send(page: Page, name: str, body: bytes) -> None:
    file: Any = {"name": name, "mimeType": "application/zip", "buffer": body}
    page.get_by_label("A ZIP archive").set_input_files(file)
    page.get_by_role("button", name="Send").click()


def look_until(page: Page, word: str) -> None:
    """Watch the verdict's page until its heading has a word: it follows by itself."""
    page.get_by_role("heading", level=1, name=word).wait_for(timeout=WAIT_MS)


def test_an_author_joins_and_an_organiser_annuls_and_suspends(
    browser: Browser, contest: tuple[Path, dict[str, str]], tmp_path: Path, axe: str
) -> None:
    file, tokens = contest
    with serving(file, "--play", folder=tmp_path) as served:
        author, organiser = (browser.new_context(base_url=served.address) for _ in range(2))
        mine, theirs = author.new_page(), organiser.new_page()
        complaints: list[str] = []
        for page in (mine, theirs):
            page.set_default_timeout(WAIT_MS)
            page.on("pageerror", lambda error: complaints.append(str(error)))
        log_in(mine, served.address, tokens["ann"])
        send(mine, "bad.zip", archive("print('hello <b>')"))
        look_until(mine, "refused")
        assert "Fix:" in mine.locator("main").inner_text()
        mine.get_by_role("link", name="Your programs").click()
        send(mine, "good.zip", archive((BOTS / "planning_random.py").read_text()))
        look_until(mine, "accepted")
        assert "It plays from round 1 on." in mine.locator("main").inner_text()

        log_in(theirs, served.address, tokens["olga"])
        theirs.get_by_role("button", name="Continue the season").click()
        log = mine.get_by_role("link", name="Log of r001/t01/m0", exact=True)
        wait_for_event(served, "spring", "standings")
        mine.goto(f"{served.address}me")
        with mine.expect_download() as download:
            log.click()
        text = download.value.path().read_text()
        assert re.search(r"match r001/t01/m0, seat \d: ann@2\n> set_deck .*\ndeal 1\n> ", text, re.DOTALL)
        mine.get_by_role("link", name="r001/t01/m0", exact=True).click()
        mine.get_by_role("heading", level=1).wait_for()
        assert "ann@2" in mine.locator("main").inner_text()
        with mine.expect_download() as download:
            mine.get_by_role("link", name="the log of your seat").click()
        assert download.value.path().read_text() == text

        theirs.goto(f"{served.address}admin")
        theirs.get_by_label("Its id").fill("r001-t01-m0")
        theirs.get_by_label("Reason for the annulment").fill("power cut")
        theirs.get_by_role("button", name="Show what changes").click()
        assert "Annul r001/t01/m0?" in theirs.locator("main").inner_text()
        theirs.get_by_role("button", name="Annul it").click()
        theirs.get_by_label("Player", exact=True).select_option("ann")
        theirs.get_by_label("Reason for the suspension").fill("it reads <b>files</b>")
        theirs.get_by_role("button", name="Suspend").click()
        theirs.get_by_role("button", name="Reinstate ann").wait_for()
        for page in (mine, theirs):
            page.goto(f"{served.address}me" if page is mine else f"{served.address}admin")
            page.evaluate(axe)
            assert page.evaluate("axe.run().then(found => found.violations.map(one => one.id))") == []
        mine.set_viewport_size({"width": 390, "height": 844})
        for column in ("State", "Choose"):
            box = mine.get_by_role("columnheader", name=column, exact=True).bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= 390
        assert "Suspended: it reads <b>files</b>" in mine.locator("main").inner_text()
        assert complaints == []
        author.close()
        organiser.close()
    assert "Traceback" not in served.log()
