"""The seasons of a site: the current state of each, read again when its store changes."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from arbiter.errors import ArbiterError, ConfigError, NoStore, StoreError
from arbiter.season.config import load
from arbiter.season.config.submission_settings import store_beside
from arbiter.season.snapshot.freeze import public_state
from arbiter.season.snapshot.front_page import fill_caches
from arbiter.season.snapshot.reader import read_state
from arbiter.season.snapshot.season_state import with_changes
from arbiter.store import Store
from arbiter.store.address import SCHEME
from arbiter.store.controls import NO_ORDER, RunOrder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from arbiter.season.config import Config
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.store import SeasonStore

POLL_SECONDS = 1.0
"""Between two polls of a store, which all requests share."""
USABLE_POLLS = 3
"""Polls after which an old state is no longer shown while the next one is read."""


class _EmptySeason:
    """An empty store in place of the season's store, which only the coordinator creates."""

    def __init__(self, config: Config) -> None:
        self._folder = TemporaryDirectory(prefix="arbiter-")
        self._store = Store(f"sqlite:///{self._folder.name}/empty.sqlite")
        # Nothing is dealt from this seed, so its commitment is not shown.
        self._season = self._store.make_season(config.season, config.game.name, "none")
        self._state: SeasonState | None = None

    def state(self, config: Config) -> SeasonState:
        if self._state is None or self._state.file is not config:
            self._state = with_changes(read_state(config, self._season), commitment=None)
        return self._state

    def close(self) -> None:
        self._store.close()
        self._folder.cleanup()


