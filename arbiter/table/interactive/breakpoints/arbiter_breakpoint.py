"""`breakpoint()` for a bot, whose standard input and output belong to the referee: pdb over a Unix socket.

Both ends are in one file that only needs Python, since a bot may use another Python than the referee.

- In the bot `PYTHONBREAKPOINT=arbiter_breakpoint.stop` makes `breakpoint()` wait for a listener at the
  socket that `ARBITER_BREAKPOINT` names, and debug there.
- `python3 arbiter_breakpoint.py SOCKET` in another terminal listens there, for one bot after the other.
"""

from __future__ import annotations

import os
import pdb  # noqa: T100, what this module is for
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

SOCKET = "ARBITER_BREAKPOINT"
LOOK_AGAIN_SECONDS = 0.1
_debugger: _Debugger | None = None


class _Debugger(pdb.Pdb):
    """pdb at the other end of a socket; the bot continues when that end is closed."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        # Two files: writing to a file discards its read-ahead.
        # Without the user's `.pdbrc`: the bot may be another author's.
        super().__init__(stdin=end.makefile("r"), stdout=end.makefile("w"), readrc=False)

    @property
    def alone(self) -> bool:
        """True when the other end is closed."""
        try:
            return self._end.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False

    def do_EOF(self, arg: str) -> bool | None:  # noqa: N802, pdb's name
        return self.do_continue(arg)


def stop() -> None:
    """Connect to the terminal, unless that is done, and stop the caller in pdb."""
    global _debugger
    if _debugger is None or _debugger.alone:
        _debugger = _Debugger(_connect(os.environ[SOCKET]))
    _debugger.set_trace(sys._getframe(1))


def _connect(path: str) -> socket.socket:
    """Wait for a listener at `path`. Return the connection."""
    end = socket.socket(socket.AF_UNIX)
    while True:
        with suppress(FileNotFoundError, ConnectionRefusedError):
            end.connect(path)
            return end
        time.sleep(LOOK_AGAIN_SECONDS)


class Terminal:
    """The other end: shows the debugger's output, and sends it typed lines."""

    def __init__(self, path: str) -> None:
        self._path = path
        with suppress(FileNotFoundError):
            Path(path).unlink()
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(path)
        self._server.listen()
        self._bot: socket.socket | None = None
        self._is_there, self._is_gone = threading.Event(), threading.Event()

    def show(self) -> None:
        """Show the output of the bots' debuggers, one bot after the other, forever."""
        while True:
            _print_text("waiting for a breakpoint\n")
            self._bot, _ = self._server.accept()
            self._is_gone.clear()
            self._is_there.set()
            with suppress(ConnectionResetError):
                while said := self._bot.recv(4096):
                    _print_text(said.decode(errors="backslashreplace"))
            self._is_there.clear()
            self._is_gone.set()
            _print_text("\nthe bot has ended\n")

    def send(self) -> None:
        """Send each typed line to the stopped bot, or to the next one.

        At the end of input delete the socket, continue the bot, and return when it ends or stops again.
        """
        while True:
            try:
                line = input()
            except EOFError:
                break
            self._is_there.wait()
            assert self._bot is not None
            with suppress(OSError):
                self._bot.sendall(f"{line}\n".encode())
        Path(self._path).unlink()
        if self._bot is not None:
            with suppress(OSError):
                self._bot.shutdown(socket.SHUT_WR)
            self._is_gone.wait()


def _print_text(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    if sys.stdin.isatty():
        import readline  # noqa: F401, gives `input` a history
    terminal = Terminal(sys.argv[1])
    threading.Thread(target=terminal.show, daemon=True).start()
    with suppress(KeyboardInterrupt):
        terminal.send()
