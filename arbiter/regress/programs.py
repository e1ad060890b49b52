"""What a program is made of, as a digest: so that a changed one is another, and a moved one the same."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.players import SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Iterator

LEFT_OUT = {"node_modules", "__pycache__"}
"""Folders that hold no source of one's own, beside hidden ones and virtual environments."""
MOST_FILES = 5000
"""So many are looked at; who has more lies in a folder of other things."""


def digest_of_program(word: str) -> str | None:
    """The SHA-256 of a file's contents by its whole path, None for a word that names none.

    A script counts with all files of its kind beside and below it, since it may import any of them.
    """
    try:
        file = Path(word)
        if not file.is_absolute() or not file.is_file():
            return None
        if file.suffix not in SCRIPTS:
            return sha256(file.read_bytes()).hexdigest()
        whole = sha256(file.name.encode(errors="surrogateescape"))
        for number, source in enumerate(_sources(file.parent, file.suffix)):
            if number == MOST_FILES:
                return sha256(file.read_bytes()).hexdigest()
            name = str(source.relative_to(file.parent)).encode(errors="surrogateescape")
            whole.update(b"\0%s\0%s" % (name, sha256(source.read_bytes()).digest()))
        return whole.hexdigest()
    except (OSError, ValueError):
        return None


def _sources(folder: Path, suffix: str) -> Iterator[Path]:
    """All files of a kind below a folder, in the order of their names."""
    for place, folders, files in os.walk(folder):
        kept = [name for name in folders if name[0] != "." and name not in LEFT_OUT]
        # In place, so that the walk leaves out the others.
        folders[:] = sorted(name for name in kept if not Path(place, name, "pyvenv.cfg").exists())
        for name in sorted(files):
            if name.endswith(suffix) and Path(place, name).is_file():
                yield Path(place, name)
