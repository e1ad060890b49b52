"""The picture of a way: well-formed, with what is told for each number."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from arbiter.trials.tuning.chart import MOST_POINTS, tuning_svg
from rating.descent import Descent, Tunable

SVG = "{http://www.w3.org/2000/svg}"


def test_each_number_has_a_line_its_start_and_its_estimate() -> None:
    descent = Descent([Tunable("a", 2.0, 0.0, 8.0), Tunable("b<", 3, 0, 9, whole=True)], "s")
    for number in range(1000):
        descent.take((-1.0) ** (number % 3))
    drawn = ET.fromstring(tuning_svg(descent))
    lines = drawn.findall(f"{SVG}polyline")
    assert [line.get("class") for line in lines] == ["way", "way"]
    assert all(len(line.get("points", "").split()) <= MOST_POINTS + 1 for line in lines)
    words = [text.text for text in drawn.findall(f"{SVG}text")]
    assert {"a", "b<", "start 2", "start 3", f"estimate {descent.estimate['a']:.4g}", "1000"} <= set(words)


def test_a_way_that_has_not_begun_is_a_point() -> None:
    drawn = ET.fromstring(tuning_svg(Descent([Tunable("a", 2.0, 0.0, 8.0)], "s")))
    (line,) = drawn.findall(f"{SVG}polyline")
    assert len(line.get("points", "").split()) == 1
