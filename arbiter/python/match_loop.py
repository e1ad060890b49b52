"""Play the matches of a call one after the other or in workers, show how far it is, keep what was played."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias

from arbiter.errors import ConfigError, VoidMatch
from arbiter.python.match_results import MatchResults
from arbiter.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.python.contenders import Played, Table

Progress: TypeAlias = bool | Callable[[int, int | None], object]
"""True for a line on standard error, or a function of the matches played and planned (None if unknown)."""
SHOW_SECONDS = 0.5


class PlayInterrupted(KeyboardInterrupt):
    """Ctrl-C has ended a play or a comparison; `results` has the matches played.

    In a notebook ``import sys; sys.last_value.results`` has them after the interrupted cell.
    """

    def __init__(self, results: MatchResults) -> None:
        self.results = results
        super().__init__(f"{counted(len(results), 'match')} played: the results of this exception have them")


def play_through(
    table: Table,
    specs: Iterable[MatchSpec],
    workers: int | None,
    progress: Progress,
    total: int | None,
    take: Callable[[MatchRecord], object] = lambda _: None,
) -> MatchResults:
    """Play matches and return them in their order; `take` is called with each as it ends.

    `specs` may depend on what was taken. PlayInterrupted and VoidMatch with the results so far; ConfigError.
    """
    if not (isinstance(progress, bool) or callable(progress)):
        raise ConfigError(f"progress: expected a boolean or a function, got {progress!r}")
    order: dict[str, int] = {}
    records: list[MatchRecord] = []
    show = _show_line() if progress is True else progress or (lambda *_: None)

    def ordered() -> MatchResults:
        return MatchResults(map(table.with_digests, sorted(records, key=lambda one: order[one.id])))

    def numbered() -> Iterator[MatchSpec]:
        for spec in specs:
            order[spec.id] = len(order)
            yield spec

    try:
        for record in _play_each(table, numbered(), _check_workers(workers)):
            records.append(record)
            take(record)
            show(len(records), total)
    except KeyboardInterrupt:
        raise PlayInterrupted(ordered()) from None
    except VoidMatch as void:
        void.results = ordered()
        raise
    finally:
        if progress is True and records:
            print(file=sys.stderr)
    return ordered()


def _check_workers(workers: object) -> int:
    """Return a number of workers, for None one for each core; ConfigError."""
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if isinstance(workers, bool) or not isinstance(workers, SupportsIndex) or int(workers) < 1:
        raise ConfigError(
            f"workers: expected an integer from 1, or None for one on each core, got {workers!r}"
        )
    if int(workers) > 1 and not hasattr(os, "sched_getaffinity"):
        raise ConfigError("workers: more than one needs Linux")
    return int(workers)


def _play_each(table: Table, specs: Iterator[MatchSpec], workers: int) -> Iterator[MatchRecord]:
    """Yield each match as it ends; VoidMatch, BotCheckFailed."""
    if workers == 1:
        for spec in specs:
            with _named(spec):
                record = table.play(spec)
            yield record
        return
    from arbiter.table.executors import processes

    # Forked, since functions of a notebook cannot be sent.
    with table.shared(), processes(workers, "fork") as pool:
        running: dict[Future[Played], MatchSpec] = {}
        while True:
            # One ahead, so that a specification that depends on results is drawn as late as possible.
            for spec in islice(specs, pool.size + 1 - len(running)):
                running[table.submit(pool, spec)] = spec
            if not running:
                return
            done = wait(running, return_when=FIRST_COMPLETED).done
            # A void match last, so that the others are kept.
            for future in sorted(done, key=lambda one: one.exception() is not None):
                with _named(running.pop(future)):
                    played = future.result()
                yield table.take(played)


@contextmanager
def _named(spec: MatchSpec) -> Iterator[None]:
    """Name the match and its players in a VoidMatch."""
    try:
        yield
    except VoidMatch as void:
        players = ", ".join(player.name for player in spec.players)
        void.args = (f"match {spec.id} between {players}: {void}",)
        raise


def _show_line() -> Callable[[int, int | None], object]:
    """Return a function that rewrites a line on standard error, which terminals and notebooks show alike."""
    begun, last = time.monotonic(), 0.0

    def show(done: int, total: int | None) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < SHOW_SECONDS and done != total:
            return
        last = now
        seconds = 0.0 if total is None else (now - begun) / done * (total - done)
        text = f"{done} matches" if total is None else f"{done} of {total} matches, {seconds:.0f} s left"
        print(f"\r{text}   ", end="", file=sys.stderr, flush=True)

    return show
