"""The loop of a background service of a site: poll a queue, clean up, take turns with other services.

A service reads its queue from the store and records its progress there, so it may be killed at any time.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

from arbiter.errors import NoStore, StoreError
from arbiter.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

LOOK_SECONDS = 0.5
AGAIN_SECONDS = 20.0
"""The pause before a failed item is retried; others are processed meanwhile."""
TIDY_SECONDS = 3600.0


class Service(ABC):
    """Processes the queues of some seasons in turn until it is closed; `say` receives failures."""

    queue: str
    """The name of the queue in messages."""

    def __init__(self, configs: Sequence[Config], say: Callable[[str], None]) -> None:
        self._configs, self._say = configs, say
        self._seasons: dict[str, Store] = {}
        self._again: dict[tuple[str, int], float] = {}
        self._closed = threading.Event()

    @abstractmethod
    def _work_on(self, config: Config) -> bool:
        """Process the next item of a season; False if there is nothing to do now."""

    @abstractmethod
    def _has_work_left(self) -> bool:
        """Return True if an item is left, now or after its pause."""

    @abstractmethod
    def _clean_up(self, config: Config, season: SeasonStore) -> None:
        """Delete what is no longer needed."""

    def close(self) -> None:
        """Let `work` end after the item in progress."""
        self._closed.set()

    def work(self, until_empty: bool = False) -> None:
        """Process items until closed, or with `until_empty` until none is waiting."""
        tidied = -TIDY_SECONDS
        while not self._closed.is_set():
            if time.monotonic() - tidied >= TIDY_SECONDS:
                tidied = time.monotonic()
                for config in self._configs:
                    self._clean_up_season(config)
            worked = [self._work_on(config) for config in self._configs if not self._closed.is_set()]
            if not any(worked):
                if until_empty and not self._has_work_left():
                    return
                self._closed.wait(LOOK_SECONDS)

    def _clean_up_season(self, config: Config) -> None:
        """Clean up a season that has begun; a failure goes to `say`."""
        try:
            if (season := self._find_season(config)) is not None:
                self._clean_up(config, season)
        except (StoreError, OSError) as error:
            # Retried in an hour.
            self._say(f"{config.season}: cannot clean up its {self.queue}: {error}")

    def _find_season(self, config: Config) -> SeasonStore | None:
        """Open the store and return its season; None before it exists."""
        before = self._seasons.pop(config.store, None)
        try:
            store = self._seasons[config.store] = Store.reopen(config.store, before, create=False)
        except NoStore:
            return None
        return store.season(config.season)

    def _postpone(self, config: Config, number: int) -> None:
        """Skip a failed item for `AGAIN_SECONDS`."""
        self._again[config.season, number] = time.monotonic() + AGAIN_SECONDS

    def _postponed_items(self, config: Config) -> set[int]:
        """Return the ids of a season's postponed items; forget those whose pause is over."""
        now = time.monotonic()
        self._again = {key: until for key, until in self._again.items() if until > now}
        return {number for name, number in self._again if name == config.season}


class Turns:
    """Gives the cores that rated matches leave to one service at a time, least served author first."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int]] = []
        self._numbers = count()
        self._taken = False

    @contextmanager
    def take(self, served_ms: int) -> Iterator[None]:
        """Wait for a turn and hold it; `served_ms` is the author's time served today, in ms."""
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
