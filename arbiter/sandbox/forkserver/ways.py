"""Resolve a path step by step, and open regular files safely."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LINKS = 40
"""Links on the way to a file, as in the kernel."""


def steps(path: str) -> Iterator[tuple[str, str]]:
    """Yield each path on the way to an absolute path, the file last, with its target if it is a link, else
    "".

    Missing paths count as folders. OSError for too many links.
    """
    done, links = "", 0
    rest = path.split("/")
    while rest:
        name = rest.pop(0)
        if name == "..":
            done = done.rpartition("/")[0]
        if name in ("", ".", ".."):
            continue
        here = f"{done}/{name}"
        try:
            target = os.readlink(here)
        except OSError:
            target, done = "", here
        yield here, target
        if target:
            links += 1
            if links > MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            done = "" if target.startswith("/") else done
            rest = [*target.split("/"), *rest]


@contextmanager
def opened_file(path: str) -> Iterator[int]:
    """Open a regular file, closed at the end; OSError for anything else, which is never opened.

    An author's path may be a pipe without a writer, or a device on which opening has an effect.
    """
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(place).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        file = os.open(f"/proc/self/fd/{place}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(place)
    try:
        yield file
    finally:
        os.close(file)
