"""Geometry of charts, which templates draw as SVG. All lengths are in units of the chart's view box."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, floor, log10
from typing import TYPE_CHECKING, NamedTuple, Self

from arbiter.replay.emblem import emblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.replay.schema import Emblem
    from arbiter.season.snapshot.schema import Cell, Rated, ResultBlock, RoundRatings
    from arbiter.trials.regression.figures import RatioLine

ROOM = 150
"""The width for names, to the right of a chart's lines."""
MOST_LINES = 8
"""Named lines of a chart; the others are pale."""
FITTED = 12
"""Steps of a scale of bars, enough for the scale to fit the bars closely."""


class Scale(NamedTuple):
    """A linear map from values `low` to `high` onto `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return round(self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start), 1)


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Return round numbers from just below `low` to just above `high`, at least two."""
    span = max(high - low, 1.0)
    rough = span / about
    power = 10.0 ** floor(log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough)
    first, last = floor(low / step), ceil(high / step)
    return [round(step * number, 10) for number in range(first, max(last, first + 1) + 1)]


class Interval(NamedTuple):
    """A rating and the ends of its interval."""

    low: float
    elo: float
    high: float

    @classmethod
    def of(cls, row: Rated) -> Self | None:
        """Return the interval of a row; None for an unrated player."""
        low, elo, high = row["low"], row["elo"], row["high"]
        return None if elo is None else cls(elo if low is None else low, elo, elo if high is None else high)


@dataclass(slots=True)
class RatingLine:
    """A player's ratings as a line; named lines have a `label`, and are `dashed` if their colour repeats."""

    player: str
    mark: Emblem
    named: bool
    points: str
    end: tuple[float, float]
    elo: float
    band: str | None
    label: float = 0.0
    dashed: bool = False


def spans(
    cells: Sequence[Cell | None], against: Sequence[str], joined: object
) -> list[tuple[Cell | None, str, int]]:
    """Return the cells of a crosstable's row, each with its opponent and its width in columns.

    With `joined`, adjacent empty cells become one.
    """
    found: list[tuple[Cell | None, str, int]] = []
    for cell, other in zip(cells, against, strict=True):
        if joined and cell is None and found and found[-1][0] is None:
            found[-1] = (None, "", found[-1][2] + 1)
        else:
            found.append((cell, other, 1))
    return found


class BlockMark(NamedTuple):
    """A block of a crosstable's overview: its place, its CSS classes, and its title."""

    row: int
    column: int
    look: str
    say: str


def block_marks(
    blocks: Sequence[Sequence[ResultBlock]], shown: tuple[int, int], size: int = 100
) -> list[BlockMark]:
    """Return the blocks of an overview, by rows; the `shown` one is marked."""
    return [
        BlockMark(
            row,
            column,
            f"block {_block_classes(block)}{' here' if (row, column) == shown else ''}",
            f"{size * (row - 1) + 1} to {size * row} against {size * (column - 1) + 1} to {size * column}: "
            f"{block['wins']}\N{EN DASH}{block['draws']}\N{EN DASH}{block['losses']}",
        )
        for row, of in enumerate(blocks, 1)
        for column, block in enumerate(of, 1)
    ]


def _block_classes(block: ResultBlock) -> str:
    """Return CSS classes for who wins more, and by how much; "none" without results."""
    played = block["wins"] + block["draws"] + block["losses"]
    if not played:
        return "none"
    lead = (block["wins"] - block["losses"]) / (2 * played)
    if abs(lead) < 0.02:
        return "level"
    return f"{'better' if lead > 0 else 'worse'} s{3 if abs(lead) > 0.3 else 2 if abs(lead) > 0.15 else 1}"


def interval_bars(rows: Sequence[Rated]) -> dict[str, object] | None:
    """Return the ratings of a table with their intervals, all in percent of one scale's width.

    None without rated players.
    """
    intervals = [Interval.of(row) for row in rows]
    rated = [one for one in intervals if one is not None]
    if not rated:
        return None
    marks = ticks(min(0.0, *(one.low for one in rated)), max(0.0, *(one.high for one in rated)), FITTED)
    scale = Scale(marks[0], marks[-1], 3, 97)
    return {
        "zero": scale(0.0),
        "ends": (marks[0], marks[-1]),
        "bars": [one and Interval(scale(one.low), scale(one.elo), scale(one.high)) for one in intervals],
    }


