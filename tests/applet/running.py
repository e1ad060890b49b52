"""A real `arbiter applet` in a process of its own, and its owner's browser."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 60.0


class Running:
    """The process, its link, and a browser that has come in by it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        self.said = process.stdout.readline()
        self.link = self.said.removeprefix("open ").strip()
        self.browser = httpx.Client(base_url=self.link.partition("/?")[0], timeout=PATIENCE)
        found = re.search(r'<meta name="csrf" content="(.*?)">', self.browser.get(self.link).text)
        assert found is not None, self.said
        self.browser.headers["X-CSRF-Token"] = found[1]

    def get(self, path: str) -> Any:
        return self.browser.get(path).json()

    def post(self, path: str, body: object = None) -> Any:
        """What is answered to a verb."""
        return self.browser.post(path, json={} if body is None else body).json()

    def wait(self) -> Any:
        """The state once nothing is under way, as the events tell it."""
        with self.browser.stream("GET", "/events") as events:
            for line in events.iter_lines():
                if line.startswith("data:") and not (state := self.get("/state"))["running"]:
                    return state
        raise AssertionError("the events ended")


@contextmanager
def running(*arguments: str | Path, folder: Path, code: str = "") -> Iterator[Running]:
    """`applet` with some arguments; `code` is run in its process before, to shorten what it waits."""
    start = f"{code}\nfrom arbiter.cli import main\nmain()"
    words = [sys.executable, "-c", start, "applet", "--no-browser", *map(str, arguments)]
    environment = {"XDG_STATE_HOME": str(folder), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment
    )
    applet = None
    try:
        applet = Running(process)
        yield applet
    finally:
        if applet is not None:
            applet.browser.close()
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=PATIENCE)
