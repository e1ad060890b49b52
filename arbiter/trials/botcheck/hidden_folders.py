"""Find the folders of the system that a bot misses, by what it opens when it sees the whole system.

The kernel reports which folders have files opened (inotify), by any process. So the found ones are tried, and
only those without which the bot does not start are kept.
"""

from __future__ import annotations

import ctypes
import os
import struct
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from arbiter.match.clock import SECOND
from arbiter.sandbox.files_needed import needs_of_bot
from arbiter.sandbox.forkserver.packages import package_paths
from arbiter.sandbox.landlock import is_in, real_program

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arbiter.trials.botcheck.whole_match import Subject

PLACES = ("/usr/lib", "/usr/share", "/usr/local/lib", "/usr/local/share", "/usr/include")
OF_NO_USE = frozenset({"/usr/share/doc", "/usr/share/man", "/usr/share/locale", "/usr/share/icons"})
IN_OPEN, IN_NONBLOCK = 0x20, os.O_NONBLOCK
EVENT = struct.Struct("iIII")
"""Of the watched folder's number, the mask, a cookie, and the length of the name that follows."""
MOST_WATCHES = 40_000
MOST_TRIED = 12
"""Each is tried by a start of the bot."""
_libc = ctypes.CDLL(None, use_errno=True)


def folders_to_read(subject: Subject) -> list[str]:
    """Start the bot several times; return folders that it needs and does not see, [] for another cause."""
    launcher = subject.launcher
    if not launcher.staged or not any(view is not None for view in launcher.views):
        return []
    launcher.shows_all = True
    try:
        with _opened_folders() as opened:
            starts = _starts(subject, ())
    finally:
        launcher.shows_all = False
    if not starts:
        return []
    player = subject.player
    asked = needs_of_bot(player, real_program(player)).asked
    programs = (*asked.common_programs, *asked.needed_programs, *asked.mentioned_programs)
    known = (*asked.common, *asked.needed, *asked.mentioned, *package_paths(programs))
    tops = dict.fromkeys(_top_folder(folder) for folder in opened if folder not in PLACES)
    found = [folder for folder in tops if not is_in(folder, known)][:MOST_TRIED]
    if not found or not _starts(subject, found):
        return []
    for folder in list(found):
        if _starts(subject, rest := [one for one in found if one != folder]):
            found = rest
    return found


def _starts(subject: Subject, read: Sequence[str]) -> bool:
    """True if a new process of the bot, which reads some folders, too, answers the first command."""
    player, limits = subject.player, subject.limits
    more = subject._replace(player=replace(player, read=(*player.read, *read)))
    command = next(iter(subject.game.greeting()))[0]
    with more.run(0) as bot:
        allowed = limits.time.budget_ns if limits.start_ns is None else limits.start_ns
        return bot.send(f"{command}\n".encode(), 1, allowed or SECOND).reply.fault is None


def _top_folder(folder: str) -> str:
    """Return the folder directly below one of `PLACES`, or below a folder of libraries for this machine."""
    parts = folder.split("/")
    length = 5 if parts[1:3] == ["usr", "local"] or parts[3].endswith("-linux-gnu") else 4
    return "/".join(parts[:length])


@contextmanager
def _opened_folders() -> Iterator[list[str]]:
    """Yield a list that has, after the block, the watched folders in which files were opened meanwhile."""
    found: list[str] = []
    watch = _libc.inotify_init1(IN_NONBLOCK | os.O_CLOEXEC)
    if watch < 0:
        yield found
        return
    try:
        folders: dict[int, str] = {}
        for place in PLACES:
            for folder, inner, _ in os.walk(place):
                inner[:] = [name for name in inner if f"{folder}/{name}" not in OF_NO_USE]
                number = _libc.inotify_add_watch(watch, os.fsencode(folder), IN_OPEN)
                if number < 0 or len(folders) == MOST_WATCHES:
                    break
                folders[number] = folder
        # Our own walk opens folders.
        _read_events(watch)
        yield found
        found += dict.fromkeys(folders[number] for number in _read_events(watch) if number in folders)
    finally:
        os.close(watch)


def _read_events(watch: int) -> list[int]:
    """Return the numbers of the watched folders of all waiting events."""
    found: list[int] = []
    while True:
        try:
            events = os.read(watch, 1 << 16)
        except BlockingIOError:
            return found
        at = 0
        while at < len(events):
            number, _, _, length = EVENT.unpack_from(events, at)
            found.append(number)
            at += EVENT.size + length
