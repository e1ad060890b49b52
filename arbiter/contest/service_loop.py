"""The loop of a service beside a site: it looks for work, tidies up, and takes turns with the others.

A service reads its queue from the store and keeps there what it has done, so it may be killed at any moment.
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
"""Until what failed is tried again, others meanwhile."""
TIDY_SECONDS = 3600.0


class Service(ABC):
    """Does what waits in some seasons, which take turns, until it is closed; `say` is given what fails."""

    queue: str
    """What waits, in messages."""

    def __init__(self, configs: Sequence[Config], say: Callable[[str], None]) -> None:
        self._configs, self._say = configs, say
        self._seasons: dict[str, Store] = {}
        self._again: dict[tuple[str, int], float] = {}
        self._closed = threading.Event()

    @abstractmethod
    def _work_on(self, config: Config) -> bool:
        """Do what is next in a season; False where there is nothing to do now."""

    @abstractmethod
    def _waits(self) -> bool:
        """True where something is left to do later."""

    @abstractmethod
    def _tidy(self, config: Config, season: SeasonStore) -> None:
        """Remove what is no longer needed."""

    def close(self) -> None:
        """Begin nothing more."""
        self._closed.set()

    def work(self, until_empty: bool = False) -> None:
        """Work, with `until_empty` until nothing waits."""
        tidied = -TIDY_SECONDS
        while not self._closed.is_set():
            if time.monotonic() - tidied >= TIDY_SECONDS:
                tidied = time.monotonic()
                for config in self._configs:
                    self._tidy_up(config)
            worked = [self._work_on(config) for config in self._configs if not self._closed.is_set()]
            if not any(worked):
                if until_empty and not self._waits():
                    return
                self._closed.wait(LOOK_SECONDS)

    def _tidy_up(self, config: Config) -> None:
        try:
            if (season := self._season(config)) is not None:
                self._tidy(config, season)
        except (StoreError, OSError) as error:
            # It is tried again in an hour.
            self._say(f"{config.season}: its {self.queue} are not tidied up: {error}")

    def _season(self, config: Config) -> SeasonStore | None:
        """The season as its store has it; None before there is one."""
        before = self._seasons.pop(config.store, None)
        try:
            store = self._seasons[config.store] = Store.reopened(config.store, before, create=False)
        except NoStore:
            return None
        return store.season(config.season)

    def _rest(self, config: Config, number: int) -> None:
        """Leave alone for a while what failed."""
        self._again[config.season, number] = time.monotonic() + AGAIN_SECONDS

    def _resting(self, config: Config) -> set[int]:
        now = time.monotonic()
        self._again = {key: until for key, until in self._again.items() if until > now}
        return {number for name, number in self._again if name == config.season}


class Turns:
    """Lets one service at a time use the cores that rated matches leave, first for who was served least."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int]] = []
        self._numbers = count()
        self._taken = False

    @contextmanager
    def take(self, served_ms: int) -> Iterator[None]:
        """Wait for a turn, and give it back; `served_ms` is what was done today for the author, in ms."""
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
