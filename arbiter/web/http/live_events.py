"""Season events as server-sent events: each store is polled once a second for all listeners.

The store numbers its events, so their ids are the same for all listeners and survive restarts. A listener
that reconnects with its last event id gets the events that it missed.
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
from arbiter.web.http.watched_seasons import POLL_SECONDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.web.http.watched_seasons import Seasons

MOST_MISSED = 1000
"""Missed events that a reconnecting listener gets; after more it gets the current state."""
LIFE_SECONDS = 3600.0
"""Of a connection; browsers then reconnect, and abandoned connections close."""
WAITING = 32
"""Polls with events that a listener may lag; a slower one is dropped, and reconnects."""
MOST_OF_ADDRESS, MOST = 300, 1000
"""Concurrent listeners from one address, and in total. A school may have a single address."""
RETRY_SECONDS = 30
SENT_AT_ONCE = 20
"""Listeners served before other requests get a turn."""
DIGITS = 18
"""Of the longest event id that is accepted."""


class Listener:
    """The queue of one listener, and the number of the last event put into it."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.waiting: asyncio.Queue[bytes | None] = asyncio.Queue(WAITING)
        self.dropped = False

    def put(self, events: Sequence[tuple[int, bytes]]) -> None:
        """Queue the events after the listener's last number; drop the listener if the queue is full."""
        mine = [text for number, text in events if number > self.after]
        if not mine:
            return
        self.after = events[-1][0]
        try:
            self.waiting.put_nowait(b"".join(mine))
        except asyncio.QueueFull:
            self.drop()

    async def next(self) -> bytes | None:
        """Wait for the next chunk of the queue; None once the listener is dropped."""
        return None if self.dropped else await self.waiting.get()

    def drop(self) -> None:
        """End the connection as soon as it can be written to."""
        self.dropped = True
        with suppress(asyncio.QueueFull):
            self.waiting.put_nowait(None)


class LiveEvents:
    """The listeners of all seasons; each season with listeners has a task that polls its events."""

    def __init__(self, seasons: Seasons) -> None:
        self._seasons = seasons
        self._listeners: dict[str, set[Listener]] = {}
        self._sent: dict[str, int] = {}
        self._watching: dict[str, asyncio.Task[None]] = {}
        self._addresses: Counter[str] = Counter()

    @property
    def listening(self) -> int:
        """The number of listeners."""
        return self._addresses.total()

    def limit_for(self, address: str) -> int | None:
        """Return the limit that another listener from this address would exceed; None if it may listen."""
        return limit_of(self._addresses, address, MOST, MOST_OF_ADDRESS)

    def close(self) -> None:
        for listeners in self._listeners.values():
            for listener in listeners:
                listener.drop()

    async def listen(self, state: SeasonState, address: str, last_id: str | None) -> AsyncIterator[bytes]:
        """Yield the chunks for one listener until it disconnects or is dropped."""
        self._addresses[address] += 1
        try:
            yield b"retry: 3000\n\n"
            after = _resume_after(last_id, state.event)
            if after is None:
                # What it missed is unknown: it gets the current state and continues from there.
                yield encode(LoggedEvent(state.event, EventKind.STATE, 0, progress(state)))
                after = state.event
            while True:
                missed = await run_in_threadpool(self._new_events, state.name, after)
                yield b"".join(map(encode, missed))
                after = missed[-1].number if missed else after
                if after >= self._sent.get(state.name, 0):
                    break
            listener = self._add_listener(state.name, after)
            try:
                async for chunk in stream(listener.next, LIFE_SECONDS):
                    yield chunk
            finally:
                self._listeners[state.name].discard(listener)
        finally:
            self._addresses[address] -= 1
            self._addresses += Counter()

    def _add_listener(self, name: str, after: int) -> Listener:
        """Add a listener, and start the season's task if none runs."""
        listener = Listener(after)
        self._listeners.setdefault(name, set()).add(listener)
        watching = self._watching.get(name)
        if watching is None or watching.done():
            self._sent[name] = after
            self._watching[name] = asyncio.create_task(self._watch(name))
        return listener

    async def _watch(self, name: str) -> None:
        """Queue new events for all listeners of a season while it has any."""
        listeners = self._listeners[name]
        while listeners:
            await asyncio.sleep(POLL_SECONDS)
            # An unreadable store has no events.
            with suppress(ArbiterError):
                state = await run_in_threadpool(self._seasons.state, name)
                if state is not None and state.event < self._sent[name]:
                    # The store was replaced: its listeners reconnect and get the current state.
                    for listener in listeners:
                        listener.drop()
                    self._sent[name] = state.event
                events = await run_in_threadpool(self._new_events, name, self._sent[name])
                if events:
                    self._sent[name] = events[-1].number
                    chunks = [(event.number, encode(event)) for event in events]
                    for number, listener in enumerate(list(listeners), 1):
                        listener.put(chunks)
                        if number % SENT_AT_ONCE == 0:
                            # Other requests get a turn.
                            await asyncio.sleep(0)
        self._sent.pop(name)

    def _new_events(self, name: str, after: int) -> list[LoggedEvent]:
        """Read a season's state; return its first `MOST_MISSED` events after a number."""
        state = self._seasons.state(name)
        if state is None or state.event <= after:
            return []
        return state.events(after, MOST_MISSED)


def _resume_after(text: str | None, last: int) -> int | None:
    """Return the event number after which to continue; None for an invalid or too old `Last-Event-ID`."""
    if text is None:
        return last
    number = number_of(text, DIGITS)
    return number if number is not None and last - MOST_MISSED <= number <= last else None


def encode(event: LoggedEvent) -> bytes:
    data = json.dumps(_payload_of(event), separators=(",", ":"))
    return f"id: {event.number}\nevent: {event.kind.value}\ndata: {data}\n\n".encode()


def _payload_of(event: LoggedEvent) -> dict[str, object]:
    """Return the data of an event: id or number of its subject, its round, or the season's new state."""
    match event.kind:
        case EventKind.MATCH | EventKind.REVIEW:
            return {"id": event.subject, "round": event.round}
        case EventKind.ROUND:
            return {"round": event.round}
        case EventKind.STANDINGS:
            return {"after_round": event.round}
        case EventKind.ANNOUNCEMENT:
            return {"announcement": int(event.subject)}
        case _:
            return {"state": event.subject}
