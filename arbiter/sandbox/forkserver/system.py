"""A system in memory: what players' programs need of the machine's files, in `tmpfs` that all matches share.

Theory of operation. A file that was read once is read faster the second time, and a name that was looked
up and is not there is refused faster, by anybody: both outlast a match. In `tmpfs` every page is always
there and missing names are not remembered. So one process, the keeper, copies there, on a stage of its own,
what it is asked for: programs with the libraries that they load, the folders of interpreters. It hands out
read-only clones, which those who start bots mount.

Each player sees a view, in which is what it needs itself, and nothing that tells what others do. A view is a
`tmpfs` of its own. What is large is there by a mount, and lies in a `tmpfs` by itself: so its files' numbers
do not tell what was copied before it, nor does its device, which is drawn by lot. Players who need the same
share a view.

The kernel notes when a copy was last changed, and nobody can set that time. A bot could tell by it how long
ago the season began. So all copies are changed, in nothing, again and again: none was last changed long ago.

Each player has a share of the room. What a program needs and does not fit is mounted from where it is, which
the record tells; what the player's own files only mention is left out, which its report tells.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.sandbox.forkserver.file_contents import BeyondShare, CopyTooLarge, Source, copy, look_at
from arbiter.sandbox.forkserver.kernel import (
    MS_BIND,
    MS_NODEV,
    MS_NOSUID,
    MS_REC,
    clone_mount,
    mount,
    unmount,
)
from arbiter.sandbox.forkserver.view_plan import Plan

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

PLACE = "/sys/bus"
"""The place where it is mounted: a folder that each machine has, and that nobody here has a use for. None of
/proc, or no other /proc could be mounted in a user namespace.
"""
LARGE = 1 << 20
"""Bytes above which a copy is shared by all views."""
ROOMS = 64
"""File systems of which one is drawn."""


class Base(NamedTuple):
    """The part that is the same in all views: settings in /etc, texts of the kernel's files, devices."""

    settings: Sequence[str] = ()
    texts: Mapping[str, bytes] = {}
    devices: Sequence[str] = ()


class MountedView(NamedTuple):
    """The view of some players: its number, where it is mounted, its own bytes, what is read where it is."""

    number: int
    place: str
    bytes: int
    in_place: Sequence[str]


