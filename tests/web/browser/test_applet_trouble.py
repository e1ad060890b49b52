"""Bots that break the protocol, and the shell beside the table, in a real browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.table.interactive import verbs
from arbiter.table.interactive.occupants import RandomPlayer
from tests.web.browser.looking import PHONE, SIDEWAYS, violations
from tests.web.browser.sitting import ASKED, sitting

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    NewPage = Callable[..., Page]

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
def test_a_bad_reply_is_shown_with_what_helps_and_the_match_goes_on(new_page: NewPage, axe: str) -> None:
    attacks = {"no_card": "illegal", "exit_when_asked": "crash", "flood_without_newline": "malformed"}
    with sitting(new_page, *(f"{ATTACK} {attack}" for attack in attacks), options=ONE_CARD) as table:
        page = table.page
        page.set_viewport_size(PHONE)
        for kind in attacks.values():
            table.press("Play")
            table.settled()
            trouble = page.locator(".ap-trouble")
            assert f"✕ {kind}" in trouble.inner_text()
            assert trouble.locator(".ap-why").inner_text() != ""
            assert f"✕ {kind}" in page.locator(".ap-lines .ap-bad").last.inner_text()
            assert page.locator(".rp-faulty .rp-state").inner_text() == "trouble"
            made, seat = table.position.made, table.position.to_act
            table.press(f"Decide in place of seat {seat}")
            page.locator(ASKED).first.click()
            table.settled()
            assert table.position.made > made
            assert seat is not None
            table.session.do(verbs.sit, seat=seat, occupant=RandomPlayer())
        assert page.evaluate(SIDEWAYS) == 0
        assert violations(page, axe) == []
        assert table.complaints == []


@pytest.mark.process
def test_a_bot_that_hangs_is_stopped_while_the_page_stays_usable(new_page: NewPage) -> None:
    with sitting(new_page, f"{ATTACK} sleeper", options=ONE_CARD) as table:
        page = table.page
        table.press("Play")
        table.wait_for("The bots are playing.")
        page.get_by_label("Show").select_option("seat 0")
        table.press("Stop")
        table.settled()
        assert "✕ interrupted" in page.locator(".ap-trouble").inner_text()
        assert table.complaints == []


@pytest.mark.process
def test_what_a_bot_writes_is_text_wherever_it_is_shown(new_page: NewPage, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(HOSTILE)
    with sitting(new_page, f"bot:{sys.executable} -S {tmp_path / 'bot.py'}", options=ONE_CARD) as table:
        table.press("Play")
        page = table.settled()
        assert "<img src=x" in page.locator(".ap-trouble").inner_text()
        assert "<img src=x" in page.locator(".ap-stderr").first.inner_text()
        assert page.locator("#applet img").count() == 0
        assert "\x1b" not in page.locator("#applet").inner_text()
        assert table.complaints == []


@pytest.mark.process
def test_news_that_was_answered_badly_is_skipped(new_page: NewPage, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(CONFUSED)
    with sitting(new_page, f"bot:{sys.executable} -S {tmp_path / 'bot.py'}", options=ONE_CARD) as table:
        table.press("Step")
        page = table.settled()
        assert "✕ malformed" in page.locator(".ap-trouble").inner_text()
        table.press("Skip")
        table.settled()
        assert not page.locator(".ap-trouble").is_visible()
        # What comes next is told.
        table.press("Step")
        assert "set_players" in table.settled().locator(".ap-trouble").inner_text()


def test_the_shell_sends_completes_chooses_and_bounds_what_it_shows(new_page: NewPage) -> None:
    with sitting(new_page, options=ONE_CARD) as table:
        page, field = table.page, table.page.get_by_label("Command")
        # Lines sent by hand are marked, and come back with the arrow.
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

        # Tab completes a line, and otherwise moves on.
        field.fill("time")
        field.press("Tab")
        assert field.input_value() == "time_left"
        field.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Send"

        # One seat's exchanges are shown where it is chosen.
        table.press("Step")
        table.settled()
        page.get_by_label("Show").select_option("seat 2")
        assert page.locator(".ap-lines li").count() > 0
        assert page.locator(".ap-lines li:not([data-seat='2'])").count() == 0
        page.get_by_label("Show").select_option("all seats")

        # Hundreds of exchanges are bounded, and the next step works.
        field.fill("\n".join(["time_left 5000"] * 500))
        table.press("Send")
        table.settled()
        assert page.locator(".ap-lines li").count() == 500
        page.get_by_text("Save the traffic to see earlier ones").wait_for()
        made = table.position.made
        table.press("Step")
        table.settled()
        assert table.position.made == made + 1
        assert page.locator(".ap-lines li").count() == 500


def test_a_match_of_a_season_stands_at_its_fault(new_page: NewPage, files: list[Path]) -> None:
    people = ["human"] * 4
    with sitting(
        new_page, *people, game=None, seed=None, config=str(files[0]), match_id="r001/t01/m1"
    ) as table:
        page = table.settled()
        assert "Pass the keyboard on: seat 2 is to act." in page.locator(".ap-news").inner_text()
        page.get_by_label("Open hands").check()
        table.settled()
        assert page.locator(".rp-acting[data-seat='2']").count() == 1
