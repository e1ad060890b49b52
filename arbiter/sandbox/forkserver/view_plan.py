"""Plan which files of the machine one player sees, before anything is copied.

The plan depends only on the machine and the player, not on other players: each pays for all of its needs, in
any order of players.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from arbiter.sandbox.forkserver.file_contents import (
    MOST_LOOKS,
    BeyondShare,
    CopyTooLarge,
    Source,
    libraries_of,
    programs_in,
)
from arbiter.sandbox.forkserver.libraries import Looks
from arbiter.sandbox.forkserver.ways import steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

THE_KERNELS = ("/proc", "/sys", "/dev")
"""Never copied: their copies and devices are added separately."""


class Plan:
    """Files and folders to copy, the links on the way to them, and those without room."""

    def __init__(self, look: Callable[[str, int], Source], budget: int, share: int) -> None:
        """`look` is like `file_contents.inspect_source`, and raises CopyTooLarge also without room.

        The common part fits into `budget` bytes, a player's own part into `share`.
        """
        self.ways: dict[str, str] = {}
        """Folders and links on the way to sources, each link with its target."""
        self.sources: dict[str, Source] = {}
        """By real path."""
        self.in_place: list[str] = []
        """Paths that are read in place."""
        self._left_out: dict[str, None] = {}
        self._look = look
        self._share = share
        self._left, self._mentioned = budget, False

    def add_own(self, needed: Iterable[str], mentioned: Iterable[str], scans: Iterable[str]) -> None:
        """Add what a player needs to start, then what its files mention, and the libraries of programs in
        its folders. The latter are left out when its share is used up: read in place, they could be a
        covert channel.
        """
        self._left = self._share
        for path in needed:
            self.add(path)
        self._mentioned = True
        for path in mentioned:
            self.add(path)
        looks = Looks(MOST_LOOKS)
        for folder in scans:
            for library in libraries_of(programs_in(folder, looks), looks):
                self.add(library)

    def add(self, path: str, follow: bool = True) -> None:
        """Add a file with its libraries, or a folder; ignored if missing.

        `follow`: targets of links in a folder are added, too.
        """
        with suppress(OSError):
            real = self.add_way_to(path)
            if not real.startswith(THE_KERNELS) and not self._contains(real):
                self._add_real(real, follow)

    def add_way_to(self, path: str) -> str:
        """Add the folders and links on the way to a path; return its real path."""
        real = ""
        for real, target in steps(path):
            if not real.startswith(THE_KERNELS) and (target or os.path.isdir(real)):
                self.ways.setdefault(real, target)
        return real

    def left_out(self) -> list[str]:
        """Return the mentioned paths for which there was no room."""
        return [path for path in self._left_out if not self._contains(path)]

    def outermost(self) -> dict[str, Source]:
        """Return the sources that are not within another one."""
        return {path: one for path, one in self.sources.items() if self._parent_source(path) is None}

    def _contains(self, real: str) -> bool:
        return real in self.sources or real in self.in_place or self._parent_source(real) is not None

    def _parent_source(self, real: str) -> str | None:
        """Return the source whose folder contains a path, if any."""
        above = real
        while above := above.rpartition("/")[0]:
            if above in self.sources and real in self.sources[above].entries:
                return above
        return None

    def _add_real(self, real: str, follow: bool) -> None:
        """Add a whole file or folder, and if `follow` the targets of its links that are outside it.

        Without room it is read in place, or left out if it is only mentioned. OSError if it is missing.
        """
        os.lstat(real)
        try:
            source = self._look(real, self._left)
        except (CopyTooLarge, OSError) as why:
            if self._mentioned and (isinstance(why, BeyondShare) or not isinstance(why, CopyTooLarge)):
                self._left_out[real] = None
                return
            self.in_place.append(real)
            looks = Looks(MOST_LOOKS)
            for library in libraries_of(programs_in(real, looks), looks):
                self.add(library)
            return
        self._left -= source.size
        self.sources[real] = source
        for path in source.outside if follow else ():
            self.add(path)
        for unit in source.units:
            if not self._contains(unit):
                with suppress(OSError):
                    self._add_real(unit, follow)
        for library in source.libraries:
            self.add(library)
