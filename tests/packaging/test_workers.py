"""The workers of the tests: each test runs once and is reported, though the process of one dies."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

CONFTEST = """
import pytest
from tests.fixtures.left_open import Summary
from tests.fixtures.workers import Workers

def pytest_configure(config):
    config.pluginmanager.register(summary := Summary())
    config.pluginmanager.register(Workers(2, lambda nodeid: nodeid.partition("::")[0], summary.left))

@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    return (tmp_path_factory.getbasetemp() / "made").open("x")
"""
SHARES = """
def test_first(shared): print("captured")
def test_second(shared): print("captured")
"""
DIES = """
import os, socket, warnings
kept = []
def test_warns(): warnings.warn("look here")
def test_leaves(): kept.append(socket.socket())
def test_fails(): assert 1 == 2
def test_dies(): os._exit(3)
def test_after(): kept.append(socket.socket())
"""


@pytest.mark.process
def test_each_test_is_reported_once_though_a_worker_dies(tmp_path: Path) -> None:
    files = {"conftest": CONFTEST, "test_a": SHARES, "test_b": DIES, "test_c": SHARES, "test_d": SHARES}
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist"],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    out = done.stdout
    assert "2 failed, 9 passed, 1 warning in" in out, out + done.stderr
    assert "FAILED test_b.py::test_dies" in out
    assert "the process that ran this test died" in out
    assert "assert 1 == 2" in out
    assert "UserWarning: look here" in out
    assert out.count("left open at the end: <socket") == 1, "the worker that died cannot tell"
    assert "captured" not in out
    assert (done.returncode, done.stderr) == (1, "")
