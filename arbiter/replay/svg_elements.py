"""The parts of a picture: text, cards, fans, emblems, and the style that paints them.

Suits are outlines, independent of fonts. All text is escaped by `svg_text`; attributes are ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias
from unicodedata import east_asian_width

from arbiter.games.labels import SUITS
from arbiter.replay.emblem import SIZE
from arbiter.text import svg_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.games.labels import Faces
    from arbiter.replay.schema import Emblem

Fact: TypeAlias = tuple[str, str, str]
"""A label, a value, and the value's class."""
SCHEMES = (
    {
        "ground": "#ffffff", "text": "#111111", "muted": "#5b6472", "accent": "#1d5fbf", "rule": "#d9dde3",
        "felt": "#e5f0ef", "edge": "#8c939c", "card": "#ffffff", "back": "#8eafdf",
        "s": "#111111", "h": "#c2410c", "d": "#1d5fbf", "c": "#0f766e",
    },
    {
        "ground": "#15181d", "text": "#e8eaed", "muted": "#9aa4b2", "accent": "#8ab4f8", "rule": "#2c323a",
        "felt": "#1b2c2f", "edge": "#727a85", "card": "#22272f", "back": "#5b749d",
        "s": "#e8eaed", "h": "#ff9a5c", "d": "#7fb2ff", "c": "#4fd1bd",
    },
)  # fmt: skip
"""The colours of light and dark pages; those of players are `MARKS`."""
MARKS = (
    (
        "#1b6df9", "#cc0019", "#007f62", "#b81fac", "#4e0790", "#ad8a0f",
        "#009be5", "#69293a", "#016e12", "#261a57", "#de5da9", "#481600",
    ),
    (
        "#a2bef7", "#c24e4b", "#149790", "#ff4abf", "#8c99ff", "#ffb600",
        "#6df3ff", "#cb7b04", "#48e47c", "#6d64f1", "#ffcdc1", "#a8a97a",
    ),
)  # fmt: skip
CLASS = "arbiter-table"
_FILLED = {one: one for one in ("text", "muted", "accent", "ground", "felt", "s", "h", "d", "c")}
_EDGED = {"plate": ("ground", "rule"), "card": ("card", "edge"), "back": ("back", "card")}
_SHAPES = (
    ("", "font-family:system-ui,sans-serif"),
    (" .strong", "font-weight:700"),
    (" .acting", "stroke-width:2"),
)
_OUTLINES = {
    "C": (
        "M5 0a2.4 2.4 0 0 0-1.9 3.9A2.4 2.4 0 1 0 4.4 7.5L3.6 10h2.8"
        "L5.6 7.5A2.4 2.4 0 1 0 6.9 3.9 2.4 2.4 0 0 0 5 0z"
    ),
    "D": "M5 0l3.8 5L5 10 1.2 5z",
    "H": "M5 10C2 7 0 5.2 0 2.9A2.6 2.6 0 0 1 5 1.8 2.6 2.6 0 0 1 10 2.9C10 5.2 8 7 5 10z",
    "S": "M5 0C3 3 .4 4 .4 6.3A2.2 2.2 0 0 0 4.5 7.4L3.6 10h2.8L5.5 7.4A2.2 2.2 0 0 0 9.6 6.3C9.6 4 7 3 5 0",
}  # fmt: skip
"""10 by 10."""
_EM = 0.56
"""The estimated width of a letter, in font sizes."""
_CORNER = 25
"""Up to this height a card shows only its rank."""


