"""Frames as SVG: what is in a picture, where, and what is in none."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from arbiter.games import find, make, names
from arbiter.match.position import Position
from arbiter.replay.emblem import COLOURS
from arbiter.replay.frame import NOBODY, Frame, frame_at, frame_of
from arbiter.replay.svg_elements import MARKS, SCHEMES
from arbiter.replay.svg_table import HEIGHT, MOST_ROWS, PLACES, WIDTH, draw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.games.game import AnyGame, Seat

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
GAMES = [find(name)() for name in names()]


def whist() -> AnyGame:
    """The game of the page for authors of games, of which nothing else here knows."""
    page = (ROOT / "docs" / "howto" / "add-a-game.md").read_text()
    space: dict[str, Any] = {"__name__": "whist"}
    exec(re.findall(r"^```python file=whist/whist.py\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0], space)
    game: AnyGame = space["Whist"]()
    return game


every_game = pytest.mark.parametrize("game", [*GAMES, whist()], ids=lambda game: game.name)


def along(game: AnyGame, seed: int, every: int) -> Iterator[Position]:
    """Positions of a match by lot, and its end."""
    position, chance = Position.opening(game, str(seed)), Random(seed)
    number = 0
    while position.to_act is not None:
        if number % every == 0:
            yield position
        number += 1
        position = position.apply(chance.choice(list(position.state.legal(position.to_act))))
    yield position


def drawn_at(position: Position, seat: Seat | None) -> str:
    game = position.game
    return draw(game, frame_at(position, seat), [f"seat_{one}" for one in range(game.seats)], seat=seat)


def words(svg: str) -> str:
    return " ".join(ElementTree.fromstring(svg).itertext())


@every_game
def test_a_picture_holds_the_hands_of_its_frame_and_no_other(game: AnyGame) -> None:
    for position in along(game, 1, every=9):
        for seat in (None, NOBODY, 0):
            svg = drawn_at(position, seat)
            root = ElementTree.fromstring(svg)
            frame = frame_at(position, seat)
            shown = [name for hand in frame.hands for name in hand or ()]
            laid = [name for one in frame.table[-5:] for name in one.cards]
            cards = [one for one in root.iter(f"{SVG}g") if one.find(f"{SVG}rect[@class='card']") is not None]
            texts = [one.findtext(f"{SVG}text") for one in cards]
            assert sorted(map(str, texts)) == sorted(game.face(name).rank for name in [*shown, *laid])
            hands = zip(frame.counts, frame.hands, strict=True)
            assert svg.count('class="back"') == sum(count if hand is None else 1 for count, hand in hands)
            told = root.findtext(f"{SVG}desc")
            assert told is not None
            assert all(game.face(name).say in told for name in [*shown, *laid])


@every_game
def test_all_lies_within_the_picture(game: AnyGame) -> None:
    for position in along(game, 2, every=9):
        for seat in (None, 0):
            root = ElementTree.fromstring(drawn_at(position, seat))
            assert root.get("viewBox") == f"0 0 {WIDTH} {HEIGHT}"
            for one in root.iter(f"{SVG}g"):
                found = re.match(r"translate\((\S+) (\S+)\)", one.get("transform", ""))
                card = one.find(f"{SVG}rect")
                assert found is not None
                assert card is not None
                x, y = float(found[1]), float(found[2])
                assert 4 <= x <= WIDTH - 4 - float(card.get("width", 0))
                assert 30 <= y <= HEIGHT - 4 - float(card.get("height", 0))


HOSTILE = (
    "</title><script>alert(1)</script>",
    "\x1b[2J\x00\ud800&lt;",
    '" onload="x',
    "\u202egnol" + "日本" * 40,
)


def test_whatever_a_name_holds_it_is_a_text() -> None:
    game = make("codepiece", {})
    frame = frame_of(game, Position.opening(game, "1").state, 0, points=(-1, 2, 3, 4), say=HOSTILE[0])
    svg = draw(game, frame, HOSTILE, seat=0, title=HOSTILE[2], extra=())
    root = ElementTree.fromstring(svg)
    assert {one.tag.removeprefix(SVG) for one in root.iter()} <= {
        "svg", "title", "desc", "style", "rect", "text", "tspan", "g", "path",
    }  # fmt: skip
    assert not [name for one in root.iter() for name in one.attrib if name.startswith("on") or name == "id"]
    assert HOSTILE[0] in words(svg)
    assert "\u202e" not in svg
    assert svg.isprintable()


def test_words_of_a_game_are_texts_too() -> None:
    class Marked(type(make("planning", {}))):  # type: ignore[misc]
        def roles(self, state: Any) -> dict[str, Any]:
            return {"<b>": ["<i>&"] * 4, "a\nb": "</desc><img>"}

        def face(self, name: str) -> Any:
            return super().face(name)._replace(rank="<1>", suit="'\"", say="<say>")

    game = Marked()
    svg = draw(game, frame_of(game, Position.opening(game, "1").state), list("abcd"))
    assert not re.search(r"<(b|i|img|say|1)>", svg)
    assert "</desc><img>" in words(svg)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_seats_sit_around_the_table_of_the_reader(seats: int) -> None:
    game = make("planning", {"seats": seats})
    position = Position.opening(game, "1")
    for seat in range(seats):
        root = ElementTree.fromstring(drawn_at(position, seat))
        lowest = max(
            root.iter(f"{SVG}text"),
            key=lambda one: float(one.get("y", 0)) * (one.text or "").startswith("seat_"),
        )
        assert lowest.text == f"seat_{seat}"


def test_a_hand_of_any_size_is_drawn() -> None:
    game = make("planning", {})
    for count in (0, 1, 2, 20, 40):
        frame = Frame((("2C",) * count, None, (), ("AS",) * count), (count, count, 0, count), (), {})
        svg = draw(game, frame, list("abcd"))
        assert svg.count('class="card"') == 2 * count
        assert ("no cards left" in svg) is True


def test_colours_are_those_of_the_pages() -> None:
    style = (ROOT / "arbiter" / "web" / "static" / "style.css").read_text()
    light, dark = re.findall(
        r"^(?::root|:root\[data-scheme=\"dark\"\]) \{\n(.*?)^\}", style, re.MULTILINE | re.DOTALL
    )
    for block, colours, marks in zip((light, dark), SCHEMES, MARKS, strict=True):
        there = dict(re.findall(r"--(\w+): (#\w+);", block))
        assert [there[f"p{number}"] for number in range(COLOURS)] == list(marks)
        for ours, theirs in [("s", "spade"), ("h", "heart"), ("d", "diamond"), ("c", "club")]:
            assert colours[ours] == there[theirs]
        for name in ("ground", "text", "muted", "accent", "rule"):
            assert colours[name] == there[name]


def test_the_table_says_the_same_as_that_of_the_replay() -> None:
    """Its places and its fewest rows are those of the script."""
    script = (ROOT / "arbiter" / "web" / "static" / "replay" / "table.js").read_text()
    places = re.search(r"PLACES = (\{.*\});", script)
    assert places is not None
    for seats, around in PLACES.items():
        assert f"{seats}: {list(around)}".replace("'", '"') in places[1]
    assert f"MOST_ROWS = {MOST_ROWS};" in script
