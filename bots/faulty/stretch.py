#!/usr/bin/env python3
"""Attacks that make a match last longer than the clock says: ``stretch.py NAME``.

As `attack.py`. Each bot keeps the referee at work, or mixes computing and sleep, so that time that passes
looks like the machine's.
"""

# Functions that share one signature.
# ruff: noqa: ARG001, PTH100, PTH120

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from attack import Bot, at, main, say

BLOCK = bytes(1 << 18)
PERIOD, COMPUTED = 0.05, 0.02


@at("move")
def wake_by_errors(bot: Bot, reply: bytes) -> bytes:
    """Writes single bytes to standard error, each a wake-up of the referee, and lets it have the core."""
    while True:
        os.write(2, b"e")
        os.sched_yield()


@at("move")
def wake_by_comments(bot: Bot, reply: bytes) -> bytes:
    """The same with a comment, a byte at a time."""
    say(b"#")
    while True:
        say(b"c")
        os.sched_yield()


@at("move")
def wake_and_nap(bot: Bot, reply: bytes) -> bytes:
    """Computes in threads for 20 ms, while the referee, which it wakes, waits for the core; then sleeps."""
    return in_turns(lambda: os.write(2, b"e"))


@at("move")
def wait_and_nap(bot: Bot, reply: bytes) -> bytes:
    """The same without waking the referee: its main thread waits for the others."""
    return in_turns(lambda: None)


def in_turns(act) -> bytes:
    """Compute in four threads for 20 ms, one of which does something again and again, and sleep for 30 ms."""

    def again(act) -> None:
        while True:
            until = (time.monotonic() // PERIOD) * PERIOD + COMPUTED
            while time.monotonic() < until:
                hashlib.sha256(BLOCK)
                act()
            time.sleep(PERIOD - time.monotonic() % PERIOD)

    for _ in range(3):
        threading.Thread(target=again, args=(int,), daemon=True).start()
    again(act)
    return b""


@at("each")
def blank_by_blank(bot: Bot, reply: bytes) -> bytes:
    """Fifteen replies of 64 KB, all blanks but for the answer, written a blank at a time.

    Not the first one: its time counts as the start, which has a separate limit.
    """
    bot.given["said"] = str(said := int(bot.given.get("said", 0)) + 1)
    if 1 < said <= 16:
        say(reply[:-2])
        for _ in range(65_000):
            say(b" ")
            os.sched_yield()
        return b"\n\n"
    return reply


if __name__ == "__main__":
    main()
