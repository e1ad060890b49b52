"""Memory that this process allocates before it starts bots, and never frees.

`getrusage` reports to a program the peak memory of its parent at the fork. If that grew with an earlier
match, for example by waits of many threads, a bot could see it in the next match. So this process has from
its start as much as any match needs.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress

from arbiter.sandbox.forkserver.kernel import populate

SMALL_BYTES, LARGE_BYTES = 5 << 18, 1 << 18
"""For Python objects, and for blocks of the C library: more than `waits` of four bots need."""
OBJECT, BLOCK = 400, 64 << 10
"""Bytes of an object of Python's allocator, and of a block of the C library."""
APART = 256 << 10
"""Bytes between two objects that are kept: nothing around them is freed."""
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, NEVER = -1, -3, -1
_kept: list[bytes] = []


def take_reserve() -> None:
    """Allocate memory now that later allocations reuse, so that this process needs no new pages."""
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
