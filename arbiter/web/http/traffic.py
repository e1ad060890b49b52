"""The traffic of a site: counts and logs of requests, and metrics for Prometheus."""

from __future__ import annotations

import queue
import resource
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, get_args

from arbiter.errors import ArbiterError
from arbiter.season.snapshot import season_figures
from arbiter.season.snapshot.schema import Condition
from arbiter.store.versions import STATES as STATES_OF_SUBMISSIONS
from arbiter.text import printable
from arbiter.web.http.request_guard import ENDLESS, raw_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.store.deliveries import DeliveryState
    from arbiter.web.http.live_events import LiveEvents
    from arbiter.web.http.watched_seasons import Seasons

WAITING_LINES = 10_000
"""Lines of the log that wait to be written; further ones are lost."""
LONGEST = 300
"""Characters of a path in the log."""
FORWARDED = b"x-forwarded-for"
UNKNOWN_PROXY = "a proxy forwards requests, but its client addresses are ignored: add --behind-proxy"
Sample = tuple["Mapping[str, str]", float]
STATES = (*get_args(Condition), "unreadable")


class Log:
    """Writes lines to standard error in a thread, so that a slow reader of the log delays no answer."""

    def __init__(self) -> None:
        self._lines: queue.Queue[str] = queue.Queue(WAITING_LINES)
        self._writer = threading.Thread(target=self._write_queued, daemon=True)
        self._writer.start()

    def write(self, line: str) -> None:
        """Queue a line with a timestamp; drop it if the queue is full."""
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        with suppress(queue.Full):
            self._lines.put_nowait(f"{moment} {printable(line)}\n")

    def close(self, seconds: float = 0.5) -> None:
        """Write the queued lines and end the thread, in at most `seconds`."""
        with suppress(queue.Full):
            self._lines.put_nowait("")
            self._writer.join(seconds)

    def _write_queued(self) -> None:
        """Write queued lines to standard error until an empty one ends the thread."""
        while line := self._lines.get():
            with suppress(OSError, ValueError):
                sys.stderr.write(line)
                sys.stderr.flush()