class WatchedSeason:
    """One season: its file, its store, its last state.

    `prepare` is called with each new state and the previous one, which is shown until it returns.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = load(path)
        self._written = self._mtime()
        self._store: Store | None = None
        self._requests: Store | None = None
        self._state: SeasonState | None = None
        self._whole: SeasonState | None = None
        self._failure: ArbiterError | None = None
        self._polled = float("-inf")
        self._seen = 0
        self._lock = threading.Lock()
        self._blank: _EmptySeason | None = None
        self.prepare: Callable[[SeasonState, SeasonState], None] = lambda _new, _before: None

    def state(self) -> SeasonState | None:
        """Poll the store after `POLL_SECONDS`; return the public state, or raise the error of reading it."""
        with self._lock:
            if not self.is_fresh():
                try:
                    state = self._read_store()
                    if state is not None and self._state is not None and state is not self._state:
                        self.prepare(state, self._state)
                    self._state, self._failure = state, None
                except ArbiterError as error:
                    # Kept for other requests: a locked or missing store may take seconds to fail.
                    self._failure = error
                self._polled = time.monotonic()
            return self.latest()

    def show(self) -> SeasonState | None:
        """Return the last state and read the next one in a thread; call `state` if it is too old."""
        if self.is_fresh():
            return self.latest()
        if not self.is_ready():
            return self.state()
        if not self._lock.locked():
            threading.Thread(target=self._refresh, daemon=True).start()
        return self._state

    def is_fresh(self) -> bool:
        """Return True if `state` need not read the store."""
        return not self._has_written() and time.monotonic() - self._polled < POLL_SECONDS

    def _has_written(self) -> bool:
        """Return True if the site has written since the last poll: who decides sees the effect at once."""
        return self._store is not None and self._store.written != self._seen

    def is_ready(self) -> bool:
        """Return True if `show` does not block."""
        usable = self._state is not None and self._failure is None and not self._has_written()
        return self.is_fresh() or (usable and time.monotonic() - self._polled < USABLE_POLLS * POLL_SECONDS)

    def _refresh(self) -> None:
        """Call `state`; its error stays for later callers."""
        with suppress(ArbiterError):
            self.state()

    def latest(self) -> SeasonState | None:
        """Return the state of the last poll; raise its error if it failed."""
        if self._failure is not None:
            raise self._failure
        return self._state

    def organiser_state(self) -> SeasonState | None:
        """Return the last state with what only organisers may see; raise the error of the last poll."""
        return None if self.latest() is None else self._whole

    def request_store(self, place: str) -> SeasonStore | None:
        """Open the store of a request's matches; None before the first is played or once it is deleted."""
        with self._lock:
            address = store_beside(self.config.store, self.config.file)
            before, self._requests = self._requests, None
            try:
                self._requests = Store.reopen(address, before, create=False)
            except StoreError:
                if not Path(address.removeprefix(SCHEME)).exists():
                    return None
                raise
            return self._requests.season(place)

    def close(self) -> None:
        with self._lock:
            for store in (self._store, self._requests):
                if store is not None:
                    store.close()
            self._store = self._requests = None
            if self._blank is not None:
                self._blank.close()
                self._blank = None

    def _read_store(self) -> SeasonState | None:
        """Reload a changed file, publish due announcements, read the state; a blank one before the first."""
        self._reload_config()
        before, self._store = self._store, None
        try:
            self._store = Store.reopen(self.config.store, before, create=False)
        except NoStore:
            return self._not_begun()
        finally:
            if self._store is not before:
                # Nothing of the previous store applies to another one.
                self._state = self._whole = None
        stored = self._store.season(self.config.season)
        if stored is None:
            return self._not_begun()
        if self._blank is not None:
            self._blank.close()
            self._blank = None
        with suppress(StoreError):
            # A site that may not write shows them all the same.
            stored.announcements.publish_due()
        self._seen = self._store.written
        self._whole = read_state(self.config, stored, self._whole)
        shown = public_state(self._whole, self._state)
        fill_caches(shown)
        return shown

    def _not_begun(self) -> SeasonState:
        """Return the state of an empty store, made once: the season's players and its start."""
        self._whole = None
        if self._blank is None:
            self._blank = _EmptySeason(self.config)
        return self._blank.state(self.config)

    def _reload_config(self) -> None:
        """Read the file again if it has changed; an invalid file changes nothing."""
        written = self._mtime()
        if written == self._written:
            return
        self._written = written
        try:
            config = load(self.path)
        except ArbiterError:
            return
        if (config.season, config.store) == (self.config.season, self.config.store):
            self.config = config

    def _mtime(self) -> int:
        """Return the file's time of change in ns; 0 if it cannot be read."""
        try:
            return self.path.stat().st_mtime_ns
        except OSError:
            return 0


class Seasons:
    """All seasons of a site, by name; ConfigError for an invalid file and for a duplicate name."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.watched: dict[str, WatchedSeason] = {}
        self.with_tables: Collection[str] = ()
        """The names of seasons with tables for visitors."""
        self.has_attacks = False
        """True if the site has a page of attacks."""
        for path in paths:
            watched = WatchedSeason(path)
            other = self.watched.setdefault(watched.config.season, watched)
            if other is not watched:
                hint = "the seasons of a site need different names"
                raise ConfigError(f"season: {watched.config.season}, as in {other.path}", str(path), hint)

    def state(self, name: str) -> SeasonState | None:
        """Return the public state of a season; None for an unknown one."""
        watched = self.watched.get(name)
        return None if watched is None else watched.state()

    def are_ready(self) -> bool:
        """Return True if `states` does not block."""
        return all(watched.is_ready() for watched in self.watched.values())

    def states(self) -> Iterator[SeasonState]:
        """Yield the last state of each season; raise the error if one cannot be read."""
        for watched in self.watched.values():
            state = watched.show()
            if state is not None:
                yield state

    def read_run_order(self, name: str) -> tuple[bool, RunOrder]:
        """Read whether a season is paused, and its last order; False if its store cannot be read."""
        with suppress(ArbiterError):
            state = self.watched[name].show()
            if state is not None:
                return state.paused is not None, state.wish
        return False, NO_ORDER

    def close(self) -> None:
        for watched in self.watched.values():
            watched.close()
