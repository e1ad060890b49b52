"""Builds sources and copies the products that the command names: only regular files of limited size."""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack
from functools import partial
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING

from arbiter.contest.submissions.archive import MOST_GROWTH, write_new
from arbiter.contest.submissions.build_recipe import named_files
from arbiter.contest.submissions.inspection_steps import BUILD_SECONDS, Refused
from arbiter.sandbox.build import Bounds, built, problem, tool
from arbiter.sandbox.program_files import NO_PROGRAM

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.contest.submissions.build_recipe import Recipe
    from arbiter.sandbox.launcher import Launcher
    from arbiter.season.config.keys import Submissions
    from arbiter.season.config.programs import Languages

ROOM_BYTES = 256 << 20
"""The bytes that a build may write, in addition to a copy of the sources."""
CHUNK = 1 << 20
FOLLOW_NONE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
NO_BUILD = (
    "send a program that needs no build, such as bot.py, or the built one with a bot.yaml that starts it"
)
LOOK = "read its output, and run the same command at home"


def build(
    recipe: Recipe,
    source: Path,
    terms: Submissions,
    launcher: Launcher,
    languages: Languages = MappingProxyType({}),
) -> str:
    """Run a recipe's build, copy what the command names beside the sources, and return the build's output.

    Refused if the build fails, VoidMatch if the machine does.
    """
    words = " ".join(recipe.build)
    if not terms.builds:
        raise Refused(f"it needs a build ({words}), and this season allows none", NO_BUILD)
    if why := problem():
        raise Refused(f"this machine cannot build: {why}", NO_BUILD)
    first = recipe.build[0]
    own = "/" in first or (source / first).is_file()
    spoken = {word: (tool(one.program), *one.read) for word, one in languages.items()}
    program = f"./{first}" if own else spoken[first][0] if first in spoken else tool(first)
    if not program:
        raise Refused(f"{NO_PROGRAM} {first} where bots are built", NO_BUILD, missing=first)
    most = MOST_GROWTH * terms.max_bytes
    sent = sum(path.stat().st_size for path in source.rglob("*") if path.is_file())
    bounds = Bounds(sent + ROOM_BYTES, BUILD_SECONDS)
    there = [one for one in spoken.values() if one[0]]
    with built(launcher, source, (program, *recipe.build[1:]), bounds, there) as done:
        output = done.output.decode(errors="replace")
        if done.why:
            raise Refused(f"{words}: {done.why}", "make the build smaller", output)
        if done.exit:
            how = f"exited with status {done.exit}" if done.exit > 0 else f"ended by signal {-done.exit}"
            raise Refused(f"{words}: it {how}", LOOK, output)
        for word in named_files(recipe):
            most -= _copy_product(done.folder, word, source, most, output)
    return output


def _copy_product(folder: int, word: str, source: Path, room: int, output: str) -> int:
    """Copy the file that a word names in the open `folder` to `source`; return its bytes, 0 without a file.

    Refused if it has more than `room` bytes or is neither a file nor a folder; `output` is the build's.
    """
    parts = PurePosixPath(word).parts
    with ExitStack() as opened:
        try:
            at = folder
            for part in parts[:-1]:
                at = os.open(part, FOLLOW_NONE | os.O_DIRECTORY, dir_fd=at)
                opened.callback(os.close, at)
            found = os.stat(parts[-1], dir_fd=at, follow_symlinks=False)
        except (OSError, ValueError, IndexError):
            # Missing, or behind a link: the command is checked after the build.
            return 0
        if stat.S_ISDIR(found.st_mode):
            return 0
        if not stat.S_ISREG(found.st_mode):
            raise Refused(f"the build made {word} a link or a device", "let it write a file", output)
        if found.st_size > room:
            size = f"{found.st_size:,} bytes; the limit is {room:,}"
            raise Refused(f"the build made {word} with {size}", "make it smaller", output)
        # The build's processes are dead, so it is still the same file.
        file = os.open(parts[-1], FOLLOW_NONE, dir_fd=at)
        opened.callback(os.close, file)
        try:
            _copy(file, source.joinpath(*parts), found.st_mode)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            what = f"the build made {word}, a file in place of a folder or the reverse"
            raise Refused(what, LOOK, output) from None
    return found.st_size


def _copy(file: int, target: Path, mode: int) -> None:
    """Write an open file to `target`, in place of a source there; executable if `mode` is."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    write_new(target, iter(partial(os.read, file, CHUNK), b""), mode)
