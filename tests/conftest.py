"""Options and fixtures of the whole suite: ``pytest --rewrite-golden`` writes the golden files anew.

Files are tested in random order, and the tests of each in random order, too; ``--order`` takes the number that
the first lines of a run tell, and 0 for the order in which they are written.
"""

from __future__ import annotations

import gc
import os
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.store import sqlite
from arbiter.table.executors import local
from tests.fixtures import forked_slots
from tests.fixtures.commands import arbiter
from tests.fixtures.databases import database, postgres, postgres_server, postgres_store
from tests.fixtures.left_open import Summary

# Also chooses how many examples hypothesis tries.
from tests.fixtures.profiles import PROFILE
from tests.fixtures.tiers import a_stage, landlock
from tests.fixtures.zoo import kept, original_season, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "a_stage", "arbiter", "database", "golden", "kept", "landlock", "original_season", "postgres", "postgres_server",
    "postgres_store", "shown",
]  # fmt: skip

STARTERS = {"cpp_bot", "table", "postgres_server"}
"""Fixtures that start processes."""
SPREAD = {
    f"tests/{name}.py"
    for name in (
        "bots/test_planning_bots",
        "docs/test_docs",
        "sandbox/test_attacks",
        "season/test_begun_rounds",
        "season/test_interrupted_rounds",
        "store/test_coordinator_lock",
        "table/interactive/test_console",
    )
}
"""Files whose tests share nothing, and take long one after the other."""
BROWSER = "tests/web/browser/"
LONG = (
    BROWSER,
    "tests/docs/",
    "tests/bots/",
    "tests/sandbox/",
    "tests/packaging/",
    "tests/season/",
    "tests/table/",
    "tests/web/",
)
"""What takes longest comes first, or the last worker would be waited for."""
GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-golden", action="store_true", help="write tests/golden/* instead of comparing"
    )

    parser.addoption("--order", type=int, help="the number of a random order; 0: as written")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.order is None:
        told = getattr(config, "workerinput", {})
        config.option.order = told.get("order") or random.randrange(1, 10**6)
    config.pluginmanager.register(Summary())
    # A process that is spawned imports the main module, and with pytest's that takes longer than the rest of its start.
    vars(sys.modules["__main__"]).update(__spec__=None, __file__=None)
    # Bots that are started as `python3` run in the interpreter of the tests, and not in a script that looks for one.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def pytest_collection(session: pytest.Session) -> None:
    """What is imported and collected lives to the end: nobody looks there for garbage, neither now nor later."""
    gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.enable()
    gc.freeze()


def pytest_report_header(config: pytest.Config) -> str:
    return f"order of the tests: --order {config.option.order}"


# Before pytest sorts them by the parameters of their shared fixtures, each of which would be made again and again.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if PROFILE != "thorough" and item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.skip(reason="takes long: in the profile thorough alone"))
        if STARTERS & set(getattr(item, "fixturenames", ())):
            item.add_marker("process")
    order(items, config.option.order)


def order(items: list[pytest.Item], number: int) -> None:
    """Long files first; the files, and the tests of each, in the random order of a number."""
    chance = random.Random(number)
    files = list(dict.fromkeys(_file(item.nodeid) for item in items))
    if number:
        chance.shuffle(files)
        chance.shuffle(items)
    files.sort(key=lambda file: next((k for k, part in enumerate(LONG) if file.startswith(part)), len(LONG)))
    places = {file: place for place, file in enumerate(files)}
    items.sort(key=lambda item: places[_file(item.nodeid)])


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["order"] = node.config.option.order


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The tests of a file run in one process, so that what they share is made once; those of some in any.

    All tests in a browser share one process and one browser: a second one costs as much as ten of them.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = _file(nodeid)
            return nodeid if file in SPREAD else BROWSER if file.startswith(BROWSER) else file

    config.option.loadscopereorder = False
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


@pytest.fixture(autouse=True, scope="session")
def _no_disk_is_waited_for() -> Iterator[None]:
    """What a store has written here need not outlive the machine."""
    with pytest.MonkeyPatch.context() as patch:

        def prepare(connection: Any, record: object, before: Any = sqlite._configure_connection) -> None:
            before(connection, record)
            connection.execute("PRAGMA synchronous=OFF")

        patch.setattr(sqlite, "_configure_connection", prepare)
        yield


@pytest.fixture(autouse=True, scope="session")
def _matches_are_played_in_forked_processes() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "CONTEXT", forked_slots)
        yield


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with a file of tests/golden, or rewrites the file."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--rewrite-golden"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"differs from {path.name}"

    return compare
