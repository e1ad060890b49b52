"""The files of the machine that one player is to see, found before anything is copied.

It follows from the machine and the player alone, not from what others have needed: each pays for all that
it needs, in any order of players.
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
"""None of these is ever taken: copies and devices are put there by themselves."""


class Plan:
    """Files and folders of the machine, how they are reached, and what there is no room for."""

    def __init__(self, look: Callable[[str, int], Source], budget: int, share: int) -> None:
        """`look` tells what is at a real path, as `file_contents.look_at` does, CopyTooLarge where there is
        no room for it. What is taken for all fits into `budget` bytes, a player's own into `share`.
        """
        self.ways: dict[str, str] = {}
        """Folders and links on the way to what is taken, each link with what it says."""
        self.sources: dict[str, Source] = {}
        """The sources of copies, by real path."""
        self.in_place: list[str] = []
        """The paths that are read where they are."""
        self._left_out: dict[str, None] = {}
        self._look = look
        self._share = share
        self._left, self._mentioned = budget, False

    def take_own(self, needed: Iterable[str], mentioned: Iterable[str], scans: Iterable[str]) -> None:
        """Take what a player needs to start, then what its files only mention, and the libraries that
        programs in its folders load: these are left out when its share is used up, since a folder of the
        machine's that anybody could have put there would remember for all.
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
        """Take a file with what it loads, or a folder; nothing where there is none.

        `follow`: what links in a folder lead to is taken, too.
        """
        with suppress(OSError):
            real = self.reach(path)
            if not real.startswith(THE_KERNELS) and not self._has(real):
                self._take_real(real, follow)

    def reach(self, path: str) -> str:
        """Note the folders and links that lead to a path; where it really is."""
        real = ""
        for real, target in steps(path):
            if target or os.path.isdir(real):
                self.ways.setdefault(real, target)
        return real

    def left_out(self) -> list[str]:
        """Return what the player's files mention that there was no room for."""
        return [path for path in self._left_out if not self._has(path)]

    def tops(self) -> dict[str, Source]:
        """The sources that are in none of the others."""
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
        """Take a file or folder, or do without: there is never half of it. OSError if it is not there."""
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
