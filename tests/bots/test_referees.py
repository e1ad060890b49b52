"""Other referees beside ours, as far as they can be had (`make bench-peers`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench import referees


def test_what_cannot_be_had_is_skipped_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program, bot = tmp_path / "fastchess", tmp_path / "planning_random"
    monkeypatch.setenv("FASTCHESS", str(program))
    monkeypatch.setattr(referees, "INSTANT", bot)
    assert referees.figures() == {
        "fastchess": {"skipped": f"{program} is not there"},
        "ours": {"skipped": "no planning_random: it needs a C++ compiler (make bots)"},
    }
