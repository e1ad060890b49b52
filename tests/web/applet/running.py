"""A real `arbiter applet` in a process of its own, and its owner's browser."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx2

from tests.fixtures.forked_server import Started

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 60.0


class Running:
    """The process, its link, and a browser that has come in by it."""

    def __init__(self, process: Started) -> None:
        self.process = process
        self.said = process.stdout.readline()
        self.link = self.said.removeprefix("open ").strip()
        self.browser = httpx2.Client(base_url=self.link.partition("/?")[0], timeout=PATIENCE)
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
    environment = {"XDG_STATE_HOME": str(folder), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    process = Started("applet", "--no-browser", *arguments, code=code, folder=folder, environment=environment)
    applet = None
    try:
        applet = Running(process)
        yield applet
    finally:
        if applet is not None:
            applet.browser.close()
        process.end(PATIENCE)
