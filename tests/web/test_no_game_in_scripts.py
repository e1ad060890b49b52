"""The scripts draw frames: they know no game."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbiter.games import find, names

STATIC = Path(__file__).parents[2] / "arbiter" / "web" / "static"
FILES = sorted(path for path in STATIC.rglob("*") if path.suffix in (".js", ".css"))
WORDS = sorted(
    {word.lower() for name in names() for word in (name, find(name).title, find(name).seat_word)}
    - {"starter"}
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_script_and_no_style_names_a_game(path: Path) -> None:
    text = path.read_text(encoding="utf-8").lower()
    assert [word for word in WORDS if word in text] == []
