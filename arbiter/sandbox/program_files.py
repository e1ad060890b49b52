"""The program and files of a player's command: digests, and why they cannot start."""

from __future__ import annotations

import os
import re
import shutil
from hashlib import file_digest
from typing import TYPE_CHECKING

from arbiter.sandbox.forkserver.ways import opened_file

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""The PATH of bots and builds, independent of the user's."""
NO_PROGRAM = "there is no program"
LONGEST_LINE = 256
"""Bytes of a script's first line that the kernel reads."""
NAME_TARGET = "name that program in command or in languages"
ONE_FILE = b"MEI\x0c\x0b\x0a\x0b\x0e"
"""A mark at the end of PyInstaller's programs."""
SELF_UNPACKING = b"PEX-INFO", b"_bootstrap/environment.py"
"""Names in the directory at the end of archives that pex and shiv make."""
LONGEST_END = 1 << 20
_BY_PRODUCT = re.compile(r"nohup\.out|.*\.log(\.\d+)?")
_SPLITTING = re.compile(r"-\w*S|--s")
"""The option of ``env`` that splits its one argument."""
WRITE = "write #!/usr/bin/env python3 or #!/bin/sh there, or name the interpreter in command"

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from arbiter.match.spec import Player


def is_by_product(path: str) -> bool:
    """True if the name is of a file that runs write: a log, or ``nohup.out``."""
    return _BY_PRODUCT.fullmatch(os.path.basename(path)) is not None  # noqa: PTH119


def digest_of_file(path: str | Path) -> str:
    """Return the SHA-256 of a file in hex; OSError if it cannot be read."""
    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def program_problem(program: str, folder: str, path: str | None = None) -> str:
    """Return why a command's first word is no program in `folder` or `path` (default: PATH), or ""."""
    file = os.path.join(folder, program)  # noqa: PTH118
    if "/" in program or os.path.isfile(file):
        if not os.path.isfile(file):
            return f"{NO_PROGRAM} {program}"
        if not os.access(file, os.X_OK):
            return f"{program} is not executable (chmod +x, or name its interpreter first)"
    elif shutil.which(program, path=path) is None:
        return f"{NO_PROGRAM} {program} in PATH"
    return ""


def first_words(text: bytes) -> list[str]:
    """Return all blank-separated words after ``#!`` in the part of a first line that the kernel reads.

    The kernel itself passes all words after the first to the interpreter as one argument.
    """
    line = text[:LONGEST_LINE].partition(b"\n")[0].partition(b"\0")[0]
    words = line[2:].replace(b"\t", b" ").split(b" ") if line.startswith(b"#!") else []
    return [os.fsdecode(word) for word in words if word]


def script_problem(program: str, folder: str, path: str | None = None) -> str:
    """Return why the first line of a script starts no interpreter, or "".

    `path` as in `program_problem`, for ``/usr/bin/env``.
    """
    file = os.path.join(folder, program)  # noqa: PTH118
    try:
        with open(file, "rb") as opened:
            text = opened.read(LONGEST_LINE)
    except OSError:
        return ""
    if not text.startswith(b"#!"):
        plain = text.strip() and b"\0" not in text and text.isascii()
        return f"the first line of {program} names no interpreter ({WRITE})" if plain else ""
    line = text.partition(b"\n")[0]
    if line.endswith(b"\r"):
        return f"the first line of {program} ends with a carriage return (save it with LF line endings)"
    named = first_words(text)
    shown = [word.encode(errors="backslashreplace").decode() for word in named]
    if named and os.path.isabs(named[0]) and not os.path.isfile(named[0]):
        return f"the first line of {program} names {shown[0]}, which does not exist"
    by_env = len(named) > 1 and os.path.basename(named[0]) == "env"  # noqa: PTH119
    if by_env and named[2:] and not _SPLITTING.match(named[1]):
        words = " ".join(shown[1:])
        return f"the first line of {program} passes '{words}' as one argument (write {shown[0]} -S {words})"
    if by_env and "=" not in named[1] and named[1][0] != "-" and shutil.which(named[1], path=path) is None:
        return f"the first line of {program} names {shown[1]}, which is not in PATH"
    return ""


def link_problem(program: str, folder: str) -> str:
    """Return that the first line of a script names a link in its folder to a program elsewhere, or "".

    Only for confined bots: their program is then missing. Of other links an author learns nothing.
    """
    try:
        with open(os.path.join(folder, program), "rb") as opened:  # noqa: PTH118
            named = first_words(opened.read(LONGEST_LINE))[:1]
    except OSError:
        return ""
    own, target = os.path.realpath(folder), os.path.realpath(named[0]) if named else ""
    if not target or not os.path.isfile(target) or target.startswith(f"{own}/"):
        return ""
    if not os.path.abspath(named[0]).startswith((f"{folder}/", f"{own}/")):  # noqa: PTH100
        return ""
    return (
        f"the first line of {program} names {named[0]}, a link to {target}, which the bot may not read "
        f"({NAME_TARGET})"
    )


def bundle_problem(command: Sequence[str], folder: str) -> str:
    """Return why a bundle of Python that the command names cannot start confined, with the mend, or ""."""
    for word in command:
        path = os.path.join(folder, word)  # noqa: PTH118
        if os.path.isfile(os.path.join(path, "__main__.py")):  # noqa: PTH118
            return f"{word} is a folder, whose files are not opened: name {word}/__main__.py"
        end = _end_of_file(path)
        if ONE_FILE in end and not os.path.isdir(os.path.join(os.path.dirname(path), "_internal")):  # noqa: PTH118, PTH120
            mend = "build it as one folder (pyinstaller --onedir)"
            return f"{word} unpacks itself where nothing can be run: {mend}"
        if any(mark in end for mark in SELF_UNPACKING):
            mend = "unpack it before, or use a virtual environment"
            return f"{word} unpacks itself into its home, which is read-only: {mend}"
    return ""


def _end_of_file(path: str) -> bytes:
    """Return at most `LONGEST_END` last bytes of a file; empty if it cannot be read."""
    try:
        with opened_file(path) as file:
            return os.pread(file, LONGEST_END, max(0, os.fstat(file).st_size - LONGEST_END))
    except (OSError, ValueError):
        return b""


def file_problem(word: str, folder: str) -> str:
    """Return why a word is no readable file or folder in `folder`, or ""."""
    path = os.path.join(folder, word)  # noqa: PTH118
    if not os.path.exists(path):  # noqa: PTH110 -- the name may be none at all
        return f"there is no file {word}"
    return "" if os.access(path, os.R_OK) else f"the file {word} cannot be read"


def first_problem(player: Player) -> str:
    """Return the first problem that keeps a player from starting, or ""."""
    program = player.command[0]
    if problem := program_problem(program, player.folder, player.env.get("PATH")):
        return problem
    for path in (*player.files, *player.read):
        if path != program and (problem := file_problem(path, player.folder)):
            return problem
    return "" if os.path.isdir(player.folder) else f"there is no folder {player.folder}"
