"""The table of a replay in a real browser: on a phone, under fingers, in motion, and what stands below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.fixtures.replays import OPTIONS, match_of
from tests.web.browser.viewer import early, full, own, place, with_fault

if TYPE_CHECKING:
    from arbiter.replay.schema import Replay
    from tests.web.browser.viewer import Show

pytestmark = pytest.mark.browser
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 664}}
ENDS = """() => ["table", "steer", "held"].map((name) => {
  const shown = [...document.querySelectorAll(`.rp-${name}`)].filter((one) => one.checkVisibility());
  const boxes = shown.map((one) => one.getBoundingClientRect());
  return [shown.length, Math.min(...boxes.map(({ top }) => top)), Math.max(...boxes.map(({ bottom }) => bottom))];
})"""
BLOCKS = """() => [...document.querySelectorAll(".rp-seat")].map((seat) => {
  const plate = seat.querySelector(".rp-plate").getBoundingClientRect();
  const cards = [...seat.querySelectorAll(".rp-hand .rp-card")].map((card) => card.getBoundingClientRect());
  const [top, bottom] = [Math.min(...cards.map((card) => card.top)), Math.max(...cards.map((card) => card.bottom))];
  return [seat.dataset.place, Math.max(top - plate.bottom, plate.top - bottom), plate.left, innerWidth - plate.right];
})"""
LAID = """() => [...document.querySelectorAll(".rp-compass .rp-card")].map((card) =>
  [card.parentElement.dataset.place, card.getBoundingClientRect().x, card.getBoundingClientRect().y])"""
MOVING = "document.querySelector('.rp-table').getAnimations({ subtree: true }).length"


def first(replay: Replay, kind: str, deal: int = 0) -> int:
    return int(next(event["i"] for event in replay["events"] if event["t"] == kind and event["deal"] == deal))


@pytest.mark.parametrize("name", [*OPTIONS, "early"])
def test_a_phone_shows_the_whole_table_on_one_screen(show: Show, name: str) -> None:
    replay = early("dou_dizhu") if name == "early" else full(name)
    last = replay["deals"][-1]["deal"]
    page = show(replay, query=f"?deal={last}", **PHONE)
    for _ in range(8):
        table, steer, hands = page.evaluate(ENDS)
        assert 0 <= table[1] < table[2] <= steer[1] < steer[2] <= 664
        assert hands[0] == 1
        page.keyboard.press("ArrowRight")
    seats = page.locator(".rp-plate")
    assert all(seat.is_visible() for seat in seats.all())
    assert seats.locator(".rp-count").count() == len(replay["players"])


def test_a_match_without_a_place_opens_with_the_whole_table_in_view(show: Show) -> None:
    table, steer, _ = show(full("planning"), **PHONE).evaluate(ENDS)
    assert 0 <= table[1] < steer[2] <= 664


def test_the_hand_that_acts_lies_below_the_table(show: Show) -> None:
    page = show(full("codepiece"), query="?deal=0", **PHONE)
    for _ in range(6):
        acting = page.get_attribute(".rp-acting", "data-seat")
        assert page.get_attribute(".rp-tray", "data-seat") == acting
        page.keyboard.press("ArrowRight")
    narrowest = (
        "Math.min(...[...document.querySelectorAll('.rp-tray .rp-card')].map((card) => card.offsetWidth))"
    )
    assert page.evaluate(narrowest) >= 36


def test_taps_step_and_swipes_go_to_tricks(show: Show) -> None:
    replay = full("planning")
    page = show(replay, query=f"?i={first(replay, 'answer')}", has_touch=True, **PHONE)
    box = page.locator(".rp-middle").bounding_box()
    y, right, left = box["y"] + box["height"] / 2, box["x"] + box["width"] - 8, box["x"] + 8
    before = place(page)
    page.touchscreen.tap(right, y)
    after = place(page)
    assert after > before
    page.touchscreen.tap(left, y)
    assert place(page) == before
    swipe = """([from, to, y]) => [["pointerdown", from], ["pointerup", to]].forEach(([name, clientX]) =>
      document.querySelector(".rp-middle").dispatchEvent(new PointerEvent(name,
        { clientX, clientY: y, pointerType: "touch", isPrimary: true, bubbles: true })))"""
    page.evaluate(swipe, [right, left, y])
    assert place(page)[1] == first(replay, "trick")
    page.keyboard.press("]")
    page.evaluate(swipe, [left, right, y])
    assert place(page)[1] == first(replay, "trick")


def test_the_slider_goes_through_the_match_and_has_ticks(show: Show) -> None:
    replay = with_fault()
    page = show(replay)
    slider = page.get_by_role("slider", name="Place in the match")
    deals = [mark for mark in replay["marks"] if mark["kind"] == "deal"]
    assert page.locator(".rp-tick-deal").count() == len(deals)
    assert page.locator(".rp-tick-fault").inner_text() == "✕"
    slider.focus()
    page.keyboard.press("Home")
    assert place(page)[0] == 1
    page.keyboard.press("End")
    assert place(page)[1] == replay["events"][-1]["i"]
    assert "event" in slider.get_attribute("aria-valuetext")


def test_a_match_with_a_fault_opens_there_in_view(show: Show) -> None:
    page = show(with_fault(), viewport={"width": 1280, "height": 720})
    assert "9C: it is not in hand" in page.inner_text(".rp-said")
    assert page.locator(".rp-table").bounding_box()["y"] >= 0
    assert page.evaluate("scrollY") > 0


def test_an_address_with_a_place_is_scrolled_to(show: Show) -> None:
    replay = full("planning")
    page = show(replay, own(match_of("planning")), "?deal=3&i=120&seat=2&speed=2", **PHONE)
    assert page.evaluate("document.querySelector('.rp-board').getBoundingClientRect().top") < 60
    assert place(page)[1] >= 120


def test_the_score_sheet_adds_up_and_leads_to_deals(show: Show) -> None:
    replay = full("planning")
    page = show(replay)
    sheet = page.get_by_role("region", name="Score sheet", exact=True)
    assert sheet.locator("tbody tr").count() == len(replay["deals"])
    sums = sheet.locator("tbody tr").last.locator(".rp-sum").all_inner_texts()
    assert sums == [str(number) for number in replay["result"]["points"] or ()]
    assert "declared · taken" in page.inner_text(".rp-sheet")
    page.get_by_role("button", name="Deal 3").click()
    assert place(page)[0] == 3
    assert sheet.locator("tr[aria-current]").inner_text().startswith("3")


def test_moments_are_links_to_their_places(show: Show) -> None:
    replay = full("planning")
    best = next(mark for mark in replay["marks"] if mark["kind"] == "best")
    page = show(replay)
    page.get_by_role("link", name="best deal").click()
    assert place(page)[1] == best["i"]


def test_a_finished_trick_lies_there_until_the_next_card(show: Show) -> None:
    replay = full("planning")
    page = show(replay, query=f"?i={first(replay, 'trick', 3)}")
    assert page.locator(".rp-compass.rp-past .rp-card").count() == 4
    assert page.locator(".rp-took").inner_text().endswith("took it")
    page.keyboard.press("ArrowRight")
    assert page.locator(".rp-compass .rp-card").count() == 1


def test_each_player_is_one_block_around_a_trick_of_fixed_places(show: Show) -> None:
    replay = full("planning")
    page = show(
        replay,
        query=f"?i={first(replay, 'trick', 3)}",
        viewport={"width": 1920, "height": 1080},
        reduced_motion="reduce",
    )
    seats = {place: (gap, left, right) for place, gap, left, right in page.evaluate(BLOCKS)}
    assert [gap for gap, _, _ in seats.values() if gap > 12] == []
    assert seats["west"][1] == pytest.approx(seats["east"][2], abs=1)
    assert seats["west"][1] >= (1920 - 64 * 16) / 2
    found: dict[str, set[tuple[float, float]]] = {}
    for _ in range(5):
        for where, x, y in page.evaluate(LAID):
            found.setdefault(where, set()).add((x, y))
        page.keyboard.press("ArrowRight")
    assert [len(places) for places in found.values()] == [1, 1, 1, 1]


def test_a_finished_trick_stays_a_while_at_any_speed(show: Show) -> None:
    replay = full("planning")
    trick = first(replay, "trick", 3)
    before = next(
        event["i"] for event in reversed(replay["events"]) if event["i"] < trick and "shown" in event
    )
    page = show(replay, query=f"?i={before}&speed=8", clock=True)
    page.keyboard.press(" ")
    page.clock.run_for(130)
    assert place(page)[1] == trick
    page.clock.run_for(400)
    assert place(page)[1] == trick
    page.clock.run_for(300)
    assert place(page)[1] > trick


def test_a_card_moves_unless_the_reader_wants_less_motion(show: Show) -> None:
    replay = full("planning")
    page = show(replay, query=f"?i={first(replay, 'trick', 3)}", clock=True)
    for motion, moving in (("no-preference", 1), ("reduce", 0)):
        page.emulate_media(reduced_motion=motion)
        page.clock.run_for(2000)
        assert page.evaluate(MOVING) == 0
        page.keyboard.press("ArrowRight")
        assert page.evaluate(MOVING) == moving
        page.evaluate("document.getAnimations().forEach((one) => one.finish())")


def test_partners_are_known_by_one_mark(show: Show) -> None:
    page = show(full("codepiece"))
    marks = [mark.get_attribute("class") for mark in page.locator(".rp-name .pm").all()]
    assert marks[0] == marks[2] != marks[1] == marks[3]