class System:
    """All views, and what they share."""

    def __init__(self, budget: int, share: int) -> None:
        """`budget`: the most bytes of all, `share`: of what one player needs beside what all do; OSError if
        there can be none.
        """
        self.base = Base()
        self.budget, self.bytes = budget, 0
        self._share, self._planned = share, 0
        self._sources: dict[str, Source] = {}
        self._shared: dict[str, str] = {}
        """By path, where the copy of what is large is."""
        self._views: dict[Hashable, MountedView] = {}
        """By what is in them."""
        self._answers: dict[Hashable, tuple[Hashable, list[str]]] = {}
        """By what was asked for: which view, and what was left out."""
        self._of_player: dict[str, Hashable] = {}
        """By player, its last view."""
        self._copies: dict[str, list[str]] = {}
        """By file system, the files, folders and links in it."""
        self._rooms: list[str] = []
        self._rooms_made = 0
        mount("tmpfs", PLACE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755")
        self._add_rooms()

    def view(self, asked: Mapping[str, Any]) -> tuple[MountedView, list[str]]:
        """The view of a player, made if it is new, and what its files mention that there was no room for.

        `asked` is what `files_needed.KeeperRequest` has, and `marks`, which change with the player's files.
        """
        question = tuple((name, tuple(value)) for name, value in asked.items())
        if question not in self._answers:
            plan, self._planned = Plan(self._look, self.budget, self._share), 0
            for path in self.base.settings:
                plan.take(path, follow=False)
            for path in asked["common"]:
                plan.take(path)
            plan.take_own(asked["needed"], asked["mentioned"], asked["scans"])
            content: Hashable = tuple(plan.ways.items()), tuple(plan.tops()), tuple(plan.in_place)
            if content not in self._views:
                self._views[content] = self._make(plan)
            self._answers[question] = content, plan.left_out()
            self._note(asked["player"], content)
        content, left_out = self._answers[question]
        return self._views[content], left_out

    def clone(self, view: MountedView) -> int:
        """A descriptor of a view, read-only, to be mounted elsewhere."""
        return clone_mount(view.place)

    def renew(self) -> None:
        """Make now the time at which each copy was last changed."""
        for paths in self._copies.values():
            for path in paths:
                with suppress(OSError):
                    os.lchown(path, -1, -1)

    def _note(self, player: str, content: Hashable) -> None:
        """Note that a player has a view now; drop the one before if nobody else has it."""
        before, self._of_player[player] = self._of_player.get(player), content
        if before is None or before in self._of_player.values():
            return
        view = self._views.pop(before)
        unmount(view.place)
        os.rmdir(view.place)
        del self._copies[view.place]
        self.bytes -= view.bytes
        self._answers = {asked: said for asked, said in self._answers.items() if said[0] != before}

    def _look(self, path: str, most: int) -> Source:
        """Return what is at a path, as `look_at`; CopyTooLarge also where there is no room for it at all."""
        if path not in self._sources:
            self._sources[path] = look_at(path, most)
        source = self._sources[path]
        if source.size > most:
            raise BeyondShare
        if path not in self._shared:
            if self._planned + source.size > self.budget - self.bytes:
                raise CopyTooLarge
            self._planned += source.size
        return source

    def _make(self, plan: Plan) -> MountedView:
        place, size = self._take_room(), 0
        tops, in_place = plan.tops(), [*plan.in_place]
        mounts = {path: path for path in (*self.base.devices, *in_place)}
        for path, target in plan.ways.items():
            _make_way(place + path, target)
        large = [path for path, one in tops.items() if one.size > LARGE]
        large = [path for path in large if not _has_gaps(path, tops[path], (*tops, *in_place))]
        for path, source in tops.items():
            try:
                if path in large or _is_in(path, large):
                    mounts[path] = self._share_copy(path, source)
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
                _make_way(place + path, "") if os.path.isdir(path) else _write(place + path, b"")
        self._copies[place] = [path for path in _hide_times(place) if path[len(place) :] not in mounts]
        for path in sorted(mounts):
            with suppress(OSError):
                mount(mounts[path], place + path, "", MS_BIND | MS_REC)
        self.bytes += size
        return MountedView(int.from_bytes(os.urandom(6), "little"), place, size, in_place)

    def _share_copy(self, path: str, source: Source) -> str:
        """Return the path of the copy of something large."""
        if path not in self._shared:
            room = self._take_room()
            place = f"{room}/it"
            copy(source, place)
            self._copies[room] = _hide_times(place)
            self._shared[path] = place
            self.bytes += source.size
        return self._shared[path]

    def _take_room(self) -> str:
        """The folder of a new file system."""
        if not self._rooms:
            self._add_rooms()
        # The kernel gives devices numbers in turn.
        return self._rooms.pop(int.from_bytes(os.urandom(4), "little") % len(self._rooms))

    def _add_rooms(self) -> None:
        options = f"size={self.budget + (self.budget >> 3) + (16 << 20)},mode=0755"
        for _ in range(ROOMS):
            room = f"{PLACE}/{self._rooms_made}"
            self._rooms_made += 1
            os.mkdir(room)
            mount("tmpfs", room, "tmpfs", MS_NOSUID | MS_NODEV, options)
            self._rooms.append(room)


def _has_gaps(folder: str, source: Source, others: Iterable[str]) -> bool:
    """True if something is to be in a folder that its copy does not have."""
    known = source.entries.keys() | {*source.units}
    return any(path.startswith(f"{folder}/") and path not in known for path in others)


def _is_in(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)


def _make_way(path: str, target: str) -> None:
    """Make a folder, or a link where there is a target, if there is none yet."""
    if target:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with suppress(FileExistsError):
            os.symlink(target, path)
    else:
        os.makedirs(path, exist_ok=True)


def _write(path: str, text: bytes) -> None:
    """Make a file of no time."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text)
    os.chmod(path, 0o444)
    os.utime(path, (0, 0))


def _hide_times(place: str) -> list[str]:
    """Take their times from folders and links, which have those at which they were made here, and change all
    in nothing; what there is, `place` first.
    """
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
