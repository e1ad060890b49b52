"""A single bot's process: matches and raw bytes through one channel, with all output recorded.

    launcher = Launcher()                                # for one bot at a time
    bot = SingleBot(launcher, player, limits, seat=0)
    heard = bot.send(b"set_deck 23456789TJQKA CDHS\\n", 1, allowed_ns=5 * SECOND)
    heard.raw, heard.reply.fault
    bot.stop()
    launcher.close()

The channel is a match's, so time, memory and faults are judged in the same way.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys
import termios
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import ConfigError
from arbiter.match.clock import MS
from arbiter.match.exchange import Reply, Send
from arbiter.match.protocol import Answer, Connection
from arbiter.sandbox.forkserver.bot import descendants_of, peak_memory
from arbiter.sandbox.process_meter import Meter, is_awake, name_of
from arbiter.sandbox.stderr import CHUNK
from arbiter.table.channel import Channel
from arbiter.table.conductor import start_request

if TYPE_CHECKING:
    from arbiter.games.game import Seat
    from arbiter.match.spec import Limits, Player
    from arbiter.sandbox.launcher import End, Launcher


class RawReply(NamedTuple):
    """The result of one write: all bytes read, and the reply as judged by the referee."""

    raw: bytes
    reply: Reply


class Remains(NamedTuple):
    """An ended process: how it ended, its standard error as kept, and the part that explains the end."""

    end: End
    stderr: bytes
    ending: bytes


class Relative(NamedTuple):
    """A descendant of a bot's process: its program's name, and its peak memory in bytes."""

    name: str
    peak_memory_bytes: int


class SingleBot:
    """One process, started by the constructor as the only one of its launcher; ended by `stop`.

    Every method raises VoidMatch if the service failed and not the bot.
    """

    def __init__(self, launcher: Launcher, player: Player, limits: Limits, seat: Seat = 0) -> None:
        if player.model is not None:
            raise ConfigError(f"{player.name} is a language model: it plays only in whole matches")
        self._launcher = launcher
        self._seat = seat
        (self._process,) = launcher.start([start_request(player, limits) | {"held": False, "seat": seat}])
        self._channel = Channel(seat, self._process, launcher, limits)
        self._recorder = self._channel.connection = _Recorder()
        self._usage = Meter(self._process.pid, family=True)
        self._remains: Remains | None = None

    @property
    def pid(self) -> int:
        return self._process.pid

    def exchange(self, send: Send) -> Reply | int:
        """Exchange as in a match; `raw` then has the bytes."""
        self._recorder.raw = b""
        return self._channel.exchange(send)

    @property
    def raw(self) -> bytes:
        """All bytes read in the last exchange, with unread ones of earlier exchanges."""
        return self._recorder.raw

    def send(self, payload: bytes, replies: int, allowed_ns: int) -> RawReply:
        """Write bytes and wait for a number of replies. Return the last one."""
        allowed = (allowed_ns,) * (self._seat + 1)
        # As a request, so that unrequested output is detected before every write.
        reply = self.exchange(Send((self._seat,), payload, replies, allowed, asks=True))
        assert isinstance(reply, Reply)
        return RawReply(self.raw, reply)

    def forget_output(self) -> None:
        """Reset the count of its output, which is only limited in matches."""
        self._recorder.received = 0

    def write(self, payload: bytes) -> None:
        """Write a few bytes without waiting for a reply; ignore a bot that has ended."""
        with suppress(OSError):
            os.write(self._process.stdin, payload)

    def read_for(self, allowed_ns: int) -> bytes:
        """Return the output within this time, or until its end."""
        watch = select.poll()
        watch.register(self._process.stdout, select.POLLIN)
        until = time.monotonic_ns() + allowed_ns
        heard = b""
        while (left := until - time.monotonic_ns()) > 0 and watch.poll(-(-left // MS)):
            with suppress(BlockingIOError):
                chunk = os.read(self._process.stdout, CHUNK)
                heard += chunk
                if not chunk:
                    break
        return heard

    @property
    def has_read_all(self) -> bool:
        """True when the bot has read all its input."""
        waiting = fcntl.ioctl(self._process.stdin, termios.FIONREAD, bytes(4))
        return int.from_bytes(waiting, sys.byteorder) == 0

    def end_input(self) -> None:
        """Close the bot's input."""
        # The same descriptor number gets another file, which the channel closes as usual.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self._process.stdin)
        os.close(null)

    def say_goodbye(self, seconds: float) -> End | None:
        """Send ``quit`` and wait for the end. Return how it ended, None if it lives."""
        return self._channel.say_goodbye(seconds)

    def wait(self, seconds: float) -> End | None:
        """Wait for its end. Return how it ended, None if it lives after this time."""
        return self._launcher.wait(self._process.pid, seconds)

    def drain_stderr(self) -> None:
        """Read the output on its standard error so far, which stays for `new_errors`."""
        self._channel.stderr.drain()

    def new_errors(self) -> bytes:
        """Return its standard error since the last call."""
        return self._channel.stderr.new_output()

    def family(self) -> list[Relative]:
        """Return its living descendants."""
        return [Relative(name_of(pid), peak_memory(pid)) for pid in descendants_of(self._process.pid)]

    @property
    def cpu_ns(self) -> int:
        """The CPU time so far, including its descendants."""
        return self._usage.cpu_ns()

    @property
    def sleeps(self) -> bool:
        """True if no thread of it or its descendants runs, or waits for a core or a disk."""
        pid = self._process.pid
        return not any(map(is_awake, (pid, *descendants_of(pid))))

    def kill(self) -> None:
        """Kill only this process, from any thread, so that its exchange ends; then call `stop`."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._process.process, signal.SIGKILL)

    def stop(self) -> Remains:
        """Kill it with its descendants. A second call returns the same."""
        if self._remains is None:
            try:
                end = self._launcher.stop()[self._process.pid]
            finally:
                self._channel.close()
            error = self._channel.stderr
            self._remains = Remains(end, error.head + error.tail, error.ending)
        return self._remains


class _Recorder(Connection):
    """A connection that keeps the bytes of an exchange."""

    def __init__(self) -> None:
        super().__init__()
        self.raw = b""

    def feed(self, chunk: bytes) -> None:
        self.raw += chunk
        super().feed(chunk)

    def receive(self, chunk: bytes, wanted: int) -> Answer | None:
        """As in `Connection`; adds the chunk to `raw` once."""
        # The base may or may not call `feed`.
        before = self.raw
        answer = super().receive(chunk, wanted)
        self.raw = before + chunk
        return answer
