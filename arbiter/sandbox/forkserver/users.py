"""A separate user for each bot of a match, so that the kernel's limits by user apply to each bot alone.

Theory of operation. The kernel counts threads, queued signals, descriptors in flight and watches by user.
Bots of one user could infer others' counts from the rest of the limit. So each bot has a separate user
namespace, and, if this process is root, also a unique user id. The kernel counts by id, and threads and
queued signals also by namespace (Linux >= 5.14). Inside, every bot is `NOBODY`.

A namespace serves all matches of a worker: its counts end with its processes.
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
"""A bot's user and group as it sees them: every system names them."""
FIRST, NUMBERS = 0x7000_0000, 1 << 27
"""The user ids that root assigns: neither users nor containers have them."""
COUNTS_BY_NAMESPACE = (5, 14)


class Users:
    """The user namespaces of a forkserver's bots, created when first needed."""

    def __init__(self) -> None:
        self._namespaces: list[int] = []
        has_numbers = os.geteuid() == 0 and min(_mapped_ids("uid"), _mapped_ids("gid")) >= FIRST + NUMBERS
        self.own = "number" if has_numbers else "namespace"
        """What separates the bots' users: a unique "number", or only a "namespace"."""
        self._possible = has_numbers or _linux_version() >= COUNTS_BY_NAMESPACE

    def namespaces_for(self, bots: int) -> list[int]:
        """Return descriptors of this many user namespaces, created if needed; empty if impossible."""
        try:
            while self._possible and len(self._namespaces) < bots:
                self._namespaces.append(_new_user(self.own == "number"))
        except OSError:
            self._possible = False
        return self._namespaces if self._possible else []


def become_user(namespace: int) -> None:
    """Become the user of a namespace, with all capabilities there and none outside."""
    if os.geteuid() == 0:
        os.setgroups([])
    join(namespace, CLONE_NEWUSER)
    prctl(PR_SET_SECUREBITS, NO_SETUID_FIXUP)
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def _new_user(numbered: bool) -> int:
    """Return a descriptor of a new user namespace; with `numbered`, its user has a unique id outside. OSError
    if the kernel refuses.
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
                # Keep capabilities: some systems require them to create a namespace.
                prctl(PR_SET_SECUREBITS, NO_SETUID_FIXUP)
                os.setresgid(group, group, group)
                os.setresuid(user, user, user)
            unshare(CLONE_NEWUSER)
            # Otherwise root would own the files uid_map and gid_map.
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
                file.write(user_map(number, min(_mapped_ids(kind), FIRST) if root else 0))
        return os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(reading)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def user_map(user: int, others: int) -> str:
    """Return the user map of a namespace in the kernel's format.

    `user` becomes `NOBODY`; the first `others` ids keep their number.
    """
    ranges = [(NOBODY, user, 1)]
    first = 0
    for end in (*(number for number in sorted((user, NOBODY)) if number < others), others):
        if first < end:
            ranges.append((first, first, end - first))
        first = end + 1
    return "".join(f"{inside} {outside} {count}\n" for inside, outside, count in ranges)


def _mapped_ids(kind: str) -> int:
    """Return the number of user or group ids from 0 on: in a container mostly 65,536."""
    known = 0
    with open(f"/proc/self/{kind}_map") as ranges:
        for first, _, count in (map(int, line.split()) for line in ranges):
            if first == known:
                known += count
    return known


def _linux_version() -> tuple[int, ...]:
    return tuple(int("".join(filter(str.isdigit, word))) for word in os.uname().release.split(".")[:2])
