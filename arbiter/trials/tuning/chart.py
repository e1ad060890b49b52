"""The course of a tuning as a complete SVG document, a panel for each number.

Each panel spans the number's bounds. The line has the number after each iteration, the dashes mark its start,
and the bar is the mean of the later half, which is the estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.replay.svg_elements import SCHEMES, tag
from arbiter.text import svg_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rating.descent import Descent, Tunable

WIDTH, PANEL, LEFT, RIGHT, TOP, FOOT = 720, 150, 84, 150, 34, 34
"""In units of the view box: the whole, a panel with its title, and the margins of lines."""
MOST_POINTS = 300
"""Maximum points of a line: more cannot be seen."""
_STYLE = """\
svg{{background:{ground};font:13px system-ui,sans-serif;fill:{text}}}
.tick{{fill:{muted};font-variant-numeric:tabular-nums}} .name{{font-weight:600}}
line,polyline{{fill:none;stroke:{rule}}} .way{{stroke:{accent};stroke-width:1.5}}
.start{{stroke:{muted};stroke-dasharray:4 4}} .estimate{{stroke:{h};stroke-width:3}}
"""


def tuning_svg(descent: Descent) -> str:
    """Return the course of the numbers as an `svg` element, a panel for each."""
    height = PANEL * len(descent.parameters) + FOOT
    title = f"The course of {', '.join(parameter.name for parameter in descent.parameters)}"
    ends = [
        f"{parameter.name} from {parameter.start:g} to {descent.estimate[parameter.name]:g}"
        for parameter in descent.parameters
    ]
    light, dark = (_STYLE.format(**colours) for colours in SCHEMES)
    told = f"After {descent.iteration} iterations: {', '.join(ends)}."
    lines = [
        tag("title", "", svg_text(title), id="title"),
        tag("desc", "", svg_text(told), id="text"),
        f"<style>{light}@media(prefers-color-scheme:dark){{{dark}}}</style>",
    ]
    for number, parameter in enumerate(descent.parameters):
        lines += _panel(descent, number, parameter, PANEL * number)
    last = descent.iteration
    marks = dict.fromkeys((0, last // 2, last))
    lines += [_text_element(_x_of(mark, last), height - 14, str(mark), "middle", "tick") for mark in marks]
    lines.append(_text_element(WIDTH - RIGHT + 28, height - 14, "iterations", "start", "tick"))
    about: dict[str, str] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "role": "img",
        "aria_labelledby": "title text",
    }
    size: dict[str, float | str] = {"viewBox": f"0 0 {WIDTH} {height}", "width": WIDTH, "height": height}
    return tag("svg", "", "\n".join(lines), **about, **size) + "\n"


def _panel(descent: Descent, number: int, parameter: Tunable, top: float) -> Iterator[str]:
    """Yield the elements of a panel whose upper edge is at `top`."""

    def y(value: float) -> float:
        share = (value - parameter.low) / (parameter.high - parameter.low)
        return round(top + PANEL - share * (PANEL - TOP), 1)

    last, right, estimate = descent.iteration, WIDTH - RIGHT, descent.estimate[parameter.name]
    yield _text_element(LEFT, top + TOP - 12, parameter.name, "start", "name")
    for value in (parameter.low, parameter.high):
        yield _line_element(LEFT, right, y(value), "grid")
        yield _text_element(LEFT - 8, y(value) + 4, f"{value:g}", "end", "tick")
    yield _line_element(LEFT, right, y(parameter.start), "start")
    beside = _separate(y(parameter.start), y(estimate))
    yield _text_element(right + 8, beside, f"start {parameter.start:g}", "start", "tick")
    every = max(-(-last // MOST_POINTS), 1)
    shown = [*range(0, last, every), last]
    points = " ".join(f"{_x_of(each, last)},{y(descent.path[each][number])}" for each in shown)
    yield tag("polyline", "way", points=points)
    yield _line_element(_x_of(last // 2, last), right, y(estimate), "estimate")
    yield _text_element(right + 8, y(estimate) + 4, f"estimate {estimate:.4g}", "start", "name")


def _separate(place: float, other: float, gap: float = 16) -> float:
    """Return a text's y so that it does not overlap the text at the line `other`."""
    if abs(place - other) < gap:
        place = other + (gap if place >= other else -gap)
    return place + 4


def _x_of(iteration: int, last: int) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * iteration / max(last, 1), 1)


def _line_element(left: float, right: float, y: float, kind: str) -> str:
    return tag("line", kind, x1=left, x2=right, y1=y, y2=y)


def _text_element(x: float, y: float, words: str, anchor: str, kind: str) -> str:
    return tag("text", kind, svg_text(words), x=x, y=y, text_anchor=anchor)
