"""Matches by hand in a real browser: by mouse, by keys alone, by several people at one keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arbiter.table.interactive import verbs
from arbiter.table.interactive.occupants import Person, RandomPlayer
from tests.fixtures.served_site import PATIENCE, serving
from tests.web.browser.looking import PHONE, SIDEWAYS, complaints_of, violations
from tests.web.browser.sitting import ASKED, Sitting, sitting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page, Route

    NewPage = Callable[..., Page]

pytestmark = pytest.mark.browser
SHORT = {
    "planning": "deals=[[1, 0], [2, 1]]",
    "codepiece": "dealers=[0]",
    "dou_dizhu": "landlords=[0]",
    "chefs_hat": "matches=2",
}
MOST_TURNS = 200
BY_MOUSE = 5
"""Answers that are clicked before a random player finishes the match."""


def total(sitting: Sitting) -> list[int]:
    assert sitting.session.seen is not None
    return list(sitting.session.seen.position.totals)


def is_over(sitting: Sitting) -> bool:
    assert sitting.session.seen is not None
    return sitting.session.seen.position.to_act is None


def test_a_person_plays_undoes_and_is_told_what_is_not_legal(new_page: NewPage) -> None:
    with sitting(new_page, "human", options=[SHORT["planning"]]) as table:
        page = table.settled()
        # What a screen reader hears of the verbs is said once.
        for name in ("Step", "Play", "Undo", "Send"):
            assert page.get_by_role("button", name=name).count() == 1
        assert page.get_by_role("textbox", name="Command").count() == 1
        assert page.get_by_label("Command").count() == 1

        # A word that is not legal is refused at its field.
        table.press("Play")
        field = table.settled().get_by_label("Answer", exact=True)
        field.fill("7")
        field.press("Enter")
        page.locator("#ap-answer-wrong:not(:empty)").wait_for()
        assert field.get_attribute("aria-invalid") == "true"
        assert "ap-answer-wrong" in str(field.get_attribute("aria-describedby"))
        assert table.position.made == 0
        field.fill("")

        # The next choice has the focus where the last one was made by key.
        page.locator(ASKED).first.press("Enter")
        table.settled().wait_for_function("document.activeElement.matches('.rp-pick:not([aria-disabled])')")
        assert table.position.made > 1

        # A turn is taken back with what the bots did after it.
        table.press("Back a turn")
        table.settled()
        assert table.position.made == 0
        assert page.locator("#ap-asked").inner_text() == "Seat 0 is to declare a number of tricks"

        # Undo goes back over the end of a deal, and redo on again.
        table.session.do(verbs.sit, seat=0, occupant=RandomPlayer())
        table.press("To the deal’s end")
        for verb, news in (
            (None, "Deal 2, after 8 decisions"),
            ("Undo", "Deal 1, after 7 decisions"),
            ("Redo", "Deal 2, after 8 decisions"),
            ("Back a deal", "Deal 1, after 0 decisions"),
        ):
            if verb:
                table.press(verb)
            assert news in table.settled().locator(".ap-news").inner_text()


@pytest.mark.parametrize("game", SHORT)
def test_a_match_is_played_by_mouse(new_page: NewPage, game: str) -> None:
    with sitting(new_page, game=game, options=[SHORT[game]]) as table:
        if game == "chefs_hat":
            # Cards are exchanged in the second deal.
            table.press("To the deal’s end")
            table.settled()
        table.session.do(verbs.sit, seat=0, occupant=Person())
        table.press("Play")
        for _ in range(BY_MOUSE):
            page = table.settled()
            if is_over(table):
                break
            page.locator(ASKED).first.click()
            if page.locator(".rp-pick[aria-pressed=true]").count():
                # The longest answer with the picked card, so that it is soon over.
                page.locator(".ap-words button").last.click()
        table.settled()
        if not is_over(table):
            table.session.do(verbs.sit, seat=0, occupant=RandomPlayer())
            table.press("Play")
            table.settled()
        status = table.page.get_by_role("status")
        assert status.inner_text().startswith("match over: ")
        # Of the points those of who won.
        assert str(abs(max(total(table)))) in status.inner_text()
        assert table.complaints == []


def test_a_match_is_played_by_keys_alone(new_page: NewPage) -> None:
    with sitting(new_page, "human", options=[SHORT["planning"]]) as table:
        page = table.page
        page.keyboard.press("p")
        table.settled()
        page.keyboard.press("/")
        page.keyboard.type("0")
        page.keyboard.press("Enter")
        for _ in range(MOST_TURNS):
            table.settled()
            if is_over(table):
                break
            # The focus is on the field or on the first legal answer.
            if page.evaluate("document.activeElement.id") == "ap-answer":
                page.keyboard.type(table.position.words()[0])
            page.keyboard.press("Enter")
        assert page.get_by_role("status").inner_text().startswith("match over: ")
        assert table.complaints == []


def test_several_people_do_not_see_each_others_cards(new_page: NewPage) -> None:
    with sitting(new_page, "human", "human", options=["seats=2", "deals=[[2, 0]]"]) as table:
        page = table.settled()
        seat = page.locator(".rp-seat")
        assert seat.locator(".rp-back").count() == 2
        assert page.locator(".ap-lines").inner_text().count("(covered)") in (0, 2)
        page.get_by_role("button", name="Show seat 0’s cards").press("Enter")
        table.settled()
        page.wait_for_function("document.activeElement.closest('.ap-words') !== null")
        assert seat.nth(0).locator(".rp-back").count() == 0
        assert seat.nth(1).locator(".rp-back").count() == 1
        # The focus comes to the next person after a moment with nothing to do.
        page.locator(ASKED).first.evaluate(
            "answer => { answer.click(); document.getElementById('table').focus(); }"
        )
        table.wait_for("Pass the keyboard on: seat 1 is to act.")
        table.settled().wait_for_function("document.activeElement.textContent === 'Show seat 1’s cards'")
        assert seat.locator(".rp-back").count() == 2
        page.get_by_label("Open hands").check()
        table.settled()
        assert seat.locator(".rp-back").count() == 0


def test_a_card_that_is_not_legal_says_why_and_is_not_played(new_page: NewPage) -> None:
    with sitting(new_page, "human", game="codepiece", options=[SHORT["codepiece"]], seed="3") as table:
        table.press("Play")
        for _ in range(MOST_TURNS):
            page = table.settled()
            if page.locator(".rp-pick[aria-disabled]").count():
                break
            page.locator(ASKED).first.click()
        made = table.position.made
        card = page.locator(".rp-pick[aria-disabled]").first
        assert card.inner_text().endswith(", not legal now")
        card.click(force=True)
        position = table.position
        assert position.to_act is not None
        must = position.game.must(position.state, position.to_act)
        assert must.startswith("follow ")
        assert page.locator("#ap-asked").inner_text() == f"Seat {position.to_act}: {must}"
        assert page.locator("#ap-answer-wrong").inner_text().endswith(f": {must}.")
        assert table.settled() is page
        assert position.made == made


def test_the_page_keeps_nobody_out_and_fits_a_phone(new_page: NewPage, axe: str) -> None:
    with sitting(new_page, "human", game="dou_dizhu", options=[SHORT["dou_dizhu"]]) as table:
        page = table.page
        page.set_viewport_size(PHONE)
        for key in ("Tab", "Enter"):
            page.keyboard.press(key)
        assert page.evaluate("document.activeElement.id") == "table"
        table.press("Play")
        table.settled()
        assert page.evaluate(SIDEWAYS) == 0
        assert violations(page, axe) == []
        # A combination is picked and laid by keys.
        cards = page.locator(".rp-pick:not([aria-disabled])")
        name = str(cards.first.get_attribute("data-card"))
        cards.first.press("Enter")
        assert cards.first.get_attribute("aria-pressed") == "true"
        page.keyboard.press("l")
        table.settled()
        assert table.position.decisions[0].word == name
        assert table.complaints == []


def test_quit_says_how_the_bots_ended_while_what_was_exchanged_is_still_on_its_way(new_page: NewPage) -> None:
    with sitting(new_page, "bot:cat") as table:
        held: list[Route] = []
        table.page.route("**/exchanges*", lambda route: held.append(route))
        with table.page.expect_request("**/exchanges*"):
            table.press("Step")
        table.press("Quit")
        table.wait_for("The applet has ended")
        assert table.page.locator(".ap-end li").count() == 1
        with table.page.expect_response("**/exchanges*"):
            held[0].continue_()
        assert table.page.locator(".ap-board").first.is_hidden()


@pytest.mark.process
def test_the_commands_link_opens_the_page_and_quit_ends_the_command(
    new_page: NewPage, tmp_path: Path
) -> None:
    words = ["--game", "planning", "--seat", "human", "--no-browser"]
    with serving(*words, folder=tmp_path, command="applet") as served:
        link = served.said.removeprefix("open ").strip()
        page = new_page()
        complaints = complaints_of(page)
        page.goto(link)
        assert page.url == link.partition("?")[0]
        page.get_by_role("button", name="Play").click()
        page.locator(ASKED).first.wait_for()
        page.get_by_role("button", name="Quit").click()
        page.get_by_text("The applet has ended").wait_for()
        assert served.process.wait(PATIENCE) == 0
        assert complaints == []
