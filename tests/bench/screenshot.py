"""The picture in the README, taken from a season of the shipped bots: ``python -m tests.bench.screenshot``."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from arbiter.cli import exit_code

ROOT = Path(__file__).parents[2]
MATCH = ROOT / "docs" / "match.png"
ROUNDS = 12
WIDTH = 960
SHOWN, DEAL, STEPS = "r001-t01-m0", "Deal 9", 18
"""The match, the deal, and how many steps into it."""


def take() -> None:
    """Play the demo's season on given deals, and take a picture of a table in its report."""
    with tempfile.TemporaryDirectory() as folder:
        config, report = Path(folder) / "demo.yaml", Path(folder) / "demo.html"
        text = (ROOT / "configs" / "demo.yaml").read_text(encoding="utf-8")
        text = text.replace("rounds: 20", f"rounds: {ROUNDS}\nseed: a picture")
        config.write_text(text.replace("../bots", str(ROOT / "bots")), encoding="utf-8")
        for command in (
            ["run-season", str(config)],
            ["report", str(config), "--output", str(report), "--matches", "all"],
        ):
            assert exit_code(command) == 0
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            page = browser.new_page(viewport={"width": WIDTH, "height": 800}, reduced_motion="reduce")
            page.goto(report.as_uri())
            replay = page.locator(f"#{SHOWN}")
            replay.locator("summary").first.click()
            replay.get_by_role("button", name=DEAL, exact=True).click()
            for _ in range(STEPS):
                replay.get_by_role("button", name="Next step", exact=True).click()
            replay.locator(".rp-table").screenshot(path=MATCH)


if __name__ == "__main__":
    take()
