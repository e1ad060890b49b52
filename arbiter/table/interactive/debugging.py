"""A bot under a debugger: no clock, no sandbox, and instructions to attach."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.match.clock import LONGEST
from arbiter.table.interactive.breakpoints import arbiter_breakpoint
from arbiter.table.interactive.occupants import ProcessBot
from arbiter.table.single_bot import RawReply

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arbiter.games.game import Seat
    from arbiter.match.spec import Limits, Player
    from arbiter.table.interactive.occupants import SeatCommand

SCRIPT = Path(arbiter_breakpoint.__file__).absolute()
YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")


class DebuggedBot(ProcessBot):
    """A bot's process that may be stopped for any time; `write` gets its process id.

    It is started in plain isolation, since a confined process cannot be traced, and charged nothing.
    """

    def __init__(self, title: str, player: Player, limits: Limits, write: Callable[[str], None]) -> None:
        super().__init__(title, player, replace(limits, isolation="plain"))
        self.write = write
        self._folder = ""

    def begin(self, seat: Seat) -> None:
        """Restart the process and write its id; the first time, make a private folder for pdb's socket."""
        first = not self._folder
        if first:
            # Private to this user: pdb can do anything its process can.
            self._folder = tempfile.mkdtemp(prefix="arbiter-debug-")
            self._player = replace(self._player, env=self._environment(self._player.env))
        super().begin(seat)
        assert self._bot is not None
        self.write(f"seat {seat} has process {self._bot.pid}, in plain isolation and without a clock")
        if first:
            sudo = "sudo " if _restricted() else ""
            self.write(f"  gdb, in another terminal:         {sudo}gdb -p {self._bot.pid}")
            self.write(f"  pdb, for breakpoint() in Python:  python3 {SCRIPT} {self._folder}/pdb")

    def reply_to(self, line: SeatCommand) -> RawReply:
        """Send a command and wait for up to a year; its cost is 0."""
        raw, reply = super().reply_to(line._replace(allowed_ns=LONGEST))
        return RawReply(raw, reply._replace(charged_ns=0))

    def end(self) -> str:
        """End the process and remove its folder."""
        try:
            return super().end()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _environment(self, own: Mapping[str, str]) -> dict[str, str]:
        """Return the player's variables, and those that connect `breakpoint()`."""
        path = [own["PYTHONPATH"]] if own.get("PYTHONPATH") else []
        return {
            **own,
            "PYTHONPATH": os.pathsep.join([*path, str(SCRIPT.parent)]),
            "PYTHONBREAKPOINT": f"{SCRIPT.stem}.stop",
            arbiter_breakpoint.SOCKET: f"{self._folder}/pdb",
        }


def _restricted() -> bool:
    """Read the kernel's setting: True if this user may trace only child processes, unlike gdb's bot."""
    try:
        return os.geteuid() != 0 and int(YAMA.read_text()) > 0
    except (OSError, ValueError):
        return False
