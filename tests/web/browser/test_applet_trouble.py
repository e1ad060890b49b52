"""Bots that break the protocol, and the shell beside the table, in a real browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.web.browser.looking import PHONE, SIDEWAYS, violations
from tests.web.browser.sitting import ASKED, sitting

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
ATTACK = f"bot:{sys.executable} -S {Path(__file__).parents[3] / 'bots' / 'faulty' / 'attack.py'}"
ONE_CARD = ["deals=[[1, 0]]"]
MARKUP = "<img src=x onerror=alert(1)>\\x1b[2J"
HOSTILE = f"""\
import sys
for line in sys.stdin:
    print("{MARKUP}", file=sys.stderr, flush=True)
    print("? {MARKUP}\\n", flush=True)
"""
CONFUSED = """\
import sys
for number, line in enumerate(sys.stdin):
    print("nonsense" if number == 0 else "= 0" if line.startswith("gen_") else "=", end="\\n\\n", flush=True)
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("attack", "kind"),
    [("no_card", "illegal"), ("exit_when_asked", "crash"), ("flood_without_newline", "malformed")],
)
def test_a_bad_reply_is_shown_with_what_helps_and_the_match_goes_on(
    browser: Browser, axe: str, attack: str, kind: str
) -> None:
    with sitting(browser, f"{ATTACK} {attack}", options=ONE_CARD) as table:
        page = table.page
        page.set_viewport_size(PHONE)
        table.press("Play")
        table.settled()
        trouble = page.locator(".ap-trouble")
        assert f"✕ {kind}" in trouble.inner_text()
        assert trouble.locator(".ap-why").inner_text() != ""
        assert f"✕ {kind}" in page.locator(".ap-lines .ap-bad").last.inner_text()
        assert page.locator(".rp-faulty .rp-state").inner_text() == "trouble"
        assert page.evaluate(SIDEWAYS) == 0
        assert violations(page, axe) == []
        made = table.position.made
        table.press("Decide in place of seat 0")
        page.locator(ASKED).first.click()
        table.settled()
        assert table.position.made > made
        assert table.complaints == []


@pytest.mark.process
def test_a_bot_that_hangs_is_stopped_while_the_page_stays_usable(browser: Browser) -> None:
    with sitting(browser, f"{ATTACK} sleeper", options=ONE_CARD) as table:
        page = table.page
        table.press("Play")
        table.wait_for("The bots are at it.")
        page.get_by_label("Show").select_option("seat 0")
        table.press("Stop")
        table.settled()
        assert "✕ interrupted" in page.locator(".ap-trouble").inner_text()
        assert table.complaints == []


@pytest.mark.process
def test_what_a_bot_writes_is_text_wherever_it_is_shown(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(HOSTILE)
    with sitting(browser, f"bot:{sys.executable} -S {tmp_path / 'bot.py'}", options=ONE_CARD) as table:
        table.press("Play")
        page = table.settled()
        assert "<img src=x" in page.locator(".ap-trouble").inner_text()
        assert "<img src=x" in page.locator(".ap-stderr").first.inner_text()
        assert page.locator("#applet img").count() == 0
        assert "\x1b" not in page.locator("#applet").inner_text()
        assert table.complaints == []


@pytest.mark.process
def test_news_that_was_answered_badly_is_skipped(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(CONFUSED)
    with sitting(browser, f"bot:{sys.executable} -S {tmp_path / 'bot.py'}", options=ONE_CARD) as table:
        table.press("Step")
        page = table.settled()
        assert "✕ malformed" in page.locator(".ap-trouble").inner_text()
        table.press("Skip")
        table.settled()
        assert not page.locator(".ap-trouble").is_visible()
        # What comes next is told.
        table.press("Step")
        assert "set_players" in table.settled().locator(".ap-trouble").inner_text()


def test_lines_sent_by_hand_are_marked_and_come_back_with_the_arrow(browser: Browser) -> None:
    with sitting(browser, options=ONE_CARD) as table:
        page = table.page
        field = page.get_by_label("Command")
        for line in ("time_left 5000", "time_left 4000"):
            field.fill(line)
            table.press("Send")
            table.settled()
        assert page.locator(".ap-lines .mark").all_inner_texts() == ["by hand", "by hand"]
        assert page.locator(".ap-what .mark").inner_text() == "by hand"
        for key, value in (
            ("ArrowUp", "time_left 4000"),
            ("ArrowUp", "time_left 5000"),
            ("ArrowDown", "time_left 4000"),
        ):
            field.press(key)
            assert field.input_value() == value


def test_tab_completes_a_line_and_otherwise_goes_on(browser: Browser) -> None:
    with sitting(browser, options=ONE_CARD) as table:
        field = table.page.get_by_label("Command")
        field.fill("time")
        field.press("Tab")
        assert field.input_value() == "time_left"
        field.press("Tab")
        assert table.page.evaluate("document.activeElement.textContent") == "Send"


def test_the_shell_shows_one_seats_exchanges_where_it_is_chosen(browser: Browser) -> None:
    with sitting(browser, options=ONE_CARD) as table:
        table.press("Step")
        page = table.settled()
        page.get_by_label("Show").select_option("seat 2")
        assert page.locator(".ap-lines li").count() > 0
        assert page.locator(".ap-lines li:not([data-seat='2'])").count() == 0


def test_hundreds_of_exchanges_are_bounded_and_the_next_step_works(browser: Browser) -> None:
    with sitting(browser, options=ONE_CARD) as table:
        page = table.page
        for number in (200, 400):
            page.get_by_label("Command").fill("\n".join(["time_left 5000"] * number))
            table.press("Send")
            table.settled()
        assert page.locator(".ap-lines li").count() == 500
        assert page.get_by_text("Earlier ones are in the").is_visible()
        table.press("Step")
        table.settled()
        assert table.position.made == 1
        assert page.locator(".ap-lines li").count() == 500


def test_a_match_of_a_season_stands_at_its_fault(browser: Browser, files: list[Path]) -> None:
    people = ["human"] * 4
    with sitting(
        browser, *people, game=None, seed=None, config=str(files[0]), match_id="r001/t01/m1"
    ) as table:
        page = table.settled()
        assert "Pass the keyboard on: seat 2 is to act." in page.locator(".ap-news").inner_text()
        page.get_by_label("Open hands").check()
        table.settled()
        assert page.locator(".rp-acting[data-seat='2']").count() == 1
