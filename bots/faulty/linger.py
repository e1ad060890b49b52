#!/usr/bin/env python3
"""Attacks that compute, or have others compute for them, while somebody else is to move: ``linger.py NAME``.

As `attack.py`. What they take from who thinks is measured from outside.
"""

# Calls by their plain names, and functions that share one signature.
# ruff: noqa: ARG001, PTH100, PTH120

from __future__ import annotations

import ctypes
import hashlib
import os
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from attack import Bot, at, libc, main, x86

SETUID, FUTEX = x86(105, 146), x86(202, 98)
CLOCK_MONOTONIC, FUTEX_WAIT = 1, 0
NO_THREAD = 1 << 28
BLOCK = bytes(1 << 18)


def begin(act, number: int = 1) -> None:
    """Do something again and again in so many threads."""

    def again() -> None:
        while True:
            act()

    threading.stack_size(64 * 1024)
    for _ in range(number):
        threading.Thread(target=again, daemon=True).start()


@at("start")
def compute(bot: Bot) -> None:
    """Computes in a thread all the time."""
    begin(lambda: hashlib.sha256(BLOCK))


@at("start")
def compute_in_many(bot: Bot) -> None:
    """The same in twenty threads, each of which has a share of the core in a control group."""
    begin(lambda: hashlib.sha256(BLOCK), 20)


@at("start")
def compute_in_children(bot: Bot) -> None:
    """The same in three children, which continue each other after a stop."""
    for _ in range(3):
        try:
            child = os.fork()
        except PermissionError:
            return
        while child == 0:
            hashlib.sha256(BLOCK)
            os.killpg(0, signal.SIGCONT)


@at("start")
def awake_later(bot: Bot) -> None:
    """Computes in naps of half a millisecond, so that it sleeps when somebody looks before a request."""

    def nap() -> None:
        time.sleep(0.0005)
        until = time.monotonic() + 0.05
        while time.monotonic() < until:
            hashlib.sha256(BLOCK)

    begin(nap)


@at("start")
def go_on(bot: Bot) -> None:
    """Computes, and has timers of the kernel tell it every other millisecond to go on if it was stopped."""
    # A timer whose signal nobody hears goes off once, and so does one whose signal a stop has removed.
    signal.signal(signal.SIGCONT, lambda *_: None)
    for number in range(1, 201):
        timer = ctypes.c_void_p()
        libc.timer_create(CLOCK_MONOTONIC, (ctypes.c_int * 16)(0, 0, signal.SIGCONT), ctypes.byref(timer))
        libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 400_000_000, 0, number * 2_000_000), None)
    begin(lambda: hashlib.sha256(BLOCK))


@at("start")
def signal_often(bot: Bot) -> None:
    """Has sixteen timers signal it two thousand times a second each."""
    signal.signal(signal.SIGUSR1, lambda *_: None)
    for number in range(16):
        timer, event = (
            ctypes.c_void_p(),
            (ctypes.c_int * 16)(0, 0, (signal.SIGUSR1, signal.SIGWINCH)[number % 2]),
        )
        libc.timer_create(CLOCK_MONOTONIC, event, ctypes.byref(timer))
        libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 500_000, 0, 500_000), None)


@at("start")
def ask(bot: Bot) -> None:
    """Makes calls that are refused, which is more work for who refuses."""
    begin(lambda: libc.syscall(ctypes.c_long(SETUID), ctypes.c_long(0)))


@at("start")
def begin_threads(bot: Bot) -> None:
    """Begins threads and waits for their end, one after the other."""

    def one() -> None:
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()

    begin(one)


@at("start")
def wait_in_threads(bot: Bot) -> None:
    """Waits in a hundred threads for a word that does not change and means no thread."""
    word = ctypes.c_uint32(NO_THREAD)
    bot.given["kept"] = word
    arguments = [ctypes.c_long(value) for value in (ctypes.addressof(word), FUTEX_WAIT, NO_THREAD, 0)]
    begin(lambda: libc.syscall(ctypes.c_long(FUTEX), *arguments), 100)


if __name__ == "__main__":
    main()
