"""Turns of phrase that a reader has to translate: counted wherever readers meet them, and only ever fewer."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
READ = (
    "arbiter/**/*.py", "rating/**/*.py", "arbiter/web/templates/*", "arbiter/web/static/*.js",
    "docs/**/*.md", "bots/**/*.md", "*.md",
)  # fmt: skip
TURNS = re.compile(
    r"\b(tells|says|hears|nobody|somebody|whoever|whatever|(one|those) that|that there (is|are)|(is|are) none"
    r"|(lies|stands) (in|at|for|on|under|beside|there|as)|so many|of its own|(is|are|was|were) to be|goes on|anew"
    r"|what of|by lot)\b"
)
MOST = 125
"""Lines that have one. Where a change makes them fewer, lower it."""


def test_turns_of_phrase_that_have_to_be_translated_become_fewer() -> None:
    files = {file for pattern in READ for file in ROOT.glob(pattern) if file.is_file()}
    found = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in sorted(files)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if TURNS.search(line)
    ]
    assert len(found) <= MOST, "\n".join(found)
