"""What is loaded when: numpy and scipy take a quarter of a second, which only those who compute should wait for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import rating


def loaded_by(code: str) -> set[str]:
    code += "; import sys; print(*{'numpy', 'scipy', 'threadpoolctl'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import rating; rating.Match; rating.Rating; rating.rank; rating.rule_of_round; rating.PRESETS; rating.Run",
        "from rating.errors import RatingError; from rating.notices import Notice",
        "import rating.cli.report; import rating.cli",
        "from rating import Match; Match(('a', 'b'), (1, 0))",
        "import arbiter.season.ledger, arbiter.season.plan",
    ],
)
def test_names_that_compute_nothing_load_nothing(code: str) -> None:
    assert loaded_by(code) == set()


def test_a_table_needs_no_scipy() -> None:
    assert "scipy" not in loaded_by(
        "import rating; rating.PairTable.from_results('ab', [0, 1], [1, 0], [1, 0]).pairs()"
    )


def test_every_public_name_is_there() -> None:
    assert all(getattr(rating, name) is not None for name in rating.__all__)
    assert set(rating.__all__) <= set(dir(rating))


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = rating.nonsense