class SvgCanvas:
    """A picture while it is drawn; the last of `elements` is on top.

    `x`, `y` are the top left corner, of a text the `anchor` of its baseline; `kind` is the element's class.
    """

    def __init__(self, faces: Faces, marks: Sequence[Emblem]) -> None:
        self._faces, self._marks = faces, marks
        self.elements: list[str] = []

    def draw_box(self, kind: str, x: float, y: float, width: float, height: float, round: float) -> None:
        self.elements.append(tag("rect", kind, x=x, y=y, width=width, height=height, rx=round))

    def draw_words(
        self, x: float, y: float, words: str, kind: str = "text", size: float = 13,
        *, anchor: str = "start", room: float = 600,
    ) -> None:  # fmt: skip
        """Write a text, cut where it is wider than `room`; the class ``strong`` makes it bold."""
        shown = svg_text(cut_text(words, int(room / (_EM * size))))
        self.elements.append(tag("text", kind, shown, x=x, y=y, font_size=size, text_anchor=anchor))

    def draw_line(self, x: float, y: float, facts: Sequence[Fact], anchor: str = "start") -> None:
        """Write facts, each a label and a value, side by side on one line."""
        spans = []
        for at, (label, value, kind) in enumerate(facts):
            gap = {"dx": 8} if at else {}
            if label:
                spans.append(tag("tspan", "muted", f"{svg_text(label)} ", **gap))
            spans.append(tag("tspan", kind, svg_text(value), **({} if label else gap)))
        self.elements.append(tag("text", "text", "".join(spans), x=x, y=y, font_size=12, text_anchor=anchor))

    def draw_mark(self, seat: int, x: float, y: float, size: float) -> None:
        """Draw a player's emblem in a square of side `size`; `x`, `y` are its top left corner."""
        mark = self._marks[seat]
        place = _transform(x, y, size / SIZE)
        self.elements.append(
            tag("path", f"p{mark['colour']}", d=mark["shape"], fill_rule="evenodd", transform=place)
        )

    def draw_fan(
        self,
        cards: Sequence[str],
        x: float,
        y: float,
        width: float,
        size: tuple[int, int],
        bent: bool = False,
    ) -> float:
        """Draw cards of `size` (width, height) centred between x and x + `width`; return their left end.

        They overlap if necessary; if `bent`, they form an arc.
        """
        w, h = size
        step = card_spacing(len(cards), width, w)
        half = (len(cards) - 1) / 2
        left = x + (width - w) / 2 - step * half
        for place, name in enumerate(cards):
            k = (place - half) / max(half, 4) * bent
            whole = step > w - 4 or place == len(cards) - 1
            self.draw_card(name, left + step * place, y + 7 * k * k, w, h, whole=whole, turned=5 * k)
        return left

    def draw_backs(self, count: int, x: float, y: float, width: float, size: tuple[int, int]) -> None:
        """Draw a plate with the number of hidden cards, then their backs, centred in `width`."""
        w, h = size
        step = min(9.0, card_spacing(count, width - 42, w))
        left = x + (width - 42 - w - step * (count - 1)) / 2
        self.draw_box("plate", left, y + h / 2 - 10, 36, 20, 10)
        self.draw_words(
            left + 18, y + h / 2 + 4.5, f"\N{MULTIPLICATION SIGN}{count}", "text strong", 12, anchor="middle"
        )
        for place in range(count):
            self.draw_box("back", left + 42 + step * place, y, w, h, 4)

    def draw_card(
        self, name: str, x: float, y: float, w: int, h: int, *, whole: bool = True, turned: float = 0.0
    ) -> None:
        """Draw a card; unless `whole`, only its corner is visible."""
        face = self._faces.face(name)
        kind = face.suit.lower() if face.suit in SUITS else "h" if face.suit == "red" else "text"
        rank, outline, small = svg_text(cut_text(face.rank, 3)), _OUTLINES.get(face.suit), h <= _CORNER
        rows = 14.0 if small else 0.3 * h
        parts = [tag("rect", "card", width=w, height=h, rx=2.5 if small else 4)]
        parts.append(
            tag("text", "strong", rank, x=w / 2, y=h / 2 + 5, font_size=rows, text_anchor="middle")
            if small
            else tag("text", "strong", rank, x=3, y=rows, font_size=rows)
        )
        if outline and not small:
            parts.append(tag("path", d=outline, transform=_transform(3, rows + 3, 0.02 * h)))
        if whole and h > 40:
            big = 0.34 * h
            parts.append(
                tag("path", d=outline, transform=_transform(w - big - 4, h - big - 4, big / 10))
                if outline
                else tag("text", "strong", rank, x=w - 4, y=h - 5, font_size=big, text_anchor="end")
            )
        place = _transform(x, y) + (f" rotate({turned:.1f} {w / 2:g} {h})" if turned else "")
        self.elements.append(tag("g", kind, "".join(parts), transform=place))

    def style(self) -> str:
        """Return the style element: light, and dark where the reader prefers it."""
        light, dark = (self._style_rules(number) for number in range(len(SCHEMES)))
        shapes = "".join(f".{CLASS}{what}{{{how}}}" for what, how in _SHAPES)
        return f"<style>{shapes}{light}@media(prefers-color-scheme:dark){{{dark}}}</style>"

    def _style_rules(self, number: int) -> str:
        colours, marks = SCHEMES[number], {mark["colour"] for mark in self._marks}
        rules = [f"{kind}{{fill:{colours[fill]}}}" for kind, fill in _FILLED.items()]
        rules += [f"p{mark}{{fill:{MARKS[number][mark]}}}" for mark in sorted(marks)]
        rules += [
            f"{kind}{{fill:{colours[fill]};stroke:{colours[edge]}}}" for kind, (fill, edge) in _EDGED.items()
        ]
        rules.append(f"acting{{stroke:{colours['accent']}}}")
        return "".join(f".{CLASS} .{rule}" for rule in rules)


def tag(name: str, kind: str = "", inside: str = "", /, **attributes: float | str) -> str:
    """Return an element of this class (`kind`) and content (`inside`, markup); nothing is escaped.

    Attributes are ours: underscores become hyphens, floats are rounded to a tenth, and SVG's default
    ``text_anchor="start"`` is left out.
    """
    if attributes.get("text_anchor") == "start":
        del attributes["text_anchor"]
    shown = f' class="{kind}"' if kind else ""
    for key, value in attributes.items():
        text = f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value
        shown += f' {key.replace("_", "-")}="{text}"'
    return f"<{name}{shown}>{inside}</{name}>" if inside else f"<{name}{shown}/>"


def card_spacing(cards: int, width: float, card: int) -> float:
    """Return the distance between left edges in a fan of this width, of cards `card` wide."""
    return min(card + 3.0, (width - card) / max(cards - 1, 1))


def cut_text(words: str, room: int) -> str:
    """Return a text cut to `room` places, with an ellipsis if cut; wide letters take two."""
    used = 0
    for at, letter in enumerate(words):
        used += 2 if east_asian_width(letter) in "WF" else 1
        if used > max(room, 1):
            return words[: max(at - 1, 0)] + "\N{HORIZONTAL ELLIPSIS}"
    return words


def wrap_facts(facts: Iterable[Fact], width: float, limit: int = 4) -> list[list[Fact]]:
    """Wrap facts into lines; those after `limit` lines are left out."""
    room = int((width - 16) / (_EM * 12))
    found: list[list[Fact]] = []
    used = 0
    for label, value, kind in facts:
        label = cut_text(label, room - 4)
        value = cut_text(value, room - len(label) - 1)
        takes = len(label) + len(value) + 3
        if not found or used + takes > room + 2:
            found.append([])
            used = 0
        found[-1].append((label, value, kind))
        used += takes
    return found[:limit]


def _transform(x: float, y: float, scale: float = 0.0) -> str:
    place = f"translate({x:.1f} {y:.1f})".replace(".0 ", " ").replace(".0)", ")")
    return f"{place} scale({scale:.2f})" if scale else place
