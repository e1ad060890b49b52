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
        """`look` returns the source at a real path, as `file_contents.look_at`, CopyTooLarge without room for
        it. The common part fits into `budget` bytes, a player's own part into `share`.
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

    def take_own(self, needed: Iterable[str], mentioned: Iterable[str], scans: Iterable[str]) -> None:
        """Add what a player needs to start, then what its files mention, and the libraries of programs in
        its folders. The latter are left out when its share is used up: read in place, they could be a
        covert channel.
        """
        self._left = self._share
        for path in needed:
            self.take(path)
        self._mentioned = True
        for path in mentioned:
            self.take(path)
        looks = Looks(MOST_LOOKS)
        for folder in scans:
            for library in libraries_of(programs_in(folder, looks), looks):
                self.take(library)

    def take(self, path: str, follow: bool = True) -> None:
        """Add a file with its libraries, or a folder; ignored if missing.

        `follow`: targets of links in a folder are added, too.
        """
        with suppress(OSError):
            real = self.reach(path)
            if not real.startswith(THE_KERNELS) and not self._has(real):
                self._take_real(real, follow)

    def reach(self, path: str) -> str:
        """Add the folders and links on the way to a path; return its real path."""
        real = ""
        for real, target in steps(path):
            if target or os.path.isdir(real):
                self.ways.setdefault(real, target)
        return real

    def left_out(self) -> list[str]:
        """Return the mentioned paths for which there was no room."""
        return [path for path in self._left_out if not self._has(path)]

    def tops(self) -> dict[str, Source]:
        """Return the sources that are not within another one."""
        return {path: one for path, one in self.sources.items() if self._above(path) is None}

    def _has(self, real: str) -> bool:
        return real in self.sources or real in self.in_place or self._above(real) is not None

    def _above(self, real: str) -> str | None:
        above = real
        while above := above.rpartition("/")[0]:
            if above in self.sources and real in self.sources[above].entries:
                return above
        return None

    def _take_real(self, real: str, follow: bool) -> None:
        """Add a whole file or folder, or leave it out. OSError if it is missing."""
        os.lstat(real)
        try:
            source = self._look(real, self._left)
        except (CopyTooLarge, OSError) as why:
            if self._mentioned and (isinstance(why, BeyondShare) or not isinstance(why, CopyTooLarge)):
                self._left_out[real] = None
                return
            self.in_place.append(real)
            if os.path.isfile(real):
                for library in libraries_of([real], Looks(MOST_LOOKS)):
                    self.take(library)
            return
        self._left -= source.size
        self.sources[real] = source
        for path in source.outside if follow else ():
            self.take(path)
        for unit in source.units:
            if not self._has(unit):
                with suppress(OSError):
                    self._take_real(unit, follow)
        for library in source.libraries:
            self.take(library)
