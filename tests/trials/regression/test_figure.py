"""The figure in the documentation is the one that the code makes."""

from __future__ import annotations

import pytest

from tests.trials.regression.figure import PLACE, figure


def test_the_figure_of_the_page_is_made_by_the_code(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--rewrite-golden"):
        PLACE.write_text(figure(), encoding="utf-8")
    assert PLACE.read_text(encoding="utf-8") == figure(), (
        "python -m tests.trials.regression.figure writes it anew"
    )
