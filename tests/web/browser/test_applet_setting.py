"""Setting the applet's table in a real browser: new ones, records, matches of a season, other seats and cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.browser.looking import PHONE, SIDEWAYS, violations
from tests.web.browser.sitting import Sitting, sitting

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from arbiter.table.interactive.session import Seen
from arbiter.replay.frame import frame_at

pytestmark = pytest.mark.browser
TWO_DEALS = ["seats=2", "deals=[[2, 0], [3, 1]]"]


def seen(table: Sitting) -> Seen:
    assert table.session.seen is not None
    return table.session.seen


def sit_down(table: Sitting) -> None:
    """Submit the form, and wait until its dialog is gone."""
    table.press("Sit down")
    table.page.locator("dialog[open]").wait_for(state="detached")
    table.settled()


def test_mistakes_stand_at_their_fields_and_leave_the_table(browser: Browser, axe: str) -> None:
    with sitting(browser, options=TWO_DEALS) as table:
        page, form = table.page, table.page.get_by_role("dialog")
        table.press("Table…")
        page.set_viewport_size(PHONE)
        before = table.session.revision
        page.get_by_text("Cards, time, isolation").click()
        page.get_by_label("deals", exact=True).fill("[[99, 0]]")
        page.get_by_label("Time of a match").fill("quick")
        form.get_by_label("Seat 1", exact=True).select_option("a bot of your own")
        page.get_by_label("What starts the bot in seat 1").fill("no-such-program")
        table.press("Sit down")
        page.locator(".ap-wrong-field").nth(2).wait_for()
        for field, words in (
            (page.get_by_label("deals", exact=True), "99 cards each"),
            (page.get_by_label("Time of a match"), "not a time control"),
            (page.get_by_label("What starts the bot in seat 1"), "there is no program"),
        ):
            assert field.get_attribute("aria-invalid") == "true"
            assert words in page.locator(f"#{field.get_attribute('aria-describedby')}").inner_text()
        assert table.session.revision == before
        assert page.evaluate(SIDEWAYS) == 0
        assert violations(page, axe) == []


def test_a_table_is_set_in_the_form_and_remembered(browser: Browser) -> None:
    with sitting(browser, options=TWO_DEALS) as table:
        page, form = table.page, table.page.get_by_role("dialog")
        table.press("Table…")
        page.get_by_label("Game").select_option("Codepiece")
        form.get_by_label("Seat 0", exact=True).select_option("a person")
        sit_down(table)
        assert seen(table).setup.game.name == "codepiece"
        assert seen(table).who == ("human", "random", "random", "random")
        assert page.locator(".rp-table .rp-seat").count() == 4
        table.press("Table…")
        page.get_by_role("button", name="codepiece: human, random, random, random").wait_for()
        assert table.complaints == []


def test_a_saved_match_is_loaded_up_to_a_decision(browser: Browser, tmp_path: Path) -> None:
    with sitting(browser, options=TWO_DEALS) as table:
        page, form = table.page, table.page.get_by_role("dialog")
        table.press("To the deal’s end")
        table.settled()
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save", exact=True).click()
        saved.value.save_as(tmp_path / "match.json")
        words = [decision.word for decision in seen(table).position.decisions]
        table.press("Table…")
        page.get_by_label("From a record").check()
        form.get_by_label("File", exact=True).set_input_files(tmp_path / "match.json")
        page.locator("#ap-record-until").fill("3")
        sit_down(table)
        assert [decision.word for decision in seen(table).position.decisions] == words[:3]
        assert "after 3 decisions" in page.locator(".ap-news").inner_text()


@pytest.mark.process
def test_a_match_of_a_season_is_opened_in_the_form(browser: Browser, files: list[Path]) -> None:
    with sitting(browser, options=TWO_DEALS) as table:
        page = table.page
        table.press("Table…")
        page.get_by_label("From a season").check()
        page.get_by_label("The season’s file").fill(str(files[0]))
        page.get_by_label("Match", exact=True).fill("none")
        # Its players never answer: nobody is asked before the first decision.
        page.locator("#ap-season-until").fill("0")
        table.press("Sit down")
        page.locator(".ap-dialog[open] .ap-wrong:not(:empty)").first.wait_for()
        page.get_by_label("Match", exact=True).fill("r001/t01/m1")
        sit_down(table)
        assert page.locator(".rp-seat .rp-name bdi").all_inner_texts()[0].startswith("p")


def test_a_person_takes_over_a_seat(browser: Browser) -> None:
    with sitting(browser, options=TWO_DEALS) as table:
        page, form = table.page, table.page.get_by_role("dialog")
        table.press("Step")
        table.settled()
        table.press("Seats…")
        form.get_by_label("Seat 1", exact=True).select_option("a person")
        table.press("Change")
        page.locator("dialog[open]").wait_for(state="detached")
        table.settled()
        assert seen(table).who == ("random", "human")
        assert page.locator(".ap-words button").count() == 3


def test_a_deal_is_dealt_otherwise_and_played_on(browser: Browser) -> None:
    with sitting(browser, "human", options=TWO_DEALS) as table:
        page, form = table.settled(), table.page.get_by_role("dialog")
        other = {"AS", "KS", "QS", "JS", "TS", "9S"} - {
            name for hand in frame_at(seen(table).position).hands for name in hand or ()
        }
        mine = sorted(other)[:2]
        table.press("Cards…")
        form.get_by_text("As text").click()
        text = form.get_by_label("Hand of seat 0", exact=True).and_(page.locator("input"))
        text.fill("ZZ ZZ")
        table.press("Deal these cards")
        page.locator(".ap-dialog[open] .ap-wrong:not(:empty)").first.wait_for()
        text.fill(" ".join(mine))
        table.press("Deal these cards")
        page.locator("dialog[open]").wait_for(state="detached")
        table.settled()
        assert set(frame_at(seen(table).position).hands[0] or ()) == set(mine)
        assert page.locator(".ap-what .mark").inner_text() == "by hand"


def test_cards_of_a_deal_change_places_by_two_clicks(browser: Browser) -> None:
    with sitting(browser, "human", options=TWO_DEALS) as table:
        page, form = table.settled(), table.page.get_by_role("dialog")
        mine, theirs = (hand[0] for hand in frame_at(seen(table).position).hands[:2] if hand)
        table.press("Cards…")
        rows = {
            name: form.get_by_role("list", name=name)
            for name in ("Hand of seat 0", "Hand of seat 1", "Not dealt")
        }
        spare = rows["Not dealt"].get_by_role("button").last.get_attribute("data-card")
        first = rows["Hand of seat 0"].locator(f"[data-card='{mine}']")
        first.focus()
        page.keyboard.press("Enter")
        assert first.get_attribute("aria-pressed") == "true"
        rows["Hand of seat 1"].locator(f"[data-card='{theirs}']").click()
        rows["Hand of seat 0"].locator(f"[data-card='{theirs}']").click()
        rows["Not dealt"].locator(f"[data-card='{spare}']").click()
        table.press("Deal these cards")
        page.locator("dialog[open]").wait_for(state="detached")
        table.settled()
        hands = frame_at(seen(table).position).hands
        assert mine in (hands[1] or ())
        assert spare in (hands[0] or ())
        assert theirs not in {name for hand in hands for name in hand or ()}
