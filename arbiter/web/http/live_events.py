"""News of seasons as server-sent events: one look a second into each store, for all who listen.

The store numbers what happens, so everybody gets the same under the same numbers, also after a restart.
A listener that comes back with the last number that it heard gets what it missed.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

from arbiter.errors import ArbiterError
from arbiter.season.snapshot.season_figures import progress
from arbiter.store.event_log import EventKind, LoggedEvent
from arbiter.web.http.concurrency_limits import limit_of
from arbiter.web.http.request_guard import number_of
from arbiter.web.http.sse import stream
from arbiter.web.http.watched_seasons import LOOK_SECONDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.web.http.watched_seasons import Seasons

MOST_MISSED = 1000
"""Events that a returning listener gets; after more it gets the present state."""
LIFE_SECONDS = 3600.0
"""Of a connection; the browser then connects anew, and one that nobody has any more is gone."""
WAITING = 32
"""Looks with news that a listener may be behind; one that is further behind is dropped, and comes back."""
MOST_OF_ADDRESS, MOST = 300, 1000
"""Listeners at once from one address, and in all. A school may have a single address."""
RETRY_SECONDS = 30
TOLD_AT_ONCE = 20
"""Listeners whose news are sent before others are answered."""
DIGITS = 18
"""Of the longest number that is looked at."""


class Listener:
    """A listener: what waits to be sent, and the number of the last event that was put there."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.waiting: asyncio.Queue[bytes | None] = asyncio.Queue(WAITING)
        self.dropped = False

    def tell(self, news: Sequence[tuple[int, bytes]]) -> None:
        """Put there what is new to this listener, by number; drop it if too much waits there."""
        mine = [text for number, text in news if number > self.after]
        if not mine:
            return
        self.after = news[-1][0]
        try:
            self.waiting.put_nowait(b"".join(mine))
        except asyncio.QueueFull:
            self.drop()

    async def next(self) -> bytes | None:
        """Return what was put there next; None once it is dropped."""
        return None if self.dropped else await self.waiting.get()

    def drop(self) -> None:
        """End the connection as soon as it is writable."""
        self.dropped = True
        with suppress(asyncio.QueueFull):
            self.waiting.put_nowait(None)


class Live:
    def __init__(self, seasons: Seasons) -> None:
        self._seasons = seasons
        self._listeners: dict[str, set[Listener]] = {}
        self._told: dict[str, int] = {}
        self._watching: dict[str, asyncio.Task[None]] = {}
        self._addresses: Counter[str] = Counter()

    @property
    def listening(self) -> int:
        return self._addresses.total()

    def limit_for(self, address: str) -> int | None:
        """The limit that another listener from this address would exceed; None if there is none."""
        return limit_of(self._addresses, address, MOST, MOST_OF_ADDRESS)

    def close(self) -> None:
        for listeners in self._listeners.values():
            for listener in listeners:
                listener.drop()

    async def listen(self, state: SeasonState, address: str, last_heard: str | None) -> AsyncIterator[bytes]:
        """Yield what one listener is sent, until it goes away or is dropped."""
        self._addresses[address] += 1
        try:
            yield b"retry: 3000\n\n"
            after = _heard(last_heard, state.event)
            if after is None:
                # Nobody knows what it missed: it gets the present state, and goes on from here.
                yield encoded(LoggedEvent(state.event, EventKind.STATE, 0, progress(state)))
                after = state.event
            while True:
                missed = await run_in_threadpool(self._news, state.name, after)
                yield b"".join(map(encoded, missed))
                after = missed[-1].number if missed else after
                if after >= self._told.get(state.name, 0):
                    break
            listener = self._add(state.name, after)
            try:
                async for chunk in stream(listener.next, LIFE_SECONDS):
                    yield chunk
            finally:
                self._listeners[state.name].discard(listener)
        finally:
            self._addresses[address] -= 1
            self._addresses += Counter()

    def _add(self, name: str, after: int) -> Listener:
        listener = Listener(after)
        self._listeners.setdefault(name, set()).add(listener)
        watching = self._watching.get(name)
        if watching is None or watching.done():
            self._told[name] = after
            self._watching[name] = asyncio.create_task(self._watch(name))
        return listener

    async def _watch(self, name: str) -> None:
        """Tell all listeners of a season what happens, while there are any."""
        listeners = self._listeners[name]
        while listeners:
            await asyncio.sleep(LOOK_SECONDS)
            # A store that cannot be read now has no news.
            with suppress(ArbiterError):
                state = await run_in_threadpool(self._seasons.state, name)
                if state is not None and state.event < self._told[name]:
                    # Another store is in its place, so its listeners come again for the present state.
                    for listener in listeners:
                        listener.drop()
                    self._told[name] = state.event
                news = await run_in_threadpool(self._news, name, self._told[name])
                if news:
                    self._told[name] = news[-1].number
                    chunks = [(event.number, encoded(event)) for event in news]
                    for number, listener in enumerate(list(listeners), 1):
                        listener.tell(chunks)
                        if number % TOLD_AT_ONCE == 0:
                            # Pages are answered in between.
                            await asyncio.sleep(0)
        self._told.pop(name)

    def _news(self, name: str, after: int) -> list[LoggedEvent]:
        state = self._seasons.state(name)
        if state is None or state.event <= after:
            return []
        return state.events(after, MOST_MISSED)


def _heard(text: str | None, last: int) -> int | None:
    """From which number on to tell; None where it cannot be known from what the listener says."""
    if text is None:
        return last
    number = number_of(text, DIGITS)
    return number if number is not None and last - MOST_MISSED <= number <= last else None


def encoded(event: LoggedEvent) -> bytes:
    data = json.dumps(_data(event), separators=(",", ":"))
    return f"id: {event.number}\nevent: {event.kind.value}\ndata: {data}\n\n".encode()


def _data(event: LoggedEvent) -> dict[str, object]:
    match event.kind:
        case EventKind.MATCH | EventKind.REVIEW:
            return {"id": event.subject, "round": event.round}
        case EventKind.ROUND:
            return {"round": event.round}
        case EventKind.STANDINGS:
            return {"after_round": event.round}
        case _:
            return {"state": event.subject}
