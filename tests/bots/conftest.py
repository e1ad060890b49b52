"""Lets the tests import the bots and their small referee, and builds the C++ bots once."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "bots" / "python"))

from tests.fixtures.bot_programs import BOTS  # noqa: E402 -- found through the line above


@pytest.fixture(scope="session")
def cpp_bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C++ bot: as `make test` has built it, or built in a folder of its own, once for all test workers."""
    if not shutil.which("make") or not shutil.which(os.environ.get("CXX", "c++")):
        pytest.skip("no make or no C++ compiler: the C++ bot cannot be built")
    if subprocess.run(["make", "-q", "-C", str(BOTS / "cpp")], check=False).returncode == 0:
        return BOTS / "cpp" / "build" / "planning_random"
    base = tmp_path_factory.getbasetemp()
    build = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cpp"
    with open(f"{build}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(
            ["make", "-s", "-C", str(BOTS / "cpp"), f"BUILD={build}", "CXXFLAGS=-O1 -Wall -Wextra -Werror"],
            check=True,
        )
    return build / "planning_random"


@pytest.fixture(params=["python", "fair-share", "count", "greedy", "pimc", "cpp", "search", "js"])
def bot(request: pytest.FixtureRequest) -> list[str]:
    """The command of every shipped bot in turn; pimc and search with little work, the same however slow the
    machine is."""
    name = request.param
    if name == "cpp":
        return [str(request.getfixturevalue("cpp_bot"))]
    if name == "search":
        return [str(request.getfixturevalue("cpp_bot").parent / "planning_search"), "--budget-ms", "100"]
    if name == "js":
        if not shutil.which("node"):
            pytest.skip("no node: the JavaScript bot cannot run")
        return ["node", str(BOTS / "js" / "planning_random.js")]
    return {
        "python": [sys.executable, "-S", str(BOTS / "python" / "planning_random.py")],
        "fair-share": [sys.executable, "-S", str(BOTS / "python" / "planning_fair_share.py")],
        "count": [sys.executable, "-S", str(BOTS / "python" / "planning_count.py")],
        "greedy": [sys.executable, "-S", str(BOTS / "python" / "planning_greedy.py"), "--worlds", "10"],
        "pimc": [
            sys.executable,
            "-S",
            str(BOTS / "python" / "planning_pimc.py"),
            "--worlds",
            "2",
            "--no-clock",
        ],
    }[name]
