"""The way of a tuning as a picture: an SVG document that stands alone, a panel for each number.

Each panel spans the number's bounds. The line is where the number was after each iteration, the dashes are
its start, and the bar is the mean of the later half, which is the estimate.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rating.descent import Descent, Tunable

WIDTH, PANEL, LEFT, RIGHT, TOP, FOOT = 720, 150, 84, 150, 34, 34
"""Units of the view box: of the whole, of a panel with its title, and of the room around lines."""
MOST_POINTS = 300
"""Of a line: more could not be seen."""
STYLE = """
svg { background: #ffffff; font: 13px system-ui, sans-serif; fill: #111111; }
.tick { fill: #5b6472; font-variant-numeric: tabular-nums; } .name { font-weight: 600; }
line, polyline { fill: none; stroke: #d9dde3; } .way { stroke: #1d5fbf; stroke-width: 1.5; }
.start { stroke: #5b6472; stroke-dasharray: 4 4; } .estimate { stroke: #c2410c; stroke-width: 3; }
@media (prefers-color-scheme: dark) {
svg { background: #15181d; fill: #e8eaed; } .tick { fill: #9aa4b2; } line, polyline { stroke: #2c323a; }
.way { stroke: #8ab4f8; } .start { stroke: #9aa4b2; } .estimate { stroke: #ff9a5c; }
}
"""


def picture(descent: Descent) -> str:
    """The SVG document of a way."""
    height = PANEL * len(descent.parameters) + FOOT
    title = f"The way of {', '.join(parameter.name for parameter in descent.parameters)}"
    ends = [
        f"{parameter.name} from {parameter.start:g} to {descent.estimate[parameter.name]:g}"
        for parameter in descent.parameters
    ]
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title text">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="text">After {descent.iteration} iterations: {escape(", ".join(ends))}.</desc>',
        f"<style>{STYLE}</style>",
    ]
    for number, parameter in enumerate(descent.parameters):
        lines += _panel(descent, number, parameter, PANEL * number)
    last = descent.iteration
    marks = dict.fromkeys((0, last // 2, last))
    lines += [_text(_x(mark, last), height - 14, str(mark), "middle", "tick") for mark in marks]
    lines += [_text(WIDTH - RIGHT + 28, height - 14, "iterations", "start", "tick"), "</svg>"]
    return "\n".join(lines) + "\n"


def _panel(descent: Descent, number: int, parameter: Tunable, top: float) -> Iterator[str]:
    """Yield the elements of a panel whose upper edge is at `top`."""

    def y(value: float) -> float:
        share = (value - parameter.low) / (parameter.high - parameter.low)
        return round(top + PANEL - share * (PANEL - TOP), 1)

    last, right, estimate = descent.iteration, WIDTH - RIGHT, descent.estimate[parameter.name]
    yield _text(LEFT, top + TOP - 12, parameter.name, "start", "name")
    for value in (parameter.low, parameter.high):
        yield _line(LEFT, right, y(value), "grid")
        yield _text(LEFT - 8, y(value) + 4, f"{value:g}", "end", "tick")
    yield _line(LEFT, right, y(parameter.start), "start")
    beside = _apart(y(parameter.start), y(estimate))
    yield _text(right + 8, beside, f"start {parameter.start:g}", "start", "tick")
    every = max(-(-last // MOST_POINTS), 1)
    shown = [*range(0, last, every), last]
    points = " ".join(f"{_x(each, last)},{y(descent.path[each][number])}" for each in shown)
    yield f'<polyline class="way" points="{points}"/>'
    yield _line(_x(last // 2, last), right, y(estimate), "estimate")
    yield _text(right + 8, y(estimate) + 4, f"estimate {estimate:.4g}", "start", "name")


def _apart(place: float, other: float, gap: float = 16) -> float:
    """Return where to write a text so that it is not on the one beside the line at `other`."""
    if abs(place - other) < gap:
        place = other + (gap if place >= other else -gap)
    return place + 4


def _x(iteration: int, last: int) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * iteration / max(last, 1), 1)


def _line(left: float, right: float, y: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{left}" x2="{right}" y1="{y}" y2="{y}"/>'


def _text(x: float, y: float, words: str, anchor: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'
