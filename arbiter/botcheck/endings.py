"""How a bot ends: on `quit`, with its input, by a kill.

A bot that ends may have much to put away, on a machine that is busy with others. So it is not the wall clock
that decides: a bot fails when it sleeps instead of ending, or goes on computing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from arbiter.botcheck.report import Step, passed
from arbiter.clock import MS, SECOND
from arbiter.table.awake import Awake
from arbiter.table.conduct import QUIT_SECONDS

if TYPE_CHECKING:
    from arbiter.table.single import SingleBot

LOOK_SECONDS = 0.05


class Patience(NamedTuple):
    """How long a bot may take to end, in seconds: asleep in one piece, of CPU time, and at most."""

    asleep: float = 3.0
    computing: float = 10.0
    most: float = 60.0


PATIENCE = Patience()
STIRS_NS = 10 * MS
"""CPU time within which a bot still counts as asleep: a thread that wakes up now and then."""
KILL_SECONDS = 30.0
"""For the kernel to end a bot with all its memory."""


def on_quit(bot: SingleBot) -> Step:
    """The bot ends on ``quit``."""
    bot.write(b"quit\n")
    return _ends(bot, "quit", "quit", "leave the loop when quit comes")


def with_input(bot: SingleBot) -> Step:
    """The bot ends when its input does."""
    bot.end_input()
    return _ends(bot, "end-of-input", "end of input", "end the program when reading returns nothing")


def by_kill(bot: SingleBot) -> Step:
    """A kill ends the bot and everything that it has started."""
    family, began = bot.family(), time.monotonic()
    bot.stop()
    seconds = time.monotonic() - began
    if seconds > KILL_SECONDS:
        detail = f"it still ran {seconds:.1f} s after it was killed"
        return Step("kill", False, "SIGKILL", "", "start no processes", detail)
    more = f", with {len(family)} that it had started, which the tier landlock does not let it"
    also = more if family else ""
    return passed("kill", f"ended after {seconds * 1000:.0f} ms{also}")


def _ends(bot: SingleBot, name: str, sent: str, fix: str) -> Step:
    """The step of an end that was asked for."""
    began = time.monotonic()
    if still := _goes_on(bot, PATIENCE):
        return Step(name, False, sent, "", fix, f"it still runs: {still}")
    seconds = time.monotonic() - began
    late = name == "quit" and seconds > QUIT_SECONDS
    more = f"; with end: quit a match waits {QUIT_SECONDS:g} s, then kills it" if late else ""
    return passed(name, f"ended after {seconds * 1000:.0f} ms{more}")


def _goes_on(bot: SingleBot, patience: Patience) -> str:
    """What a bot does instead of ending, "" once it has ended."""
    awake, stirred = Awake(), 0.0
    first = counted = bot.cpu_ns
    while bot.wait(LOOK_SECONDS) is None:
        # What it writes must not keep it.
        bot.listen(MS)
        bot.drain_stderr()
        now, cpu = awake.seconds, bot.cpu_ns
        if cpu - counted > STIRS_NS or not bot.sleeps:
            stirred, counted = now, cpu
        if now - stirred > patience.asleep:
            return f"it has slept for {now - stirred:.1f} s"
        if cpu - first > patience.computing * SECOND:
            return f"it has computed for {(cpu - first) / SECOND:.1f} s since"
        if now > patience.most:
            return f"after {now:.0f} s"
    return ""
