"""Folders that are sent to workers: packed once, unpacked once per machine, named by their content.

A parcel is a tar in memory. It has the files' contents and execute bits, but no times and owners, so
that the same files have the same digest. `__pycache__`, `.git` and logs are left out. A link must stay in its
folder: on another machine it would lead elsewhere. Parcels are unpacked in a private folder of the user
(mode 0700).
"""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError, VoidMatch
from arbiter.sandbox.program_files import is_by_product
from arbiter.table.private_folder import private_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from arbiter.match.spec import Player

LARGEST = 200_000_000
"""The most bytes of one folder's files, which are held in memory on both sides."""
LEFT_OUT = {"__pycache__", ".git"}


@dataclass(frozen=True, slots=True)
class Parcel:
    """A packed folder: its paths here (absolute, and resolved), SHA-256 of the tar, the tar."""

    names: tuple[str, ...]
    digest: str
    tar: bytes


def pack(folder: Path, largest: int = LARGEST) -> Parcel:
    """Read a folder with all below it into a tar in memory.

    ConfigError if it is missing, unreadable, above `largest` bytes, or has a special file or a link out.
    """
    # Not resolved: players' commands name it as the config does.
    root = Path(os.path.abspath(folder))  # noqa: PTH100
    if not root.is_dir():
        raise ConfigError(f"ship: there is no folder {root}")
    buffer = io.BytesIO()
    try:
        files = list(_walk_sorted(root))
        size = sum(file.lstat().st_size for file in files)
        if size > largest:
            raise ConfigError(
                f"ship: {root} has {size // 1_000_000} MB; at most {largest // 1_000_000} MB are sent",
                hint="ship the bots' own folders, and copy what is large to the workers",
            )
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for file in files:
                _add_to_tar(tar, root, file)
    except OSError as error:
        raise ConfigError(f"ship: {error.filename or root} cannot be read: {error.strerror}") from None
    data = buffer.getvalue()
    return Parcel((str(root), os.path.realpath(root)), sha256(data).hexdigest(), data)


def place(digest: str) -> Path:
    """Return the folder for an unpacked parcel, there or not; creates `private_folder`, errors as there."""
    return private_folder() / f"shipped-{digest}"


def receive(digest: str, offset: int, part: bytes, last: bool) -> None:
    """Store a part of a parcel on a worker, in order; unpack it after the last, VoidMatch if damaged."""
    file = private_folder() / f"parcel-{digest}-{os.getpid()}"
    with open(file, "ab" if offset else "wb") as incoming:
        incoming.write(part)
    if last:
        data = file.read_bytes()
        file.unlink()
        if sha256(data).hexdigest() != digest:
            raise VoidMatch("a shipped folder arrived incomplete")
        unpack(data, place(digest))


def unpack(tar: bytes, target: Path) -> None:
    """Unpack a parcel's tar as the folder `target`, at once; an existing one stays."""
    fresh = Path(tempfile.mkdtemp(dir=target.parent))
    try:
        with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
            # Python before 3.11.4 has no filters; the archive comes from `pack`.
            archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
            archive.extractall(fresh)
        fresh.rename(target)
    except OSError:
        # Another worker of this machine may have been faster.
        if not target.is_dir():
            raise
    finally:
        rmtree(fresh, ignore_errors=True)


def relocate(player: Player, places: Mapping[str, str]) -> Player:
    """Return the player with its paths in the unpacked folders.

    `places`: the unpacked folders by the original ones. In a command, only whole words are paths, or lists of
    paths.
    """

    def moved(path: str) -> str:
        # The innermost of nested folders comes first.
        for folder in sorted(places, key=len, reverse=True):
            if path == folder or path.startswith(folder + "/"):
                return places[folder] + path.removeprefix(folder)
        return path

    read, files = (tuple(map(moved, paths)) for paths in (player.read, player.files))
    # A list of files, as in a class path.
    command = tuple(":".join(map(moved, word.split(":"))) for word in player.command)
    return replace(player, command=command, folder=moved(player.folder), read=read, files=files)


def _walk_sorted(folder: Path) -> Iterable[Path]:
    """Yield all files, links and folders below a folder, in a fixed order."""
    for path in sorted(folder.iterdir()):
        if path.name not in LEFT_OUT and not (is_by_product(path.name) and path.is_file()):
            yield path
            if path.is_dir() and not path.is_symlink():
                yield from _walk_sorted(path)


def _add_to_tar(tar: tarfile.TarFile, root: Path, file: Path) -> None:
    """Add a file, folder or link to a tar; ConfigError for a link out of `root`, or anything else."""
    member = tarfile.TarInfo(str(file.relative_to(root)))
    if file.is_symlink():
        target = Path(os.path.realpath(file))
        if not target.is_relative_to(os.path.realpath(root)):
            raise ConfigError(
                f"ship: {file} leads out of the folder, to {file.readlink()}",
                hint="put the file itself there, or do not ship the folder",
            )
        member.type = tarfile.SYMTYPE
        # Relative, so that it leads to the unpacked file.
        member.linkname = os.path.relpath(target, os.path.realpath(file.parent))
        tar.addfile(member)
    elif file.is_dir():
        member.type, member.mode = tarfile.DIRTYPE, 0o700
        tar.addfile(member)
    elif file.is_file():
        content = file.read_bytes()
        member.size = len(content)
        member.mode = 0o700 if file.stat().st_mode & 0o100 else 0o600
        tar.addfile(member, io.BytesIO(content))
    else:
        raise ConfigError(f"ship: {file} is not a file, folder or link")