class Traffic:
    """Counts of requests by status and under way, bytes sent, and seconds spent on answers."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.under_way = 0
        self.sent = 0
        self.seconds = 0.0


class RequestLog:
    """ASGI middleware that counts requests and logs each without its query."""

    def __init__(
        self, app: ASGIApp, traffic: Traffic, log: Log | None = None, behind_proxy: bool = False
    ) -> None:
        self._app, self._traffic, self._log = app, traffic, log
        self._knows_proxy = behind_proxy or log is None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        traffic, began, status = self._traffic, time.monotonic(), 500
        if not self._knows_proxy and any(name == FORWARDED for name, _ in scope["headers"]):
            self._knows_proxy = True
            assert self._log is not None
            self._log.write(UNKNOWN_PROXY)

        async def count_and_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                traffic.sent += len(message.get("body", b""))
            await send(message)

        listens = scope["path"].endswith(ENDLESS)
        traffic.under_way += not listens
        try:
            await self._app(scope, receive, count_and_send)
        finally:
            took = time.monotonic() - began
            traffic.under_way -= not listens
            traffic.statuses[status] += 1
            traffic.seconds += 0 if listens else took
            if self._log is not None:
                self._log.write(_line(scope, status, took))


def _line(scope: Scope, status: int, seconds: float) -> str:
    """Return ``127.0.0.1 GET /seasons/demo 200 3 ms``; the query is left out, as it may hold secrets."""
    who = scope["client"][0] if scope.get("client") else "-"
    address = raw_path(scope).decode("ascii", "replace")[:LONGEST]
    return f"{who} {scope['method']} {address} {status} {1000 * seconds:.0f} ms"


def metrics(seasons: Seasons, traffic: Traffic, live: LiveEvents, ended: Mapping[str, int]) -> str:
    """Read all seasons, return all metrics as text; `ended` has exit codes of last coordinators by season."""
    every: tuple[list[Sample], ...] = tuple([] for _ in range(7))
    states, matches, rounds, sent, waiting, failing, given_up = every
    held = False
    for name, watched in seasons.watched.items():
        now = "unreadable"
        with suppress(ArbiterError):
            state = watched.state()
            shown = None if state is None else season_figures.season(state)
            now = "new" if shown is None else shown["state"]
            held = held or (state is not None and state.frozen is not None)
            if state is not None and shown is not None:
                matches.append(({"season": name}, shown["matches"]))
                rounds.append(({"season": name}, shown["complete"]))
                sent += _load_submission_samples(name, state)
                for labels, told, number in _webhook_samples(name, state):
                    waiting.append((labels, number))
                    failing.append((labels, told.telling.tries if told.telling else 0))
                    given_up.append((labels, told.dropped))
        states += [({"season": name, "state": word}, word == now) for word in STATES]
    used = resource.getrusage(resource.RUSAGE_SELF)
    statuses: list[Sample] = [
        ({"status": str(status)}, float(count)) for status, count in sorted(traffic.statuses.items())
    ]
    codes: list[Sample] = [({"season": name}, float(code)) for name, code in ended.items()]
    with open("/proc/self/statm") as file:
        memory = int(file.read().split()[1]) * resource.getpagesize()
    cpu = used.ru_utime + used.ru_stime

    def unless_held(figure: float) -> list[Sample] | float:
        # Reading a held-back match takes time and memory: these figures would reveal their number.
        return [] if held else figure

    families: tuple[tuple[str, str, str, list[Sample] | float], ...] = (
        ("requests_total", "counter", "Requests, by status.", statuses),
        ("request_seconds_total", "counter", "Time spent on answers.", unless_held(traffic.seconds)),
        ("sent_bytes_total", "counter", "Bytes of answers.", traffic.sent),
        ("requests_under_way", "gauge", "Requests being answered.", traffic.under_way),
        ("listeners", "gauge", "Connections that listen for events.", live.listening),
        ("season_state", "gauge", "1 for the current state of the season.", states),
        ("season_matches", "gauge", "Matches stored.", matches),
        ("season_rounds", "gauge", "Rounds complete.", rounds),
        ("submissions", "gauge", "Submissions, by the state of their inspection.", sent),
        ("webhook_waiting", "gauge", "Events that wait for delivery to a webhook.", waiting),
        ("webhook_failures", "gauge", "Failed attempts at the next delivery.", failing),
        ("webhook_given_up_total", "counter", "Events that were never delivered to a webhook.", given_up),
        ("coordinator_exit_code", "gauge", "Exit code of the season's last coordinator.", codes),
        ("cpu_seconds_total", "counter", "CPU time of the web process.", unless_held(cpu)),
        ("resident_bytes", "gauge", "Memory of the web process.", unless_held(memory)),
    )
    return "".join(line for family in families for line in _metric_lines(*family))


def _load_submission_samples(name: str, state: SeasonState) -> list[Sample]:
    """Read the numbers of submissions by state; none without submissions or if that fails."""
    if state.config.submissions is None:
        return []
    try:
        counts = state.stored.submissions.counts()
    except ArbiterError:
        return []
    return [({"season": name, "state": word}, counts.get(word, 0)) for word in STATES_OF_SUBMISSIONS]


def _webhook_samples(name: str, state: SeasonState) -> Iterator[tuple[Mapping[str, str], DeliveryState, int]]:
    """Read each webhook's labels, delivery state and number of waiting events that are not held back."""
    book, freezes = state.stored.deliveries, state.config.freeze > 0
    with suppress(ArbiterError):
        for number, webhook in enumerate(state.config.webhooks, 1):
            if (told := book.read(webhook.digest)) is not None:
                labels = {"season": name, "webhook": str(number)}
                yield labels, told, book.count_waiting(webhook.digest, webhook.events, freezes)


def _metric_lines(name: str, kind: str, text: str, found: list[Sample] | float) -> Iterator[str]:
    yield f"# HELP arbiter_{name} {text}\n# TYPE arbiter_{name} {kind}\n"
    for labels, value in found if isinstance(found, list) else [({}, found)]:
        inside = ",".join(f'{key}="{_escape_label(word)}"' for key, word in labels.items())
        yield f"arbiter_{name}{f'{{{inside}}}' if inside else ''} {float(value):.15g}\n"


def _escape_label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
