"""Figures for Prometheus, in its text format."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING, get_args

from arbiter.errors import ArbiterError
from arbiter.picture import figures
from arbiter.picture.shapes import Condition
from arbiter.store.versions import STATES as STATES_OF_SUBMISSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from arbiter.picture.state import State
    from arbiter.web.live import Live
    from arbiter.web.seasons import Seasons
    from arbiter.web.traffic import Traffic

Sample = tuple["Mapping[str, str]", float]
STATES = (*get_args(Condition), "unreadable")


def metrics(seasons: Seasons, traffic: Traffic, live: Live, ended: Mapping[str, int]) -> str:
    """All figures; `ended` is by season the exit code of its last coordinator that has ended."""
    states: list[Sample] = []
    matches: list[Sample] = []
    rounds: list[Sample] = []
    sent: list[Sample] = []
    for name, watched in seasons.watched.items():
        try:
            state = watched.state()
            shown = None if state is None else figures.season(state)
            now: str = "new" if shown is None else shown["state"]
        except ArbiterError:
            state, shown, now = None, None, "unreadable"
        states += [({"season": name, "state": word}, word == now) for word in STATES]
        if state is not None and shown is not None:
            matches.append(({"season": name}, shown["matches"]))
            rounds.append(({"season": name}, shown["complete"]))
            sent += _by_state(name, state)
    used = resource.getrusage(resource.RUSAGE_SELF)
    families: list[tuple[str, str, str, list[Sample]]] = [
        ("requests_total", "counter", "Requests, by status.", _by_status(traffic)),
        ("request_seconds_total", "counter", "Time spent on answers.", [({}, traffic.seconds)]),
        ("sent_bytes_total", "counter", "Bytes of answers.", [({}, traffic.sent)]),
        ("requests_under_way", "gauge", "Requests being answered.", [({}, traffic.under_way)]),
        ("listeners", "gauge", "Connections that wait for news.", [({}, live.listening)]),
        ("season_state", "gauge", "1 for the state that the season is in.", states),
        ("season_matches", "gauge", "Matches stored.", matches),
        ("season_rounds", "gauge", "Rounds complete.", rounds),
        ("submissions", "gauge", "What authors sent, by the state of its inspection.", sent),
        (
            "coordinator_exit_code",
            "gauge",
            "How the season's last coordinator ended.",
            [({"season": name}, code) for name, code in ended.items()],
        ),
        (
            "cpu_seconds_total",
            "counter",
            "CPU time of the web process.",
            [({}, used.ru_utime + used.ru_stime)],
        ),
        ("resident_bytes", "gauge", "Memory of the web process.", [({}, _resident_bytes())]),
    ]
    return "".join(line for family in families for line in _lines(*family))


def _by_state(name: str, state: State) -> list[Sample]:
    if state.config.submissions is None:
        return []
    try:
        counts = state.stored.submissions.counts()
    except ArbiterError:
        return []
    return [({"season": name, "state": word}, counts.get(word, 0)) for word in STATES_OF_SUBMISSIONS]


def _by_status(traffic: Traffic) -> list[Sample]:
    return [({"status": str(status)}, count) for status, count in sorted(traffic.statuses.items())]


def _resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def _lines(name: str, kind: str, text: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP arbiter_{name} {text}\n# TYPE arbiter_{name} {kind}\n"
    for labels, value in samples:
        inside = ",".join(f'{key}="{_escaped(word)}"' for key, word in labels.items())
        yield f"arbiter_{name}{f'{{{inside}}}' if inside else ''} {float(value):.15g}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
