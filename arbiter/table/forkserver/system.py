"""A system in memory: what players' programs need of the machine's files, in one `tmpfs` that all matches
share.

Theory of operation. A file that was read once is read faster the second time, and a name that was looked
up and is not there is refused faster, by anybody: both outlast a match. In `tmpfs` every page is always
there and missing names are not remembered. So one process, the keeper, mounts one in a stage of its own
and copies there what it is asked for: programs with the libraries that they load, the folders of
interpreters. It hands out read-only clones of the mount, one for each process that starts bots; whatever
it adds is seen in all of them.

Each player has a share of the room, for what it is the first to need, so that nobody's files take another
one's. What a program needs and does not fit is mounted there from where it is, which the record tells; what
the player's own files only mention is left out, which its report tells.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from arbiter.table.forkserver.kernel import (
    MS_BIND,
    MS_NODEV,
    MS_NOSUID,
    MS_REC,
    clone_mount,
    mount,
    unmount,
)
from arbiter.table.forkserver.libraries import Looks, files_for, needs_of
from arbiter.table.forkserver.ways import steps

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACE = "/sys/bus"
"""Where it is mounted: a folder that each machine has, and that nobody here has a use for. None of /proc,
or no other /proc could be mounted in a user namespace."""
BLOCK = 4096
CHUNK = 1 << 20
UNITS = ("site-packages", "dist-packages", "node_modules")
"""Folders that may be large, and are then read where they are, although what is around them is copied."""
LARGEST_UNIT = 128 << 20
MOST_LOOKS = 30_000
"""For the libraries that one player's programs load: files, names in them and places, each time it asks."""
OF_NO_USE = {
    "python": ("test", "idlelib", "turtledemo", "ensurepip", "tkinter"),
    "jdk": ("jmods", "demo", "man", "src.zip", "include"),
}
"""By what a folder's name contains: what no bot's program needs of it."""
FOR_ALL = ("/usr/", "/etc/")
"""Where only what everybody may read is taken."""
THE_KERNELS = ("/proc", "/sys", "/dev")
"""None of these is ever taken: copies and devices are put there by themselves."""
DEEPEST = 40
"""Levels of folders."""
ENDINGS_OF_NO_USE = (".a", ".opt-1.pyc", ".opt-2.pyc")


class TooLarge(Exception):
    """What is to be copied is more than there is room for."""


class BeyondShare(TooLarge):
    """It is more than is left of the share of the player who needs it."""


