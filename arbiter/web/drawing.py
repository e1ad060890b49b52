"""Charts as numbers: templates make SVG of them. All lengths are in units of the chart's view box."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOM = 150
"""Right of a chart's lines, for their names."""
MOST_LINES = 8
"""Lines that are named in a chart; the others are pale."""


class Scale(NamedTuple):
    """From values `low` to `high` onto `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Where a value lies, to a tenth."""
        return round(self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start), 1)


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers from just below `low` to just above `high`; two at least."""
    span = max(high - low, 1.0)
    rough = span / about
    power = 10.0 ** floor(log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough)
    first, last = floor(low / step), ceil(high / step)
    return [round(step * number, 10) for number in range(first, max(last, first + 1) + 1)]


def interval_bars(rows: Sequence[dict[str, Any]], width: float = 120) -> dict[str, Any] | None:
    """The ratings of a table with their intervals, on one scale; None where nobody is rated."""
    rated = [row for row in rows if row["elo"] is not None]
    if not rated:
        return None
    marks = ticks(min(0.0, *(row["low"] for row in rated)), max(0.0, *(row["high"] for row in rated)), 4)
    scale = Scale(marks[0], marks[-1], 4, width - 4)
    bars = [
        None
        if row["elo"] is None
        else {"low": scale(row["low"]), "elo": scale(row["elo"]), "high": scale(row["high"])}
        for row in rows
    ]
    return {
        "width": width,
        "zero": scale(0.0),
        "marks": [(scale(mark), mark) for mark in marks],
        "bars": bars,
    }


def rating_lines(
    history: Sequence[dict[str, Any]], chosen: str | None = None, width: float = 720, height: float = 320
) -> dict[str, Any] | None:
    """Ratings after each round as lines, with the interval of the chosen player; None before the first round.

    The best `MOST_LINES` players are named, or the chosen one alone.
    """
    points: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for entry in history:
        for row in entry["players"]:
            if row["elo"] is not None:
                points.setdefault(row["player"], []).append((entry["round"], row))
    if not points:
        return None
    rows = [row for of in points.values() for _, row in of]
    ends = [row["elo"] for row in rows]
    ends += [row[key] for row in rows if row["player"] == chosen for key in ("low", "high")]
    marks = ticks(min(ends), max(ends))
    last = history[-1]["round"]
    x, y = Scale(1, max(last, 2), 48, width - ROOM), Scale(marks[0], marks[-1], height - 28, 18)
    named = [chosen] if chosen else [row["player"] for row in history[-1]["players"]][:MOST_LINES]
    lines = [
        {
            "player": player,
            "named": player in named,
            "points": " ".join(f"{x(number)},{y(row['elo'])}" for number, row in of),
            "end": (x(of[-1][0]), y(of[-1][1]["elo"])),
            "elo": of[-1][1]["elo"],
            "band": _band(of, x, y) if player == chosen else None,
        }
        for player, of in points.items()
    ]
    lines.sort(key=lambda line: line["named"])
    for number, line in enumerate(line for line in lines if line["named"]):
        line["number"] = number
    _spread([line for line in lines if line["named"]], height)
    return {
        "width": width,
        "height": height,
        "right": width - ROOM,
        "lines": lines,
        "y": [(y(mark), mark) for mark in marks],
        "x": [
            (x(mark), int(mark))
            for mark in ticks(1, max(last, 2), 8)
            if mark == int(mark) and 1 <= mark <= last
        ],
        "zero": y(0.0) if marks[0] <= 0 <= marks[-1] else None,
    }


def elo_by_round(history: Sequence[dict[str, Any]]) -> list[tuple[str, list[float | None]]]:
    """The table beside `rating_lines`: each player with its ratings, the last round's first."""
    rounds = [{row["player"]: row["elo"] for row in entry["players"]} for entry in reversed(history)]
    return [(player, [of.get(player) for of in rounds]) for player in rounds[0]] if rounds else []


def _band(of: Iterable[tuple[int, dict[str, Any]]], x: Scale, y: Scale) -> str:
    """The outline of an interval: along its upper ends and back along the lower ones."""
    of = list(of)
    upper = [f"{x(number)},{y(row['high'])}" for number, row in of]
    return " ".join([*upper, *(f"{x(number)},{y(row['low'])}" for number, row in reversed(of))])


def _spread(lines: Sequence[dict[str, Any]], height: float, gap: float = 14) -> None:
    """Give each named line a place for its label, none nearer than `gap` to the next."""
    place = 12.0
    for line in sorted(lines, key=lambda line: line["end"][1]):
        place = max(place, line["end"][1])
        line["label"] = place
        place += gap
    over = place - gap - (height - 16)
    if over > 0:
        for line in lines:
            line["label"] = round(max(12.0, line["label"] - over), 1)
