#!/usr/bin/env python3
"""Attacks that look at what the machine numbers, and at what reaches other cores: ``census.py NAME``.

As `attack.py`. A call tells numbers of others apart if its answers differ among numbers that are none of the
bot's own.
"""

# Calls by their plain names, and functions that share one signature.
# ruff: noqa: ARG001, PTH100, PTH120

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from attack import Bot, at, attempt, call, libc, main, system_call, tell, x86

NEAR, NONE = 12, 4_000_000
"""How far the numbers of other bots are from the own one, and a number that no thread has."""
FUTEX, FUTEX_LOCK_PI, FUTEX_TRYLOCK_PI, FUTEX_LOCK_PI2, FUTEX_PRIVATE = x86(202, 98), 6, 8, 13, 0x80
CAPABILITY_VERSION_3, P_PID, WNOHANG, WEXITED = 0x20080522, 1, 1, 4
RSEQ, GETCPU, MEMBARRIER = x86(334, 293), x86(309, 168), x86(324, 283)
MADV_HUGEPAGE = 14
ROOM = ctypes.create_string_buffer(4096)


def capget(number: int) -> None:
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, number)
    system_call(x86(125, 90), ctypes.byref(header), ROOM)


def lock(operation: int, number: int) -> None:
    """Waits for a lock that the number's thread seems to have, until a moment that is over."""
    word, moment = ctypes.c_uint32(number), (ctypes.c_long * 2)(1, 0)
    system_call(FUTEX, ctypes.byref(word), operation | FUTEX_PRIVATE, 0, ctypes.byref(moment), 0, 0)


def clock_of(kind: int, number: int) -> int:
    """The clock of CPU time of a process, or of a thread with kind 6."""
    return ctypes.c_int32(~number << 3 | kind).value


BY_NUMBER = {
    "capget": capget,
    "futex LOCK_PI": lambda number: lock(FUTEX_LOCK_PI, number),
    "futex TRYLOCK_PI": lambda number: lock(FUTEX_TRYLOCK_PI, number),
    "futex LOCK_PI2": lambda number: lock(FUTEX_LOCK_PI2, number),
    "kill": lambda number: system_call(x86(62, 129), number, 0),
    "tkill": lambda number: system_call(x86(200, 130), number, 0),
    "tgkill": lambda number: system_call(x86(234, 131), os.getpid(), number, 0),
    "tgkill of a process": lambda number: system_call(x86(234, 131), number, number, 0),
    "getpgid": lambda number: system_call(x86(121, 155), number),
    "getsid": lambda number: system_call(x86(124, 156), number),
    "getpriority": lambda number: system_call(x86(140, 141), 0, number),
    "getpriority of a group": lambda number: system_call(x86(140, 141), 1, number),
    "prlimit64": lambda number: system_call(x86(302, 261), number, 7, 0, ROOM),
    "sched_getaffinity": lambda number: system_call(x86(204, 123), number, 128, ROOM),
    "sched_getscheduler": lambda number: system_call(x86(145, 120), number),
    "sched_getparam": lambda number: system_call(x86(143, 121), number, ROOM),
    "sched_getattr": lambda number: system_call(x86(315, 275), number, ROOM, 48, 0),
    "sched_rr_get_interval": lambda number: system_call(x86(148, 127), number, ROOM),
    "ioprio_get": lambda number: system_call(x86(252, 31), 1, number),
    "clock_getres": lambda number: system_call(x86(229, 114), clock_of(2, number), ROOM),
    "clock_gettime": lambda number: system_call(x86(228, 113), clock_of(2, number), ROOM),
    "clock_gettime of a thread": lambda number: system_call(x86(228, 113), clock_of(6, number), ROOM),
    "timer_create": lambda number: system_call(x86(222, 107), clock_of(2, number), 0, ROOM),
    "waitid": lambda number: system_call(x86(247, 95), P_PID, number, ROOM, WNOHANG | WEXITED, 0),
    "get_robust_list": lambda number: system_call(x86(274, 100), number, ROOM, ROOM),
    "pidfd_open": lambda number: os.close(system_call(434, number, 0)),
    "kcmp": lambda number: system_call(x86(312, 272), number, os.getpid(), 2, 0, 0),
    "process_vm_readv": lambda number: system_call(x86(310, 270), number, ROOM, 0, ROOM, 0, 0),
    "move_pages": lambda number: system_call(x86(279, 239), number, 0, 0, 0, 0, 0),
    "sched_setaffinity": lambda number: system_call(x86(203, 122), number, 0, 0),
    "rt_sigqueueinfo": lambda number: system_call(x86(129, 138), number, 0, ROOM),
    "owner of a descriptor": lambda number: system_call(x86(72, 25), 0, 8, number),
}
"""Calls that take the number of a thread, process, group or session."""


@at("move")
def census(bot: Bot, reply: bytes) -> bytes:
    """Asks about numbers that are not its own, and about its core."""
    if "asked" in bot.given:
        return reply
    bot.given["asked"] = "yes"
    own = os.getpid()
    given = [int(bot.given[who]) for who in ("rival", "referee", "launcher")]
    numbers = {1, 2, *range(max(3, own - NEAR), own + NEAR), *given, NONE} - {own}
    knowing = [name for name, ask in BY_NUMBER.items() if len({answer(ask, one) for one in numbers}) > 1]
    tell(f"calls that know numbers of others: {', '.join(knowing) or 'none'}")
    cores = {
        "sched_getaffinity": lambda: os.sched_getaffinity(0) != {0},
        "getcpu": lambda: system_call(GETCPU, ROOM, 0, 0) == 0,
        "rseq": lambda: answer(lambda _: system_call(RSEQ, 0, 0, 0, 0), 0) == errno.EINVAL,
    }
    told = [name for name, ask in cores.items() if answer(lambda _, ask=ask: not ask(), 0) is False]
    tell(f"calls that tell its core: {', '.join(told) or 'none'}")
    return reply


def answer(ask, number: int) -> object:
    """What a call returns, or the number of its error."""
    try:
        return ask(number)
    except OSError as error:
        return error.errno


@at("start")
def disturb(bot: Bot) -> None:
    """Interrupts other cores, and has the kernel arrange memory for all."""
    for what, command in {"all cores": 1, "all cores at once": 2, "to be interrupted with others": 4}.items():
        attempt(f"a barrier, {what}", lambda command=command: system_call(MEMBARRIER, command, 0, 0))
    attempt("a barrier of its own threads", lambda: system_call(MEMBARRIER, 16, 0, 0))
    place = mmap.mmap(-1, 1 << 22, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    address = ctypes.addressof(ctypes.c_char.from_buffer(place))
    attempt(
        "huge pages",
        lambda: call(libc.madvise, ctypes.c_void_p(address), ctypes.c_size_t(1 << 22), MADV_HUGEPAGE),
    )


if __name__ == "__main__":
    main()
