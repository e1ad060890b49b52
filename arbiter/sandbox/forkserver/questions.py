"""System calls that wait for an answer of the supervisor: seccomp user notifications."""

from __future__ import annotations

import fcntl
import os
import struct
from contextlib import suppress
from typing import NamedTuple

from arbiter.sandbox.forkserver.kernel import read_memory, write_memory

RECEIVE, SEND, IS_VALID = 0xC050_2100, 0xC018_2101, 0x4008_2102
QUESTION = struct.Struct("=QIIiIQ6Q")
"""id, thread, flags, number, machine, instruction pointer, arguments."""
ANSWER = struct.Struct("=QqiI")
"""id, result, error, flags."""
GO_ON = 1


class Question(NamedTuple):
    """The call of a thread: the listener to answer, its id, the thread, the call's number and arguments."""

    listener: int
    id: int
    thread: int
    number: int
    arguments: tuple[int, ...]

    def answer(self, error: int) -> None:
        """Let the call fail, or continue if the error is 0; ignored if the bot is gone."""
        self._send_answer(-error, 0 if error else GO_ON)

    def pretend(self, result: int = 0) -> None:
        """Let the call return `result` without effect."""
        self._send_answer(0, 0, result)

    def is_open(self) -> bool:
        """True while the thread waits for the answer."""
        try:
            fcntl.ioctl(self.listener, IS_VALID, struct.pack("=Q", self.id))
        except OSError:
            return False
        return True

    def read(self, address: int, form: struct.Struct) -> tuple[int, ...]:
        """Read numbers from the thread's memory; OSError or struct.error if unreadable."""
        # By the thread's id, as it may outlive the main thread. Not by /proc, where each look-up of a thread
        # uses up a number that bots can see.
        return form.unpack(read_memory(self.thread, address, form.size))

    def write(self, address: int, content: bytes) -> None:
        """Write to the thread's memory; OSError if that is impossible."""
        # Otherwise the id may belong to another process by now.
        if self.is_open():
            write_memory(self.thread, address, content)

    def _send_answer(self, error: int, flags: int, result: int = 0) -> None:
        with suppress(OSError):
            fcntl.ioctl(self.listener, SEND, ANSWER.pack(self.id, result, error, flags))


def receive(listener: int) -> Question:
    """Receive the next question; OSError if its thread has been killed meanwhile."""
    asked = bytearray(QUESTION.size)
    fcntl.ioctl(listener, RECEIVE, asked)
    id, thread, _, number, _, _, *arguments = QUESTION.unpack(asked)
    return Question(listener, id, thread, number, tuple(arguments))


def is_thread(pid: int, thread: int) -> bool:
    """True if a bot's process, which leads a session, or a descendant has a thread with this id."""
    # Not by /proc: see `Question.read`.
    try:
        return thread > 0 and os.getsid(thread) == pid
    except OSError:
        return False
