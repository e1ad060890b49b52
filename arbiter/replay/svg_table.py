"""A frame as standalone SVG: the table as replays show it, without scripts.

    draw(game, frame_of(game, state, 0, to_act=0), ["ada", "bob", "eve", "joe"], seat=0)

Seats are placed as in `web/static/replay/table.js`, the reader's in the south. Colours follow the reader's
scheme; renderers without media queries use the light ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.games.labels import SUITS
from arbiter.replay.emblem import emblems
from arbiter.replay.frame import signed
from arbiter.replay.svg_elements import CLASS, SvgCanvas, card_spacing, cut_text, tag, wrap_facts
from arbiter.text import counted, svg_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from arbiter.games.game import AnyGame, Seat
    from arbiter.replay.frame import Frame, Laid
    from arbiter.replay.svg_elements import Fact

WIDTH, HEIGHT = 640, 470
"""The size of every picture, so that those of a match can be animated."""
PLACES = {2: ("south", "north"), 3: ("south", "west", "east"), 4: ("south", "west", "north", "east")}
MOST_ROWS = 4
"""Plays shown in rows."""
_SYMBOLS = {
    "C": "\N{BLACK CLUB SUIT}", "D": "\N{BLACK DIAMOND SUIT}",
    "H": "\N{BLACK HEART SUIT}", "S": "\N{BLACK SPADE SUIT}",
}  # fmt: skip
_LEFT, _MIDDLE, _RIGHT = 188, 320, 452
_TOP, _BOTTOM = 150, 340
"""The middle, between four hands."""
_COMPASS = {"north": (0, 0), "south": (0, 76), "west": (-64, 38), "east": (64, 38)}


def draw(
    game: AnyGame,
    frame: Frame,
    names: Sequence[str],
    *,
    seat: Seat | None = None,
    title: str = "",
    extra: Iterable[str] = (),
) -> str:
    """Return the table as an `svg` element with title and description, `WIDTH` by `HEIGHT`.

    `names` are the players by seat, `seat` is the one in the south, `title` a short heading beside
    `frame.say`, `extra` the names of open cards. Only the frame's content is shown.
    """
    return _Drawing(game, frame, names, max(seat or 0, 0), title or game.title, list(extra)).svg()


class _Drawing:
    """A table while it is drawn on an `SvgCanvas`; each ``_draw`` method adds elements."""

    def __init__(
        self, game: AnyGame, frame: Frame, names: Sequence[str], base: Seat, title: str, extra: Sequence[str]
    ) -> None:
        self._game, self._frame, self._names = game, frame, names
        self._title, self._extra = title, extra
        self._ink = SvgCanvas(game, emblems(names, game.sides or (None,) * len(names)))
        self._points = signed(frame.points) if frame.points else []
        around = PLACES.get(len(names), PLACES[4])
        self._places = [around[(one - base) % len(names) % len(around)] for one in range(len(names))]
        seen = [name for hand in frame.hands for name in hand or ()]
        seen += [name for laid in frame.table for name in laid.cards]
        self._suited = any(game.face(name).suit in SUITS for name in seen)

    def svg(self) -> str:
        """Draw everything; return the svg element."""
        ink = self._ink
        ink.draw_box("ground", 0, 0, WIDTH, HEIGHT, 0)
        title = cut_text(self._title, 36)
        ink.draw_words(14, 20, title, "text strong", 14)
        ink.draw_words(
            WIDTH - 14, 20, self._frame.say, "muted", anchor="end", room=WIDTH - 40 - 8.4 * len(title)
        )
        ink.draw_box("felt", 4, 30, WIDTH - 8, HEIGHT - 34, 14)
        for seat, place in enumerate(self._places):
            if place in ("west", "east"):
                self._draw_beside(seat, 12 if place == "west" else WIDTH - 176)
            elif place == "north":
                height = self._draw_plate(seat, 170, 300, top=36)
                self._draw_hand(seat, 150, 42 + height, 340, (30, 42))
            else:
                height = self._draw_plate(seat, 110, 420, bottom=HEIGHT - 10)
                self._draw_hand(seat, 22, HEIGHT - 80 - height, WIDTH - 44, (44, 62))
        self._draw_middle()
        text = tag("title", "", svg_text(self._title)) + tag(
            "desc", "", svg_text(" ".join(self._sentences()))
        )
        inside = f"{text}{ink.style()}{''.join(ink.elements)}"
        style = "max-width:100%;height:auto"
        about = {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "viewBox": f"0 0 {WIDTH} {HEIGHT}"}
        return tag("svg", CLASS, inside, **about, width=WIDTH, height=HEIGHT, style=style)

    # The seats.

    def _draw_beside(self, seat: Seat, x: int) -> None:
        top = 180 - 15 * len(wrap_facts(self._facts(seat), 164)) // 2
        height = self._draw_plate(seat, x, 164, top=top)
        self._draw_hand(seat, x, top + height + 6, 164, (26, 38), rows=2)

    def _draw_plate(self, seat: Seat, x: int, width: int, top: int = 0, bottom: int = 0) -> int:
        """Draw the name plate of a seat with its facts, below `top` or, if that is 0, above `bottom`.

        Return its height.
        """
        ink, facts = self._ink, wrap_facts(self._facts(seat), width)
        height = 27 + 15 * len(facts)
        y = top or bottom - height
        ink.draw_box("plate acting" if seat == self._frame.to_act else "plate", x, y, width, height, 7)
        ink.draw_mark(seat, x + 8, y + 6, 14)
        ink.draw_words(x + 27, y + 18, str(seat), "muted", 12)
        is_open = self._frame.hands[seat] is not None
        ink.draw_words(x + 38, y + 18, self._names[seat], "text strong", room=width - (92 if is_open else 48))
        if is_open:
            # Beside hidden cards their number is drawn already.
            ink.draw_box("back", x + width - 40, y + 7, 9, 12, 1.5)
            ink.draw_words(
                x + width - 9, y + 18, str(self._frame.counts[seat]), "text strong", 12, anchor="end"
            )
        for number, line in enumerate(facts):
            ink.draw_line(x + 9, y + 35 + 15 * number, line)
        return height

    def _facts(self, seat: Seat) -> list[Fact]:
        """Return what the plate of a seat shows: to act, its values in roles, its points."""
        facts = [("", "to act", "accent strong")] if seat == self._frame.to_act else []
        for name, value in self._frame.roles.items():
            if self._by_seat(value) and value[seat] != "":
                text = "\N{EN DASH}" if value[seat] is None else str(value[seat])
                facts.append(("" if name == "role" else name, text, "text"))
        return [*facts, ("points", self._points[seat], "text")] if self._points else facts

    def _by_seat(self, value: object) -> bool:
        """True for a value with one item for each seat."""
        return isinstance(value, list | tuple) and len(value) == len(self._names)

    def _draw_hand(
        self, seat: Seat, x: int, y: int, width: int, size: tuple[int, int], rows: int = 1
    ) -> None:
        """Draw a seat's cards, or backs of hidden ones; in two `rows` if they are narrow."""
        ink, cards, count = self._ink, self._frame.hands[seat], self._frame.counts[seat]
        if not count:
            ink.draw_words(x + width / 2, y + size[1] / 2 + 4, "no cards left", "muted", 12, anchor="middle")
        elif cards is None:
            ink.draw_backs(count, x, y, width, (min(size[0], 30), min(size[1], 42)))
        elif rows == 2 and card_spacing(count, width, size[0]) < 17:
            half = (count + 1) // 2
            ink.draw_fan(cards[:half], x, y, width, size)
            ink.draw_fan(cards[half:], x, y + 29, width, size)
        else:
            ink.draw_fan(cards, x, y, width, size, bent=size[0] > 40)

    # The middle.

    def _draw_middle(self) -> None:
        """Draw the open cards, the captions, and the trick or the last plays."""
        ink, laid = self._ink, self._frame.table
        captions = wrap_facts(self._captions(), _RIGHT - _LEFT, limit=2)
        is_trick = self._suited and bool(laid) and all(len(one.cards) == 1 for one in laid)
        rows = [] if is_trick else self._plays_to_draw()
        height = 168 if is_trick else sum(54 if large else 24 for _, large in rows) or 20
        height += 16 * len(captions) + 36 * bool(self._extra)
        y = ((_TOP if "north" in self._places else 44) + _BOTTOM - height) / 2
        if self._extra:
            left = ink.draw_fan(self._extra, _LEFT + 20, y, _RIGHT - _LEFT - 20, (22, 30))
            ink.draw_words(left - 6, y + 19, "extra", "muted", 12, anchor="end")
            y += 36
        for line in captions:
            ink.draw_line(_MIDDLE, y + 12, line, anchor="middle")
            y += 16
        if is_trick:
            self._draw_trick(laid, y + 8)
        for one, large in rows:
            self._draw_row(one, large, y)
            y += 54 if large else 24
        if not laid:
            words = "No player must act." if self._frame.to_act is None else "The table is empty."
            ink.draw_words(_MIDDLE, y + 16, words, "muted", anchor="middle")

    def _captions(self) -> list[Fact]:
        """Return the public facts of the table."""
        facts = []
        for name, value in self._frame.roles.items():
            if value in (None, "") or self._by_seat(value):
                continue
            text = " : ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            suit = _SYMBOLS.get(text)
            facts.append((name, f"{suit} {text}", f"{text.lower()} strong") if suit else (name, text, "text"))
        return facts

    def _draw_trick(self, laid: Sequence[Laid], y: float) -> None:
        """Draw a trick, each card in front of its player."""
        for number, one in enumerate(laid):
            dx, dy = _COMPASS[self._places[one.seat]]
            self._ink.draw_card(one.cards[0], _MIDDLE + dx - 20, y + dy, 40, 56)
            left = _MIDDLE + dx - (7 if number else 20)
            self._ink.draw_mark(one.seat, left, y + dy + 59, 13)
            if not number:
                self._ink.draw_words(left + 17, y + dy + 70, "led", "muted", 12)

    def _plays_to_draw(self) -> list[tuple[Laid, bool]]:
        """Return the plays since the last lead, the newest last; the last with cards is large."""
        laid = self._frame.table
        best = max((at for at, one in enumerate(laid) if one.cards), default=-1)
        first = max(0, min(best, len(laid) - MOST_ROWS))
        return [(one, first + at == best) for at, one in enumerate(laid[first : first + MOST_ROWS])]

    def _draw_row(self, one: Laid, large: bool, y: float) -> None:
        """Draw a play, its cards small or `large`, without cards its words, after the player's emblem."""
        ink, x, width = self._ink, _LEFT + 20, _RIGHT - _LEFT - 20
        size = (34, 48) if large else (17, 21)
        left = _MIDDLE - 10.0
        if one.cards:
            left = ink.draw_fan(one.cards, x, y, width, size)
        else:
            ink.draw_words(left, y + 15, one.words, "muted", room=width / 2)
        ink.draw_mark(one.seat, left - 20, y + size[1] / 2 - 7, 13)

    def _sentences(self) -> Iterator[str]:
        """Yield what the picture shows in sentences, for screen readers."""
        game, frame = self._game, self._frame
        if frame.say:
            yield f"{frame.say.rstrip('.')}."
        for seat, name in enumerate(self._names):
            cards, count = frame.hands[seat], frame.counts[seat]
            hand = game.say_cards(cards) if cards else counted(count, "hidden card") if count else "no cards"
            facts = "".join(f", {label} {value}".replace("  ", " ") for label, value, _ in self._facts(seat))
            yield f"Seat {seat}, {name}: {hand}{facts}."
        if self._extra:
            yield f"Extra cards: {game.say_cards(self._extra)}."
        if frame.table:
            laid = (f"seat {one.seat} {game.say_cards(one.cards) or one.words}" for one in frame.table)
            yield f"On the table: {'; '.join(laid)}."
        for name, said, _ in self._captions():
            yield f"{name} {SUITS[said[-1]] if said[:1] in _SYMBOLS.values() else said}."
