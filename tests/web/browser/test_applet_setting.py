"""Setting the applet's table in a real browser: new ones, records, matches of a season, other seats and cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.browser.looking import PHONE, SIDEWAYS, violations
from tests.web.browser.sitting import Sitting, sitting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from arbiter.table.interactive.session import TableSnapshot
from arbiter.replay.frame import frame_at

pytestmark = pytest.mark.browser
TWO_DEALS = ["seats=2", "deals=[[2, 0], [3, 1]]"]


def seen(table: Sitting) -> TableSnapshot:
    assert table.session.seen is not None
    return table.session.seen


def submit(table: Sitting, name: str = "Sit down") -> None:
    """Submit the form, and wait until its dialog is gone."""
    table.press(name)
    table.page.locator("dialog[open]").wait_for(state="detached")
    table.settled()


@pytest.mark.process
def test_a_table_is_set_in_the_form(
    new_page: Callable[..., Page], axe: str, files: list[Path], tmp_path: Path
) -> None:
    with sitting(new_page, options=TWO_DEALS) as table:
        page, form = table.page, table.page.get_by_role("dialog")
        # Mistakes are shown at their fields, and leave the table as it is.
        table.press("Table…")
        page.set_viewport_size(PHONE)
        before = table.session.revision
        page.get_by_text("Cards, time, isolation").click()
        page.get_by_label("deals", exact=True).fill("[[99, 0]]")
        page.get_by_label("Time of a match").fill("quick")
        form.get_by_label("Seat 1", exact=True).select_option("your bot")
        page.get_by_label("Command of the bot in seat 1").fill("no-such-program")
        table.press("Sit down")
        page.locator(".ap-wrong-field").nth(2).wait_for()
        for field, words in (
            (page.get_by_label("deals", exact=True), "99 cards each"),
            (page.get_by_label("Time of a match"), "not a time control"),
            (page.get_by_label("Command of the bot in seat 1"), "there is no program"),
        ):
            assert field.get_attribute("aria-invalid") == "true"
            assert words in page.locator(f"#{field.get_attribute('aria-describedby')}").inner_text()
        assert table.session.revision == before
        assert page.evaluate(SIDEWAYS) == 0
        assert violations(page, axe) == []
        page.keyboard.press("Escape")
        page.locator("dialog[open]").wait_for(state="detached")
        page.set_viewport_size({"width": 1280, "height": 900})

        # A saved match is loaded up to a decision.
        table.press("To the deal’s end")
        table.settled()
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save", exact=True).click()
        saved.value.save_as(tmp_path / "match.json")
        words_played = [decision.word for decision in seen(table).position.decisions]
        table.press("Table…")
        page.get_by_label("From a record").check()
        form.get_by_label("File", exact=True).set_input_files(tmp_path / "match.json")
        page.locator("#ap-record-until").fill("3")
        submit(table)
        assert [decision.word for decision in seen(table).position.decisions] == words_played[:3]
        assert "after 3 decisions" in page.locator(".ap-news").inner_text()

        # Another game is played, and the table remembered.
        table.press("Table…")
        page.get_by_label("A new match").check()
        page.get_by_label("Game").select_option("Codepiece")
        form.get_by_label("Seat 0", exact=True).select_option("a person")
        form.get_by_label("Seat 1", exact=True).select_option("random moves")
        page.get_by_label("Time of a match").fill("")
        submit(table)
        assert seen(table).setup.game.name == "codepiece"
        assert seen(table).who == ("human", "random", "random", "random")
        assert page.locator(".rp-table .rp-seat").count() == 4
        table.press("Table…")
        page.get_by_role("button", name="codepiece: human, random, random, random").wait_for()

        # A match of a season is opened.
        page.get_by_label("From a season").check()
        page.get_by_label("The season’s file").fill(str(files[0]))
        page.get_by_label("Match", exact=True).fill("none")
        # Its players never answer: nobody is asked before the first decision.
        page.locator("#ap-season-until").fill("0")
        table.press("Sit down")
        page.locator(".ap-dialog[open] .ap-wrong:not(:empty)").first.wait_for()
        page.get_by_label("Match", exact=True).fill("r001/t01/m1")
        submit(table)
        assert page.locator(".rp-seat .rp-name bdi").all_inner_texts()[0].startswith("p")


def test_seats_and_cards_of_a_table_change(new_page: Callable[..., Page]) -> None:
    with sitting(new_page, "human", options=TWO_DEALS) as table:
        page, form = table.settled(), table.page.get_by_role("dialog")
        # Cards of a deal change places by two clicks.
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
        submit(table, "Deal these cards")
        hands = frame_at(seen(table).position).hands
        assert mine in (hands[1] or ())
        assert spare in (hands[0] or ())
        assert theirs not in {name for hand in hands for name in hand or ()}

        # Cards are dealt as text, too.
        other = {"AS", "KS", "QS", "JS", "TS", "9S"} - {name for hand in hands for name in hand or ()}
        wanted = sorted(other)[:2]
        table.press("Cards…")
        form.get_by_text("As text").click()
        text = form.get_by_label("Hand of seat 0", exact=True).and_(page.locator("input"))
        text.fill("ZZ ZZ")
        table.press("Deal these cards")
        page.locator(".ap-dialog[open] .ap-wrong:not(:empty)").first.wait_for()
        text.fill(" ".join(wanted))
        submit(table, "Deal these cards")
        assert set(frame_at(seen(table).position).hands[0] or ()) == set(wanted)
        assert page.locator(".ap-what .mark").inner_text() == "by hand"

        # A person takes over a seat.
        table.press("Seats…")
        form.get_by_label("Seat 0", exact=True).select_option("random moves")
        form.get_by_label("Seat 1", exact=True).select_option("a person")
        submit(table, "Change")
        assert seen(table).who == ("random", "human")
        table.press("Step")
        table.settled()
        assert page.locator(".ap-words button").count() == 3
