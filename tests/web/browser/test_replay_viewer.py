"""The replay viewer in a real browser, on pages made from the fragment, under the service's own policy."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.games import make
from arbiter.match.notes import Note
from arbiter.replay.visibility import Reader, replay_of
from arbiter.testing import match_spec, play_by_policy, random_policy
from tests.fixtures.replays import NAMES, OPTIONS, faulty, match_of
from tests.web.browser.looking import violations
from tests.web.browser.viewer import early, full, match_page, own, place, with_fault
from tests.web.test_reviews import review_of

if TYPE_CHECKING:
    from tests.web.browser.viewer import Show, Viewer

pytestmark = pytest.mark.browser
HOSTILE = ("<img src=x onerror=alert(1)>", "\u202eevil\u202d abc", "W" * 64, "'\"></script><b>x")


def wait_for_hands(page: Any, number: int) -> None:
    """Until so many hands are open: eyes are lent by the site."""
    page.wait_for_function("n => document.querySelectorAll('.rp-seat .rp-hand ul').length === n", arg=number)


def points(page: Any) -> list[str]:
    return list(page.locator(".rp-facts div", has_text="points").locator("dd").all_inner_texts())


def test_a_whole_replay_is_walked_by_keys_alone(show: Show) -> None:
    game = make("planning", {"deals": [[1, 0], [2, 1]]})
    replay = replay_of(play_by_policy(game, random_policy(1), match_spec(game)), Reader("full"))
    page = show(replay)
    first, places = place(page), [place(page)]
    while places[-1][1] < replay["events"][-1]["i"]:
        page.keyboard.press("ArrowRight")
        places.append(place(page))
        assert places[-1] > places[-2]
    moves = sum(event["t"] == "answer" for event in replay["events"])
    deals = len(replay["deals"])
    assert len(places) == moves + 2 * deals
    assert replay["result"]["points"] is not None
    assert points(page) == [str(number) for number in replay["result"]["points"]]
    page.keyboard.press("Home")
    assert place(page) == first
    page.keyboard.press("End")
    assert place(page) == places[-1]
    page.keyboard.press("ArrowLeft")
    assert place(page) == places[-2]


def test_keys_go_to_tricks_deals_and_eyes(show: Show) -> None:
    replay = full("planning")
    tricks = [event["i"] for event in replay["events"] if event["t"] == "trick"]
    page = show(replay, own(match_of("planning")))
    for key, shown in (("]", tricks[0]), ("]", tricks[1]), ("[", tricks[0])):
        page.keyboard.press(key)
        assert place(page)[1] == shown
    for key, deal in (("3", 3), ("n", 4), ("p", 3), ("1", 1), ("9", 1)):
        page.keyboard.press(key)
        assert place(page)[0] == deal
    page.keyboard.press("4")
    for count in (4, 1, 1, 1, 1, 4):
        wait_for_hands(page, count)
        page.keyboard.press("e")
    page.keyboard.press("q")
    wait_for_hands(page, 4)


def test_the_space_key_plays_at_the_chosen_speed(show: Show) -> None:
    page = show(full("dou_dizhu"), clock=True)
    stops = [place(page)]
    assert page.get_attribute(".rp-said", "aria-live") == "polite"
    page.keyboard.press("+")
    page.keyboard.press(" ")
    assert page.inner_text(".rp-toggle") == "Pause"
    assert page.get_attribute(".rp-said", "aria-live") == "off", "not every step is read aloud"
    for _ in range(3):
        page.clock.run_for(500)
        stops.append(place(page))
    assert len(set(stops)) == 4
    page.keyboard.press(" ")
    page.clock.run_for(5000)
    assert place(page) == stops[-1]
    assert page.inner_text(".rp-toggle") == "Play"


def test_help_lists_the_keys_and_can_keep_them_in_the_replay(show: Show) -> None:
    page = show(full("codepiece"))
    before = place(page)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    assert "next trick" in dialog.inner_text()
    page.keyboard.press("ArrowRight")
    assert place(page) == before
    page.get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    assert place(page) == before
    page.get_by_role("button", name="Next step").focus()
    page.keyboard.press("ArrowRight")
    assert place(page) > before


def test_of_two_viewers_the_one_in_use_has_the_keys(viewer: Viewer, show: Show) -> None:
    viewer.hold(full("dou_dizhu"))
    viewer.pages["/static/two.js"] = """
        import { mount } from "./replay/replay.js";
        const replay = await (await fetch("/replay.json")).json();
        for (const id of ["one", "two"]) mount(document.getElementById(id), replay, { address: false });
    """
    viewer.pages["/two"] = (
        '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/static/two.js"></script>'
        '<div id="one"></div><div id="two"></div>'
    )
    page = show(f"{viewer.base}/two")
    page.wait_for_selector("#two .rp-table")

    def shown() -> list[str]:
        return list(page.locator(".rp-where").all_inner_texts())

    first = shown()
    page.keyboard.press("ArrowRight")
    second = shown()
    assert second[0] == first[0]
    assert second[1] != first[1]
    page.locator("#one").get_by_role("button", name="Next trick").click()
    page.keyboard.press("ArrowRight")
    third = shown()
    assert third[0] != second[0]
    assert third[1] == second[1]


def test_the_tab_key_reaches_every_control_in_reading_order(show: Show) -> None:
    page = show(with_fault(), own(faulty(match_of("planning"), 30)))
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        label = page.evaluate(
            "(({ariaLabel, innerText, tagName}) => tagName === 'BODY' ? null : ariaLabel ?? innerText)"
            "(document.activeElement)"
        )
        if label is None:
            break
        reached.append(label)
    assert reached[0] == "Skip to the table"
    order = ["View of seat 0: only what it saw", "Place in the match", "Beginning", "Step back", "Play", "Next step", "End",
             "Jump to the fault", "Keys", "Score sheet", "Deal 1", "Exchanges", "Download the replay (JSON)"]  # fmt: skip
    assert [label for label in reached if label in order] == order
    page.get_by_role("button", name="View of seat 2: only what it saw").focus()
    page.keyboard.press("Enter")
    page.locator(".rp-where", has_text="as seen by").wait_for()


def test_a_key_and_a_button_jump_to_the_fault(show: Show) -> None:
    replay = with_fault()
    page = show(replay)
    page.keyboard.press("Home")
    page.keyboard.press("f")
    assert place(page)[1] == replay["events"][-1]["i"]
    assert "9C: it is not in hand" in page.inner_text(".rp-said")
    assert page.locator(".rp-seat.rp-faulty").count() == 1
    page.keyboard.press("Home")
    page.get_by_role("button", name="Jump to the fault").click()
    assert place(page)[1] == replay["events"][-1]["i"]


def test_the_address_holds_the_position(show: Show) -> None:
    replay = full("planning")
    stop = next(event["i"] for event in replay["events"] if event["t"] == "trick" and event["deal"] == 2)
    page = show(replay, own(match_of("planning")), f"?deal=2&i={stop}&seat=1&speed=2&theme=dark")
    assert place(page) == (3, stop)
    wait_for_hands(page, 1)
    assert page.input_value("select") == "2"
    page.keyboard.press("q")
    page.keyboard.press("]")
    page.wait_for_function(
        """() => {
          const [, event] = /event (\\d+)/.exec(document.querySelector(".rp-where").innerText);
          const asked = new URLSearchParams(location.search);
          return !asked.has("seat") && asked.get("i") === event;
        }"""
    )
    assert "theme=dark" in page.url
    assert "deal=2" in page.url
    page.reload()
    page.wait_for_selector(".rp-table")
    assert place(page)[1] > stop


@pytest.mark.parametrize("query", ["?i=99999", "?i=-3&seat=9&speed=1000", "?i=x&deal=y", "?deal=77&i=&seat="])
def test_an_address_without_sense_shows_a_position(show: Show, query: str) -> None:
    page = show(full("dou_dizhu"), query=query)
    assert place(page)[0] in (1, 2)


def test_axe_finds_nothing_while_a_round_is_played_and_at_a_fault(show: Show, axe: str) -> None:
    for replay, at in (
        (early("chefs_hat"), 20),
        (replay_of(faulty(match_of("codepiece"), 10), Reader("full")), 9999),
    ):
        page = show(replay, query=f"?i={at}")
        assert violations(page, axe) == []
        assert page.evaluate("document.getAnimations().length") == 0
    page.keyboard.press("?")
    assert violations(page, axe) == []


@pytest.mark.parametrize("name", [*OPTIONS, "fault"])
def test_no_page_scrolls_sideways(show: Show, name: str) -> None:
    record = match_of("planning" if name == "fault" else name, names=HOSTILE)
    if name == "fault":
        record = faulty(record, 30, "X" * 200)
    page = show(replay_of(record, Reader("full")))
    widest = "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"
    for width in (360, 1600):
        page.set_viewport_size({"width": width, "height": 740})
        for key in ("Home", "]", "ArrowRight", "2", "]", "]", "End", "?"):
            page.keyboard.press(key)
            assert page.evaluate(widest) <= width, key
        page.keyboard.press("Escape")


def test_names_are_text_and_keep_their_direction(show: Show) -> None:
    record = faulty(match_of("planning", names=HOSTILE), 30, "<b>bold</b>")
    page = show(replay_of(record, Reader("full")))
    page.keyboard.press("f")
    assert tuple(page.locator(".rp-name bdi").all_text_contents()) == HOSTILE
    assert page.locator("#replay img, #replay b, #replay script, main img").count() == 0
    assert "<b>bold</b>" in page.inner_text(".rp-said")


def test_notes_are_text_and_values_a_lane_that_leads_to_their_moves(show: Show, axe: str) -> None:
    record = match_of("planning")
    own = [number for number, move in enumerate(record.moves, 1) if move.seat == 2]
    notes = {number: Note(float(k), (f"t{k}",), HOSTILE) for k, number in enumerate(own)}
    noted = replay_of(replace(record, move_notes=notes), Reader("full"))
    page = show(noted)
    assert page.locator(".rp-review").is_hidden()
    chart = page.locator(".rp-values .rp-chart svg")
    box = chart.bounding_box()
    chart.click(position={"x": box["width"] - 2, "y": box["height"] / 2})
    last = next(event for event in reversed(noted["events"]) if "note" in event)
    assert place(page)[1] >= last["i"]
    words = page.locator(".rp-noted-now").inner_text()
    assert f"value {len(own) - 1}" in words
    assert f"#t{len(own) - 1}" in words
    assert HOSTILE[0] in words
    assert "\u202e" not in words
    page.click(".rp-exchanges summary")
    page.locator(".rp-noted").first.wait_for()
    assert page.locator(".rp-noted").count() == sum(
        "note" in event and event["deal"] == last["deal"] for event in noted["events"]
    )
    assert page.evaluate("document.querySelector('.rp img, .rp b') === null")
    assert violations(page, axe) == []


def test_a_review_is_a_curve_and_a_list_that_leads_to_its_decisions(
    viewer: Viewer, show: Show, axe: str
) -> None:
    record, replay = match_of("planning"), full("planning")
    answers = [event for event in replay["events"] if event["t"] == "answer"]
    review = review_of(record)
    for decision, event in zip(review["decisions"], answers, strict=True):
        decision["event"] = event["i"]
    costly = review["decisions"][-3]
    costly |= {"best": HOSTILE[0], "loss": 2.7, "mistake": True, "say": HOSTILE[0]}
    costly["values"][HOSTILE[0]] = 3.7
    review["worst"] = [costly["i"]]
    viewer.pages["/review.json"] = json.dumps(review)
    page = show(viewer.hold(replay, review_url="/review.json"))
    assert page.locator(".rp-values").is_hidden()
    assert page.locator(".rp-review .rp-value").count() == 4
    assert page.locator(".rp-review .rp-mistake").count() == 1
    page.locator(".rp-worst a").click()
    assert costly["event"] <= place(page)[1] < answers[-2]["i"]
    line = page.locator(".rp-better")
    assert line.is_hidden()
    page.keyboard.press("b")
    assert f"better: {HOSTILE[0]}, worth 3.7 (loss 2.7 ± 0.1)." in line.inner_text()
    page.locator(".rp-review .rp-chart svg").last.click(position={"x": 2, "y": 2})
    assert "within the uncertainty" in line.inner_text() or "nothing better" in line.inner_text()
    assert page.evaluate("document.querySelector('.rp img') === null")
    assert violations(page, axe) == []
    page.get_by_role("button", name="Show the better card").click()
    assert line.is_hidden()


def test_cards_have_symbol_and_letter_and_are_read_aloud(show: Show) -> None:
    page = show(full("codepiece"))
    card = page.locator(".rp-hand .rp-card", has_text="ten of diamonds")
    assert card.locator("[aria-hidden]").all_inner_texts() == ["T", "♦D"]
    colours = {
        card.get_attribute("class"): card.evaluate("card => getComputedStyle(card).color")
        for card in page.locator(".rp-hand .rp-card").all()
    }
    assert len(set(colours.values())) == 4


def test_hands_of_a_round_under_way_are_backs_that_get_fewer(show: Show) -> None:
    page = show(early("chefs_hat"))
    assert page.locator(".rp-hand ul").count() == 0
    assert page.locator(".rp-eyes").count() == 0

    def counts() -> list[int]:
        return [
            int(text.strip("×"))
            for text in page.locator(".rp-hand .rp-back > span:first-child").all_inner_texts()
        ]

    page.keyboard.press("2")
    before = counts()
    assert len(before) == len(page.locator(".rp-seat").all())
    page.keyboard.press("]")
    assert sum(counts()) < sum(before)
    assert "hands are shown when the round is complete" in page.inner_text(".rp-where")
    assert "Its round is still being played" in page.inner_text("main")


def test_the_lines_for_the_console_lead_to_the_position(viewer: Viewer, show: Show) -> None:
    page = show(viewer.hold(full("planning"), own(match_of("planning")), config="my season.yaml"))
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    line = "arbiter console --config 'my season.yaml' --from r001/t01/m0 --until 3"
    assert page.inner_text("#console-line") == line
    line = "arbiter console --from-replay r001-t01-m0.json --until 3 --seat"
    assert page.inner_text("#home-line") == f'{line} "0=bot:python3 bot.py"'
    page.keyboard.press("e")
    page.keyboard.press("e")
    page.locator(".rp-where", has_text="as seen by \u2068grace").wait_for()
    assert page.inner_text("#home-line") == f'{line} "1=bot:python3 bot.py"'
    assert page.get_by_role("link", name="Download").get_attribute("download") == "r001-t01-m0.json"


def test_an_earlier_run_is_seen_through_the_eyes_of_its_own_seats(viewer: Viewer, show: Show) -> None:
    address, earlier = (
        viewer.hold(full("planning"), replay_url="/replay.json?run=1"),
        match_of("planning", seed=2),
    )
    for eyes, reader in (("", Reader("full")), ("&reader=seat:0", Reader("seat", 0))):
        viewer.pages[f"/replay.json?run=1{eyes}"] = json.dumps(replay_of(earlier, reader))
    page = show(address)
    page.keyboard.press("e")
    wait_for_hands(page, 1)


def test_a_replay_held_by_the_page_is_not_fetched(viewer: Viewer, show: Show) -> None:
    replay = replay_of(match_of("planning", names=HOSTILE), Reader("full"))
    viewer.pages["/alone"] = match_page(replay, replay_url=None, replay_data=replay)
    viewer.pages.pop("/replay.json", None)
    page = show(f"{viewer.base}/alone?i=3")
    page.keyboard.press("End")
    assert replay["result"]["points"] is not None
    assert points(page) == [str(number) for number in replay["result"]["points"]]
    assert page.url.endswith("?i=3")


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (None, "There is no such match"),
        ("<html>", "Expected a replay"),
        ("[]", "got another one"),
        ('{"format": "arbiter-replay/9"}', "got another one"),
        ('{"format": "arbiter-replay/1"}', "This replay is incomplete"),
        (
            json.dumps(full("planning") | {"events": [{"i": 0, "deal": 0, "t": "deal"}]}),
            "of an older version",
        ),
    ],
)
def test_what_cannot_be_shown_is_said_in_place(
    viewer: Viewer, show: Show, held: str | None, words: str
) -> None:
    address = viewer.hold(full("planning"))
    if held is None:
        del viewer.pages["/replay.json"]
    else:
        viewer.pages["/replay.json"] = held
    page = show(address, clean=False)
    assert words in page.inner_text("#replay [role=alert]")


def test_without_scripts_the_page_tells_the_result(viewer: Viewer, show: Show) -> None:
    replay = full("planning")
    page = show(replay, java_script_enabled=False)
    text = page.inner_text("main")
    assert "The replay needs JavaScript" in text
    for name, won in zip(NAMES, replay["result"]["points"] or (), strict=True):
        assert re.search(rf"{name}\s+{won}\b", text)
    page.goto(viewer.hold(with_fault()))
    assert "Ended by a fault: ada, illegal, in deal 3: 9C: it is not in hand" in page.inner_text("main")


def test_a_tests_policy_is_that_of_the_pages(viewer: Viewer, show: Show) -> None:
    """A page that broke the policy would have complained; here one does."""
    viewer.pages["/bad"] = '<p style="color: red">x</p>'
    page = show("about:blank", clean=False)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(f"{viewer.base}/bad")
    assert "Content Security Policy" in complaints[0]
