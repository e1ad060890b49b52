"""Whether what a player's command names is there: its program and its files."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arbiter.match import Player


def program_problem(program: str, folder: str, path: str | None = None) -> str:
    """Why a command's first word is no program in `folder` or on `path`, by default our PATH; "" if it is."""
    file = os.path.join(folder, program)  # noqa: PTH118
    if "/" in program or os.path.isfile(file):
        if not os.path.isfile(file):
            return f"there is no program {program}"
        if not os.access(file, os.X_OK):
            return f"{program} is not executable (chmod +x, or name its interpreter first)"
    elif shutil.which(program, path=path) is None:
        return f"there is no program {program} in PATH"
    return ""


def file_problem(word: str, folder: str) -> str:
    """Why a word is no file or folder in `folder` that can be read; "" if it is."""
    path = os.path.join(folder, word)  # noqa: PTH118
    if not os.path.exists(path):  # noqa: PTH110 -- the name may be none at all
        return f"there is no file {word}"
    return "" if os.access(path, os.R_OK) else f"the file {word} cannot be read"


def lack(player: Player) -> str:
    """The first thing that a player needs to start and that is not there now; "" if all is there."""
    program = player.command[0]
    if problem := program_problem(program, player.folder, player.env.get("PATH")):
        return problem
    for path in (*player.files, *player.read):
        if path != program and (problem := file_problem(path, player.folder)):
            return problem
    return "" if os.path.isdir(player.folder) else f"there is no folder {player.folder}"
