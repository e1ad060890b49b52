"""One bot's process at hand: matches and raw bytes through one channel, everything it says kept.

    launcher = Launcher()                                # of one bot at a time
    bot = SingleBot(launcher, player, limits, seat=0)
    heard = bot.say(b"set_deck 23456789TJQKA CDHS\\n", 1, allowed_ns=5 * SECOND)
    heard.raw, heard.reply.fault
    bot.stop()
    launcher.close()

A channel is what a match has, so time, memory and faults of the wire are judged here as there.
"""

from __future__ import annotations

import fcntl
import os
import select
import sys
import termios
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from arbiter.clock import MS
from arbiter.protocol import Answer, Connection
from arbiter.referee import Reply, Send
from arbiter.table.channel import CHUNK, Channel
from arbiter.table.conduct import start_request
from arbiter.table.meter import ClockKind

if TYPE_CHECKING:
    from arbiter.match import Limits, Player
    from arbiter.rules import Seat
    from arbiter.table.launcher import End, Launcher


class Heard(NamedTuple):
    """What came of one write: every byte that was read, and what a referee makes of it."""

    raw: bytes
    reply: Reply


class Ended(NamedTuple):
    """What a process left: how it ended, and the tail of its standard error."""

    end: End
    stderr: bytes


class SingleBot:
    """One process, started at once and alone at its launcher; ended by `stop`.

    VoidMatch, from every method, where our machine failed and not the bot.
    """

    def __init__(self, launcher: Launcher, player: Player, limits: Limits, seat: Seat = 0) -> None:
        self._launcher = launcher
        self._seat = seat
        (self._started,) = launcher.start([start_request(player, limits)])
        kind = ClockKind(limits.clock)
        family = limits.isolation != "landlock"
        self._channel = Channel(seat, self._started, launcher, kind, limits.memory_bytes, family)
        self._heard = self._channel.connection = _Recorder()
        self._stopped: Ended | None = None

    def exchange(self, send: Send) -> Reply | int:
        """What a match's channel does; `raw` then has the bytes."""
        self._heard.raw = b""
        return self._channel.exchange(send)

    @property
    def raw(self) -> bytes:
        """Every byte read in the last exchange, with what of an earlier one stood unread."""
        return self._heard.raw

    def say(self, payload: bytes, replies: int, allowed_ns: int) -> Heard:
        """Write some bytes and wait for so many replies; of them `reply` has the last answer."""
        allowed = (allowed_ns,) * (self._seat + 1)
        # As a request: output that nothing asked for is then noticed before every write.
        reply = self.exchange(Send((self._seat,), payload, replies, allowed, asks=True))
        assert isinstance(reply, Reply)
        return Heard(self.raw, reply)

    def write(self, payload: bytes) -> None:
        """Write a few bytes to which no reply belongs; nothing happens where the bot has ended."""
        with suppress(OSError):
            os.write(self._started.stdin, payload)

    def listen(self, allowed_ns: int) -> bytes:
        """Whatever comes unasked until then, or until the output ends."""
        watch = select.poll()
        watch.register(self._started.stdout, select.POLLIN)
        until = time.monotonic_ns() + allowed_ns
        heard = b""
        while (left := until - time.monotonic_ns()) > 0 and watch.poll(-(-left // MS)):
            with suppress(BlockingIOError):
                chunk = os.read(self._started.stdout, CHUNK)
                heard += chunk
                if not chunk:
                    break
        return heard

    @property
    def has_read_all(self) -> bool:
        """Whether nothing that was written to it is still to be read."""
        waiting = fcntl.ioctl(self._started.stdin, termios.FIONREAD, bytes(4))
        return int.from_bytes(waiting, sys.byteorder) == 0

    def end_input(self) -> None:
        """Let the bot read the end of its input."""
        # Our end becomes another file under the same number, so that nothing else is lost.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self._started.stdin)
        os.close(null)

    def say_goodbye(self, seconds: float) -> End | None:
        """Send ``quit`` and wait so long for the end; None if it lives."""
        return self._channel.say_goodbye(seconds)

    def ended(self, seconds: float) -> End | None:
        """How it ended, waiting so long at most; None if it lives."""
        return self._launcher.ended(self._started.pid, seconds)

    def stderr(self) -> bytes:
        """The tail of what has been read of its standard error; all of it once it has stopped."""
        return self._channel.stderr_tail

    def children(self) -> int:
        """How many processes it has started itself and not yet waited for."""
        pid = self._started.pid
        try:
            with open(f"/proc/{pid}/task/{pid}/children") as listing:
                return len(listing.read().split())
        except OSError:
            return 0

    def stop(self) -> Ended:
        """Kill it with all that descends from it; again and again the same answer."""
        if self._stopped is None:
            try:
                end = self._launcher.stop()[self._started.pid]
            finally:
                self._channel.close()
            self._stopped = Ended(end, self._channel.stderr_tail)
        return self._stopped


class _Recorder(Connection):
    """A connection that keeps the bytes of an exchange."""

    def __init__(self) -> None:
        super().__init__()
        self.raw = b""

    def feed(self, chunk: bytes) -> None:
        """As a connection does."""
        self.raw += chunk
        super().feed(chunk)

    def receive(self, chunk: bytes, wanted: int) -> Answer | None:
        """As a connection does; its short way does not pass through `feed`."""
        before = self.raw
        answer = super().receive(chunk, wanted)
        self.raw = before + chunk
        return answer
