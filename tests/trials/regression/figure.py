"""The figure of docs/explanation/sequential-tests.md: ``python -m tests.trials.regression.figure`` writes it anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rating.sequential.gsprt import Gsprt
from tests.fixtures.simulated_blocks import evidence_of, simulate_blocks, stops

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACE = Path(__file__).parents[3] / "docs" / "explanation" / "sequential-tests.svg"
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 400, 60, 40, 20, 50
TESTS, BLOCKS, ELO = 12, 300, 20.0
HIGHEST = 3.6
"""Of the LLR that is shown, either way."""
WILD = 4
"""So few blocks say nothing yet."""
COLOURS = {0.0: "#4477aa", ELO: "#cc6622"}


def x_of(blocks: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * blocks / BLOCKS


def y_of(llr: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (HIGHEST - llr) / (2 * HIGHEST)


def text(x: float, y: float, words: str, anchor: str = "middle", colour: str = "#222222") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>'


def walks() -> Iterator[tuple[float, list[float]]]:
    """The LLR of each test, block by block up to its verdict, with the true strength."""
    test = Gsprt(0.0, ELO)
    number = np.arange(1, BLOCKS + 1)
    for elo in COLOURS:
        scores, _ = simulate_blocks(TESTS, BLOCKS, elo, seed=3)
        total, squares = scores.cumsum(axis=1), (scores**2).cumsum(axis=1)
        llr = test.llr(np.asarray(number, float), total, squares)
        _, last = stops(test, number, total, squares, evidence=evidence_of(test, scores))
        for walk, step in zip(llr, last, strict=True):
            yield elo, walk[: step + 1].tolist()


def figure() -> str:
    """The SVG document."""
    lower, upper = Gsprt(0.0, ELO).bounds
    left, right = x_of(0), x_of(BLOCKS)
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for tick in range(0, BLOCKS + 1, 50):
        parts.append(line(x_of(tick), y_of(-HIGHEST), x_of(tick), y_of(-HIGHEST) + 5, 'stroke="#222222"'))
        parts.append(text(x_of(tick), y_of(-HIGHEST) + 20, str(4 * tick)))
    parts.append(text((left + right) / 2, HEIGHT - 8, "matches"))
    for tick in range(-3, 4):
        parts.append(line(left - 5, y_of(tick), left, y_of(tick), 'stroke="#222222"'))
        parts.append(text(left - 10, y_of(tick) + 4, str(tick), "end"))
    parts.append(text(16, TOP - 12, "LLR", "start"))
    parts.append(line(left, y_of(-HIGHEST), right, y_of(-HIGHEST), 'stroke="#222222"'))
    parts.append(line(left, y_of(HIGHEST), left, y_of(-HIGHEST), 'stroke="#222222"'))
    for elo, walk in walks():
        points = " ".join(
            f"{x_of(block):.1f},{y_of(max(min(llr, HIGHEST), -HIGHEST)):.1f}"
            for block, llr in list(enumerate(walk, 1))[WILD:]
        )
        colour = COLOURS[elo]
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1" opacity="0.75"/>'
        )
        x, y = points.rpartition(" ")[2].split(",")
        parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>')
    for bound, words in ((upper, "better"), (lower, "not better")):
        parts.append(line(left, y_of(bound), right, y_of(bound), 'stroke="#222222" stroke-dasharray="6 4"'))
        parts.append(text(right, y_of(bound) + (-6 if bound > 0 else 16), words, "end"))
    look = x_of(16)
    parts.append(line(look, y_of(HIGHEST), look, y_of(-HIGHEST), 'stroke="#999999" stroke-dasharray="2 3"'))
    parts.append(text(look + 4, y_of(HIGHEST) - 4, "first look", "start", "#777777"))
    for place, (elo, colour) in enumerate(COLOURS.items()):
        parts.append(
            text(right, TOP - 26 + 16 * place, f"truth {elo:+.0f} Elo, {TESTS} tests", "end", colour)
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    PLACE.write_text(figure(), encoding="utf-8")
