"""What commands load: nothing that they do not need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.fixtures.zoo import CLEAN, Kept

if TYPE_CHECKING:
    from collections.abc import Sequence


RANDOM = Path(__file__).parents[2] / "bots" / "python" / "planning_random.py"
PLAYING = (
    "arbiter.season.ledger", "arbiter.season.season", "dask", "distributed", "gymnasium", "numpy", "pettingzoo",
    "pydantic", "rating.fit", "rating.ratings", "rich.console", "scipy",
)  # fmt: skip


def loaded(modules: Sequence[str], *commands: Sequence[str | Path]) -> list[str]:
    """Which of the modules some commands have loaded at their end."""
    program = (
        "import sys\nfrom arbiter.cli import exit_code\n"
        f"code = max(map(exit_code, {[list(map(str, words)) for words in commands]!r}))\n"
        f"print(code, *(name for name in {tuple(modules)!r} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    code, *found = done.stdout.splitlines()[-1].split()
    assert code == "0", done.stderr
    return found


@pytest.mark.process
def test_who_only_looks_loads_neither_numbers_nor_checks(kept: Kept) -> None:
    file = kept.file
    assert (
        loaded(PLAYING, ("show", file, CLEAN), ("matches", file), ("status", file), ("standings", file)) == []
    )
    assert loaded(("scipy",), ("crosstable", file)) == []


@pytest.mark.process
def test_a_match_without_a_store_loads_none() -> None:
    bots = [f"--bot={sys.executable} {RANDOM}"] * 4
    short = ("--option", "deals=[[1, 0]]", "--isolation", "plain")
    assert (
        loaded((*PLAYING, "sqlalchemy", "http.client"), ("play", "--game", "planning", *bots, *short)) == []
    )


@pytest.mark.process
def test_a_site_loads_no_numbers_and_a_match_no_packages_of_games() -> None:
    begun = "import sys, arbiter.games.planning, arbiter.table.executors\nlooked = 'importlib.metadata' in sys.modules\n"
    program = f"{begun}import arbiter.cli.serve, arbiter.web.site\nprint(looked, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


@pytest.mark.process
def test_a_site_starts_from_nothing(kept: Kept) -> None:
    words = [sys.executable, "-m", "arbiter", "serve", str(kept.file), "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("serving http://127.0.0.1:")
        process.terminate()
        assert process.wait(60) == 0