def rating_lines(
    history: Sequence[RoundRatings], chosen: str | None = None, width: float = 720, height: float = 320
) -> dict[str, object] | None:
    """Return ratings by round as lines, with the interval of the chosen player; None before the first round.

    The best `MOST_LINES` players are named, or the chosen one alone.
    """
    points: dict[str, list[tuple[int, Interval]]] = {}
    for entry in history:
        for row in entry["players"]:
            if (found := Interval.of(row)) is not None:
                points.setdefault(row["player"], []).append((entry["round"], found))
    if not points:
        return None
    ends = [one.elo for of in points.values() for _, one in of]
    ends += [end for _, one in points.get(chosen or "", ()) for end in (one.low, one.high)]
    marks = ticks(min(ends), max(ends))
    last = history[-1]["round"]
    x, y = Scale(1, max(last, 2), 48, width - ROOM), Scale(marks[0], marks[-1], height - 28, 18)
    named = [chosen] if chosen else [row["player"] for row in history[-1]["players"]][:MOST_LINES]
    lines = [
        RatingLine(
            player,
            emblem(player),
            player in named,
            " ".join(f"{x(number)},{y(one.elo)}" for number, one in of),
            (x(of[-1][0]), y(of[-1][1].elo)),
            of[-1][1].elo,
            _band(of, x, y) if player == chosen else None,
        )
        for player, of in points.items()
    ]
    lines.sort(key=lambda line: line.named)
    shown = [line for line in lines if line.named]
    seen: set[int] = set()
    for line in shown:
        line.dashed = line.mark["colour"] in seen
        seen.add(line.mark["colour"])
    _spread_labels(shown, height)
    return {
        **_axes(width, height, x, y, marks, 1, last),
        "lines": lines,
        "zero": y(0.0) if marks[0] <= 0 <= marks[-1] else None,
    }


def elo_by_round(history: Sequence[RoundRatings]) -> list[tuple[str, list[float | None]]]:
    """Return the data of `rating_lines` as a table: each player with its ratings, the last round first."""
    rounds = [{row["player"]: row["elo"] for row in entry["players"]} for entry in reversed(history)]
    return [(player, [of.get(player) for of in rounds]) for player in rounds[0]] if rounds else []


def ratio_chart(line: RatioLine, width: float = 720, height: float = 260) -> dict[str, object] | None:
    """Return the LLR of a test by block, and ln e if that decides; None before the first block."""
    if not line["points"]:
        return None
    points = [(0.0, 0.0), *((block, llr) for block, llr in line["points"])]
    evidence = [(block, log_e) for block, log_e in line.get("evidence", [])]
    bounds = [line["bounds"][0], line.get("enough", line["bounds"][1])]
    last, end = points[-1]
    # Evidence against a gain is unbounded: its line is cut off below the axis.
    floor = 1.25 * min(bounds[0], min(llr for _, llr in points))
    evidence = [(0.0, 0.0), *((block, max(log_e, floor)) for block, log_e in evidence)] if evidence else []
    values = [value for _, value in points + evidence] + bounds
    marks = ticks(min(values), max(values))
    x, y = Scale(0, last, 48, width - ROOM), Scale(marks[0], marks[-1], height - 28, 18)
    return {
        **_axes(width, height, x, y, marks, 0, last),
        "points": " ".join(f"{x(block)},{y(llr)}" for block, llr in points),
        "evidence": " ".join(f"{x(block)},{y(log_e)}" for block, log_e in evidence),
        "end": (x(last), y(end)),
        "evidence_end": (x(last), y(evidence[-1][1])) if evidence else None,
        "e": exp(min(line["evidence"][-1][1], 700.0)) if evidence else None,
        "enough": exp(bounds[1]) if evidence else None,
        "last": int(last),
        "llr": end,
        "lowest": min(llr for _, llr in points),
        "highest": max(llr for _, llr in points),
        "bounds": [
            (y(bound), bound, f"{level:+g} {line['unit']}".replace("-", "\N{MINUS SIGN}"))
            for bound, level in zip(bounds, line["levels"], strict=True)
        ],
    }


def _axes(
    width: float, height: float, x: Scale, y: Scale, marks: Sequence[float], first: float, last: float
) -> dict[str, object]:
    """Return the size of a line chart, and the positions and values of its ticks, whole numbers along x."""
    whole = (mark for mark in ticks(first, max(last, first + 1), 8) if mark == int(mark))
    return {
        "width": width,
        "height": height,
        "right": width - ROOM,
        "y": [(y(mark), mark) for mark in marks],
        "x": [(x(mark), int(mark)) for mark in whole if first <= mark <= last],
    }


def _band(of: Sequence[tuple[int, Interval]], x: Scale, y: Scale) -> str:
    """Return the outline of a band: along its upper ends and back along the lower ones."""
    upper = [f"{x(number)},{y(one.high)}" for number, one in of]
    return " ".join([*upper, *(f"{x(number)},{y(one.low)}" for number, one in reversed(of))])


def _spread_labels(lines: Sequence[RatingLine], height: float, gap: float = 18) -> None:
    """Place the labels of lines at least `gap` apart."""
    place = 12.0
    for line in sorted(lines, key=lambda line: line.end[1]):
        line.label = place = max(place, line.end[1])
        place += gap
    over = place - gap - (height - 16)
    if over > 0:
        for line in lines:
            line.label = round(max(12.0, line.label - over), 1)
