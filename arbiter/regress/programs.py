"""Digests of what a program is made of: a changed program has another, a moved one the same."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.players import SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.match import Player

LEFT_OUT = {"node_modules", "__pycache__"}
"""Folders that hold no source of one's own, beside hidden ones and virtual environments."""
MOST_FILES = 5000
"""Scripts that are looked at; a folder with more holds other things too."""


def digests_of_program(player: Player) -> dict[str, str]:
    """SHA-256 by the word of the command that names a file; of a script's folder under ``""``.

    A script, and a command that names no file, count with all scripts in the folder where they start and
    below it, since they may import or call any of them.
    """
    found, scripts = {}, 0
    for word in player.command:
        try:
            file = Path(word)
            if file.is_absolute() and file.is_file():
                content = file.read_bytes()
                found[word] = sha256(content).hexdigest()
                scripts += file.suffix in SCRIPTS or content.startswith(b"#!")
        except (OSError, ValueError):
            continue
    if scripts or not found:
        found[""] = _digest_of_scripts(Path(player.folder))
    return found


def _digest_of_scripts(folder: Path) -> str:
    whole = sha256()
    for number, source in enumerate(_scripts(folder)):
        if number == MOST_FILES:
            break
        name = str(source.relative_to(folder)).encode(errors="surrogateescape")
        try:
            whole.update(b"\0%s\0%s" % (name, sha256(source.read_bytes()).digest()))
        except OSError:
            continue
    return whole.hexdigest()


def _scripts(folder: Path) -> Iterator[Path]:
    """All scripts below a folder, in the order of their names."""
    for place, folders, files in os.walk(folder):
        kept = [name for name in folders if name[0] != "." and name not in LEFT_OUT]
        # In place, so that the walk leaves out the others.
        folders[:] = sorted(name for name in kept if not Path(place, name, "pyvenv.cfg").exists())
        for name in sorted(files):
            if Path(name).suffix in SCRIPTS and Path(place, name).is_file():
                yield Path(place, name)
