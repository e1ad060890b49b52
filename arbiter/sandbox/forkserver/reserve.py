"""Memory that this process takes before it starts bots, and never gives back.

A program is told the most memory of the process that it was forked from (`getrusage`). If that grew by
what an earlier match's bots made this process keep, such as the waits of many threads, a bot could tell it in
the next match. So this process has as much from its start on as any match needs.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress

from arbiter.sandbox.forkserver.kernel import populate

SMALL_BYTES, LARGE_BYTES = 5 << 18, 1 << 18
"""For Python's own objects, and for the C library's blocks: more than `waits` of four bots take."""
OBJECT, BLOCK = 400, 64 << 10
"""Bytes of an object that Python's allocator places, and of a block that it leaves to the C library."""
APART = 256 << 10
"""Bytes from one object that is kept to the next: nothing around it is given back."""
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, NEVER = -1, -3, -1
_kept: list[bytes] = []


def take_reserve() -> None:
    """Take it."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(M_MMAP_THRESHOLD, 2 * BLOCK)
        libc.mallopt(M_TRIM_THRESHOLD, NEVER)
    objects = [bytes(OBJECT) for _ in range(SMALL_BYTES // OBJECT)]
    blocks = [bytes(BLOCK) for _ in range(LARGE_BYTES // BLOCK)]
    _kept.extend(objects[:: APART // OBJECT])
    del objects, blocks
    with open("/proc/self/maps") as maps:
        places = [line.split()[:2] for line in maps]
    for place, access in places:
        if access == "rw-p":
            start, end = (int(word, 16) for word in place.split("-"))
            with suppress(OSError):  # Linux < 5.14
                populate(start, end - start)
