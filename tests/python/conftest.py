"""Tests of `import arbiter`, whose functions need the extra `envs`: skipped by name without it."""

from __future__ import annotations

import pytest

PACKAGES = ("gymnasium", "pettingzoo")


def pytest_pycollect_makemodule() -> None:
    # Not when this file is imported: pytest would break off where this folder alone is to be tested.
    for package in PACKAGES:
        pytest.importorskip(package, reason=f"needs {package}: pip install 'arbiter-cards[envs]'")
