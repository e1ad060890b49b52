"""A program as a bot in memory, for measurements: a line in, its reply out."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence


class Piped:
    """A program that is started at once; `process` is it."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, line: str) -> bytes:
        return self.reply(line)

    def reply(self, line: str) -> bytes:
        """The reply to a command; its end where the program ends."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(line.rstrip("\n").encode() + b"\n")
        stdin.flush()
        reply = b""
        while not reply.endswith(b"\n\n"):
            reply += stdout.readline() or b"\n\n"
        return reply
