"""Bind a worker to one core with its bots, and let them preempt it.

A match is a dialogue: the worker writes, and has nothing to do until the bot has answered. Linux lets a
woken process preempt the running one only if its time slice is shorter; so a worker requests a long slice
(Linux >= 6.12; earlier kernels ignore it). Its share of the core stays the same, and its children have the
usual slices.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct

LONG_SLICE_NS = 20_000_000
# sched_setattr(2) has no wrapper in the C library before glibc 2.41.
SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
SCHED_FLAG_RESET_ON_FORK = 1
# struct sched_attr: size, policy, flags, nice, priority, runtime, deadline, period.
SCHED_ATTR = struct.Struct("=IIQiIQQQ")


def take_core(core: int) -> None:
    """Bind this process and later children to a core; let the children preempt it."""
    os.sched_setaffinity(0, {core})
    number = SCHED_SETATTR.get(platform.machine())
    if number is not None:
        values = (SCHED_ATTR.size, os.SCHED_OTHER, SCHED_FLAG_RESET_ON_FORK, 0, 0, LONG_SLICE_NS, 0, 0)
        # Optional: an older kernel refuses or ignores it.
        ctypes.CDLL(None).syscall(number, 0, SCHED_ATTR.pack(*values), 0)
