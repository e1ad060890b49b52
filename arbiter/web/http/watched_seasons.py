"""The seasons of a site: each one's present state, read again when something has happened."""

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

LOOK_SECONDS = 1.0
"""Between two looks into a store: one for all who ask meanwhile."""
USABLE_LOOKS = 3
"""A state that is so many looks old is read again before anything is shown."""


class _NotBegun:
    """An empty store in place of a season's own, which only the coordinator makes."""

    def __init__(self, config: Config) -> None:
        self._folder = TemporaryDirectory(prefix="arbiter-")
        self._store = Store(f"sqlite:///{self._folder.name}/empty.sqlite")
        # Nothing is dealt from this seed, so nothing is said of it.
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

    `fill_caches` is called with each new state and the one before, which is still shown meanwhile.
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
        self._looked = float("-inf")
        self._lock = threading.Lock()
        self._blank: _NotBegun | None = None
        self.prepare: Callable[[SeasonState, SeasonState], None] = lambda _new, _before: None

    def state(self) -> SeasonState | None:
        """The present state for everybody, at most `LOOK_SECONDS` old."""
        with self._lock:
            if not self.is_fresh():
                try:
                    state = self._read()
                    if state is not None and self._state is not None and state is not self._state:
                        self.prepare(state, self._state)
                    self._state, self._failure = state, None
                except ArbiterError as error:
                    # For all who ask meanwhile: a store that is locked or gone may take seconds to say so.
                    self._failure = error
                self._looked = time.monotonic()
            return self.latest()

    def show(self) -> SeasonState | None:
        """The last state, if it is recent enough to be shown while the next one is read; else `state`."""
        if self.is_fresh():
            return self.latest()
        if not self.is_ready():
            return self.state()
        if not self._lock.locked():
            threading.Thread(target=self._look, daemon=True).start()
        return self._state

    def is_fresh(self) -> bool:
        """True when `state` has no need to look into the store."""
        return time.monotonic() - self._looked < LOOK_SECONDS

    def is_ready(self) -> bool:
        """True when `show` answers at once."""
        usable = self._state is not None and self._failure is None
        return self.is_fresh() or (usable and time.monotonic() - self._looked < USABLE_LOOKS * LOOK_SECONDS)

    def _look(self) -> None:
        with suppress(ArbiterError):
            self.state()

    def latest(self) -> SeasonState | None:
        """Return what the last look found; raise what it failed with."""
        if self._failure is not None:
            raise self._failure
        return self._state

    def whole(self) -> SeasonState | None:
        """The last state with all that only organisers may see; raises what the last look failed with."""
        return None if self.latest() is None else self._whole

    def requested(self, place: str) -> SeasonStore | None:
        """The matches of a request; None before the first is played, and once they are gone."""
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

    def _read(self) -> SeasonState | None:
        self._renew()
        before, self._store = self._store, None
        try:
            self._store = Store.reopen(self.config.store, before, create=False)
        except NoStore:
            return self._not_begun()
        finally:
            if self._store is not before:
                # Nothing of another store is like it.
                self._state = self._whole = None
        stored = self._store.season(self.config.season)
        if stored is None:
            return self._not_begun()
        if self._blank is not None:
            self._blank.close()
            self._blank = None
        self._whole = read_state(self.config, stored, self._whole)
        shown = public_state(self._whole, self._state)
        fill_caches(shown)
        return shown

    def _not_begun(self) -> SeasonState:
        """The season before anything of it is stored: who plays, and when it begins."""
        self._whole = None
        if self._blank is None:
            self._blank = _NotBegun(self.config)
        return self._blank.state(self.config)

    def _renew(self) -> None:
        """Read the file again if it has changed; one with a mistake in it changes nothing."""
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
        try:
            return self.path.stat().st_mtime_ns
        except OSError:
            return 0


class Seasons:
    """All seasons of a site, by name; ConfigError where a file is wrong, or two name one season."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.watched: dict[str, WatchedSeason] = {}
        self.visited: Collection[str] = ()
        """Those with tables for visitors."""
        self.attacked = False
        """Whether the site has a page of attacks."""
        for path in paths:
            watched = WatchedSeason(path)
            other = self.watched.setdefault(watched.config.season, watched)
            if other is not watched:
                hint = "a site tells seasons apart by their names"
                raise ConfigError(f"season: {watched.config.season}, as in {other.path}", str(path), hint)

    def state(self, name: str) -> SeasonState | None:
        """The state of a season for everybody; None for one unknown."""
        watched = self.watched.get(name)
        return None if watched is None else watched.state()

    def are_ready(self) -> bool:
        """True when `states` need not be waited for."""
        return all(watched.is_ready() for watched in self.watched.values())

    def states(self) -> Iterator[SeasonState]:
        for watched in self.watched.values():
            state = watched.show()
            if state is not None:
                yield state

    def wish(self, name: str) -> tuple[bool, RunOrder]:
        """Return True for a paused season, and the last order; False where its store cannot be read."""
        with suppress(ArbiterError):
            state = self.watched[name].show()
            if state is not None:
                return state.paused is not None, state.wish
        return False, NO_ORDER

    def close(self) -> None:
        for watched in self.watched.values():
            watched.close()
