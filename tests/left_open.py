"""What a process of the tests has left open at its end: processes and sockets, by what they are."""

from __future__ import annotations

import gc
import socket
import subprocess
import sys
from typing import Any

import pytest

LEFT_OPEN = "left_open"
"""The key under which a worker tells it."""


def left_open() -> list[str]:
    """A phrase for each process that still runs and each socket that was not closed, in their order."""
    gc.collect()
    return sorted(filter(None, map(_phrase, gc.get_objects())))


def _phrase(found: object) -> str:
    if isinstance(found, subprocess.Popen) and found.returncode is None and found.poll() is None:
        return f"process {found.pid}: {found.args!r}"
    if isinstance(found, socket.socket) and found.fileno() >= 0:
        return f"{found!r}"
    return ""


def close_shared() -> None:
    """End the keeper of the system in memory, which a process that played a confined match has to its end."""
    if (system := sys.modules.get("arbiter.table.system")) is not None:
        system.SYSTEM.close()


class Summary:
    """A plug-in that tells at the end of a run what was left open, by each of its processes."""

    def __init__(self) -> None:
        self._left: list[str] = []

    def pytest_sessionfinish(self, session: Any) -> None:
        close_shared()
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[LEFT_OPEN] = left_open()
        elif not getattr(session.config.option, "numprocesses", None):
            self._left += left_open()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._left += getattr(node, "workeroutput", {}).get(LEFT_OPEN, ())

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for text in self._left:
            terminalreporter.write_line(f"left open at the end: {text}")
