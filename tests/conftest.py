"""Options and fixtures of the whole suite: ``pytest --rewrite-golden`` writes the golden files anew."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tests.profiles  # noqa: F401  # chooses how many examples hypothesis tries
from tests.databases import database, postgres, postgres_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["database", "golden", "postgres", "postgres_server"]

STARTERS = {"cpp_bot", "table", "postgres_server"}
"""Fixtures that start processes."""
SPREAD = {
    f"tests/{name}.py"
    for name in (
        "test_docs",
        "bots/test_planning_bots",
        "season/test_begun_rounds",
        "table/sandbox/test_attacks",
    )
}
"""Files whose tests share nothing, and take long one after the other."""
GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-golden", action="store_true", help="write tests/golden/* instead of comparing"
    )


def pytest_configure() -> None:
    # Bots that are started as `python3` run in the interpreter of the tests, and not in a script that looks for one.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if STARTERS & set(getattr(item, "fixturenames", ())):
            item.add_marker("process")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The tests of a file run in one process, so that what they share is made once; those of some in any."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return nodeid if file in SPREAD else file

    return ByFile(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    """Bots forbid bytecode to be written; where a test imports one, it would be forbidden to all that follow."""
    forbidden = sys.dont_write_bytecode
    try:
        return (yield)
    finally:
        sys.dont_write_bytecode = forbidden


@pytest.fixture(autouse=True)
def _all_cores() -> Iterator[None]:
    """A test may play a match, which takes a core; the next one has all of them again."""
    cores = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, cores)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with a file of tests/golden, or rewrites the file."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--rewrite-golden"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"differs from {path.name}"

    return compare
