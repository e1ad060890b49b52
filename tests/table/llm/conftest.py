"""A provider for every test that asks for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fixtures.provider import KEY, FakeProvider, serving

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with serving() as made:
        yield made


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """The variable that has the key."""
    monkeypatch.setenv("FAKE_KEY", KEY)
    return "FAKE_KEY"
