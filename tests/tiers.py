"""Tests of a tier of isolation are skipped where this machine has it not; it is asked when the first test wants it."""

from __future__ import annotations

import pytest

from arbiter.table.sandbox.isolation import probe, stage


def need(tier: str) -> None:
    """Skip the test that asks where the tier cannot be had."""
    if not (found := probe()[tier]).available:
        pytest.skip(f"no {tier}: {found.reason}")


@pytest.fixture(scope="session")
def landlock() -> None:
    need("landlock")


@pytest.fixture(scope="session")
def a_stage() -> None:
    if not (found := stage()).available:
        pytest.skip(f"no stage: {found.reason}")
