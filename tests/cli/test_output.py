"""Figures and counts as people read them."""

from __future__ import annotations

import pytest

from arbiter.cli.output import suspended_line
from arbiter.text import number


@pytest.mark.parametrize(
    ("value", "text"), [(-0.3, "0"), (-0.6, "-1"), (0.0, "0"), (None, "-"), (12.5, "12")]
)
def test_a_figure_is_rounded_and_never_minus_0(value: float | None, text: str) -> None:
    assert number(value) == text


def test_a_count_of_one_reads_as_one() -> None:
    assert suspended_line(1) == "1 player is suspended (arbiter status names it)"
    assert suspended_line(7) == "7 players are suspended (arbiter status names them)"
