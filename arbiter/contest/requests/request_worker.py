"""The worker that plays requested matches from the fair queue, in turn with the inspector.

It plays one match at a time, so an author waits for at most one match of another. It reads the queue from the
store and records its progress there, so it may be killed at any time.
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
from arbiter.store.audit import time_before
from arbiter.store.request_queue import KEPT, WAITING
from arbiter.store.sqlite import clear_remains
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
"""Disk space reserved for rated matches: with less free, no requested match is played."""
MOST_VOIDS = 2
"""A request ends after this many void plays of one match."""
OURS = "the service could not play it; ask the organiser to look at the log"


class RequestWorker(Service):
    """Plays the requested matches of some seasons and stores their outcomes."""

    queue = "requests"

    def __init__(
        self, configs: Sequence[Config], executor: Executor, turns: Turns, say: Callable[[str], None]
    ) -> None:
        """Each config has its isolation resolved."""
        super().__init__(configs, say)
        self._executor, self._turns = executor, turns
        self._stores: dict[str, Store] = {}
        self._plays: dict[str, RequestPlay] = {}
        self._voids: Counter[tuple[str, str]] = Counter()

    def _has_work_left(self) -> bool:
        """Return True if a failed request waits for its pause to end."""
        return bool(self._again)

    def _work_on(self, config: Config) -> bool:
        """Play the next match of a season's queue; False if nothing is queued, or a store fails."""
        request: Request | None = None
        try:
            season = self._find_season(config)
            request = None if season is None else season.requests.next(self._postponed_items(config))
            if season is None or request is None:
                return False
            try:
                self._play(config, season, request)
            except StoreError:
                raise
            except Exception as error:
                # Any error ends only this request.
                self._give_up(season, request, error)
        except StoreError as error:
            if self._closed.is_set():
                return False
            self._say(f"{config.season}: requests: {error}")
            if request is not None:
                self._postpone(config, request.id)
            return False
        return True

    def _play(self, config: Config, season: SeasonStore, request: Request) -> None:
        """Play a match of a request, or finish it if none is left; ConfigError if refused, StoreError."""
        from arbiter.contest.requests.outcomes import outcome_of

        if (why := _refusal_reason(season, request.author)) is not None:
            raise ConfigError(why)
        if shutil.disk_usage(config.file.parent).free < LEFT_BYTES:
            raise StoreError(
                f"less than {LEFT_BYTES:,} bytes are free beside {config.file}: free space there"
            )
        play = self._open_play(config, season, request)
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
            match = self._play_match(season, request, spec)
            spent = round(1000 * (time.monotonic() - begun))
        if match is None or self._open_play(config, season, request) is not play:
            season.requests.count(request.author, spent)
            return
        play.add(match)
        outcome = outcome_of(play) if play.is_whole else None
        if not season.requests.keep(request.id, request.author, len(play.matches), spent, outcome):
            # It was cancelled meanwhile.
            self._plays.pop(request.place, None)

    def _give_up(self, season: SeasonStore, request: Request, error: Exception) -> None:
        """End a request that cannot be played; its author sees the reason of a ConfigError only."""
        if not isinstance(error, ConfigError):
            failed = f"{type(error).__name__}: {error}"
            self._say(f"{season.name}: request {request.id} failed: {failed}")
        problem = error.problems[0].message if isinstance(error, ConfigError) else OURS
        season.requests.finish(request.id, request.outcome, problem)
        self._plays.pop(request.place, None)

    def _play_match(self, season: SeasonStore, request: Request, spec: MatchSpec) -> PackedMatch | None:
        """Play and return a match, or None if it was void: it is retried, or the request ends."""
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

    def _open_play(self, config: Config, season: SeasonStore, request: Request) -> RequestPlay:
        """Return the play of a request, cached; stored matches are read once."""
        from arbiter.contest.requests.request_play import RequestPlay

        store = self._open_store(config)
        if request.place not in self._plays:
            self._plays[request.place] = RequestPlay(request, config, season, store)
        return self._plays[request.place]

    def _open_store(self, config: Config) -> Store:
        """Open the store of requests; create it again, empty, if its file was removed."""
        address = store_beside(config.store, config.file)
        before = self._stores.get(address)
        if (file := file_of(address)) is not None:
            with suppress(OSError):
                clear_remains(file)
        store = self._stores[address] = Store.reopen(address, before)
        if before not in (None, store):
            self._say(f"{config.season}: {store.name} was removed: open requests start over")
            self._plays.clear()
        return store

    def _clean_up(self, config: Config, season: SeasonStore) -> None:
        """Delete the matches of requests that ended before `KEPT`, and clear the caches."""
        self._plays.clear()
        self._voids.clear()
        for request in season.requests.ended_before(time_before(KEPT)):
            self._open_store(config).drop_season(request.place)
            season.requests.forget_matches(request.id)


def _refusal_reason(season: SeasonStore, name: str) -> str | None:
    """Load why an author's requests are not played now, or None."""
    author = season.authors.find(name)
    order = effective_orders(season.orders.read().given).suspended.get(name)
    if author is None or not author.alive:
        return f"{name} is no longer an author"
    if order is not None:
        return f"{name} is suspended: {order.because}"
    return None if season.running.read().closed is None else "the season is closed"
