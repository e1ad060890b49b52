"""A user for each bot of a match, so that what the kernel counts by user is counted for each bot alone.

Theory of operation. Threads, queued signals, descriptors under way and watches are counted by user. Bots that
shared one could count what others have: each would take as many as it gets. So each bot lives in a user
namespace of its own, where root also gives it a number that nobody else has. The kernel counts by number, and
threads and queued signals by namespace, too (Linux >= 5.14). Inside, every bot is `NOBODY`.

A namespace serves all matches of a worker: what is counted in it ends with its processes.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress

from arbiter.sandbox.forkserver.kernel import (
    CLONE_NEWUSER,
    NO_SETUID_FIXUP,
    PR_SET_DUMPABLE,
    PR_SET_SECUREBITS,
    join,
    prctl,
    unshare,
)

NOBODY = 65534
"""A bot's user and group as it sees them: every system has a name for them."""
FIRST, NUMBERS = 0x7000_0000, 1 << 27
"""The numbers that root takes: nobody gives them to users or to containers."""
COUNTS_BY_NAMESPACE = (5, 14)


class Users:
    """The users of a slim process's bots, made when they are first needed."""

    def __init__(self) -> None:
        self._namespaces: list[int] = []
        has_numbers = os.geteuid() == 0 and min(_known("uid"), _known("gid")) >= FIRST + NUMBERS
        self.own = "number" if has_numbers else "namespace"
        """The things that each bot has of its own."""
        self._possible = has_numbers or _version() >= COUNTS_BY_NAMESPACE

    def enough(self, bots: int) -> list[int]:
        """Descriptors of the namespaces of so many bots; none where there can be none."""
        try:
            while self._possible and len(self._namespaces) < bots:
                self._namespaces.append(_new_user(self.own == "number"))
        except OSError:
            self._possible = False
        return self._namespaces if self._possible else []


def become(namespace: int) -> None:
    """Become the user of a namespace, with all powers there and none outside."""
    if os.geteuid() == 0:
        os.setgroups([])
    join(namespace, CLONE_NEWUSER)
    prctl(PR_SET_SECUREBITS, NO_SETUID_FIXUP)
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def _new_user(numbered: bool) -> int:
    """A descriptor of a new namespace, `numbered` if its user has a number of its own outside; OSError if the
    kernel refuses one.
    """
    root = os.geteuid() == 0
    user, group = os.geteuid(), os.getegid()
    if numbered:
        user = group = FIRST + int.from_bytes(os.urandom(4), "little") % NUMBERS
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        with suppress(BaseException):
            if numbered:
                # It keeps its powers: some systems let nobody else make a namespace.
                prctl(PR_SET_SECUREBITS, NO_SETUID_FIXUP)
                os.setresgid(group, group, group)
                os.setresuid(user, user, user)
            unshare(CLONE_NEWUSER)
            # Or the files by which its users are named would be root's.
            prctl(PR_SET_DUMPABLE, 1)
            os.write(writing, b".")
            signal.pause()
        os._exit(1)
    os.close(writing)
    try:
        if not os.read(reading, 1):
            raise OSError("no user namespace")
        for kind, number in ("gid", group), ("uid", user):
            with open(f"/proc/{pid}/{kind}_map", "w") as file:
                file.write(names(number, min(_known(kind), FIRST) if root else 0))
        return os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(reading)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def names(user: int, others: int) -> str:
    """Return the names of users inside a namespace, as the kernel reads them.

    One is `NOBODY`; `others`, so many from 0 on, are called what they are.
    """
    ranges = [(NOBODY, user, 1)]
    first = 0
    for end in (*(number for number in sorted((user, NOBODY)) if number < others), others):
        if first < end:
            ranges.append((first, first, end - first))
        first = end + 1
    return "".join(f"{inside} {outside} {count}\n" for inside, outside, count in ranges)


def _known(kind: str) -> int:
    """Return how many users or groups there are from 0 on: in a container mostly 65,536."""
    known = 0
    with open(f"/proc/self/{kind}_map") as ranges:
        for first, _, count in (map(int, line.split()) for line in ranges):
            if first == known:
                known += count
    return known


def _version() -> tuple[int, ...]:
    return tuple(int("".join(filter(str.isdigit, word))) for word in os.uname().release.split(".")[:2])