class System:
    """The file system: what is in it, and how much that is."""

    def __init__(self, budget: int, share: int) -> None:
        """Mount it, empty; OSError if that cannot be. `budget`: the most bytes in it, `share`: those that one
        player may be the first to need.
        """
        options = f"size={budget + (budget >> 3) + (16 << 20)},mode=0755"
        mount("tmpfs", PLACE, "tmpfs", MS_NOSUID | MS_NODEV, options)
        os.makedirs(f"{PLACE}/proc/self")
        self.budget, self.bytes = budget, 0
        self.in_place: list[str] = []
        """Folders that are read where they are."""
        self._left_out: dict[str, dict[str, None]] = {}
        self._player = ""
        self._mentioned = False
        self._looks = Looks(MOST_LOOKS)
        self._share, self._shares = share, {"": budget}
        """By player, the bytes that are left of its share; "" for what all need."""
        self._beyond_share: set[str] = set()
        """What is read where it is since one player's share was used up; another one's may have room."""
        self._taken: set[str] = set()
        self._made: set[str] = {""}
        """Folders and links on the way to what was taken."""

    def take(self, path: str, follow: bool = True) -> None:
        """Copy a file with what it loads, or a folder; nothing where there is none.

        `follow`: what links in a folder lead to is taken, too.
        """
        with suppress(OSError):
            real = self._reach(path)
            if real.startswith(THE_KERNELS):
                return
            if real in self._taken or self._is_within(real):
                for path in [one for one in self._beyond_share if f"{one}/".startswith(f"{real}/")]:
                    self._copy_again(path, follow)
                return
            self._copy_or_not(real, follow)

    @contextmanager
    def share_of(self, player: str, mentioned: bool = False) -> Iterator[None]:
        """Take what a player needs; or what its files have only `mentioned`, which is left out when its share
        is used up: a folder of the machine's that anybody could have put there would remember for all.
        """
        self._shares.setdefault(player, self._share)
        before = self._player, self._mentioned
        self._player, self._mentioned = player, mentioned
        self._looks = Looks(MOST_LOOKS)
        try:
            yield
        finally:
            self._player, self._mentioned = before

    def left_out(self) -> dict[str, list[str]]:
        """By player, what its files mention that there was no room for in its share, nor in another one's."""
        return {
            name: [path for path in paths if path not in self._taken]
            for name, paths in self._left_out.items()
        }

    def bind(self, path: str) -> None:
        """Put a file or folder there as it is, such as a device."""
        with suppress(OSError):
            self._put_in_place(self._reach(path))

    def write(self, path: str, text: bytes) -> None:
        """Put a file there that only looks like one of the kernel's."""
        folder = os.path.dirname(path)
        os.makedirs(PLACE + folder, exist_ok=True)
        with open(PLACE + path, "wb") as file:
            file.write(text)

    def scan(self, folder: str) -> None:
        """Take the libraries that programs in a folder load, or a file, which itself is not taken."""
        for path in _loading(folder) if os.path.isdir(folder) else [folder]:
            if not self._looks.take():
                break
            self._take_libraries(path)

    def clone(self) -> int:
        """A descriptor of the whole as it is now and will be, read-only, to be mounted elsewhere."""
        return clone_mount(PLACE)

    def _reach(self, path: str) -> str:
        """Make the folders and links that lead to a path; where it really is."""
        real = ""
        for here, target in steps(path):
            real = here
            if here in self._made:
                continue
            self._made.add(here)
            with suppress(FileExistsError):
                if target:
                    os.symlink(target, PLACE + here)
                elif os.path.isdir(here):
                    os.mkdir(PLACE + here)
        return real

    def _is_within(self, real: str) -> bool:
        """True if a folder above was taken."""
        while real := real.rpartition("/")[0]:
            if real in self._taken:
                return os.path.lexists(PLACE + real)
        return False

    def _copy_or_not(self, real: str, follow: bool) -> None:
        """Copy a file with what it loads, or a folder, or do without: there is never half of it."""
        self._taken.add(real)
        kind = os.lstat(real).st_mode
        try:
            if stat.S_ISDIR(kind):
                self._copy_folder(real, follow)
            elif stat.S_ISREG(kind):
                self._copy(real, os.lstat(real))
        except (TooLarge, OSError) as why:
            if self._do_without(real, why) and stat.S_ISREG(kind):
                self._take_libraries(real)

    def _copy_again(self, path: str, follow: bool) -> None:
        """Copy what another player's share had no room for, if there is room in this one's."""
        self._beyond_share.discard(path)
        self.in_place.remove(path)
        unmount(PLACE + path)
        if not os.path.isdir(path):
            os.unlink(PLACE + path)
        with self.share_of(self._player):
            self._copy_or_not(path, follow)

    def _copy_folder(self, folder: str, follow: bool) -> None:
        """Copy a folder; TooLarge, and nothing of it is there, if there is no room."""
        units: list[str] = []
        found, size = [], 0
        for path, status in _files(folder, folders=True, units=units):
            size += _room_for(status)
            self._refuse_beyond(size)
            if size > LARGEST_UNIT and folder.endswith(UNITS):
                raise TooLarge
            found.append((path, status))
        os.makedirs(PLACE + folder, exist_ok=True)
        links = []
        for path, status in found:
            if stat.S_ISDIR(status.st_mode):
                os.makedirs(PLACE + path, exist_ok=True)
            elif stat.S_ISLNK(status.st_mode):
                with suppress(FileExistsError):
                    os.symlink(os.readlink(path), PLACE + path)
                links.append(path)
            elif stat.S_ISREG(status.st_mode):
                with suppress(PermissionError):
                    self._copy(path, status)
        for path in links:
            real = os.path.realpath(path)
            if follow and not real.startswith(f"{folder}/"):
                self.take(real)
        for unit in units:
            self._copy_or_not(unit, follow)

    def _copy(self, path: str, status: os.stat_result) -> None:
        """Copy a file, and what it loads."""
        size = _room_for(status)
        self._refuse_beyond(size)
        if path.startswith(FOR_ALL) and not status.st_mode & 0o004:
            return
        # All may read what is here, whoever they are.
        mode = 0o555 if status.st_mode & 0o111 else 0o444
        with suppress(FileExistsError):
            source = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                made = os.open(PLACE + path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
                try:
                    while os.sendfile(made, source, None, CHUNK):
                        pass
                    # Python compares a file's time with that in its compiled file.
                    os.utime(made, ns=(status.st_mtime_ns, status.st_mtime_ns))
                finally:
                    os.close(made)
            finally:
                os.close(source)
            self._count(size)
        if status.st_mode & 0o111 or ".so" in path:
            self._take_libraries(path)

    def _take_libraries(self, path: str) -> None:
        needs = needs_of(path)
        for library in files_for(needs, self._looks) if needs is not None else ():
            self.take(library)

    def _refuse_beyond(self, size: int) -> None:
        """TooLarge if there is no room for so many bytes."""
        if size > self._shares[self._player]:
            raise BeyondShare
        if size > self.budget - self.bytes:
            raise TooLarge

    def _count(self, size: int) -> None:
        self.bytes += size
        self._shares[self._player] -= size

    def _do_without(self, path: str, why: Exception) -> bool:
        """Mount what cannot be copied from where it is, and return True; what is only mentioned is left out,
        but for what others have taken all room for.
        """
        if self._mentioned and (isinstance(why, BeyondShare) or not isinstance(why, TooLarge)):
            self._taken.discard(path)
            self._left_out.setdefault(self._player, {})[path] = None
            return False
        self._put_in_place(path)
        self.in_place.append(path)
        if isinstance(why, BeyondShare):
            self._beyond_share.add(path)
        return True

    def _put_in_place(self, path: str) -> None:
        """Mount a file or folder from where it is."""
        if os.path.isdir(path):
            os.makedirs(PLACE + path, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(PLACE + path), exist_ok=True)
            os.close(os.open(PLACE + path, os.O_WRONLY | os.O_CREAT, 0o444))
        mount(path, PLACE + path, "", MS_BIND | MS_REC)


def _room_for(status: os.stat_result) -> int:
    """The bytes that a file or folder takes: whole blocks, and one for itself."""
    return BLOCK + (-(-status.st_size // BLOCK) * BLOCK if stat.S_ISREG(status.st_mode) else 0)


def _files(
    folder: str, folders: bool = False, units: list[str] | None = None, depth: int = 0
) -> Iterator[tuple[str, os.stat_result]]:
    """What is in a folder and below, but for what is of no use; `units`: folders left out are put there."""
    name = folder.rpartition("/")[2]
    useless = {one for part, names in OF_NO_USE.items() if part in name for one in names}
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return
    if depth > DEEPEST:
        raise TooLarge
    for entry in entries:
        if entry.name in useless or entry.name.endswith(ENDINGS_OF_NO_USE):
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder and units is not None and entry.name in UNITS:
            units.append(entry.path)
            continue
        if folders or not is_folder:
            yield entry.path, entry.stat(follow_symlinks=False)
        if is_folder:
            yield from _files(entry.path, folders, units, depth + 1)


def _loading(folder: str, depth: int = 0) -> Iterator[str]:
    """The files below a folder that may load libraries, by their names: programs have no ending."""
    try:
        with os.scandir(folder) as listing:
            entries = list(listing)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if depth < DEEPEST:
                yield from _loading(entry.path, depth + 1)
        elif (".so" in entry.name or "." not in entry.name) and entry.is_file(follow_symlinks=False):
            yield entry.path
