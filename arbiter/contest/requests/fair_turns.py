"""Turns on the cores that rated matches leave: whoever was given least comes first."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Turns:
    """Lets one at a time go on: of those who wait the one for whose author least was done."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int]] = []
        self._numbers = count()
        self._taken = False

    @contextmanager
    def take(self, served_ms: int) -> Iterator[None]:
        """Wait for a turn, and give it back; `served_ms` is what was done today for who is to be served."""
        with self._changed:
            entry = (served_ms, next(self._numbers))
            self._waiting.append(entry)
            try:
                self._changed.wait_for(lambda: not self._taken and min(self._waiting) == entry)
                self._taken = True
            finally:
                self._waiting.remove(entry)
        try:
            yield
        finally:
            with self._changed:
                self._taken = False
                self._changed.notify_all()
