"""The desk: plays the matches that authors ask for, fairest first, beside the inspector.

A match is the smallest part of a request, so nobody waits for more than one of another's. It reads the queue
from the store and keeps there what was played, so it may be killed at any moment.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from arbiter.contest.service_loop import Service
from arbiter.errors import ConfigError, StoreError, VoidMatch
from arbiter.season.config.submission_settings import store_beside
from arbiter.season.order_effects import effective_orders
from arbiter.store import Store
from arbiter.store.address import file_of
from arbiter.store.request_queue import KEPT, WAITING
from arbiter.store.sqlite import clear_remains
from arbiter.store.submissions import ago
from arbiter.table import play_packed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from arbiter.contest.requests.request_play import RequestPlay
    from arbiter.contest.service_loop import Turns
    from arbiter.match.packing import PackedMatch
    from arbiter.match.spec import MatchSpec
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.request_queue import Request

LEFT_BYTES = 500_000_000
"""Of the disk, for rated matches: nothing is played for authors where less is free."""
MOST_VOIDS = 2
"""Voids of one match that end a request."""
OURS = "the service could not play it; ask the organiser, whose log says more"


class Desk(Service):
    """Plays the requests of some seasons."""

    queue = "requests"

    def __init__(
        self, configs: Sequence[Config], executor: Executor, turns: Turns, say: Callable[[str], None]
    ) -> None:
        """Each config has its isolation settled."""
        super().__init__(configs, say)
        self._executor, self._turns = executor, turns
        self._stores: dict[str, Store] = {}
        self._plays: dict[str, RequestPlay] = {}
        self._voids: Counter[tuple[str, str]] = Counter()

    def _waits(self) -> bool:
        return bool(self._again)

    def _work_on(self, config: Config) -> bool:
        """Play the next match of a season's requests, if there is one."""
        request: Request | None = None
        try:
            season = self._season(config)
            request = None if season is None else season.requests.next(self._resting(config))
            if season is None or request is None:
                return False
            try:
                self._play(config, season, request)
            except StoreError:
                raise
            except Exception as error:
                # Whatever it is, the others' requests go on.
                self._give_up(season, request, error)
        except StoreError as error:
            if self._closed.is_set():
                return False
            self._say(f"{config.season}: requests: {error}")
            if request is not None:
                self._rest(config, request.id)
            return False
        return True

    def _play(self, config: Config, season: SeasonStore, request: Request) -> None:
        """Play a match of a request, or end it where there is none."""
        from arbiter.contest.requests.outcomes import outcome_of

        if (why := _why_not(season, request.author)) is not None:
            raise ConfigError(why)
        if shutil.disk_usage(config.file.parent).free < LEFT_BYTES:
            raise StoreError(f"less than {LEFT_BYTES:,} bytes are free beside {config.file}")
        play = self._opened(config, season, request)
        spec = play.next()
        if spec is None:
            season.requests.finish(request.id, outcome_of(play))
            self._plays.pop(request.place, None)
            return
        if request.state == WAITING and not season.requests.begin(request.id):
            self._plays.pop(request.place, None)
            return
        with self._turns.take(season.requests.served().get(request.author, 0)):
            begun = time.monotonic()
            match = self._played(season, request, spec)
            spent = round(1000 * (time.monotonic() - begun))
        if match is None or self._opened(config, season, request) is not play:
            season.requests.count(request.author, spent)
            return
        play.add(match)
        outcome = outcome_of(play) if play.is_whole else None
        if not season.requests.keep(request.id, request.author, len(play.matches), spent, outcome):
            # It was cancelled meanwhile.
            self._plays.pop(request.place, None)

    def _give_up(self, season: SeasonStore, request: Request, error: Exception) -> None:
        """End a request that cannot be played; its author hears why, unless the failure is ours."""
        if not isinstance(error, ConfigError):
            failed = f"{type(error).__name__}: {error}"
            self._say(f"{season.name}: request {request.id} is given up: {failed}")
        problem = error.problems[0].message if isinstance(error, ConfigError) else OURS
        season.requests.finish(request.id, request.outcome, problem)
        self._plays.pop(request.place, None)

    def _played(self, season: SeasonStore, request: Request, spec: MatchSpec) -> PackedMatch | None:
        """The match, or None where it was void: then it is tried again, or the request is over."""
        try:
            match: PackedMatch = self._executor.submit(play_packed, spec).result()
        except VoidMatch as void:
            if self._closed.is_set():
                return None
            self._say(f"{season.name}: request {request.id}, match {spec.id} was void: {void}")
            self._voids[request.place, spec.id] += 1
            if self._voids[request.place, spec.id] >= MOST_VOIDS:
                season.requests.finish(request.id, request.outcome, OURS)
                self._plays.pop(request.place, None)
            return None
        return match

    def _opened(self, config: Config, season: SeasonStore, request: Request) -> RequestPlay:
        """The matches of a request; those that were played before are read once."""
        from arbiter.contest.requests.request_play import RequestPlay

        store = self._store(config)
        if request.place not in self._plays:
            self._plays[request.place] = RequestPlay(request, config, season, store)
        return self._plays[request.place]

    def _store(self, config: Config) -> Store:
        """The store of requests; one whose file was removed is made again, without what it held."""
        address = store_beside(config.store, config.file)
        before = self._stores.get(address)
        if (file := file_of(address)) is not None:
            with suppress(OSError):
                clear_remains(file)
        store = self._stores[address] = Store.reopened(address, before)
        if before not in (None, store):
            self._say(f"{config.season}: {store.name} was removed: requests under way begin again")
            self._plays.clear()
        return store

    def _tidy(self, config: Config, season: SeasonStore) -> None:
        """Remove the matches of requests that ended long ago, and forget what is read again where needed."""
        self._plays.clear()
        self._voids.clear()
        for request in season.requests.ended_before(ago(KEPT)):
            self._store(config).drop_season(request.place)
            season.requests.forget(request.id)


def _why_not(season: SeasonStore, name: str) -> str | None:
    """Return why nothing is played for an author now; None where it is."""
    author = season.authors.named(name)
    order = effective_orders(season.orders.read().given).suspended.get(name)
    if author is None or not author.alive:
        return f"{name} is no author any more"
    if order is not None:
        return f"{name} is suspended: {order.because}"
    return None if season.running.read().closed is None else "the season is closed"
