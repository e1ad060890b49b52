"""Sends the events of a season to one webhook, one after the other; it may be killed at any time.

A delivery is stored, sent, then recorded as received. If the process ends between the last two steps, it is
sent again with the same id and body.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from secrets import token_hex
from typing import TYPE_CHECKING

from arbiter.contest.webhooks.http_post import GONE, post
from arbiter.contest.webhooks.news import body_of, news_of
from arbiter.errors import NoStore
from arbiter.season.snapshot.freeze import public_state
from arbiter.season.snapshot.season_state import SeasonState
from arbiter.store import Store
from arbiter.store.deliveries import Delivery
from arbiter.store.row_values import read_moment

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.contest.webhooks.http_post import Receipt
    from arbiter.season.config import Config
    from arbiter.season.config.webhook_settings import Webhook
    from arbiter.store import SeasonStore
    from arbiter.store.deliveries import DeliveryStore

LOOK_SECONDS = 1.0
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=5), timedelta(hours=1)
"""The pause after the first failed attempt, doubled after each further one up to the longest."""
MOST_DOUBLINGS = 20
PATIENCE = timedelta(days=1)
"""For how long a delivery is retried; time with the machine off does not count."""


def _pause(tries: int) -> timedelta:
    """Return the pause after `tries` + 1 failed attempts."""
    return min(FIRST_PAUSE * (1 << min(tries, MOST_DOUBLINGS)), LONGEST_PAUSE)


def _now() -> datetime:
    return datetime.now(UTC)


def webhook_name(config: Config, webhook: Webhook) -> str:
    """Return a webhook's name for messages, without its address, which may be a secret."""
    return f"webhook {config.webhooks.index(webhook) + 1} ({webhook.host})"


class Sender:
    """Sends a season's events to one webhook and stores its progress; `say` receives failures."""

    def __init__(
        self,
        config: Config,
        webhook: Webhook,
        say: Callable[[str], None],
        public: str | None = None,
        send: Callable[[Webhook, str, str, bytes], Receipt] = post,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._config, self._webhook, self._say, self._public = config, webhook, say, public
        self._send, self._now = send, now
        self._store: Store | None = None
        self._season: SeasonStore | None = None
        self._shown: SeasonState | None = None
        self._seen = 0
        self._looked: int | None = None
        self.called = webhook_name(config, webhook)

    def close(self) -> None:
        """Close the store, and forget what was read from it."""
        if self._store is not None:
            self._store.close()
        self._store = self._season = self._shown = self._looked = None
        # The next store may be another one.
        self._seen = 0

    def step(self) -> float | None:
        """Publish due announcements, and send at most one delivery that is due.

        Return the seconds until the next may be due, 0 for at once; None if nothing is waiting. StoreError if
        the store fails.
        """
        season = self._find_season()
        if season is None:
            return None
        season.announcements.publish_due()
        book, key = season.deliveries, self._webhook.digest
        told = book.begin(key)
        if told.ended is not None:
            return None
        telling = told.telling or self._prepare_next(season)
        if telling is None:
            return None
        if telling.again is not None:
            wait = read_moment(telling.again, "the time of a delivery's next attempt") - self._now()
            # A longer one was stored with a wrong clock.
            if timedelta(0) < wait <= LONGEST_PAUSE:
                return wait.total_seconds()
        receipt = self._send(self._webhook, telling.kind, telling.delivery, telling.body.encode())
        if receipt.ok:
            book.record_delivery(key, telling)
            return 0.0
        return self._record_failure(book, telling, receipt)

    def _find_season(self) -> SeasonStore | None:
        """Open the store and return its season; None before it exists."""
        if self._season is None:
            try:
                self._store = self._store or Store(self._config.store, create=False)
            except NoStore:
                return None
            self._season = self._store.season(self._config.season)
        assert self._store is not None
        # Else a replaced file would be read for ever.
        self._store.check()
        return self._season

    def _prepare_next(self, season: SeasonStore) -> Delivery | None:
        """Store the next delivery and return it; None if there is nothing to send."""
        book, key = season.deliveries, self._webhook.digest
        last = book.last_event()
        if last == self._looked:
            return None
        due, self._seen = book.next_delivery(key, self._webhook.events, self._config.freeze > 0, self._seen)
        if due is None:
            self._looked = last
            return None
        # Read after the event was chosen: since then the public state can only have shrunk.
        self._shown = public_state(SeasonState.of(self._config, season), self._shown)
        news = news_of(due.event, self._shown, self._public)
        body = body_of(news, self._webhook.form)
        delivery = token_hex(16)
        book.prepare(key, Delivery(delivery, due.event.number, due.early, due.event.kind.value, body))
        # From the store: another process may have been faster.
        kept = book.read(key)
        return None if kept is None else kept.telling

    def _record_failure(self, book: DeliveryStore, delivery: Delivery, receipt: Receipt) -> float | None:
        """Store a retry, that events are given up, or that the receiver is gone; return as `step`."""
        key, problem, now = self._webhook.digest, receipt.problem, self._now()
        if receipt.status == GONE:
            book.end(key, delivery, self.called, problem)
            gone = f"{self.called} is gone ({problem})"
            self._say(f"{self._config.season}: {gone}: nothing more is sent to it")
            return None
        since = now
        if delivery.since is not None:
            since = read_moment(delivery.since, "the time of a delivery's first attempt")
        tried = sum(map(_pause, range(delivery.tries)), timedelta(0))
        if tried >= PATIENCE:
            # Later events have not waited as long.
            before = _time_text(min(since + tried, now) - PATIENCE)
            count = book.give_up(key, delivery, self._webhook.events, before, self.called, problem)
            events = f"{count} event{'s' * (count != 1)}"
            self._say(f"{self._config.season}: {self.called}: {events} dropped: {problem}")
            return 0.0
        pause = max(_pause(delivery.tries), timedelta(seconds=receipt.pause))
        book.postpone(key, delivery, _time_text(since), _time_text(now + pause), problem)
        if not delivery.tries:
            self._say(f"{self._config.season}: {self.called}: {problem}: retried for a day")
        return pause.total_seconds()


def _time_text(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
