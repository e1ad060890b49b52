"""A system in memory: the machine's files that players' programs need, in `tmpfs` that all matches share.

Theory of operation. A file is read faster the second time, and a missing name is refused faster, by any
process: both caches outlast a match. In `tmpfs` every page is in memory, and missing names are not cached.
So one process, the keeper, copies there, on a separate stage, what it is asked for: programs with the
libraries that they load, the folders of interpreters. Forkservers mount read-only clones.

Each player sees a view with what it needs, which reveals nothing about others. A view is a separate
`tmpfs`. Large copies are in other `tmpfs` and mounted: so their inode numbers do not reveal what was copied
before, nor does their device, which is random. Players with the same needs share a view.

The kernel records when a copy was last changed, a time that cannot be set. A bot could infer from it when the
season began. So the copies in its view are touched when it starts, and regularly while it runs.

Each player has a share of the memory. What a program needs and does not fit is mounted from the machine,
which the record states; what the player's files only mention is left out, which its report states.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.sandbox.forkserver.file_contents import BeyondShare, CopyTooLarge, Source, copy, inspect_source
from arbiter.sandbox.forkserver.kernel import (
    MS_BIND,
    MS_NODEV,
    MS_NOSUID,
    MS_REC,
    clone_mount,
    mount,
    unmount,
)
from arbiter.sandbox.forkserver.packages import package_paths
from arbiter.sandbox.forkserver.view_plan import Plan

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

PLACE = "/sys/bus"
"""Where it is mounted: a folder that every machine has, and that is not used here. Not in /proc, or a user
namespace could not mount another /proc.
"""
LARGE = 1 << 20
"""Bytes above which a copy is shared by all views."""
ROOMS = 64
"""Number of file systems of which one is drawn at random."""


class Base(NamedTuple):
    """The common part of all views: settings in /etc, content of kernel files, devices."""

    settings: Sequence[str] = ()
    texts: Mapping[str, bytes] = {}
    devices: Sequence[str] = ()


class MountedView(NamedTuple):
    """A view: its number, where it is mounted, its bytes, the paths read in place, its file systems."""

    number: int
    place: str
    bytes: int
    in_place: Sequence[str]
    rooms: Collection[str]


class System:
    """All views, and the copies that they share."""

    def __init__(self, budget: int, share: int) -> None:
        """`budget`: bytes in all, `share`: of one player beyond the common part. OSError if mounts fail."""
        self.base = Base()
        self.budget, self.bytes = budget, 0
        self._share, self._planned = share, 0
        self._sources: dict[str, Source] = {}
        self._shared: dict[str, str] = {}
        """By path, the place of a large copy."""
        self._views: dict[Hashable, MountedView] = {}
        """By content."""
        self._answers: dict[Hashable, tuple[Hashable, list[str]]] = {}
        """By request, the view's content and the paths left out."""
        self._of_player: dict[str, Hashable] = {}
        """By player, the content of its last view."""
        self._copies: dict[str, list[str]] = {}
        """By file system, its files, folders and links."""
        self._renewed: dict[str, float] = {}
        """By file system, when they were last touched."""
        self._rooms: list[str] = []
        self._rooms_made = 0
        mount("tmpfs", PLACE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755")
        self._mount_empty_folders()

    def view(self, asked: Mapping[str, Any]) -> tuple[MountedView, list[str]]:
        """Return a player's view, made if new, and the mentioned paths for which there was no room.

        `asked` has the fields of `files_needed.KeeperRequest`, and `marks`, which change with the files.
        """
        question = tuple((name, tuple(value)) for name, value in asked.items())
        if question not in self._answers:
            plan, self._planned = Plan(self._source_at, self.budget, self._share), 0
            for path in self.base.settings:
                plan.add(path, follow=False)
            common, needed, mentioned = (
                (*asked[kind], *package_paths(tuple(asked[f"{kind}_programs"])))
                for kind in ("common", "needed", "mentioned")
            )
            for path in common:
                plan.add(path)
            plan.add_own(needed, mentioned, asked["scans"])
            content: Hashable = tuple(plan.ways.items()), tuple(plan.outermost()), tuple(plan.in_place)
            if content not in self._views:
                self._views[content] = self._make_view(plan)
            self._answers[question] = content, plan.left_out()
            self._store_view_of(asked["player"], content)
        content, left_out = self._answers[question]
        return self._views[content], left_out

    def clone(self, view: MountedView) -> int:
        """Return a descriptor of a read-only view, for another process to mount."""
        return clone_mount(view.place)

    def renew(self, views: Collection[int], after: float = 0.0) -> None:
        """Set the change times of all copies in views to now, except those set less than `after` s ago."""
        now = time.monotonic()
        for room in {room for view in self._views.values() if view.number in views for room in view.rooms}:
            if now - self._renewed.get(room, -inf) < after:
                continue
            self._renewed[room] = now
            for path in self._copies[room]:
                with suppress(OSError):
                    os.lchown(path, -1, -1)

    def _store_view_of(self, player: str, content: Hashable) -> None:
        """Record a player's current view; drop its last one if no other player has it."""
        before, self._of_player[player] = self._of_player.get(player), content
        if before is None or before in self._of_player.values():
            return
        view = self._views.pop(before)
        unmount(view.place)
        os.rmdir(view.place)
        del self._copies[view.place]
        self._renewed.pop(view.place, None)
        self.bytes -= view.bytes
        self._answers = {asked: said for asked, said in self._answers.items() if said[0] != before}

    def _source_at(self, path: str, most: int) -> Source:
        """Return the source at a path, as `inspect_source`; CopyTooLarge also without room in the budget."""
        if path not in self._sources:
            self._sources[path] = inspect_source(path, most)
        source = self._sources[path]
        if source.size > most:
            raise BeyondShare
        if path not in self._shared:
            if self._planned + source.size > self.budget - self.bytes:
                raise CopyTooLarge
            self._planned += source.size
        return source

    def _make_view(self, plan: Plan) -> MountedView:
        """Make and mount the view of a plan; a source that cannot be copied is read in place."""
        place, size = self._take_empty_folder(), 0
        rooms = {place}
        tops, in_place = plan.outermost(), [*plan.in_place]
        mounts = {path: path for path in (*self.base.devices, *in_place)}
        for path, target in plan.ways.items():
            _make_entry(place + path, target)
        large = [path for path, one in tops.items() if one.size > LARGE]
        large = [path for path in large if not _has_gaps(path, tops[path], (*tops, *in_place))]
        for path, source in tops.items():
            try:
                if path in large or _is_in(path, large):
                    mounts[path] = self._share_copy(path, source)
                    rooms.add(os.path.dirname(mounts[path]))
                else:
                    copy(source, place + path)
                    size += source.size
            except OSError:
                mounts[path] = path
                in_place.append(path)
        for path, text in self.base.texts.items():
            _write(place + path, text)
        os.makedirs(f"{place}/proc/self")
        for path in mounts:
            if not _is_in(path, large):
                _make_entry(place + path, "") if os.path.isdir(path) else _write(place + path, b"")
        self._copies[place] = [path for path in _hide_times(place) if path[len(place) :] not in mounts]
        for path in sorted(mounts):
            with suppress(OSError):
                mount(mounts[path], place + path, "", MS_BIND | MS_REC)
        self.bytes += size
        return MountedView(int.from_bytes(os.urandom(6), "little"), place, size, in_place, rooms)

    def _share_copy(self, path: str, source: Source) -> str:
        """Return the path of a large copy, made if new."""
        if path not in self._shared:
            room = self._take_empty_folder()
            place = f"{room}/it"
            copy(source, place)
            self._copies[room] = _hide_times(place)
            self._shared[path] = place
            self.bytes += source.size
        return self._shared[path]

    def _take_empty_folder(self) -> str:
        """Take the folder of an unused file system, drawn at random; mount more if all are used."""
        if not self._rooms:
            self._mount_empty_folders()
        # The kernel numbers devices in turn.
        return self._rooms.pop(int.from_bytes(os.urandom(4), "little") % len(self._rooms))

    def _mount_empty_folders(self) -> None:
        options = f"size={self.budget + (self.budget >> 3) + (16 << 20)},mode=0755"
        for _ in range(ROOMS):
            room = f"{PLACE}/{self._rooms_made}"
            self._rooms_made += 1
            os.mkdir(room)
            mount("tmpfs", room, "tmpfs", MS_NOSUID | MS_NODEV, options)
            self._rooms.append(room)


def _has_gaps(folder: str, source: Source, others: Iterable[str]) -> bool:
    """True if a path of `others` is in a folder, but not in its copy."""
    known = source.entries.keys() | {*source.units}
    return any(path.startswith(f"{folder}/") and path not in known for path in others)


def _is_in(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)


def _make_entry(path: str, target: str) -> None:
    """Create a folder, or a link to `target` if given, unless it exists."""
    if target:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with suppress(FileExistsError):
            os.symlink(target, path)
    else:
        os.makedirs(path, exist_ok=True)


def _write(path: str, text: bytes) -> None:
    """Write a file with a time of 0."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text)
    os.chmod(path, 0o444)
    os.utime(path, (0, 0))


def _hide_times(place: str) -> list[str]:
    """Set the times of folders and links to 0, touch all entries, and return them, `place` first."""
    found = [place]
    for folder, folders, files in os.walk(place):
        os.utime(folder, (0, 0))
        for name in (*folders, *files):
            found.append(path := f"{folder}/{name}")
            if os.path.islink(path):
                os.utime(path, (0, 0), follow_symlinks=False)
    for path in found:
        os.lchown(path, -1, -1)
    return found
